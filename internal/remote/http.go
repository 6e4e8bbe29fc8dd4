//go:build !js

package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

const (
	maxWhole     = 16 << 20 // bytes; the largest object to read as a whole
	maxRedirects = 5
)

// maxStart is the longest time until all headers of a response have arrived, connections and redirects included: the http package reads the
// bodies of redirects.
var maxStart = 2 * time.Minute

// client uses the environment's proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
var client = &http.Client{
	Transport: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    15 * time.Second,
		ResponseHeaderTimeout:  idle,
		IdleConnTimeout:        idle,
		MaxIdleConnsPerHost:    ranges,
		MaxResponseHeaderBytes: 1 << 20,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // ranges count the stored bytes
	},
	CheckRedirect: checkRedirect,
}

// checkRedirect refuses redirects from https to http, and more than maxRedirects.
func checkRedirect(to *http.Request, via []*http.Request) error {
	switch from := via[len(via)-1].URL.Scheme; {
	case len(via) > maxRedirects:
		return fault.New(fault.Resource, "more than %d redirects", maxRedirects)
	case to.URL.Scheme != "https" && to.URL.Scheme != from:
		return fault.New(fault.Resource, "refusing a redirect from %s to %s", from, text.Quote(to.URL.Scheme))
	}
	to.Header.Del("Referer") // it would leak the query, which may hold a signature
	return nil
}

// object is a file of an HTTP server.
type object struct {
	shown    string // quoted, without secrets
	url      string
	size     int64
	etag     string      // strong or weak; "" for none
	date     string      // Last-Modified; "" for none
	whole    []byte      // content from a server without range support
	oneRange atomic.Bool // the server sent no response of several ranges

	mu    sync.Mutex
	final string // URL after redirects; "" for url
}

// OpenHTTP opens a file on an HTTP server, and reads its first bytes. All later reads return the same version, identified by its entity
// tag, or else by its modification time, which has a resolution of one second. A file with neither, or on a server without range support,
// is read as a whole, up to 16 MiB. Errors are *fault.Error. (RFC 9110, sections 13 and 14)
func OpenHTTP(n name.Name) (*Reader, error) {
	o := &object{shown: n.String(), url: n.Raw()}
	parsed, err := url.Parse(o.url)
	if err != nil || parsed.Host == "" {
		return nil, fault.New(fault.Usage, "%s is not a URL", o.shown)
	}
	if parsed.User != nil {
		return nil, fault.New(fault.Usage, "%s contains a user name or password, which other programs can see", o.shown).
			WithHint("use a signed URL, or download the file, for example with curl -O")
	}
	for failures := 1; ; failures++ {
		head, err := o.first()
		var f *fault.Error
		if err == nil {
			r := NewReader(o.shown, o, head)
			r.Version = cmp.Or(o.etag, o.date)
			r.requests.Add(int64(failures))
			r.bytes.Add(int64(len(head)))
			return r, nil
		}
		if errors.As(err, &f) {
			return nil, fault.In(o.shown, f)
		}
		if failures == tries || errors.As(err, new(*Slow)) {
			return nil, fault.New(fault.Resource, "cannot open %s: %s", o.shown, reason(err))
		}
		pause(failures, err)
	}
}

// first makes the first request, which identifies the version, and returns the bytes it received.
func (o *object) first() (head []byte, err error) {
	answer, err := o.get(rangeOf(0, blockBytes), false)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	o.etag = answer.Header.Get("ETag")
	o.date = answer.Header.Get("Last-Modified")
	switch answer.StatusCode {
	case http.StatusPartialContent:
		from, size, err := contentRange(answer.Header.Get("Content-Range"))
		if err != nil || from != 0 {
			return nil, fault.New(fault.Resource, "the response has no Content-Range with the size")
		}
		o.size = size
		if o.strong() == "" && o.date == "" {
			return o.all("the server identifies no version (ETag, Last-Modified)")
		}
		if final := answer.Request.URL.String(); final != o.url {
			o.final = final
		}
		head = make([]byte, min(size, blockBytes))
		_, err = io.ReadFull(answer.Body, head)
		return head, err
	case http.StatusOK:
		o.size = answer.ContentLength
		return o.readAll(answer.Body, "the server does not support range requests")
	case http.StatusRequestedRangeNotSatisfiable:
		return nil, fault.New(fault.Malformed, "file is empty")
	}
	return nil, refusal(answer)
}

