package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

// The drivers try a request several times, and package store the whole operation. Where no connection was made, only package store does.
const (
	attempts   = 3
	firstDelay = 500 * time.Millisecond
	maxDelay   = 5 * time.Second
)

// answer is a store's response to a request that failed.
type answer struct {
	status  int    // of HTTP; 0 if there was no response
	code    string // the store's own; "" if unknown
	message string
}

// fault translates an error to those of package store. conditional means that the request was for a certain version.
func (b *bucket) fault(err error, conditional bool) error {
	if err := unreachable(err); err != nil {
		if b.exists.Load() { // the network worked before
			return errors.New(err.Error())
		}
		return err
	}
	a := b.answer(err)
	switch a.status {
	case http.StatusNotFound:
		return fmt.Errorf("%w: %v", store.ErrAbsent, err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return b.denied(a)
	case http.StatusMovedPermanently:
		return fault.New(fault.Resource, "bucket %s is in another region", text.Quoted(b.name)).
			WithHint("%s", b.moved)
	}
	if conditional && isUnmet(a, err) {
		return fmt.Errorf("%w: %v", store.ErrOther, err)
	}
	if a.status != 0 || a.text() != "" {
		return a.fault()
	}
	var request *url.Error
	if errors.As(err, &request) { // without gocloud's words
		return errors.New(request.Error())
	}
	return err
}

// text returns the code and the message.
func (a answer) text() string {
	if a.code == "" || a.code == a.message {
		return a.message
	}
	if a.message == "" {
		return a.code
	}
	return a.code + ": " + a.message
}

// temporary lists the statuses from 400 to 499 that another try may mend: an upload's session may have expired (404, 410), another write
// may be under way (409, 412).
var temporary = []int{
	http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict, http.StatusGone, http.StatusPreconditionFailed, http.StatusTooManyRequests,
}

// fault returns the error for an answer. It is final unless another try may succeed.
func (a answer) fault() error {
	message := cmp.Or(a.text(), fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
	if a.status == http.StatusNotImplemented || a.status/100 == 4 && !slices.Contains(temporary, a.status) {
		return fault.New(fault.Resource, "%s", text.Quote(text.Shorten(message)))
	}
	return errors.New(message)
}

// isUnmet reports whether the condition of a request was not met. S3's 409 ConditionalRequestConflict may be temporary, so it is not. (Amazon
// S3 User Guide, "How to prevent object overwrites with conditional writes")
func isUnmet(a answer, err error) bool {
	return a.status == http.StatusPreconditionFailed || gcerrors.Code(err) == gcerrors.FailedPrecondition
}

// nobody names requests without credentials.
const nobody = "anonymous requests"

// denied returns the error for refused credentials.
func (b *bucket) denied(a answer) error {
	why := ""
	if a.text() != "" {
		why = ": " + text.Quote(text.Shorten(a.text()))
	}
	who := b.who()
	hint := b.hint + b.public
	if who == nobody {
		hint = "omit ?anonymous=true, and " + b.hint
	}
	return fault.New(fault.Resource, "access denied to %s%s", who, why).WithHint("%s", hint)
}

// absent returns the error for an object that does not exist, by err, or whose bucket does not. Only a list request tells them apart in
// every store; it is made once.
func (b *bucket) absent(ctx context.Context, err error) error {
	if b.exists.Load() {
		return err
	}
	_, _, listErr := b.blob.ListPage(ctx, blob.FirstPageToken, 1, nil)
	if listErr != nil && b.answer(listErr).status == http.StatusNotFound {
		return b.missing()
	}
	b.exists.Store(true) // or it cannot be listed
	return err
}

// missing returns the error for a bucket that does not exist.
func (b *bucket) missing() error {
	return fault.New(fault.Resource, "%s %s does not exist", b.container, text.Quoted(b.name))
}

// unreachable returns an error that names the host, unless err has another reason than that no connection was made. It is final for a host
// without an address, and for one that does not respond, because the drivers wait half a minute for it.
func unreachable(err error) error {
	var name *net.DNSError
	var dial *net.OpError
	isName := errors.As(err, &name)
	if isName && name.IsNotFound {
		return fault.New(fault.Resource, "cannot find the host %s", text.Quote(name.Name))
	}
	if !errors.As(err, &dial) || dial.Op != "dial" && dial.Op != "proxyconnect" {
		return nil
	}
	timeout := dial.Timeout()
	for errors.As(dial.Err, &dial) { // only the innermost has the proxy's address
	}
	if isName {
		if timeout {
			return fault.New(fault.Resource, "cannot find the host %s: %s", text.Quote(name.Name), name.Err)
		}
		return fmt.Errorf("cannot find the host %s: %s", name.Name, name.Err)
	}
	if dial.Addr == nil {
		if timeout {
			return fault.New(fault.Resource, "the proxy does not respond")
		}
		return fmt.Errorf("cannot connect: %v", fault.Cause(dial))
	}
	if timeout {
		return fault.New(fault.Resource, "%v does not respond", dial.Addr)
	}
	return fmt.Errorf("cannot connect to %v: %v", dial.Addr, fault.Cause(dial))
}
