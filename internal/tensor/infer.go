package tensor

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
)

// Candidate is a memory order that is consistent with the strides.
type Candidate struct {
	Order []int  // dims from the outermost to the innermost
	Why   string // one sentence with the numbers
	Gaps  string // its part about strides that are not dense; empty if the order is dense
}

// Inference is what the strides reveal about the memory order.
type Inference struct {
	Candidates []Candidate
	Ambiguity  string // the orders that the strides do not distinguish, and why; empty for a single candidate
}

// Infer returns the known orders, outermost dim first, whose dense strides are the tensor's. The stride of a size-1 dim is never used
// and can be anything. Therefore strides do not always determine the layout: for shape (2,1,4,4), NCHW and NHWC are the same memory.
// (c10/core/MemoryFormat.h, Note [Ambiguous is_channels_last_strides])
//
// An order that differs from an earlier one only in the position of a batch of 1 is omitted. If no known order fits, the result is the
// order of falling strides with its gaps, provided that the strides nest.
//
// Post: every candidate's strides nest: each exceeds the reach of the later dims.
func (s Strided) Infer(names []string, known [][]int) Inference {
	var in Inference
	if s.Empty() || s.Rank() == 0 {
		return in
	}
	for _, order := range known {
		if s.packedIn(reversed(order)).OK && !s.listed(in.Candidates, names, order) {
			in.Candidates = append(in.Candidates, Candidate{Order: order, Why: s.whyPacked(names, order)})
		}
	}
	if len(in.Candidates) == 0 {
		in.Candidates = s.fallingOrder(names)
	}
	in.Ambiguity = s.ambiguity(names, in.Candidates)
	return in
}

// listed reports whether an order is among the candidates, ignoring a batch of 1.
func (s Strided) listed(candidates []Candidate, names []string, order []int) bool {
	single := func(d int) bool { return names[d] == "N" && s.Shape[d] == 1 }
	return slices.ContainsFunc(candidates, func(c Candidate) bool {
		return slices.Equal(slices.DeleteFunc(slices.Clone(c.Order), single), slices.DeleteFunc(slices.Clone(order), single))
	})
}

// whyPacked returns the strides in the order: "strides N 1280, H 256, W 64, C 1".
func (s Strided) whyPacked(names []string, order []int) string {
	var free []string
	terms := make([]string, len(order))
	for k, d := range order {
		terms[k] = fmt.Sprintf("%s %d", names[d], s.Strides[d])
		if s.Shape[d] == 1 {
			free = append(free, names[d])
		}
	}
	why := "strides " + strings.Join(terms, ", ")
	if len(free) > 0 {
		why += "; the stride of " + strings.Join(free, ", ") + " is never used"
	}
	return why
}

// fallingOrder sorts the dims by falling stride, if the strides nest.
func (s Strided) fallingOrder(names []string) []Candidate {
	var moving []Digit
	for d, size := range s.Shape {
		if size > 1 {
			moving = append(moving, Digit{1, size, s.Strides[d]})
		}
	}
	if !nested(moving) {
		return nil
	}
	order := s.firstToLast()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ints.Abs(s.Strides[b]), ints.Abs(s.Strides[a])) })
	c := Candidate{order, "by falling stride", s.gapsIn(names, order)}
	if c.Gaps != "" {
		c.Why += "; not dense: " + c.Gaps
	}
	return []Candidate{c}
}

// gapsIn returns the dims whose stride is not dense.
func (s Strided) gapsIn(names []string, order []int) string {
	var gaps []string
	expect := 1
	for _, d := range slices.Backward(order) {
		if s.Shape[d] == 1 {
			continue
		}
		if s.Strides[d] != expect {
			gaps = append(gaps, fmt.Sprintf("%s-stride %d, dense %d", names[d], s.Strides[d], expect))
			expect = ints.Abs(s.Strides[d])
		}
		expect *= s.Shape[d]
	}
	return strings.Join(gaps, ", ")
}

// ambiguity returns which candidates the strides do not distinguish, and the dims that cause it.
func (s Strided) ambiguity(names []string, candidates []Candidate) string {
	if len(candidates) < 2 {
		return ""
	}
	labels := make([]string, len(candidates))
	for i, c := range candidates {
		for _, d := range c.Order {
			labels[i] += names[d]
		}
	}
	var free []string
	for d, size := range s.Shape {
		if size == 1 {
			free = append(free, names[d])
		}
	}
	clause := free[0] + " has size 1, so its stride is never used"
	if len(free) > 1 {
		clause = strings.Join(free, ", ") + " have size 1, so their strides are never used"
	}
	last := len(labels) - 1
	return fmt.Sprintf("strides cannot distinguish %s from %s: %s", strings.Join(labels[:last], " or "), labels[last], clause)
}

// SameMemory returns the smallest sets of dims that make two orders, outermost dim first, the same memory if all dims of the set have
// size 1: NCHW and NHWC for C, or for both H and W. They are the covers of the pairs of dims that the two orders reverse. It is nil if
// there is no such pair, or for more than 8 dims.
func SameMemory(a, b []int) [][]int {
	var swapped []int // pairs, as sets of bits
	for i, d := range a {
		for _, e := range a[i+1:] {
			if slices.Index(b, e) < slices.Index(b, d) {
				swapped = append(swapped, 1<<d|1<<e)
			}
		}
	}
	if len(swapped) == 0 || len(a) > 8 {
		return nil
	}
	var covers []int
	for set := range 1 << len(a) {
		misses := func(pair int) bool { return set&pair == 0 }
		contains := func(smaller int) bool { return set&smaller == smaller }
		if !slices.ContainsFunc(swapped, misses) && !slices.ContainsFunc(covers, contains) {
			covers = append(covers, set)
		}
	}
	slices.SortStableFunc(covers, func(x, y int) int { return cmp.Compare(bits.OnesCount(uint(x)), bits.OnesCount(uint(y))) })
	sets := make([][]int, len(covers))
	for i, set := range covers {
		sets[i] = slices.DeleteFunc(ints.Range(len(a)), func(d int) bool { return set&(1<<d) == 0 })
	}
	return sets
}

func reversed(order []int) []int {
	back := slices.Clone(order)
	slices.Reverse(back)
	return back
}
