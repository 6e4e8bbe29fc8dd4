package convert

import (
	"bytes"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

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

// TestDiskAlone: a tile reads exactly what it needs: given only its runs, the result is complete, whether runs are adjacent or not,
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

// memoryDisk is a source in memory that counts reads.
type memoryDisk struct {
	sliceDisk
	read *atomic.Int64
}

func (d memoryDisk) Resident(int) bool { return true }
func (d memoryDisk) Forget(int, int)   { panic("what is in memory is forgotten") }
func (d memoryDisk) Read(p []byte, from int) error {
	d.read.Add(int64(len(p)))
	return d.sliceDisk.Read(p, from)
}

// TestDiskInMemory: from memory, long runs are read, and short ones or those of large tiles are mapped.
func TestDiskInMemory(t *testing.T) {
	for _, c := range []struct {
		from, to string
		tile     int
		memory   int64
		read     bool
	}{
		{"nchw", "nhwc", 1 << 19, 1 << 24, true}, {"chwn", "nchw", 1 << 16, 1 << 24, false}, {"nchw", "nhwc", 1 << 14, 1 << 24, false},
		{"nchw", "chwn", 1 << 14, 1 << 16, false},
	} {
		dst, src := bind(t, c.to, 4, 8, 128, 64), bind(t, c.from, 4, 8, 128, 64)
		p, err := NewPlan(dst, src, 4)
		if err != nil {
			t.Fatal(err)
		}
		data, pad := storageOf(src.Alloc(), 4), make([]byte, 4)
		got, d := make([]byte, len(data)), memoryDisk{data, new(atomic.Int64)}
		if err := p.WriteAt(sectionFile{got, 0}, 0, data, pad, c.memory, Options{Threads: 2, Disk: d, tile: c.tile}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, plain(dst, src, data, pad)) {
			t.Errorf("%s to %s: other bytes", c.from, c.to)
		}
		if read := d.read.Load(); (read == int64(len(data))) != c.read || !c.read && read > 0 {
			t.Errorf("%s to %s: %d of %d bytes are read", c.from, c.to, read, len(data))
		}
	}
}

// failing is a file whose writes fail from the k-th on.
type failing struct {
	sectionFile
	left *atomic.Int64
}

func (f failing) WriteAt(p []byte, off int64) (int, error) {
	if f.left.Add(-1) < 0 {
		return 0, errors.New("full")
	}
	return f.sectionFile.WriteAt(p, off)
}

// TestWriteFails: whichever write fails, all threads end, and its error is returned.
func TestWriteFails(t *testing.T) {
	dst, src := bind(t, "nhwc", 16, 8, 128, 64), bind(t, "nchw", 16, 8, 128, 64)
	p, err := NewPlan(dst, src, 4)
	if err != nil {
		t.Fatal(err)
	}
	data := storageOf(src.Alloc(), 4)
	for threads := 1; threads <= 5; threads++ {
		for at := range int64(10) {
			left := new(atomic.Int64)
			left.Store(at)
			file := failing{sectionFile{make([]byte, len(data)), 0}, left}
			if err := p.WriteAt(file, 0, data, nil, 5<<18, Options{Threads: threads, tile: 1 << 14}); err == nil || err.Error() != "full" {
				t.Fatalf("%d threads, write %d: %v", threads, at, err)
			}
		}
	}
}

// failingDisk is a source on disk whose reads fail from the k-th on.
type failingDisk struct {
	sliceDisk
	left *atomic.Int64
}

func (d failingDisk) Read(p []byte, from int) error {
	if d.left.Add(-1) < 0 {
		return errors.New("gone")
	}
	return d.sliceDisk.Read(p, from)
}

// slow is a file with writes so slow that all other threads wait.
type slow struct{ failing }

func (f slow) WriteAt(p []byte, off int64) (int, error) {
	time.Sleep(2 * time.Millisecond)
	return f.failing.WriteAt(p, off)
}

// TestReadAndWriteFail: whichever reads and writes fail, in any order, all threads end.
func TestReadAndWriteFail(t *testing.T) {
	dst, src := bind(t, "nhwc", 4, 8, 128, 64), bind(t, "nchw", 4, 8, 128, 64)
	p := must(NewPlan(dst, src, 4))
	data := storageOf(src.Alloc(), 4)
	for threads := 2; threads <= 5; threads++ {
		for writes := range int64(3) {
			for reads := range int64(12) {
				left := [2]atomic.Int64{}
				left[0].Store(writes)
				left[1].Store(reads * 8)
				ended := make(chan error)
				go func() {
					file := slow{failing{sectionFile{make([]byte, len(data)), 0}, &left[0]}}
					ended <- p.WriteAt(file, 0, data, nil, 5<<18, Options{Threads: threads, tile: 1 << 14, Disk: failingDisk{data, &left[1]}})
				}()
				select {
				case err := <-ended:
					if err == nil {
						t.Fatalf("%d threads, write %d and read %d fail: no error", threads, writes, reads*8)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("%d threads, write %d and read %d fail: threads wait", threads, writes, reads*8)
				}
			}
		}
	}
}

// windowsOf counts Write's memory: its windows, and what it reads from disk for each of them.
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

// TestWriteFromDisk: writing a source on disk, a window and what is read for it use at most memory bytes together, the result is complete,
// and the available memory is used.
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

// TestExtractKeepsTheMeaning: an extract reads every offset of the box, and copies the same pairs.
func TestExtractKeepsTheMeaning(t *testing.T) {
	for _, b := range []Box{
		{Src: 7, Loops: []Loop{loop(3, 5000, 40), loop(4, -2000, 10), loop(10, 3, 1)}}, {Src: 5}, {Src: 90000, Dst: 3, Loops: []Loop{loop(2, -30000, 1), loop(3, -5000, 2)}},
		{Loops: []Loop{loop(5, 0, 2), loop(2, 1<<20, 1)}},
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
