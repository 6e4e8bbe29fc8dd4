package convert

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// sliceDisk is a source that is never in memory.
type sliceDisk []byte

func (d sliceDisk) Resident(int) bool   { return false }
func (d sliceDisk) Fetch(from, to int)  { _ = d[from:to] }
func (d sliceDisk) Forget(from, to int) { _ = d[from:to] }
func (d sliceDisk) Read(p []byte, from int) error {
	copy(p, d[from:from+len(p)])
	return nil
}

// What is read from disk is what a tile needs: with nothing but its runs the result is whole, be they apart or not,
// forwards or backwards.
func TestDiskAlone(t *testing.T) {
	view, err := tensor.Strided{Shape: []int{3, 40, 50}, Strides: []int{20000, -60, 1}, Offset: 16000}.Layout([]string{"C", "H", "W"}, 70000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dst, src tensor.Layout }{
		{bind(t, "nhwc", 4, 8, 60, 70), bind(t, "nchw", 4, 8, 60, 70)},
		{bind(t, "chwn", 32, 3, 90, 70), bind(t, "nchw", 32, 3, 90, 70)},
		{bind(t, "nchw16", 2, 18, 60, 70), bind(t, "nchw", 2, 18, 60, 70)},
		{bind(t, "hwc", 3, 40, 50), view},
	} {
		const item = 4
		p, err := NewPlan(c.dst, c.src, item)
		if err != nil {
			t.Fatal(err)
		}
		data, pad := storageOf(c.src.Alloc(), item), []byte{9, 8, 7, 6}
		want, got := plain(c.dst, c.src, data, pad), make([]byte, c.dst.Alloc()*item)
		nothing := make([]byte, len(data))
		if err := p.WriteAt(sectionFile{got, 0}, 0, nothing, pad, 1<<20, Options{Threads: 2, Disk: sliceDisk(data), tile: 1 << 15}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s to %s: other bytes", c.src, c.dst)
		}
	}
}

// windowsOf counts what Write holds: the windows that it writes, and what it reads from disk for each of them.
type windowsOf struct {
	sliceDisk
	written       bytes.Buffer
	loaded, most  int
	windows, read int
}

func (w *windowsOf) Read(p []byte, from int) error {
	w.loaded += len(p)
	return w.sliceDisk.Read(p, from)
}

func (w *windowsOf) Write(p []byte) (int, error) {
	w.most = max(w.most, len(p)+w.loaded)
	w.windows, w.read, w.loaded = w.windows+1, w.read+w.loaded, 0
	return w.written.Write(p)
}

// Write of a source on disk: a window and what is read for it take at most memory bytes together, the bytes are whole, and the memory
// that it may use is used.
func TestWriteFromDisk(t *testing.T) {
	src, dst := bind(t, "nchw", 2, 18, 60, 70), bind(t, "nchw16", 2, 18, 60, 70)
	const item, memory = 4, 90 << 10
	p, err := NewPlan(dst, src, item)
	if err != nil {
		t.Fatal(err)
	}
	data, pad := storageOf(src.Alloc(), item), []byte{9, 8, 7, 6}
	w := &windowsOf{sliceDisk: data}
	if err := p.Write(w, make([]byte, len(data)), pad, memory, Options{Threads: 2, Disk: w}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(w.written.Bytes(), plain(dst, src, data, pad)) {
		t.Error("other bytes")
	}
	if w.most > memory || w.most < memory/3 || w.read == 0 {
		t.Errorf("%d windows, %d bytes read, at most %d bytes at once, of %d", w.windows, w.read, w.most, memory)
	}
}

// An extract reads every offset of the box, and copies the same pairs.
func TestExtractKeepsTheMeaning(t *testing.T) {
	for _, b := range []Box{
		{Src: 7, Loops: []Loop{{3, 5000, 40}, {4, -2000, 10}, {10, 3, 1}}}, {Src: 5}, {Src: 90000, Dst: 3, Loops: []Loop{{2, -30000, 1}, {3, -5000, 2}}},
		{Loops: []Loop{{5, 0, 2}, {2, 1 << 20, 1}}},
	} {
		const item, at = 4, 11
		e := newExtract(b, item, nearBytes, at)
		var source []int
		for range at {
			source = append(source, -1)
		}
		for r := range e.runs {
			for k := range e.size / item {
				source = append(source, r/item+k)
			}
		}
		var got [][2]int
		for _, m := range moved(e.box) {
			got = append(got, [2]int{source[m[0]], m[1]})
		}
		if want := moved(b); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%+v reads %v, want %v", b, got, want)
		}
	}
}
