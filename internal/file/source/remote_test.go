package source

import (
	"archive/zip"
	"bytes"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// server serves a file, and counts: a round trip is all requests that come before one of them is answered, which is when no other has come
// for a while.
type server struct {
	mu               sync.Mutex
	content          []byte
	requests, rounds int
	bytes            int64
	answered         chan struct{} // closed when the requests of the round are answered; nil between rounds
	timer            *time.Timer
}

// quiet ends a round.
const quiet = 100 * time.Millisecond

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.requests++; s.answered == nil {
		s.rounds++
		answered := make(chan struct{})
		s.answered, s.timer = answered, time.AfterFunc(quiet, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.answered = nil
			close(answered)
		})
	}
	s.timer.Reset(quiet)
	answered := s.answered
	s.mu.Unlock()
	<-answered
	w.Header().Set("ETag", `"1"`)
	http.ServeContent(&countedBody{w, s}, r, "", time.Time{}, bytes.NewReader(s.content))
}

// countedBody counts the bytes of a body.
type countedBody struct {
	http.ResponseWriter
	server *server
}

func (c *countedBody) Write(p []byte) (int, error) {
	c.server.mu.Lock()
	c.server.bytes += int64(len(p))
	c.server.mu.Unlock()
	return c.ResponseWriter.Write(p)
}

// serve serves a file under a name.
func serve(t *testing.T, name string, content []byte) (*server, string) {
	s := &server{content: content}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	return s, web.URL + "/" + name
}

// manyTensors is a checkpoint of n tensors of some 100 KB.
func manyTensors(t *testing.T, n int) []byte {
	t.Helper()
	d, err := dtype.Parse("float32")
	if err != nil {
		t.Fatal(err)
	}
	var tensors []checkpoint.Tensor
	var sizes []int64
	for i := range n {
		view, err := tensor.Packed([]int{160, 160 + i%3})
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, checkpoint.Tensor{Name: fmt.Sprintf("encoder.layers.%d.attention.weight", i), Type: d, View: view, Storage: i})
		sizes = append(sizes, int64(view.Numel())*4)
	}
	p, err := torch.Place(tensors, sizes, 64)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.pt")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sums := make([]uint32, n)
	for storage, at := range p.Storages() {
		data := bytes.Repeat([]byte{byte(storage)}, int(sizes[storage]))
		if _, err := file.WriteAt(data, at); err != nil {
			t.Fatal(err)
		}
		sums[storage] = crc32.ChecksumIEEE(data)
	}
	if err := p.Frame(file, sums); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestRoundTrips: a checkpoint of 500 tensors on a network is listed in at most 6 requests and 1 MB, and one tensor of it is read in 4
// requests; what is read is what is in the file. The header of a storage is compared when the storage is read.
func TestRoundTrips(t *testing.T) {
	const n = 500
	content := manyTensors(t, n)
	web, url := serve(t, "x.pt", content)
	s, _, err := Open(named(url), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Tensors) != n || web.requests > 6 || web.bytes > 1<<20 {
		t.Errorf("%d tensors are listed in %d round trips, %d requests and %d bytes", len(s.Tensors), web.rounds, web.requests, web.bytes)
	}
	for i, x := range s.Storages {
		if content[x.At] != byte(i) || content[x.At+x.Bytes-1] != byte(i) {
			t.Fatalf("storage %d is at byte %d", i, x.At)
		}
	}
	for _, c := range []struct {
		o     Options
		bytes int64
	}{{Options{HeaderOnly: true}, 1 << 19}, {Options{}, 3 << 20}} {
		web, url = serve(t, "x.pt", content)
		x, err := OpenOnly(named(url+":encoder.layers.300.attention.weight"), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if !c.o.HeaderOnly {
			if data, err := x.Data(); err != nil || len(data) != 160*160*4 || strings.Trim(string(data), string([]byte{300 % 256})) != "" {
				t.Errorf("%d bytes, %v", len(data), err)
			}
		}
		if web.requests > 4 || web.bytes > c.bytes {
			t.Errorf("%+v: one tensor takes %d requests and %d bytes", c.o, web.requests, web.bytes)
		}
		x.Close()
	}
	header := bytes.Index(content, []byte("data/300"))
	content[header+len("data/")] = '9'
	_, url = serve(t, "x.pt", content)
	for tensor, refused := range map[string]bool{"encoder.layers.300.attention.weight": true, "encoder.layers.301.attention.weight": false} {
		x, err := OpenOnly(named(url+":"+tensor), Options{})
		if (fault.ClassOf(err) == fault.Malformed) != refused {
			t.Errorf("%s: %v", tensor, err)
		}
		if err == nil {
			x.Close()
		}
	}
}

// TestRemoteList: the headers of 500 arrays of an archive on a network are read in 6 requests, and one array in 4.
func TestRemoteList(t *testing.T) {
	const n = 500
	var content bytes.Buffer
	z := zip.NewWriter(&content)
	array := fmt.Appendf(nil, "\x93NUMPY\x01\x00\x76\x00%-117s\n%s", "{'descr': '|u1', 'fortran_order': False, 'shape': (100000,)}", strings.Repeat("x", 100_000))
	size, sum := uint64(len(array)), crc32.ChecksumIEEE(array)
	for i := range n {
		// as NumPy writes it: sizes stand before the content
		m, err := z.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("layer.%d.npy", i), CRC32: sum, CompressedSize64: size, UncompressedSize64: size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write(array); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	web, url := serve(t, "x.npz", content.Bytes())
	s, _, err := Open(named(url), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := s.List(Options{})
	if err != nil || len(list.Entries) != n || list.Entries[n-1].DataBytes != 100_000 || web.requests > 6 || web.bytes > 2<<20 {
		t.Errorf("%d entries in %d requests and %d bytes, %v", len(list.Entries), web.requests, web.bytes, err)
	}
	web, url = serve(t, "x.npz", content.Bytes())
	x, err := OpenOnly(named(url+":layer.300"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if data, err := x.Data(); err != nil || len(data) != 100_000 || web.requests > 4 {
		t.Errorf("%d bytes of an array in %d requests, %v", len(data), web.requests, err)
	}
}

// TestRemoteTensors: each tensor of a checkpoint is the same whether it is named alone on a network, where nothing else of an archive is
// located, or read from the file.
func TestRemoteTensors(t *testing.T) {
	web := httptest.NewServer(http.FileServer(http.Dir(checkpoints)))
	t.Cleanup(web.Close)
	files, err := filepath.Glob(checkpoints + "*.*")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range files {
		if !named(path).IsContainer() || named(path).IsIndex() {
			continue
		}
		s := openSet(t, path)
		for i, x := range s.Tensors {
			if x.Name == "" {
				continue
			}
			want, err := s.Tensor(i, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := OpenOnly(named(web.URL+"/"+filepath.Base(path)+":"+x.Name), Options{})
			if err != nil {
				t.Errorf("%s: %v", want.Source, err)
				continue
			}
			a, errA := want.Data()
			b, errB := got.Data()
			if errA != nil || errB != nil || !bytes.Equal(a, b) || want.Layout.String() != got.Layout.String() {
				t.Errorf("%s: %s of %d bytes, %v, on a network %s of %d, %v", want.Source, want.Layout, len(a), errA, got.Layout, len(b), errB)
			}
			compared++
			want.Close()
			got.Close()
		}
	}
	if compared < 20 {
		t.Errorf("%d tensors", compared)
	}
}
