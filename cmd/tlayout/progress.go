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
		return newBar(&lateScreen{to: f, from: time.Now().Add(progressDelay), now: time.Now}, total)
	}
	return nil
}

func newBar(screen *lateScreen, total int64) *progress {
	return &progress{screen, progressbar.NewOptions64(total, progressbar.OptionSetWriter(screen),
		progressbar.OptionSetDescription("writing"), progressbar.OptionSetWidth(24), progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(), progressbar.OptionUseIECUnits(true), progressbar.OptionThrottle(100*time.Millisecond))}
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
