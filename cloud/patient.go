package cloud

import (
	"context"
	"io"
	"time"
)

// idle is the time without a byte after which a connection counts as broken.
const idle = time.Minute

// patient closes a body whose bytes do not come.
type patient struct {
	io.ReadCloser
	cancel context.CancelFunc
	timer  *time.Timer
}

func newPatient(body io.ReadCloser, cancel context.CancelFunc) *patient {
	return &patient{body, cancel, time.AfterFunc(idle, cancel)}
}

func (p *patient) Read(b []byte) (int, error) {
	p.timer.Reset(idle)
	return p.ReadCloser.Read(b)
}

func (p *patient) Close() error {
	p.timer.Stop()
	p.cancel()
	return p.ReadCloser.Close()
}
