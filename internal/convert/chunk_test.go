package convert

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestTogether: small matrices in blocks of channels, with a partial last block: their boxes, in any order, are fused, by kernels of every
// level, for items of every size, and nothing beside the result is written.
func TestTogether(t *testing.T) {
	layouts := []string{"NCHW", "NHWC", "NCHW2c", "NCHW4c", "NHWC4c", "NCHW16c", "NHCW4c"}
	r := rand.New(rand.NewPCG(1, 2))
	together, data := 0, randomBytes(1, 1<<20)
	const tries = 600
	for range tries {
		shape := []int{1 + r.IntN(200), 1 + r.IntN(9), 1 + r.IntN(4), 1 + r.IntN(3)}
		item := 1 << r.IntN(5)
		src, dst := bind(t, layouts[r.IntN(len(layouts))], shape...), bind(t, layouts[r.IntN(len(layouts))], shape...)
		p := must(NewPlan(dst, src, item))
		if r.IntN(2) == 0 {
			slices.Reverse(p.Boxes)
		}
		if len(p.Boxes) > 1 && len(p.moves(nil, p.Boxes)) == 1 {
			together++
		}
		all := data[:src.Alloc()*item]
		want := plain(dst, src, all, data[:item])
		for _, k := range kernel.Available() {
			room := randomBytes(2, len(want)+2*besideBytes)
			repeat(room, []byte{untouched})
			got := room[besideBytes:][:len(want):len(want)]
			if err := p.Run(got, all, data[:item], Options{Kernels: k, Threads: 1}); err != nil {
				t.Fatal(err)
			}
			if err := compare(got, want, room, besideBytes); err != nil {
				t.Fatalf("%v, %d bytes, %s to %s, %s: %v", shape, item, src, dst, k.Name(), err)
			}
		}
	}
	if together < tries/20 {
		t.Errorf("boxes of %d of %d conversions are moved together", together, tries)
	}
}

// TestPermutations: boxes that form a permutation, and boxes that do not.
func TestPermutations(t *testing.T) {
	box := func(src, dst, pad int, loops ...Loop) Box { return Box{Src: src, Dst: dst, Loops: loops, Pad: pad} }
	n := loop(1000, 15, 24)
	for _, c := range []struct {
		about string
		boxes []Box
		want  string
	}{
		{"matrices of 3 x 5 side by side", []Box{box(0, 0, 0, loop(1000, 15, 15), loop(5, 1, 3), loop(3, 5, 1))}, "[0 5 10 1 6 11 2 7 12 3 8 13 4 9 14]"},
		{"5 channels in blocks of 4, of 3 pixels", []Box{box(0, 0, 0, n, loop(3, 1, 4), loop(4, 3, 1)), box(12, 12, 3, n, loop(3, 1, 4))},
			"[0 3 6 9 1 4 7 10 2 5 8 11 12 - - - 13 - - - 14 - - -]"},
		{"the second box first", []Box{box(12, 12, 3, n, loop(3, 1, 4)), box(0, 0, 0, n, loop(3, 1, 4), loop(4, 3, 1))},
			"[-12 -9 -6 -3 -11 -8 -5 -2 -10 -7 -4 -1 0 - - - 1 - - - 2 - - -]"},
		{"a box is missing", []Box{box(0, 0, 0, n, loop(3, 1, 4), loop(4, 3, 1))}, "[0 3 6 9]"},
		{"loops differ", []Box{box(0, 0, 0, n, loop(3, 1, 4), loop(4, 3, 1)), box(12, 12, 3, loop(999, 15, 24), loop(3, 1, 4))}, "none"},
		{"one reaches outside", []Box{box(0, 0, 0, n, loop(3, 1, 4), loop(4, 3, 1)), box(12, 24, 3, n, loop(3, 1, 4))}, "none"},
		{"too far apart", []Box{box(0, 0, 0, loop(10, 1, 2048))}, "none"},
		{"17 items from everywhere", []Box{box(0, 0, 0, loop(100, 1, 17), loop(17, 100, 1))}, "none"},
		{"3 items from everywhere", []Box{box(0, 0, 0, loop(100, 1, 3), loop(3, 9000, 1))}, "[0 9000 18000]"},
		{"backwards", []Box{box(0, 12, 0, loop(1000, 15, 15), loop(5, 1, -3), loop(3, 5, 1))}, "[0]"},
		{"backwards to the first", []Box{box(0, 14, 0, loop(1000, 15, 15), loop(3, 5, -1), loop(5, 1, -3))}, "none"},
		{"no loop around", []Box{box(0, 0, 0)}, "none"},
	} {
		got := "none"
		if p, ok := newPermutation(c.boxes, 1); ok {
			got = ""
			for _, at := range p.table {
				if at == kernel.NoRow {
					got += " -"
				} else {
					got += fmt.Sprint(" ", at)
				}
			}
			got = "[" + got[1:] + "]"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
}

// TestBackwards: results with negative steps equal the plain loop bit for bit, with both kinds of stores.
func TestBackwards(t *testing.T) {
	for _, item := range []int{1, 2, 3, 4, 8, 16} {
		for _, shape := range [][]int{{5, 7}, {3, 100}, {100, 3}, {100, 130}, {33, 700}} {
			rows, cols := shape[0], shape[1]
			for _, to := range []tensor.Strided{
				{Strides: []int{-cols, 1}, Offset: (rows - 1) * cols}, {Strides: []int{cols, -1}, Offset: cols - 1},
				{Strides: []int{-1, -rows}, Offset: rows*cols - 1}, {Strides: []int{1, -rows}, Offset: rows * (cols - 1)},
			} {
				for _, from := range []tensor.Strided{{Strides: []int{cols, 1}}, {Strides: []int{1, rows}}} {
					to.Shape, from.Shape = shape, shape
					dst, src := must(to.Layout([]string{"a", "b"}, rows*cols)), must(from.Layout([]string{"a", "b"}, rows*cols))
					p, data, pad := must(NewPlan(dst, src, item)), storageOf(src.Alloc(), item), make([]byte, item)
					want := plain(dst, src, data, pad)
					for _, s := range []kernel.Stores{kernel.Cached, kernel.Streaming} {
						got := make([]byte, len(want))
						if err := p.run(got, data, pad, Options{Threads: 1}.withDefaults(), s); err != nil || !bytes.Equal(got, want) {
							t.Fatalf("%s to %s, %d bytes, %s: wrong, %v", src, dst, item, s, err)
						}
					}
				}
			}
		}
	}
}

// What is between runs of the source is read only if necessary: not if small matrices are adjacent.
func TestColumnsBetween(t *testing.T) {
	for _, c := range []struct {
		from, to string
		shape    []int
		between  bool
	}{
		{"CHWN4c", "NCHW", []int{8, 1, 50, 50}, true}, // one of 4 channels, 8 images side by side
		{"NCHW", "NHWC", []int{3000, 3, 5, 1}, false},
		{"NHWC", "NCHW", []int{3000, 3, 5, 1}, false},
	} {
		p := must(NewPlan(bind(t, c.to, c.shape...), bind(t, c.from, c.shape...), 8))
		m := p.matrixOf(p.Boxes)
		if got := slices.Contains(m.cols.table, kernel.NoRow); got != c.between {
			t.Errorf("%s to %s of %v: columns between are read: %v", c.from, c.to, c.shape, got)
		}
	}
}
