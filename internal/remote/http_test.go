package remote

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/random"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

func TestMain(m *testing.M) {
	firstWait = time.Millisecond
	os.Exit(m.Run())
}

// draws returns random numbers to many goroutines. The log has the seed, and TLAYOUT_TEST_RANDOM_SEED sets it.
type draws struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDraws(t *testing.T) *draws {
	return &draws{rng: random.New(t)}
}

func (d *draws) IntN(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// server serves one file. Tests can change the file, and make the server fail.
type server struct {
	mu       sync.Mutex
	content  []byte
	etag     string
	date     string
	noRanges bool
	careless bool // ignores conditions
	trouble  func(w http.ResponseWriter, r *http.Request) (done bool)
	requests atomic.Int64
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	if s.trouble != nil && s.trouble(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.etag != "" {
		w.Header().Set("ETag", s.etag)
	}
	if s.date != "" {
		w.Header().Set("Last-Modified", s.date)
	}
	if s.careless {
		r.Header.Del("If-Match")
		r.Header.Del("If-Unmodified-Since")
	}
	if s.noRanges {
		w.Write(s.content)
		return
	}
	date, _ := http.ParseTime(s.date)
	http.ServeContent(w, r, "", date, bytes.NewReader(s.content))
}

func (s *server) start(t *testing.T) (url string) {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL + "/x.npy"
}

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// cut announces the whole response, and breaks the connection after length bytes.
func cut(w http.ResponseWriter, content []byte, from, to, size, length int) {
	h := w.Header()
	h.Set("ETag", `"1"`)
	h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, size))
	h.Set("Content-Length", strconv.Itoa(to-from+1))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(content[from : from+length])
	panic(http.ErrAbortHandler)
}

// TestReadAt: every byte is right, at any offset and size, even if one request in three fails by 500, 503, or a broken body, but fewer
// times in a row than the Reader retries.
func TestReadAt(t *testing.T) {
	rng := newDraws(t)
	for _, size := range []int{1, 100, blockBytes, blockBytes + 1, 3<<20 + 17, 19 << 20} {
		s := &server{content: noise(size), etag: `"1"`}
		var mu sync.Mutex
		failures := map[string]int{} // in a row, by last byte: a broken part resumes at another first byte
		s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
			n := rng.IntN(9)
			_, asked, _ := strings.Cut(r.Header.Get("Range"), "-")
			mu.Lock()
			failures[asked]++
			passes := n > 2 || failures[asked] == tries
			if passes {
				failures[asked] = 0
			}
			mu.Unlock()
			if passes {
				return false
			}
			switch {
			case n == 0:
				w.WriteHeader(http.StatusInternalServerError)
				return true
			case n == 1:
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			case n == 2 && r.Header.Get("If-Match") != "":
				var from, to int
				fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
				cut(w, s.content, from, to, size, rng.IntN(to-from+1))
			}
			return false
		}
		r, err := OpenHTTP(named(s.start(t)))
		if err != nil {
			t.Fatal(err)
		}
		if r.Size() != int64(size) {
			t.Fatalf("size %d, expected %d", r.Size(), size)
		}
		for range 60 {
			off, n := rng.IntN(size), rng.IntN(min(size, 200000))+1
			if rng.IntN(20) == 0 {
				n = size
			}
			p := make([]byte, n)
			got, err := r.ReadAt(p, int64(off))
			want := s.content[off:min(off+n, size)]
			if got != len(want) || !bytes.Equal(p[:got], want) || (err == io.EOF) != (got < n) || err != nil && err != io.EOF {
				t.Fatalf("%d bytes at %d of %d: %d bytes, %v", n, off, size, got, err)
			}
		}
	}
}

