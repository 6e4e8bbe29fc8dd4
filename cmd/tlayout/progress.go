package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressDelay is how long work has to last before its progress is shown.
const progressDelay = time.Second

// progress is a bar with rate and time left on standard error, for work that lasts. It shows nothing where standard
// error is no terminal.
type progress struct {
	to    io.Writer
	total int64 // bytes
	now   func() time.Time
	begun time.Time

	mu   sync.Mutex // guards what follows
	done int64
	bar  *progressbar.ProgressBar // nil until it is worth showing
}

func newProgress(s *streams, total int64) *progress {
	p := &progress{total: total, now: time.Now, begun: time.Now()}
	if f, ok := s.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.to = f
	}
	return p
}

// add tells that some more bytes are done. It may be called from many goroutines.
func (p *progress) add(bytes int) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(bytes)
	if p.bar == nil && p.now().Sub(p.begun) >= progressDelay {
		p.bar = progressbar.NewOptions64(p.total, progressbar.OptionSetWriter(p.to), progressbar.OptionShowBytes(true),
			progressbar.OptionSetWidth(24), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionUseIECUnits(true), progressbar.OptionSetDescription("writing"))
	}
	if p.bar != nil {
		p.bar.Set64(p.done) //nolint:errcheck // a bar that cannot be drawn is no reason to stop
	}
}

// end takes the bar away.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear() //nolint:errcheck // as above
		p.bar = nil
	}
}
