package tensor

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
)

// Infer lists exactly the known orders in which walking the tensor counts the addresses one by one, each once; where
// there is none, at most the order in which each dim steps over all that lies inside it.
func defineInfer(t reporter, s Strided) {
	names := letters(s.Rank())
	known := [][]int{s.firstToLast(), s.lastToFirst()}
	in := s.Infer(names, known)
	same(t, "whether Infer calls it ambiguous", s, in.Ambiguity != "", len(in.Candidates) > 1)
	if s.Empty() || s.Rank() == 0 {
		same(t, "Infer", s, in, Inference{})
		return
	}
	var want, got [][]int
	for _, order := range known {
		if counts(walkIn(s, order)) && !slices.ContainsFunc(want, func(w []int) bool { return slices.Equal(w, order) }) {
			want = append(want, order)
		}
	}
	for _, c := range in.Candidates {
		got = append(got, c.Order)
		same(t, "dims of a candidate", s, slices.Sorted(slices.Values(c.Order)), s.firstToLast())
		same(t, "reason of a known candidate", s, strings.HasPrefix(c.Why, "strides "), len(want) > 0)
	}
	if len(want) > 0 {
		same(t, "orders of Infer", s, got, want)
		return
	}
	same(t, "order of falling strides", s, len(got) == 1, steps(s))
}

// steps reports whether each dim that moves steps over the reach of all dims of smaller stride.
func steps(s Strided) bool {
	for i, size := range s.Shape {
		reach := 0
		for j, other := range s.Shape {
			if j != i && other > 1 && ints.Abs(s.Strides[j]) <= ints.Abs(s.Strides[i]) {
				reach += (other - 1) * ints.Abs(s.Strides[j])
			}
		}
		if size > 1 && ints.Abs(s.Strides[i]) <= reach {
			return false
		}
	}
	return true
}

func letters(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	return names
}