// TestReadsEndAsBlock: the last bytes are read as a block: an archive, whose directory is at the end, takes one request.
func TestReadsEndAsBlock(t *testing.T) {
	s := &server{content: noise(1 << 20), etag: `"1"`}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []int64{22, 60000, blockBytes} {
		p, off := make([]byte, 20), r.Size()-before
		if _, err := r.ReadAt(p, off); err != nil || !bytes.Equal(p, s.content[off:off+20]) {
			t.Errorf("%d bytes before the end: %v", before, err)
		}
	}
	if n := s.requests.Load(); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// TestCopy: Copy writes every byte at its offset, and reports how many arrived.
func TestCopy(t *testing.T) {
	s := &server{content: noise(3*partBytes + 5), etag: `"1"`}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	var reported atomic.Int64
	p := make([]byte, len(s.content)-7)
	if err := r.Copy(buffer{p, 7}, 7, int64(len(p)), func(n int) { reported.Add(int64(n)) }); err != nil {
		t.Fatal(err)
	}
	requests, bytesRead := r.Traffic()
	if !bytes.Equal(p, s.content[7:]) || reported.Load() != int64(len(p)) || requests != 4 || bytesRead != int64(len(p)+blockBytes) {
		t.Errorf("reported %d of %d bytes; %d requests, %d bytes", reported.Load(), len(p), requests, bytesRead)
	}
}

// TestReadAhead: sequential reading takes few requests, and little memory.
func TestReadAhead(t *testing.T) {
	s := &server{content: noise(32 << 20), etag: `"1"`}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, io.NewSectionReader(r, 0, r.Size()), make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, k := range r.kept {
		held += len(k.data)
	}
	if n := s.requests.Load(); n > 16 || held > cacheBytes+aheadBytes {
		t.Errorf("%d requests, %d bytes kept", n, held)
	}
}

// TestChangedMeanwhile: an object that changes after it was opened is refused, whichever version headers the server sends, and even if it
// ignores conditions.
func TestChangedMeanwhile(t *testing.T) {
	day := func(d int) string { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC).Format(http.TimeFormat) }
	for _, c := range []struct{ etag, date, newEtag, newDate string }{
		{`"1"`, "", `"2"`, ""},
		{`"1"`, day(1), `"2"`, day(1)},
		{"", day(1), "", day(2)},
		{`W/"1"`, day(1), `W/"2"`, day(2)},
	} {
		for _, careless := range []bool{false, true} {
			s := &server{content: noise(1 << 20), etag: c.etag, date: c.date, careless: careless}
			r, err := OpenHTTP(named(s.start(t)))
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 100)
			if _, err := r.ReadAt(p, 500000); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.content, s.etag, s.date = noise(1<<20), c.newEtag, c.newDate
			s.mu.Unlock()
			_, err = r.ReadAt(p, 800000)
			if fault.ClassOf(err) != fault.Resource || err == nil || !strings.Contains(err.Error(), "changed while reading") {
				t.Errorf("%+v, careless %t: %v", c, careless, err)
			}
		}
	}
}

// TestWithoutRanges: from a server without ranges or versions, a small file is read as a whole, and a large one is refused with a hint.
func TestWithoutRanges(t *testing.T) {
	for _, c := range []struct {
		name string
		s    *server
	}{
		{"no ranges", &server{noRanges: true, etag: `"1"`}},
		{"no version", &server{}},
		{"weak version only", &server{etag: `W/"1"`}},
	} {
		for _, size := range []int{5, 1 << 20, maxWhole, maxWhole + 1} {
			c.s.content = noise(size)
			r, err := OpenHTTP(named(c.s.start(t)))
			if size > maxWhole {
				var f *fault.Error
				if !errors.As(err, &f) || f.Class != fault.Unsupported || !strings.Contains(f.Hint, "download") {
					t.Errorf("%s, %d bytes: %v", c.name, size, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, %d bytes: %v", c.name, size, err)
				continue
			}
			before := c.s.requests.Load()
			p := make([]byte, size)
			if _, err := r.ReadAt(p, 0); err != nil || !bytes.Equal(p, c.s.content) || c.s.requests.Load() != before {
				t.Errorf("%s, %d bytes: %v", c.name, size, err)
			}
		}
	}
}

// TestRefused: an error of opening names the reason, but no secret in the URL.
func TestRefused(t *testing.T) {
	plain := httptest.NewServer(&server{content: noise(9), etag: `"1"`})
	defer plain.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain.URL+"/y.npy?sig=hidden", http.StatusFound)
	}))
	defer secure.Close()
	transport := client.Transport.(*http.Transport)
	transport.TLSClientConfig = &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
	defer func() { transport.TLSClientConfig = nil }()
	status := 0
	s := &server{trouble: func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case status == http.StatusFound:
			http.Redirect(w, r, "/again?sig=hidden", status)
		case status == http.StatusTeapot:
			w.Header().Set("Content-Encoding", "gzip")
		default:
			w.WriteHeader(status)
		}
		return true
	}}
	url := s.start(t) + "?sig=hidden"
	for _, c := range []struct {
		url    string
		status int
		text   string
	}{
		{url, http.StatusNotFound, "404 Not Found"},
		{url, http.StatusForbidden, "403 Forbidden"},
		{url, http.StatusBadGateway, "502 Bad Gateway"},
		{url, http.StatusFound, "more than 5 redirects"},
		{url, http.StatusTeapot, "compressed (gzip)"},
		{secure.URL + "/x.npy?sig=hidden", 0, "refusing a redirect from https to http"},
		{"http://hidden:hidden@127.0.0.1/x.npy", 0, "user name or password"},
		{"http:///x.npy?hidden", 0, "is not a URL"},
		{"http://127.0.0.1:1/x.npy?sig=hidden", 0, "connection refused"},
	} {
		status = c.status
		_, err := OpenHTTP(named(c.url))
		var f *fault.Error
		if !errors.As(err, &f) || !strings.Contains(f.Text, c.text) || strings.Contains(f.Text+f.Hint, "hidden") {
			t.Errorf("%s, %d: %v", c.url, c.status, err)
		}
	}
}

