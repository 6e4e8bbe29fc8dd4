package checkpoint

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestUsage: of random views of random storages, several of one among them, Usage counts the bytes that are in an element, by looking at
// every element. Compaction drops some of what is unused, and Saves says how much.
func TestUsage(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	found := map[string]int{}
	for k := range oracle.Cases(t, 3000) {
		types := [][]string{{"u1"}, {"f4"}, {"c16"}, {"u1", "f4", "c16", "V3"}}[k%4]
		c, _ := randomContainer(r, types...)
		unused := int64(0)
		for s, u := range Usage(c) {
			unused += c.Storages[s].Bytes - u.Bytes
		}
		if dropped, kept := Compact(c).Saves(c); dropped+kept != unused && len(types) == 1 { // else bytes are added to line elements up
			t.Fatalf("case %d: %d bytes are dropped and %d kept of %d: %+v", k, dropped, kept, unused, c)
		}
		flip(r, c)
		for s, u := range Usage(c) {
			want, _ := used(c, s)
			if u.Bytes != want {
				t.Fatalf("case %d: %d bytes of storage %d are used, expected %d: %+v", k, u.Bytes, s, want, c)
			}
			if !u.Exact && (u.Refused != 0 || c.Refused[0].Storages[0] != s) {
				t.Fatalf("case %d: storage %d is not exact: %+v", k, s, c)
			}
			found[fmt.Sprint(u.Exact, want < c.Storages[s].Bytes)]++
		}
	}
	for _, kind := range []string{"true true", "true false", "false false"} {
		if found[kind] < 20 {
			t.Errorf("exact, and has unused bytes: %v", found)
		}
	}
}

// flip turns some dims around: the same elements by a negative stride, as NumPy describes them.
func flip(r *rand.Rand, c *Container) {
	for i := range c.Tensors {
		v := &c.Tensors[i].View
		for d, n := range v.Shape {
			if r.IntN(4) == 0 && !v.Empty() {
				v.Offset += (n - 1) * v.Strides[d]
				v.Strides[d] = -v.Strides[d]
			}
		}
	}
}

// TestUsageBounds: a count that would take too many steps is an upper bound; views that are the same, and dims of stride 0, take none.
func TestUsageBounds(t *testing.T) {
	windows := tensor.Strided{Shape: []int{maxSteps, 2}, Strides: []int{2, 4}}
	for _, c := range []struct {
		what  string
		views []tensor.Strided
		size  int64
		want  Used
	}{
		{"windows with gaps", []tensor.Strided{windows}, 2*maxSteps + 3, Used{2 * maxSteps, false, -1}},
		{"a view with gaps, many times", []tensor.Strided{{Shape: []int{maxSteps}, Strides: []int{3}}, {Shape: []int{maxSteps}, Strides: []int{3}}},
			3 * maxSteps, Used{maxSteps, true, -1}},
		{"expanded", []tensor.Strided{{Shape: []int{1 << 30, 2}, Strides: []int{0, 2}}}, 4, Used{2, true, -1}},
		{"windows without gaps", []tensor.Strided{{Shape: []int{1 << 30, 1 << 30}, Strides: []int{1, 1}}}, 1 << 32, Used{1<<31 - 1, true, -1}},
		{"a view of what is used anyway", []tensor.Strided{windows, {Shape: []int{4 * maxSteps}, Strides: []int{1}}}, 4 * maxSteps, Used{4 * maxSteps, true, -1}},
	} {
		in := &Container{Storages: []Storage{{Bytes: c.size}}}
		for _, v := range c.views {
			in.Tensors = append(in.Tensors, Tensor{Type: typed("u1"), View: v})
		}
		if got := Usage(in)[0]; got != c.want {
			t.Errorf("%s: %+v, expected %+v", c.what, got, c.want)
		}
	}
}

// TestUsageRefused: what a tensor that is not shown uses is not known, unless others use all.
func TestUsageRefused(t *testing.T) {
	c := &Container{Storages: []Storage{{Bytes: 8}, {Bytes: 16}}, Refused: []Refused{{}, {Name: "s", Storages: []int{1, 0}}}}
	for s := range c.Storages {
		c.Tensors = append(c.Tensors, Tensor{Type: typed("f4"), Storage: s, View: tensor.Strided{Shape: []int{2}, Strides: []int{1}}})
	}
	if got := Usage(c); got[0] != (Used{8, true, -1}) || got[1] != (Used{16, false, 1}) {
		t.Errorf("%+v", got)
	}
}

// TestUsageIsLinear: the steps that a count may take are those of the container, whatever its tensors are.
func TestUsageIsLinear(t *testing.T) {
	marked := func(n int) int64 {
		c := &Container{Storages: []Storage{{Bytes: 1 << 20}}}
		for i := range n {
			c.Tensors = append(c.Tensors, Tensor{Type: typed("u1"), View: tensor.Strided{Shape: []int{100}, Strides: []int{3}, Offset: 300 * i}},
				Tensor{Type: typed("u1"), View: tensor.Strided{Shape: []int{99}, Strides: []int{3}, Offset: 300*i + 1}})
		}
		steps := int64(maxSteps)
		for group := range overlapping(extents(c.Tensors, len(c.Storages))[0]) {
			c.usedBy(group, &steps)
		}
		return maxSteps - steps
	}
	if one, two := marked(500), marked(1000); two != 2*one || one == 0 {
		t.Errorf("%d steps, and %d of twice as many tensors", one, two)
	}
}
