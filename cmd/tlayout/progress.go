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
	if f, ok := s.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil {
			width = 80
		}
		return newBar(&lateScreen{to: f, from: time.Now().Add(progressDelay), now: time.Now}, total, width)
	}
	return nil
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
