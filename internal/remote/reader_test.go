package remote

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// held is an object in memory.
type held []byte

func (h held) Size() int64 { return int64(len(h)) }

func (h held) Open(off, n int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(h[off : off+n])), nil
}

// written is memory that Copy writes to.
type written []byte

func (w written) WriteAt(p []byte, off int64) (int, error) { return copy(w[off:], p), nil }

// TestCopyOfHead: a copy of exactly the bytes that were read when the object was opened makes no request; one more byte does.
func TestCopyOfHead(t *testing.T) {
	content := noise(3000)
	for n, want := range map[int64]int64{1: 0, 1000: 0, 1001: 1} {
		r := NewReader("x", held(content), content[:1000])
		got := make(written, n)
		if err := r.Copy(got, 0, n, nil); err != nil || !bytes.Equal(got, content[:n]) {
			t.Errorf("%d bytes: %v", n, err)
		}
		if requests, _ := r.Traffic(); requests != want {
			t.Errorf("%d bytes: %d requests, expected %d", n, requests, want)
		}
	}
}

// TestLastBytesSlow: the last bytes of a body may take long: its end is no slow connection.
func TestLastBytesSlow(t *testing.T) {
	clock := time.Now()
	defer func() { now = time.Now }()
	now = func() time.Time { clock = clock.Add(idle); return clock }
	body := Timeout(io.NopCloser(iotest.DataErrReader(strings.NewReader("abc"))), func() {})
	if n, err := body.Read(make([]byte, 10)); n != 3 || err != io.EOF {
		t.Errorf("%d bytes, %v", n, err)
	}
	body = Timeout(io.NopCloser(strings.NewReader("abc")), func() {})
	if _, err := body.Read(make([]byte, 2)); err == nil || !strings.Contains(err.Error(), "too slow") {
		t.Errorf("before the end: %v", err)
	}
}

// TestRangeWithoutTag: a server that names the version in its first response, and not in those of ranges, is read: the condition of the request
// holds the version.
func TestRangeWithoutTag(t *testing.T) {
	content := noise(1 << 20)
	s := &server{content: content, etag: `"1"`}
	asked := ""
	s.trouble = func(w http.ResponseWriter, r *http.Request) bool {
		if asked = r.Header.Get("If-Match"); asked == "" {
			return false
		}
		r.Header.Del("If-Match") // which ServeContent would compare with the ETag
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return true
	}
	r, err := OpenHTTP(named(s.start(t)))
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 100)
	if _, err := r.ReadAt(got, 500000); err != nil || !bytes.Equal(got, content[500000:500100]) || asked != `"1"` {
		t.Errorf("%v, asked for version %s", err, asked)
	}
}
