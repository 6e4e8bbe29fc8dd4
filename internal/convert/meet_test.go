package convert

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
)

// countedPages is a mapped source that counts what is read and released.
type countedPages struct {
	sliceDisk
	lock           sync.Mutex
	read, released int
}

func (p *countedPages) Read(b []byte, from int) error {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.read += len(b)
	return p.sliceDisk.Read(b, from)
}

func (p *countedPages) Release(from, to int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.released += min(to, len(p.sliceDisk)) - from
}

// TestMeet: two views of random layouts, read in C order, have the elements of the plain loop, each once, whether mapped or read, and Meet
// releases its memory.
//
// TLAYOUT_TEST_MEET_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones: tiles of a few elements are cut out of plans of thousands of boxes.
func TestMeet(t *testing.T) {
	var lock sync.Mutex
	met, read, released := 0, 0, 0
	eachCase(t, random.Cases(t, "TLAYOUT_TEST_MEET_CASES", 4_000), func(data []byte) func(dice, randomCase) error {
		return func(d dice, c randomCase) error {
			packed, err := tensor.Packed(c.src.Shape())
			if err != nil || packed.Numel() == 0 {
				return err
			}
			to, err := packed.Layout(c.src.Names(), tensor.Unbounded)
			if err != nil {
				return err
			}
			views := [2]tensor.Layout{c.src, c.dst}
			items := [2]int{c.item, oneOf(d, itemSizes)}
			var sides [2]Reading
			var pages [2]countedPages
			var got [2][]byte
			for i, l := range views {
				from := d.IntN(100)
				if len(data) < from+l.Alloc()*items[i] {
					return nil
				}
				plain, err := l.Plain().Renamed(l.Names(), tensor.Unbounded)
				if err != nil {
					return err
				}
				p, err := NewPlan(to, plain, items[i])
				if err != nil {
					return nil
				}
				pages[i].sliceDisk = data
				sides[i] = Reading{Plan: p, Swizzle: l.Swizzle(), Data: data, From: from, Pages: &pages[i]}
				got[i] = make([]byte, to.Alloc()*items[i])
			}
			seen := make([]bool, to.Alloc())
			o := Options{Threads: d.from(1, 3), window: 1 << d.from(4, 16)}
			err = Meet(sides[0], sides[1], 1<<d.from(3, 16), o, func(int) func(at, n int, x, y []byte) error {
				return func(at, n int, x, y []byte) error {
					lock.Lock()
					defer lock.Unlock()
					for k := range n {
						if seen[at+k] {
							return fmt.Errorf("element %d twice", at+k)
						}
						seen[at+k] = true
					}
					copy(got[0][at*items[0]:], x[:n*items[0]])
					copy(got[1][at*items[1]:], y[:n*items[1]])
					return nil
				}
			})
			if err != nil || slices.Contains(seen, false) {
				return fmt.Errorf("elements are missing, or %w", err)
			}
			for i, l := range views {
				if !bytes.Equal(got[i], plain(to, matched(l, to), data[sides[i].From:], make([]byte, items[i]))) {
					return fmt.Errorf("other elements of side %d", i)
				}
			}
			lock.Lock()
			defer lock.Unlock()
			met++
			for i := range pages {
				read, released = read+min(1, pages[i].read), released+min(1, pages[i].released)
			}
			return nil
		}
	})
	if met == 0 || read < met/20 || released < met/10 {
		t.Errorf("%d cases, of %d sources some was read, of %d some given back", met, read, released)
	}
}

// matched returns a layout with its dims in the order of another's.
func matched(l, as tensor.Layout) tensor.Layout {
	dims := make([]tensor.Dim, l.Rank())
	for i, name := range as.Names() {
		dims[i] = l.Dim(slices.Index(l.Names(), name))
	}
	m, err := l.With(dims, l.Offset(), l.Alloc())
	if err != nil {
		panic(err)
	}
	return m
}

// TestSwizzledWindows: a swizzle that moves an element far away stays within a window.
func TestSwizzledWindows(t *testing.T) {
	z, err := tensor.NewSwizzle(1, 0, -10)
	if err != nil {
		t.Fatal(err)
	}
	w := newWindows(Reading{Plan: &Plan{ItemSize: 4}, Swizzle: z, Pages: &countedPages{}}, 64)
	read := w.windowsOf([]Box{{Loops: []Loop{{N: 8, Src: 1, Dst: 1}}}})
	for at := range 8 {
		if k := z.Apply(at) * 4 / w.size; !slices.Contains(read, k) {
			t.Errorf("element %d is in window %d, read are %v", at, k, read)
		}
	}
}
