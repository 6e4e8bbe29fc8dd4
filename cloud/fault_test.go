package cloud

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestUnreachable: an error of a connection names the host, also behind a proxy. A timeout is final only until an object was found.
func TestUnreachable(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}
	dial := func(at net.Addr, err error) error { return &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: err} }
	proxied := func(err error) error { return &net.OpError{Op: "proxyconnect", Net: "tcp", Err: err} }
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	for _, c := range []struct {
		err   error
		want  string
		final bool
	}{
		{dial(nil, &net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), `cannot find the host h`, true},
		{dial(nil, &net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true}), `cannot find the host h: i/o timeout`, true},
		{dial(nil, &net.DNSError{Err: "server misbehaving", Name: "h", IsTemporary: true}), `cannot find the host h: server misbehaving`, false},
		{dial(at, os.ErrDeadlineExceeded), `10.0.0.1:443 does not respond`, true},
		{dial(at, refused), `cannot connect to 10.0.0.1:443: connection refused`, false},
		{proxied(dial(at, refused)), `cannot connect to 10.0.0.1:443: connection refused`, false},
		{proxied(dial(at, os.ErrDeadlineExceeded)), `10.0.0.1:443 does not respond`, true},
		{proxied(os.ErrDeadlineExceeded), `the proxy does not respond`, true},
		{proxied(errors.New("unknown")), `cannot connect: unknown`, false},
	} {
		for _, found := range []bool{false, true} {
			b := &bucket{kind: ofS3}
			b.exists.Store(found)
			err := b.fault(fmt.Errorf("request: %w", &url.Error{Op: "Get", URL: "https://h", Err: c.err}), false)
			if got := errors.As(err, new(*fault.Error)); err.Error() != c.want || got != (c.final && !found) {
				t.Errorf("%v, found %t: %q, final %t; expected %q", c.err, found, err, got, c.want)
			}
		}
	}
	if err := unreachable(&net.OpError{Op: "read", Err: refused}); err != nil {
		t.Error(err)
	}
}
