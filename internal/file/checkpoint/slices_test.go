package checkpoint

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestUncovered compares random slices with counting how many of them hold each element.
func TestUncovered(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 4), 0, 3).Draw(t, "shape")
		var all []Slice
		cut := func(n int) []int { return []int{0, rapid.IntRange(0, n).Draw(t, "cut"), n} }
		grid := [][]int{}
		for _, n := range shape {
			grid = append(grid, cut(n))
		}
		var fill func(offsets, sizes []int)
		fill = func(offsets, sizes []int) {
			d := len(offsets)
			if d < len(shape) {
				for i := range 2 {
					fill(append(slices.Clone(offsets), grid[d][i]), append(slices.Clone(sizes), grid[d][i+1]-grid[d][i]))
				}
				return
			}
			all = append(all, Slice{Offsets: offsets, Sizes: sizes})
		}
		fill(nil, nil)
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 1:
			at := rapid.IntRange(0, len(all)-1).Draw(t, "lost")
			all = slices.Delete(all, at, at+1)
		case 2:
			extra := Slice{}
			for _, n := range shape {
				from := rapid.IntRange(0, n).Draw(t, "from")
				extra.Offsets = append(extra.Offsets, from)
				extra.Sizes = append(extra.Sizes, rapid.IntRange(0, n-from).Draw(t, "size"))
			}
			all = append(all, extra)
		}
		least, most := counts(t, shape, all)
		why := Uncovered(shape, all)
		switch {
		case most > 1:
			if !strings.HasSuffix(why, " overlap") {
				t.Fatalf("%v of %v, of which some overlap: %q", all, shape, why)
			}
		case least == 0:
			if !strings.HasPrefix(why, "no slice has its elements [") {
				t.Fatalf("%v of %v, with a gap: %q", all, shape, why)
			}
		case why != "":
			t.Fatalf("%v of %v: %q", all, shape, why)
		}
	})
}

// counts returns the least and the most slices that hold an element.
func counts(t *rapid.T, shape []int, all []Slice) (least, most int) {
	view, err := tensor.Packed(shape)
	if err != nil {
		t.Fatal(err)
	}
	elements, err := view.Layout(nil, view.Numel())
	if err != nil {
		t.Fatal(err)
	}
	least = len(all)
	for index := range elements.Logical() {
		n := 0
		for _, s := range all {
			inside := true
			for d, i := range index {
				inside = inside && i >= s.Offsets[d] && i < s.Offsets[d]+s.Sizes[d]
			}
			if inside {
				n++
			}
		}
		least = min(least, n)
		most = max(most, n)
	}
	return least, most
}

// TestUncoveredTexts: the reason names the elements or the slices, and many or far slices are refused in time.
func TestUncoveredTexts(t *testing.T) {
	rows := func(cuts ...int) (all []Slice) {
		for i := 0; i < len(cuts); i += 2 {
			all = append(all, Slice{Offsets: []int{cuts[i], 0}, Sizes: []int{cuts[i+1], 5}})
		}
		return all
	}
	const most = int(^uint(0) >> 1)
	var many, stairs []Slice
	for i := range 1 << 18 {
		many = append(many, Slice{Offsets: []int{i, 0}, Sizes: []int{1, 1}})
	}
	for i := range 3000 {
		stairs = append(stairs, Slice{Offsets: []int{i, i}, Sizes: []int{1, 1}})
	}
	for _, c := range []struct {
		shape []int
		all   []Slice
		want  string
	}{
		{[]int{7, 5}, rows(0, 4, 4, 3), ""},
		{[]int{7, 5}, rows(0, 4, 5, 2), "no slice has its elements [4:5, 0:5]"},
		{[]int{7, 5}, rows(0, 4, 3, 4), "its slices [0:4, 0:5] and [3:7, 0:5] overlap"},
		{[]int{7, 5}, rows(0, 4, 4, 4), "its slice [4:8, 0:5] is not inside of its shape (7, 5)"},
		{[]int{7, 5}, rows(0, 4, most, most), "is not inside of its shape (7, 5)"},
		{[]int{7}, rows(0, 4), "is not inside of its shape (7,)"},
		{[]int{7, 5}, nil, "no slice has its elements [0:7, 0:5]"},
		{[]int{0, 5}, nil, ""},
		{nil, nil, "no slice has its elements []"},
		{[]int{1 << 18, 1}, many, ""},
		{[]int{3000, 3000}, stairs, "the bounds of its 3000 slices make more than 4194304 cells"},
	} {
		got := Uncovered(c.shape, c.all)
		if !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%v: %q, expected %q", c.shape, got, c.want)
		}
	}
}

// TestIsBelow: a path that may leave the folder on any system is refused.
func TestIsBelow(t *testing.T) {
	for path, want := range map[string]bool{"__0_0.distcp": true, "a/b": true, "": false, "..": false, "../x": false, "a/../../x": false, "/x": false, `a\b`: false,
		"C:x": false, "a\x00": false, strings.Repeat("a/", 2049): false} {
		if IsBelow(path) != want {
			t.Errorf("%q: %t", path, !want)
		}
	}
}
