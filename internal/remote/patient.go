package remote

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tlayout/tlayout/internal/words"
)

// idle is the time without a byte after which a connection counts as broken; a body that brings fewer than minBytes in that time is too
// slow: at a byte a second a header alone would take a day.
var idle = 30 * time.Second

const minBytes = 4 << 10

// now is the clock of a body's speed.
var now = time.Now

// Slow is the error of a body that brings too few bytes. It is not tried again.
type Slow struct {
	Bytes int // that came
	In    time.Duration
}

func (s *Slow) Error() string {
	return fmt.Sprintf("too slow: the server sent %s in %s, and %d are the least", words.Count(s.Bytes, "byte"), s.In.Round(time.Second), minBytes)
}

// patient ends a body whose bytes do not come, or come too slowly.
type patient struct {
	io.ReadCloser
	cancel context.CancelFunc
	waited time.Duration // for the bytes that came since the speed was judged
	bytes  int
}

// Patient makes a body end, by cancel, if no byte comes for 30 seconds of waiting, and by Slow if fewer than 4 KiB do. Close calls cancel too.
func Patient(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	return &patient{ReadCloser: body, cancel: cancel}
}

func (p *patient) Read(b []byte) (int, error) {
	began, stall := now(), time.AfterFunc(idle, p.cancel)
	n, err := p.ReadCloser.Read(b)
	if !stall.Stop() && n == 0 {
		return 0, fmt.Errorf("no byte came for %s", idle)
	}
	p.bytes += n
	if p.waited += now().Sub(began); p.waited < idle {
		return n, err
	}
	if p.bytes < minBytes && err == nil {
		err = &Slow{p.bytes, p.waited}
	}
	p.waited, p.bytes = 0, 0
	return n, err
}

func (p *patient) Close() error {
	p.cancel()
	return p.ReadCloser.Close()
}