// TestIdle: a connection that sends no bytes is closed.
func TestIdle(t *testing.T) {
	defer func(d time.Duration) { idle = d }(idle)
	idle = 50 * time.Millisecond
	stop := make(chan bool)
	s := &server{content: noise(1 << 20), etag: `"1"`}
	s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("If-Match") == "" {
			return false
		}
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Range", "bytes 500000-565535/1048576")
		w.WriteHeader(http.StatusPartialContent)
		w.(http.Flusher).Flush()
		<-stop
		return true
	}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer close(stop)
	if _, err := r.ReadAt(make([]byte, 10), 500000); err == nil || !strings.Contains(err.Error(), "no data received for 50ms") || s.requests.Load() != 1+tries {
		t.Errorf("%v after %d requests", err, s.requests.Load())
	}
}

// TestSlow: a body that arrives too slowly fails, however it is read, and however often it breaks. One byte per second is a hundredth of
// the minimum.
func TestSlow(t *testing.T) {
	defer func(f func() time.Time) { now = f }(now)
	var ticks atomic.Int64
	now = func() time.Time { return time.Unix(ticks.Add(1), 0) } // each call advances the clock by a second: Read calls it twice
	content := noise(1 << 20)
	s := &server{content: content, etag: `"1"`}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	r.ranges = dripping{r.ranges, 1}
	_, err = r.ReadAt(make([]byte, 10), 500000)
	var f *fault.Error
	if !errors.As(err, &f) || f.Class != fault.Resource || !strings.Contains(f.Text, "127.0.0.1") || !strings.Contains(f.Text, "at byte 500030: too slow: the server sent 30 bytes in 30s") {
		t.Errorf("%v", err)
	}
	if requests, bytes := r.Traffic(); requests != 2 || bytes > 2*blockBytes {
		t.Errorf("%d requests, %d bytes", requests, bytes)
	}
	r.ranges = dripping{r.ranges.(dripping).Ranges, minBytes/int(idle.Seconds()) + 1}
	if _, err = r.ReadAt(make([]byte, 10), 500000); err != nil {
		t.Errorf("at the minimum speed: %v", err)
	}
	body := Timeout(io.NopCloser(iotest.OneByteReader(bytes.NewReader(content))), func() {})
	if got, err := io.ReadAll(body); len(got) != 30 || !errors.As(err, new(*Slow)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestSlowLater: a body that began fast is too slow as soon as one window is: bytes of the windows before do not count.
func TestSlowLater(t *testing.T) {
	defer func(f func() time.Time) { now = f }(now)
	ticks := 0
	now = func() time.Time { ticks++; return time.Unix(int64(ticks), 0) }
	fast := bytes.NewReader(noise(2 * minBytes))
	slow := iotest.OneByteReader(bytes.NewReader(noise(200)))
	body := Timeout(io.NopCloser(io.MultiReader(fast, slow)), func() {})
	if _, err := io.ReadFull(body, make([]byte, 2*minBytes)); err != nil {
		t.Fatal(err)
	}
	// The first window holds the fast bytes and 29 slow ones; the second, 30 slow ones.
	if got, err := io.ReadAll(body); len(got) != 29+30 || !errors.As(err, new(*Slow)) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// dripping are ranges whose bodies return n bytes per read.
type dripping struct {
	Ranges
	n int
}

func (d dripping) Open(off, n int64) (io.ReadCloser, error) {
	body, err := d.Ranges.Open(off, n)
	if err != nil {
		return nil, err
	}
	whole, err := io.ReadAll(body)
	body.Close()
	return Timeout(io.NopCloser(&few{bytes.NewReader(whole), d.n}), func() {}), err
}

type few struct {
	io.Reader
	n int
}

func (f *few) Read(p []byte) (int, error) { return f.Reader.Read(p[:min(len(p), f.n)]) }

// TestBreaksAfterFewBytes: bodies that break after a few bytes are retried as often as empty ones.
func TestBreaksAfterFewBytes(t *testing.T) {
	for length, want := range map[int]int64{1: tries, minBytes - 1: tries, minBytes: blockBytes / minBytes} {
		s := &server{content: noise(1 << 20), etag: `"1"`}
		r, err := OpenHTTP(named(s.start(t)))
		if err != nil {
			t.Fatal(err)
		}
		s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
			var from, to int
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
			cut(w, s.content, from, to, len(s.content), min(length, to-from+1))
			return true
		}
		_, err = r.ReadAt(make([]byte, 10), 500000)
		if requests, _ := r.Traffic(); requests != 1+want || (err == nil) != (length == minBytes) {
			t.Errorf("%d bytes: %d requests, %v", length, requests, err)
		}
	}
}

// TestEndlessRedirect: a redirect with an endless body does not block.
func TestEndlessRedirect(t *testing.T) {
	defer func(d time.Duration) { maxStart = d }(maxStart)
	maxStart = 20 * time.Millisecond
	stop := make(chan bool)
	s := &server{trouble: func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Location", "/again")
		w.Header().Set("Content-Length", "10")
		w.WriteHeader(http.StatusFound)
		w.(http.Flusher).Flush()
		<-stop
		return true
	}}
	url := s.start(t)
	defer close(stop)
	if _, err := OpenHTTP(named(url)); err == nil || !strings.Contains(err.Error(), "no response for 20ms") || s.requests.Load() != tries {
		t.Errorf("%v after %d requests", err, s.requests.Load())
	}
}

// TestRedirects: five redirects are followed and six are not, and no request has a Referer.
func TestRedirects(t *testing.T) {
	for n, want := range map[int]bool{0: true, maxRedirects: true, maxRedirects + 1: false} {
		s := &server{content: noise(9), etag: `"1"`}
		s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("Referer") != "" {
				t.Errorf("Referer is %s", r.Header.Get("Referer"))
			}
			var at int
			fmt.Sscan(r.URL.Query().Get("at"), &at)
			if at < n {
				http.Redirect(w, r, fmt.Sprintf("/y.npy?at=%d", at+1), http.StatusFound)
			}
			return at < n
		}
		if _, err := OpenHTTP(named(s.start(t))); (err == nil) != want {
			t.Errorf("%d redirects: %v", n, err)
		}
	}
}

