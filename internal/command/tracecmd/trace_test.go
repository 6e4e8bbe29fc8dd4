package tracecmd

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNested: brackets nest as in Python, one line per run of the last dim, numbers aligned in columns. An ellipsis replaces omitted
// elements.
func TestNested(t *testing.T) {
	for _, c := range []struct {
		shape  []int
		values string
		want   string
	}{
		{[]int{}, "7", "7"},
		{[]int{0}, "", "[]"},
		{[]int{2, 0}, "", "[]"},
		{[]int{3}, "1 20 3", "[ 1, 20,  3]"},
		{[]int{2, 3}, "1 2 3 4 5 6", "[[1, 2, 3],\n [4, 5, 6]]"},
		{[]int{2, 1, 2}, "1 2 3 4", "[[[1, 2]],\n [[3, 4]]]"},
		{[]int{2, 3}, "1 2 3 4", "[[1, 2, 3],\n [4, …"},
		{[]int{2, 3}, "1 2 3", "[[1, 2, 3], …"},
		{[]int{1, 2, 2}, "1 2 3 4", "[[[1, 2],\n  [3, 4]]]"},
	} {
		got := strings.Join(nested(c.shape, strings.Fields(c.values)), "\n")
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("nested(%v, %s):\n%s", c.shape, c.values, diff)
		}
	}
}

// TestInColumns: the numbers of one dim are aligned, each list in its brackets.
func TestInColumns(t *testing.T) {
	got := inColumns([]int{2, 3, 32}, []int{-96, 32, 1}, nil, []int{-384, 128, 4})
	if diff := cmp.Diff([]string{"(   2,  3,32)", "( -96, 32, 1)", "(-384,128, 4)"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"()", "()"}, inColumns([]int{}, []int{})); diff != "" {
		t.Error(diff)
	}
}
