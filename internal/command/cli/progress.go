//go:build !js

package cli

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is the time before progress is shown.
const progressDelay = time.Second

// redrawn is the minimum time between two redraws of a bar.
var redrawn = 100 * time.Millisecond

// progress is a bar on standard error, with the remaining time.
type progress struct {
	screen *delayedWriter
	bar    *progressbar.ProgressBar
}

// NewProgress starts a bar for total bytes read or written; nil unless standard error is a terminal.
func NewProgress(s *Streams, what string, total int64) *progress {
	if screen, width := newDelayedWriter(s); screen != nil {
		return newBar(screen, what, total, width)
	}
	return nil
}

// newDelayedWriter returns the terminal of standard error and its width; nil if it is not a terminal.
func newDelayedWriter(s *Streams) (*delayedWriter, int) {
	width := TerminalWidth(s.Err)
	if width == 0 {
		return nil, 0
	}
	return &delayedWriter{to: s.plain(s.Err), from: time.Now().Add(progressDelay), now: time.Now}, width
}

// NewCounting starts a bar for samples counted by Reach; nil unless standard error is a terminal.
func NewCounting(s *Streams) *progress {
	screen, columns := newDelayedWriter(s)
	if screen == nil {
		return nil
	}
	return &progress{screen, progressbar.NewOptions(1, progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription("measuring"),
		progressbar.OptionThrottle(redrawn), progressbar.OptionSetWidth(min(24, max(1, columns-barFigures+countFigures))))}
}

// Reach reports done out of total.
func (p *progress) Reach(done, total int) {
	if p == nil {
		return
	}
	if p.bar.GetMax() != total {
		p.bar.ChangeMax(total)
	}
	p.bar.Set(done) //nolint:errcheck // the bar is best effort
}

// barFigures is the maximum width of the figures beside a bar; countFigures is that of the byte count.
const (
	barFigures   = 56
	countFigures = 20
)

// newBar returns a bar for a screen of this width; a narrow one has no byte count.
func newBar(screen *delayedWriter, what string, total int64, columns int) *progress {
	options := []progressbar.Option{progressbar.OptionSetWriter(screen), progressbar.OptionSetDescription(what),
		progressbar.OptionShowBytes(true), progressbar.OptionUseIECUnits(true), progressbar.OptionThrottle(redrawn)}
	left := columns - barFigures
	if left < 4 {
		left += countFigures
	} else {
		options = append(options, progressbar.OptionShowCount())
	}
	options = append(options, progressbar.OptionSetWidth(min(24, max(1, left))))
	return &progress{screen, progressbar.NewOptions64(total, options...)}
}

// Add reports more bytes as done. It is safe for concurrent use.
func (p *progress) Add(bytes int) {
	if p != nil {
		p.bar.Add(bytes) //nolint:errcheck // the bar is best effort
	}
}

// End removes the bar.
func (p *progress) End() {
	if p != nil && p.screen.shown {
		p.bar.Clear() //nolint:errcheck // as above
	}
}

// delayedWriter discards everything written before a point in time.
type delayedWriter struct {
	to    io.Writer
	from  time.Time
	now   func() time.Time
	shown bool
}

func (s *delayedWriter) Write(p []byte) (int, error) {
	if s.now().Before(s.from) {
		return len(p), nil
	}
	s.shown = true
	return s.to.Write(p)
}
