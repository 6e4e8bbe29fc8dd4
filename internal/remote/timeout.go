package remote

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tlayout/tlayout/internal/text"
)

// idle is the time without a byte after which a connection counts as broken. Fewer than minBytes in that time are too slow: at a byte per
// second, a header alone would take a day.
var idle = 30 * time.Second

const minBytes = 4 << 10

// now is the clock that measures a body's speed.
var now = time.Now

// Slow is the error of a body that arrives too slowly. It is not retried.
type Slow struct {
	Bytes int // received
	In    time.Duration
}

func (s *Slow) Error() string {
	return fmt.Sprintf("too slow: the server sent %s in %s, the minimum is %d", text.Count(s.Bytes, "byte"), s.In.Round(time.Second), minBytes)
}

// timedBody fails a body that stalls or arrives too slowly.
type timedBody struct {
	io.ReadCloser
	cancel context.CancelFunc
	waited time.Duration // time spent waiting since the speed was last checked
	bytes  int
}

// Timeout fails a body, by cancel, if no byte arrives within 30 seconds of waiting, and with Slow if fewer than 4 KiB do. Close also calls
// cancel.
func Timeout(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	return &timedBody{ReadCloser: body, cancel: cancel}
}

func (p *timedBody) Read(b []byte) (int, error) {
	began := now()
	stall := time.AfterFunc(idle, p.cancel)
	n, err := p.ReadCloser.Read(b)
	if !stall.Stop() && n == 0 {
		return 0, fmt.Errorf("no data received for %s", idle)
	}
	p.bytes += n
	if p.waited += now().Sub(began); p.waited < idle {
		return n, err
	}
	if p.bytes < minBytes && err == nil {
		err = &Slow{p.bytes, p.waited}
	}
	p.waited = 0
	p.bytes = 0
	return n, err
}

func (p *timedBody) Close() error {
	p.cancel()
	return p.ReadCloser.Close()
}
