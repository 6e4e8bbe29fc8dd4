package convertcmd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestShardRuns compares the runs of a part with those counted element by element, in every part of random tensors.
func TestShardRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	orders := []string{"nchw", "nhwc", "chwn", "hwcn", "nchw4", "NHW4wC2c", "nChw2c", "4nCHW8cN", "whcn"}
	exact, several := 0, 0
	for range 3000 {
		sizes := make([]int, 4)
		for i := range sizes {
			sizes[i] = 1 + rng.IntN(9)
		}
		from, err := notation.Parse(orders[rng.IntN(len(orders))])
		if err != nil {
			t.Fatal(err)
		}
		d, _ := dtype.Parse("float32")
		x, err := source.Describe(source.Typed{Shape: sizes, DType: d, Layout: &from})
		if err != nil {
			t.Fatal(err)
		}
		f := &request{}
		if err := f.to.Set(orders[rng.IntN(len(orders))]); err != nil {
			t.Fatal(err)
		}
		c, err := newConversion(f, x)
		if err != nil {
			t.Fatal(err)
		}
		dim, n := rng.IntN(4), 1+rng.IntN(4)
		spec := fmt.Sprintf("%s/%d", x.Layout.Names()[dim], n)
		s, err := shardOf(&c, []string{spec})
		if err != nil {
			continue // sizes or blocks do not divide
		}
		for part := range n {
			runs, lengths := countRuns(t, x.Layout, f.to.Layout.Format, s.Shape, dim, part*s.Shape[dim])
			wrong := s.Runs != runs || s.Short != 4*slices.Min(lengths) || s.Long != 4*slices.Max(lengths)
			if boxes := boxesOf(t, &c, s.Shape); boxes > 1 {
				wrong = s.Runs < runs || s.Long > 4*slices.Max(lengths)
				several++
			} else {
				exact++
			}
			if wrong || s.Bytes != 4*sizes[0]*sizes[1]*sizes[2]*sizes[3]/n {
				t.Fatalf("%s of %v, %s to %s, part %d: %+v, counted %d of %v elements", spec, sizes, from.Format, f.to.Name, part, s, runs, lengths)
			}
		}
	}
	if exact < 1000 || several < 100 {
		t.Errorf("%d parts in one box, %d in several", exact, several)
	}
}

// boxesOf is the number of boxes of a part's plan.
func boxesOf(t *testing.T, c *conversion, shape []int) int {
	t.Helper()
	part, err := firstOf(c.from, shape)
	if err != nil {
		t.Fatal(err)
	}
	own, err := c.request.to.Layout.Format.Bind(shape)
	if err != nil {
		t.Fatal(err)
	}
	p, err := convert.NewPlan(own, part, 4)
	if err != nil {
		t.Fatal(err)
	}
	return len(p.Boxes)
}

// countRuns counts the runs of elements from an index of a dim on that are consecutive in l and in a dense tensor of their own.
func countRuns(t *testing.T, l tensor.Layout, to notation.Format, shape []int, dim, first int) (runs int, lengths []int) {
	t.Helper()
	own, err := to.Bind(shape)
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]int{} // source offset by destination offset
	for i := range shape[0] {
		for j := range shape[1] {
			for k := range shape[2] {
				for m := range shape[3] {
					c := []int{i, j, k, m}
					dst := own.At(c...)
					c[dim] += first
					at[dst] = l.At(c...)
				}
			}
		}
	}
	for off := range own.Alloc() {
		src, ok := at[off]
		if before, also := at[off-1]; ok && also && before == src-1 {
			lengths[runs-1]++
		} else if ok {
			runs, lengths = runs+1, append(lengths, 1)
		}
	}
	return runs, lengths
}

// TestShardInBlocks: parts of whole blocks, and those that divide a block, begin alike and are planned; others are refused.
func TestShardInBlocks(t *testing.T) {
	for _, c := range []struct {
		channels int
		accepted []int // parts
	}{{32, []int{1, 2, 4, 8, 16, 32}}, {24, []int{1, 3, 6, 12, 24}}, {8, []int{1, 2, 4, 8}}} {
		from, err := notation.Parse("nchw8c")
		if err != nil {
			t.Fatal(err)
		}
		d, _ := dtype.Parse("float32")
		x, err := source.Describe(source.Typed{Shape: []int{2, c.channels, 3, 3}, DType: d, Layout: &from})
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n <= c.channels; n++ {
			_, parts, err := parseShard(fmt.Sprintf("C/%d", n), x.Layout, x.Layout.Shape())
			if want := slices.Contains(c.accepted, n); (err == nil) != want || want && parts != n {
				t.Errorf("C/%d of %d channels in blocks of 8: %v", n, c.channels, err)
			}
		}
	}
}
