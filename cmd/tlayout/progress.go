package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressDelay is how long work has to last before its progress is shown.
const progressDelay = time.Second

// progress is a bar with rate and time left on standard error, for work that lasts.
type progress struct {
	screen *lateScreen
	bar    *progressbar.ProgressBar
}

// newProgress begins the progress of a number of bytes; nil where standard error is no terminal.
func newProgress(s *streams, total int64) *progress {
	if screen, width := newLateScreen(s); screen != nil {
		return newBar(screen, total, width)
	}
	return nil
}

// newLateScreen is the terminal of standard error and its columns; nil where it is none.
func newLateScreen(s *streams) (*lateScreen, int) {
	f, ok := s.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 80
	}
	return &lateScreen{to: f, from: time.Now().Add(progressDelay), now: time.Now}, width
}

// newCounting begins the progress of a number of samples; nil where standard error is no terminal.
func newCounting(s *streams) *counting {
	screen, width := newLateScreen(s)
	if screen == nil {
		return nil
	}
	return &counting{screen: screen, width: min(24, max(1, width-barFigures+countFigures))}
}

// counting is a bar of samples; their number is known only with the first.
type counting struct {
	screen *lateScreen
	width  int
	bar    *progressbar.ProgressBar
}

// reach tells that so many samples of so many are taken.
func (c *counting) reach(done, total int) {
	if c == nil {
		return
	}
	if c.bar == nil {
		c.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(c.screen), progressbar.OptionSetDescription("measuring"),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetWidth(c.width))
	}
	c.bar.Set(done) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
}

// end takes the bar away.
func (c *counting) end() {
	if c != nil && c.screen.shown {
		c.bar.Clear() //nolint:errcheck // as above
	}
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

// add tells that some more bytes are done. It may be called from many goroutines.
func (p *progress) add(bytes int) {
	if p != nil {
		p.bar.Add(bytes) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
}

// end takes the bar away.
func (p *progress) end() {
	if p != nil && p.screen.shown {
		p.bar.Clear() //nolint:errcheck // as above
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