// TestSlowHead: a server that sends ten bytes in half a minute is not asked again.
func TestSlowHead(t *testing.T) {
	defer func(f func() time.Time) { now = f }(now)
	var looks atomic.Int64
	now = func() time.Time { return time.Unix(0, looks.Add(1)*int64(idle)) }
	stop := make(chan bool)
	s := &server{trouble: func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Range", "bytes 0-65535/1048576")
		w.Header().Set("Content-Length", "65536")
		w.WriteHeader(http.StatusPartialContent)
		w.Write(noise(10))
		w.(http.Flusher).Flush()
		<-stop
		return true
	}}
	url := s.start(t)
	defer close(stop)
	if _, err := OpenHTTP(named(url)); err == nil || !strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(err.Error(), "too slow: the server sent 10 bytes in 30s") || s.requests.Load() != 1 {
		t.Errorf("%v after %d requests", err, s.requests.Load())
	}
}

func TestContentRange(t *testing.T) {
	for text, want := range map[string][2]int64{
		"bytes 0-9/10": {0, 10}, "bytes 3-3/4": {3, 4}, "bytes 0-9/9": {-1, 0}, "bytes 5-4/10": {-1, 0}, "bytes -1-4/10": {-1, 0}, "bytes 0-9/*": {-1, 0}, "bytes 0-9": {-1, 0},
		"items 0-9/10": {-1, 0}, "": {-1, 0},
	} {
		from, size, err := contentRange(text)
		if (err == nil) != (want[0] >= 0) || err == nil && (from != want[0] || size != want[1]) {
			t.Errorf("%q: %d of %d, %v", text, from, size, err)
		}
	}
}

