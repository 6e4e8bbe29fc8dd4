package tensor

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
)

// Candidate is a memory order that the strides agree with.
type Candidate struct {
	Order []int  // dims from the outermost to the innermost
	Why   string // one sentence with the numbers
	Gaps  string // the part of it that names the strides which are not the packed ones; empty if the order is packed
}

// Inference is what strides reveal about the memory order.
type Inference struct {
	Candidates []Candidate
	Ambiguity  string // which orders the strides do not distinguish, and why; empty for a single candidate
}

// Infer lists the known orders, outermost dim first, whose packed strides are the tensor's. The strides of dims of
// size 1 are free: an index that is always 0 never uses its stride. That is why strides do not always determine the
// layout: of shape (2,1,4,4), NCHW and NHWC are the same memory. (c10/core/MemoryFormat.h, Note [Ambiguous
// is_channels_last_strides])
//
// An order that differs from an earlier one only in the position of a batch of 1 is not listed. If no known order fits,
// the order of falling strides is listed, with its gaps, provided that the strides nest.
//
// Post: every candidate's strides nest: each exceeds the reach of the dims after it.
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

// whyPacked shows the strides in the order: "strides N 1280, H 256, W 64, C 1".
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
		why += "; that of " + strings.Join(free, ", ") + " is never used"
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

// gapsIn names the dims whose stride is not the packed one.
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

// ambiguity names the candidates that the strides do not distinguish, and the dims to blame.
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
	return fmt.Sprintf("strides cannot tell %s from %s: %s", strings.Join(labels[:last], " or "), labels[last], clause)
}

// SameMemory lists the smallest sets of dims of which each makes two orders, outermost dim first, the same memory if all of its
// dims have size 1: NCHW and NHWC if C has, or both H and W. They are the covers of the pairs of dims that the orders have the
// other way round. It is nil if there is no such pair, or for more than 8 dims.
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
		holds := func(smaller int) bool { return set&smaller == smaller }
		if !slices.ContainsFunc(swapped, misses) && !slices.ContainsFunc(covers, holds) {
			covers = append(covers, set)
		}
	}
	slices.SortStableFunc(covers, func(x, y int) int { return cmp.Compare(bits.OnesCount(uint(x)), bits.OnesCount(uint(y))) })
	sets := make([][]int, len(covers))
	for i, set := range covers {
		for d := range a {
			if set&(1<<d) != 0 {
				sets[i] = append(sets[i], d)
			}
		}
	}
	return sets
}

func reversed(order []int) []int {
	back := slices.Clone(order)
	slices.Reverse(back)
	return back
}