// all reads the object as a whole.
func (o *object) all(why string) ([]byte, error) {
	if o.size > maxWhole {
		return nil, o.tooLarge(why)
	}
	answer, err := o.get("", false)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, refusal(answer)
	}
	o.size = answer.ContentLength
	return o.readAll(answer.Body, why)
}

// readAll reads a body to its end.
func (o *object) readAll(body io.Reader, why string) (head []byte, err error) {
	if o.size > maxWhole {
		return nil, o.tooLarge(why)
	}
	o.whole, err = io.ReadAll(io.LimitReader(body, maxWhole+1))
	if err != nil {
		return nil, err
	}
	if len(o.whole) > maxWhole {
		return nil, o.tooLarge(why)
	}
	o.size = int64(len(o.whole))
	if o.size == 0 {
		return nil, fault.New(fault.Malformed, "file is empty")
	}
	return o.whole, nil
}

func (o *object) tooLarge(why string) error {
	size := ""
	if o.size > 0 {
		size = ", " + text.Bytes(o.size)
	}
	return fault.New(fault.Unsupported, "%s, and the file is larger than %s%s", why, text.Bytes(maxWhole), size).
		WithHint("download it, for example with curl -O, and pass the file")
}

// rangeOf returns n bytes at off as a range of the Range header.
func rangeOf(off, n int64) string { return fmt.Sprintf("%d-%d", off, off+n-1) }

// get requests ranges of bytes, or all if there are none. If bound, the server must return the version that was opened.
func (o *object) get(ranges string, bound bool) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.address(), nil)
	if err != nil {
		cancel()
		return nil, fault.New(fault.Usage, "not a URL")
	}
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", "tlayout")
	if ranges != "" {
		request.Header.Set("Range", "bytes="+ranges)
	}
	switch etag := o.strong(); {
	case bound && etag != "":
		request.Header.Set("If-Match", etag)
	case bound:
		request.Header.Set("If-Unmodified-Since", o.date)
	}
	stall := time.AfterFunc(maxStart, cancel)
	answer, err := client.Do(request)
	if !stall.Stop() {
		err = fmt.Errorf("no response for %s", maxStart)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	answer.Body = Timeout(answer.Body, cancel)
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		answer.Body.Close()
		return nil, fault.New(fault.Unsupported, "the response is compressed (%s)", text.Quote(encoding)).
			WithHint("download it with curl --compressed -O, and pass the file")
	}
	return answer, nil
}

// strong returns the entity tag if it identifies the exact bytes, as If-Match requires, otherwise "". (RFC 9110, section 8.8.3)
func (o *object) strong() string {
	if strings.HasPrefix(o.etag, `"`) {
		return o.etag
	}
	return ""
}

// address returns the URL to request: the redirect's target, until the server refuses it.
func (o *object) address() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.final != "" {
		return o.final
	}
	return o.url
}

// dropRedirect makes the next request start at the user's URL again: the redirect's target may have expired.
func (o *object) dropRedirect() (was bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	was = o.final != ""
	o.final = ""
	return was
}

// Size returns the object's size in bytes.
func (o *object) Size() int64 { return o.size }

// Open reads n bytes at off.
func (o *object) Open(off, n int64) (io.ReadCloser, error) {
	if o.whole != nil {
		return io.NopCloser(strings.NewReader(string(o.whole[off : off+n]))), nil
	}
	answer, err := o.get(rangeOf(off, n), true)
	if err != nil {
		return nil, err
	}
	if err := o.check(answer, off); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer.Body, nil
}

