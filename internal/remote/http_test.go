package remote

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
)

func TestMain(m *testing.M) {
	firstWait = time.Millisecond
	os.Exit(m.Run())
}

// server is a file that a test can change, on a server that a test can break.
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

func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(b)
	return b
}

// cut announces all of an answer, and breaks the connection somewhere before its end.
func cut(w http.ResponseWriter, content []byte, from, to, size int) {
	h := w.Header()
	h.Set("ETag", `"1"`)
	h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, size))
	h.Set("Content-Length", strconv.Itoa(to-from+1))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(content[from : from+rand.IntN(to-from+1)])
	panic(http.ErrAbortHandler)
}

// Every byte is what it is on the server, at any place and size, and if one request in three fails, though not as often in a row as the
// program tries: by 500, 503, or a broken body.
func TestReadAt(t *testing.T) {
	for _, size := range []int{1, 100, blockBytes, blockBytes + 1, 3<<20 + 17, 19 << 20} {
		s := &server{content: random(size), etag: `"1"`}
		var mu sync.Mutex
		failures := map[string]int{} // in a row, of a range
		s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
			n, asked := rand.IntN(9), r.Header.Get("Range")
			mu.Lock()
			failures[asked]++
			passes := n > 2 || failures[asked] == tries-1 // a body that broke before this range counts as well
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
				cut(w, s.content, from, to, size)
			}
			return false
		}
		r, err := OpenHTTP(s.start(t))
		if err != nil {
			t.Fatal(err)
		}
		if r.Size() != int64(size) {
			t.Fatalf("size %d, expected %d", r.Size(), size)
		}
		for range 60 {
			off, n := rand.IntN(size), rand.IntN(min(size, 200000))+1
			if rand.IntN(20) == 0 {
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

// Copy writes every byte to its place, and tells how many came.
func TestCopy(t *testing.T) {
	s := &server{content: random(3*partBytes + 5), etag: `"1"`}
	r, err := OpenHTTP(s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	var told atomic.Int64
	p := make([]byte, len(s.content)-7)
	if err := r.Copy(buffer{p, 7}, 7, int64(len(p)), func(n int) { told.Add(int64(n)) }); err != nil {
		t.Fatal(err)
	}
	requests, bytesRead := r.Traffic()
	if !bytes.Equal(p, s.content[7:]) || told.Load() != int64(len(p)) || requests != 4 || bytesRead != int64(len(p)+blockBytes) {
		t.Errorf("told %d of %d bytes; %d requests, %d bytes", told.Load(), len(p), requests, bytesRead)
	}
}

// Reading in order takes few requests, and little memory.
func TestReadAhead(t *testing.T) {
	s := &server{content: random(32 << 20), etag: `"1"`}
	r, err := OpenHTTP(s.start(t))
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

// An object that changes after it was opened is refused, whatever the server says of versions, and whether or not it heeds conditions.
func TestChangedMeanwhile(t *testing.T) {
	day := func(d int) string { return time.Date(2026, 1, d, 0, 0, 0, 0, time.UTC).Format(http.TimeFormat) }
	for _, c := range []struct{ etag, date, newEtag, newDate string }{
		{`"1"`, "", `"2"`, ""},
		{`"1"`, day(1), `"2"`, day(1)},
		{"", day(1), "", day(2)},
		{`W/"1"`, day(1), `W/"2"`, day(2)},
	} {
		for _, careless := range []bool{false, true} {
			s := &server{content: random(1 << 20), etag: c.etag, date: c.date, careless: careless}
			r, err := OpenHTTP(s.start(t))
			if err != nil {
				t.Fatal(err)
			}
			p := make([]byte, 100)
			if _, err := r.ReadAt(p, 500000); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.content, s.etag, s.date = random(1<<20), c.newEtag, c.newDate
			s.mu.Unlock()
			_, err = r.ReadAt(p, 800000)
			if fault.ClassOf(err) != fault.Resource || err == nil || !strings.Contains(err.Error(), "changed while reading") {
				t.Errorf("%+v, careless %t: %v", c, careless, err)
			}
		}
	}
}

// A server without ranges, or without versions, is read as a whole if the file is small, and refused with a hint if it is not.
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
			c.s.content = random(size)
			r, err := OpenHTTP(c.s.start(t))
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

// What cannot be opened says why, and nothing of what is secret in the URL.
func TestRefused(t *testing.T) {
	plain := httptest.NewServer(&server{content: random(9), etag: `"1"`})
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
		{secure.URL + "/x.npy?sig=hidden", 0, "redirected from https to http, which is refused"},
		{"http://hidden:hidden@127.0.0.1/x.npy", 0, "user name or a password"},
		{"http:///x.npy?hidden", 0, "is not a URL"},
		{"http://127.0.0.1:1/x.npy?sig=hidden", 0, "connection refused"},
	} {
		status = c.status
		_, err := OpenHTTP(c.url)
		var f *fault.Error
		if !errors.As(err, &f) || !strings.Contains(f.Text, c.text) || strings.Contains(f.Text+f.Hint, "hidden") {
			t.Errorf("%s, %d: %v", c.url, c.status, err)
		}
	}
}

// A connection that brings no bytes is given up.
func TestIdle(t *testing.T) {
	defer func(d time.Duration) { idle = d }(idle)
	idle = 50 * time.Millisecond
	stop := make(chan bool)
	s := &server{content: random(1 << 20), etag: `"1"`}
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
	r, err := OpenHTTP(s.start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer close(stop)
	if _, err := r.ReadAt(make([]byte, 10), 500000); err == nil || s.requests.Load() != 1+tries {
		t.Errorf("%v after %d requests", err, s.requests.Load())
	}
}

// A redirect is followed once; what it led to is asked again, until it is refused, as signed URLs are when they expire.
func TestRedirectKept(t *testing.T) {
	var expired atomic.Bool
	var asked atomic.Int64
	content := random(1 << 20)
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
	r, err := OpenHTTP(h.URL + "/x.npy")
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
