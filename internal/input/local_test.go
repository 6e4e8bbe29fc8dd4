package input

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

// counted returns n bytes that encode their positions.
func counted(n int) []byte {
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return p
}

// bytesOf opens a file that holds p, mapped or not.
func bytesOf(t *testing.T, p []byte, noMap bool) *local {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npy")
	if err := os.WriteFile(path, p, 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := openLocal(named(path))
	if err != nil {
		t.Fatal(err)
	}
	b.noMap = noMap
	t.Cleanup(func() { b.Close() }) //nolint:errcheck // before the directory is removed
	return b
}

func eachWay(t *testing.T, test func(t *testing.T, noMap bool)) {
	t.Run("map", func(t *testing.T) { test(t, false) })
	t.Run("pread", func(t *testing.T) { test(t, true) })
}

func TestBytesRange(t *testing.T) {
	const size = 3*smallCopy + 17
	want := counted(size)
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, want, noMap)
		if b.Size() != size {
			t.Errorf("Size = %d, want %d", b.Size(), size)
		}
		for _, c := range []struct{ off, n int64 }{
			{0, 1}, {0, size}, {5, 0}, {size, 0}, {size - 1, 1}, {4095, 2}, {100, smallCopy}, {7, smallCopy + 1}, {1, size - 1},
		} {
			got, err := b.Range(c.off, c.n)
			if err != nil || !bytes.Equal(got, want[c.off:c.off+c.n]) || cap(got) != len(got) {
				t.Errorf("Range(%d, %d) = %d bytes (cap %d), %v", c.off, c.n, len(got), cap(got), err)
			}
		}
		if mapped := b.mapped != nil; mapped == noMap {
			t.Errorf("mapped: %v", mapped)
		}
	})
}

func TestBytesRangeOutside(t *testing.T) {
	const most = 1<<63 - 1
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, counted(100), noMap)
		for _, c := range []struct{ off, n int64 }{
			{0, 101}, {100, 1}, {101, 0}, {-1, 1}, {0, -1}, {most, 1}, {1, most}, {most, most}, {-most - 1, most}, {50, -most - 1},
		} {
			_, err := b.Range(c.off, c.n)
			hostile.WantFault(t, "", err, fault.Malformed, "x.npy", "too short", "100 bytes")
		}
	})
}

// TestBytesCopyIsKept: a range is read only once.
func TestBytesCopyIsKept(t *testing.T) {
	b := bytesOf(t, counted(3*smallCopy), true)
	whole, err := b.Range(1, 2*smallCopy)
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Range(1, 2*smallCopy)
	if err != nil || &again[0] != &whole[0] || len(b.copies) != 1 {
		t.Errorf("the same range read twice (%d copies), %v", len(b.copies), err)
	}
	part, err := b.Range(2, smallCopy+1)
	if err != nil || &part[0] != &whole[1] || len(b.copies) != 1 {
		t.Errorf("read twice (%d copies), %v", len(b.copies), err)
	}
	if _, err := b.Range(0, 2*smallCopy); err != nil || len(b.copies) != 2 {
		t.Errorf("%d copies, %v", len(b.copies), err)
	}
}

func TestBytesReadAt(t *testing.T) {
	want := counted(1000)
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, want, noMap)
		if err := iotest.TestReader(io.NewSectionReader(b, 0, b.Size()), want); err != nil {
			t.Error(err)
		}
		p := make([]byte, 10)
		for _, c := range []struct {
			off int64
			n   int
			err error
		}{{0, 10, nil}, {990, 10, nil}, {991, 9, io.EOF}, {1000, 0, io.EOF}, {1 << 62, 0, io.EOF}} {
			n, err := b.ReadAt(p, c.off)
			if n != c.n || err != c.err || !bytes.Equal(p[:n], want[min(c.off, 1000):][:n]) {
				t.Errorf("ReadAt(10 bytes, %d) = %d, %v; want %d, %v", c.off, n, err, c.n, c.err)
			}
		}
		_, err := b.ReadAt(p, -1)
		hostile.WantFault(t, "", err, fault.Resource, "byte -1")
	})
}

func TestBytesOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "a\x1bempty")
	need.Made(t, os.WriteFile(empty, nil, 0o666))
	_, err := openLocal(named(empty))
	hostile.WantFault(t, "", err, fault.Malformed, `a\x1bempty`, "file is empty")
	_, err = openLocal(named(dir))
	hostile.WantFault(t, "", err, fault.Resource, "it is a directory")
	_, err = openLocal(named(filepath.Join(dir, "none")))
	hostile.WantFault(t, "", err, fault.Resource, "cannot open", "none")
	if err != nil && strings.Count(err.Error(), "none") != 1 {
		t.Errorf("%q names the file more than once", err)
	}
}

func TestBytesClose(t *testing.T) {
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, counted(2*smallCopy), noMap)
		if _, err := b.Range(0, b.Size()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(b.Close(), b.Close()); err != nil {
			t.Error(err)
		}
		_, err := b.Range(0, 1)
		hostile.WantFault(t, "", err, fault.Resource, "closed")
		_, err = b.ReadAt(make([]byte, 1), 0)
		hostile.WantFault(t, "", err, fault.Resource, "closed")
	})
}

// TestBytesTogether: the first caller makes the map. Run under -race.
func TestBytesTogether(t *testing.T) {
	want := counted(4 * smallCopy)
	eachWay(t, func(t *testing.T, noMap bool) {
		b := bytesOf(t, want, noMap)
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				err := b.Guard(func() error {
					off := int64(i) * 1000
					p, err := b.Range(off, 2*smallCopy)
					if err == nil && !bytes.Equal(p, want[off:off+2*smallCopy]) {
						err = errors.New("wrong bytes")
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// tick waits until the file system's clock advances.
func tick() { time.Sleep(20 * time.Millisecond) }

// TestReadFull: reads of several parts continue where the one before ended.
func TestReadFull(t *testing.T) {
	want := make([]byte, 2*readChunk+5)
	for i := range want {
		want[i] = byte(i>>20) ^ byte(i)
	}
	b := bytesOf(t, want, true)
	for _, off := range []int64{0, 3} {
		got := make([]byte, int64(len(want))-off)
		if err := ReadFull(b, got, off); err != nil || !bytes.Equal(got, want[off:]) {
			t.Errorf("from byte %d: %v, equal: %v", off, err, bytes.Equal(got, want[off:]))
		}
	}
	if err := ReadFull(b, make([]byte, 10), int64(len(want))-9); err == nil {
		t.Error("a read beyond the end is no error")
	}
}