// readSpans fills spans by one request of all their ranges. A server may send one range, the whole object or nothing instead: then it is asked for
// one range at a time. (RFC 9110, section 15.3.7.2)
func (o *object) readSpans(spans []span) (asked bool, err error) {
	if o.whole != nil || o.oneRange.Load() {
		return false, errors.ErrUnsupported
	}
	var wanted []string
	limit := int64(0)
	for _, s := range spans {
		wanted = append(wanted, rangeOf(s.at, int64(len(s.data))))
		limit += int64(len(s.data)) + maxPartHeader
	}
	answer, err := o.get(strings.Join(wanted, ","), true)
	if err != nil {
		return true, err
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusPartialContent:
	case http.StatusOK, http.StatusRequestedRangeNotSatisfiable:
		o.oneRange.Store(true)
		return true, errors.ErrUnsupported
	default:
		return true, refusal(answer)
	}
	if o.isOther(answer.Header) {
		return true, Changed(o.shown)
	}
	kind, parameters, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" {
		o.oneRange.Store(true)
		return true, errors.ErrUnsupported
	}
	parts := multipart.NewReader(io.LimitReader(answer.Body, limit), parameters["boundary"])
	for _, s := range spans {
		if err := o.readPart(parts, s); err != nil {
			o.oneRange.Store(err == errors.ErrUnsupported)
			return true, err
		}
	}
	return true, nil
}

// maxPartHeader bounds the bytes of a part besides its range.
const maxPartHeader = 1 << 10

// readPart fills a span from the next part of a response, which has its range.
func (o *object) readPart(parts *multipart.Reader, s span) error {
	part, err := parts.NextRawPart()
	if err != nil {
		return err
	}
	from, size, err := contentRange(part.Header.Get("Content-Range"))
	if err != nil {
		return err
	}
	if from != s.at || size != o.size {
		return errors.ErrUnsupported
	}
	_, err = io.ReadFull(part, s.data)
	return err
}

// check refuses a response that is not the requested range, or of another version than was opened. Servers may ignore conditions, so it
// checks the response's own headers too.
func (o *object) check(answer *http.Response, off int64) error {
	h := answer.Header
	switch answer.StatusCode {
	case http.StatusPartialContent:
	case http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable, http.StatusOK:
		return Changed(o.shown)
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		if o.dropRedirect() {
			return &Busy{Why: answer.Status}
		}
		return fault.In(o.shown, refusal(answer))
	default:
		if f := (*fault.Error)(nil); errors.As(refusal(answer), &f) {
			return fault.In(o.shown, f)
		}
		return refusal(answer)
	}
	from, size, err := contentRange(h.Get("Content-Range"))
	if err == nil && size != o.size || o.isOther(h) {
		return Changed(o.shown)
	}
	if err != nil || from != off {
		return fault.New(fault.Resource, "cannot read %s: the server sent a different range than requested", o.shown)
	}
	return nil
}

// isOther reports whether the headers of a response are those of another version.
func (o *object) isOther(h http.Header) bool {
	if etag := h.Get("ETag"); etag != "" && etag != o.etag {
		return true
	}
	return o.strong() == "" && h.Get("Last-Modified") != o.date
}

// contentRange parses "bytes 0-9/100": the first byte and the size. (RFC 9110, section 14.4)
func contentRange(text string) (from, size int64, err error) {
	var last int64
	span, total, _ := strings.Cut(text, "/")
	_, err = fmt.Sscanf(span, "bytes %d-%d", &from, &last)
	if err == nil {
		size, err = strconv.ParseInt(total, 10, 64)
	}
	if err != nil {
		return from, size, err
	}
	if from < 0 || last < from || size <= last {
		return from, size, errors.New("not a range")
	}
	return from, size, nil
}

// refusal returns the error of a response without content: *Busy if the request may be retried.
func refusal(answer *http.Response) error {
	status := fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	switch code := answer.StatusCode; code {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
		return &Busy{"the server responded " + status, time.Duration(max(0, min(seconds, 3600))) * time.Second}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.New(fault.Resource, "the server responded %s", status).WithHint("a signed URL may have expired; tlayout sends no credentials over http")
	}
	return fault.New(fault.Resource, "the server responded %s", status)
}