// TestRetryAfter: Retry-After is obeyed, up to an hour.
func TestRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "2": 2 * time.Second, "-2": 0, "soon": 0, "99999": time.Hour} {
		var busy *Busy
		err := refusal(&http.Response{StatusCode: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {text}}})
		if !errors.As(err, &busy) || busy.After != want {
			t.Errorf("%q: %v, %v", text, busy, err)
		}
	}
}

// TestRedirectKept: a redirect is followed once; later requests go to its target, until that is refused, as expired signed URLs are.
func TestRedirectKept(t *testing.T) {
	var expired atomic.Bool
	var asked atomic.Int64
	content := noise(1 << 20)
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/x.npy":
			asked.Add(1)
			expired.Store(false)
			http.Redirect(w, r, "/signed", http.StatusFound)
		case expired.Load():
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("ETag", `"1"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		}
	}))
	defer h.Close()
	r, err := OpenHTTP(named(h.URL + "/x.npy"))
	if err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 100)
	for i, want := range []int64{1, 1, 2} {
		expired.Store(i == 2)
		at := int64(300000 * (i + 1))
		if _, err := r.ReadAt(p, at); err != nil || !bytes.Equal(p, content[at:at+100]) || asked.Load() != want {
			t.Errorf("read %d: %v, asked %d times", i, err, asked.Load())
		}
	}
}

// TestRangesTogether: small ranges come in responses of several, 200 each; a server that sends anything else is asked once, and then for one
// range at a time.
func TestRangesTogether(t *testing.T) {
	content := noise(4 << 20)
	whole := func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(content))
	}
	several := func(r *http.Request) bool { return strings.Contains(r.Header.Get("Range"), ",") }
	// changed sends a response of several ranges with a text replaced.
	changed := func(from, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !several(r) {
				whole(w, r)
				return
			}
			recorder := httptest.NewRecorder()
			whole(recorder, r)
			maps.Copy(w.Header(), recorder.Header())
			w.Header().Del("Content-Length")
			w.WriteHeader(recorder.Code)
			io.WriteString(w, strings.Replace(recorder.Body.String(), from, to, 1))
		}
	}
	const count, length, apart = 450, 128, 9000
	for name, test := range map[string]struct {
		serve    http.HandlerFunc
		requests int64
	}{
		"several": {whole, 1 + 3},
		"the first": {func(w http.ResponseWriter, r *http.Request) {
			first, _, _ := strings.Cut(r.Header.Get("Range"), ",")
			r.Header.Set("Range", first)
			whole(w, r)
		}, 1 + 1 + count},
		"no range": {func(w http.ResponseWriter, r *http.Request) {
			if several(r) {
				r.Header.Del("Range")
			}
			whole(w, r)
		}, 1 + 1 + count},
		"another range":   {changed("bytes 144000-144127", "bytes 144001-144128"), 1 + 1 + count},
		"another size":    {changed("/4194304", "/4194305"), 1 + 1 + count},
		"a part less":     {changed("bytes 153000-", "bytes 162000-"), 1 + 1 + count},
		"an endless head": {changed("--", strings.Repeat("x\n", 1<<20)+"--"), 1 + 1 + count},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.serve)
			defer server.Close()
			r, err := OpenHTTP(named(server.URL))
			if err != nil {
				t.Fatal(err)
			}
			var wanted [][2]int64
			for i := range int64(count) {
				wanted = append(wanted, [2]int64{(i + 8) * apart, (i+8)*apart + length})
			}
			if err := r.Prefetch(wanted); err != nil {
				t.Fatal(err)
			}
			for _, w := range wanted {
				got := make([]byte, length)
				if _, err := r.ReadAt(got, w[0]); err != nil || !bytes.Equal(got, content[w[0]:w[1]]) {
					t.Fatalf("at %d: %v", w[0], err)
				}
			}
			if requests, _ := r.Traffic(); requests != test.requests {
				t.Errorf("%d requests, want %d", requests, test.requests)
			}
		})
	}
}
