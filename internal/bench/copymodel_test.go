package bench

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
)

func copyModels(t *testing.T, to, from tensor.Layout, itemSize int) *CopyModels {
	t.Helper()
	p, err := convert.NewPlan(to, from, itemSize)
	if err != nil {
		t.Fatal(err)
	}
	return ModelCopy(p, from.Alloc(), cachesim.Reference)
}

// TestModelCopy: figures that follow from the sizes. A matrix of 2000 rows is transposed by a loop that reads 2000 lines, more
// than the 768 of L1, before it needs one again: each element is fetched. The plan reads every line once. With rows of 8 KiB,
// the 16 rows that a kernel reads in turn are in one set of 12 lines: each is fetched for each of two steps. NCHW to NHWC of 64 channels has 64 lines in use at a
// time, which stay in L1: the loop fetches no more than the plan, but touches a line for every element.
func TestModelCopy(t *testing.T) {
	for _, c := range []struct {
		name                      string
		from, to                  tensor.Layout
		loop, fetched, plan, most float64 // lines per element of the source
	}{
		{"transposition", bind(t, "hw", 2000, 2000), bind(t, "wh", 2000, 2000), 1, 1, 1. / 16, 0.14},
		{"rows in one set", bind(t, "hw", 2048, 2048), bind(t, "wh", 2048, 2048), 1, 1, 1. / 8, 0.14},
		{"few channels", bind(t, "nchw", 4, 64, 56, 56), bind(t, "nhwc", 4, 64, 56, 56), 1, 1. / 16, 1. / 16, 0.14},
		{"a copy", bind(t, "nchw", 4, 64, 56, 56), bind(t, "nchw", 4, 64, 56, 56), 1. / 16, 1. / 16, 1. / 16, 1. / 16},
	} {
		m := copyModels(t, c.to, c.from, 4)
		loop, plan := m.Loop.Source, m.Plan.Source
		near := func(got, want float64) bool { return math.Abs(got-want) < 0.02*want }
		if !near(loop.TouchesPerElem, c.loop) || !near(loop.LinesPerElem, c.fetched) || !near(plan.LinesPerElem, c.plan) || plan.TouchesPerElem > c.most {
			t.Errorf("%s: loop %+v, plan %+v", c.name, loop, plan)
		}
		for _, d := range []Model{m.Loop.Destination, m.Plan.Destination} {
			if !near(d.LinesPerElem, 1./16) || d.BytesUsed < 0.98 {
				t.Errorf("%s: the destination's lines are written once each: %+v", c.name, d)
			}
		}
	}
}

// TestModelCopyIsAWalk: the loop's source accesses equal those of the channel-wise walk when NCHW becomes NHWC, whose pixels are outside
// its channels: both models count the same.
func TestModelCopyIsAWalk(t *testing.T) {
	from := bind(t, "nchw", 2, 130, 9, 11)
	m := copyModels(t, bind(t, "nhwc", 2, 130, 9, 11), from, 4)
	want := modelOf(t, Channel, "nchw", 4, 2, 130, 9, 11)
	if got := m.Loop.Source; got.TouchesPerElem != want.TouchesPerElem || got.LinesPerElem != want.LinesPerElem || got.PagesPerElem != want.PagesPerElem {
		t.Errorf("%+v, the walk has %+v", got, want)
	}
}

// TestModelCopyBounds: a conversion of any size is simulated over its first elements, in bounded time; an empty one is not simulated.
func TestModelCopyBounds(t *testing.T) {
	if m := copyModels(t, bind(t, "nhwc", 16, 64, 512, 512), bind(t, "nchw", 16, 64, 512, 512), 4); m.Elems != copyElems {
		t.Errorf("%d elements are simulated", m.Elems)
	}
	if m := copyModels(t, bind(t, "nhwc", 0, 3, 4, 5), bind(t, "nchw", 0, 3, 4, 5), 4); m != nil {
		t.Errorf("%+v", *m)
	}
}
