package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work has to last before its progress is shown.
const progressDelay = time.Second

// progress is a bar with time left on standard error, for work that lasts.
type progress struct {
	screen *lateScreen
	Bar    *progressbar.ProgressBar
}

// NewProgress begins the progress of a number of bytes; nil where standard error is no terminal.
func NewProgress(s *Streams, total int64) *progress {
	if screen, width := newLateScreen(s); screen != nil {
		return newBar(screen, total, width)
	}
	return nil
}

// newLateScreen is the terminal of standard error and its columns; nil where it is none.
func newLateScreen(s *Streams) (*lateScreen, int) {
	width := TerminalWidth(s.Err)
	if width == 0 {
		return nil, 0
	}
	return &lateScreen{to: s.Err, from: time.Now().Add(progressDelay), now: time.Now}, width
}

// NewCounting begins the progress of a number of samples, which is told later; nil where standard error is no terminal.
func NewCounting(s *Streams) *progress {
	screen, columns := newLateScreen(s)
	if screen == nil {
		return nil
	}
	return &progress{screen, progressbar.NewOptions(1, progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription("measuring"),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(min(24, max(1, columns-barFigures+countFigures))))}
}

// Reach tells that so many of so many are done.
func (p *progress) Reach(done, total int) {
	if p == nil {
		return
	}
	if p.Bar.GetMax() != total {
		p.Bar.ChangeMax(total)
	}
	p.Bar.Set(done) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
}

// barFigures is how many columns the figures beside a bar take at most, and countFigures how many of them the bytes.
const (
	barFigures   = 56
	countFigures = 20
)

// newBar makes the bar for a screen of some columns; on a narrow one without the bytes.
func newBar(screen *lateScreen, total int64, columns int) *progress {
	options := []progressbar.Option{progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription("writing"),
		progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true), progressbar.OptionThrottle(100 * time.Millisecond)}
	left := columns - barFigures
	if left < 4 {
		left += countFigures
	} else {
		options = append(options, progressbar.OptionShowCount())
	}
	options = append(options, progressbar.OptionSetWidth(min(24, max(1, left))))
	return &progress{screen, progressbar.NewOptions64(total, options...)}
}

// Add tells that some more bytes are done. It may be called from many goroutines.
func (p *progress) Add(bytes int) {
	if p != nil {
		p.Bar.Add(bytes) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
}

// End takes the bar away.
func (p *progress) End() {
	if p != nil && p.screen.shown {
		p.Bar.Clear() //nolint:errcheck // as above
	}
}

// lateScreen shows nothing of what is written to it before a certain time.
type lateScreen struct {
	to    io.Writer
	from  time.Time
	now   func() time.Time
	shown bool
}

func (s *lateScreen) Write(p []byte) (int, error) {
	if s.now().Before(s.from) {
		return len(p), nil
	}
	s.shown = true
	return s.to.Write(p)
}
