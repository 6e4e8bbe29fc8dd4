package scene

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// scaled returns one cell with a scale of n tints.
func scaled(kind vector.TintKind, n int, low, high string) Scene {
	cell := Cell{Labels: []string{"0"}, Tint: 0}
	return Scene{Scale: Scale{Tints: vector.Tints{Kind: kind, N: n}, Name: "channel", Low: low, High: high},
		Memories: []Memory{{Rows: []MemoryRow{{Address: 0, Cells: []Cell{cell}}}}}}
}

// TestScaleNames: a few hues have a name each, those of one or two tints and of consecutive numbers; other scales name their ends.
func TestScaleNames(t *testing.T) {
	for _, c := range []struct {
		kind      vector.TintKind
		n         int
		low, high string
		want      []string
	}{
		{vector.Hues, 1, "c=0", "c=0", []string{"c=0"}},
		{vector.Hues, 2, "row 0", "row 7", []string{"row 0", "row 7"}},
		{vector.Hues, 3, "c=0", "c=2", []string{"c=0", "c=1", "c=2"}},
		{vector.Hues, 3, "c=4", "c=6", []string{"c=4", "c=5", "c=6"}},
		{vector.Hues, 3, "c=0", "c=3", nil},
		{vector.Hues, 3, "c=0", "d=2", nil},
		{vector.Hues, 3, "low", "high", nil},
		{vector.Hues, 12, "c=0", "c=11", strings.Fields("c=0 c=1 c=2 c=3 c=4 c=5 c=6 c=7 c=8 c=9 c=10 c=11")},
		{vector.Hues, 13, "c=0", "c=12", nil},
		{vector.Ramp, 3, "0", "2", nil},
	} {
		if got := scaled(c.kind, c.n, c.low, c.high).Scale.names(); !slices.Equal(got, c.want) {
			t.Errorf("%v tints %d, %s to %s: %q, want %q", c.kind, c.n, c.low, c.high, got, c.want)
		}
	}
}

// TestScaleStrip: the strip of a drawing, and the scale of a text, lead from the first tint to the last, each at most once.
func TestScaleStrip(t *testing.T) {
	for _, n := range []int{vector.FewHues + 1, 17, 64, 1000} {
		s := scaled(vector.Ramp, n, "0", "9")
		var strip []vector.Paint
		for _, m := range flat(s.Drawing().Marks) {
			if r, ok := m.(vector.Rect); ok && r.H == swatch {
				strip = append(strip, r.Fill)
			}
		}
		if len(strip) == 0 || strip[0] != vector.Tint(0) || strip[len(strip)-1] != vector.Tint(n-1) || !slices.IsSorted(strip) || len(slices.Compact(slices.Clone(strip))) != len(strip) {
			t.Errorf("%d tints: the strip has %v", n, strip)
		}
		var text strings.Builder
		o := TextOptions{Width: 80, Unicode: true, Color: true, TrueColor: true}
		if err := s.Text(&text, o); err != nil {
			t.Fatal(err)
		}
		_, scale, _ := strings.Cut(text.String(), "channel: ")
		paints := regexp.MustCompile(`\x1b\[38[^m]*m`).FindAllString(scale, -1)
		all := o.paints(s.Scale.Tints)
		if len(paints) != min(16, n) || paints[0] != all[0] || paints[len(paints)-1] != all[n-1] {
			t.Errorf("%d tints: the text has %q", n, paints)
		}
	}
}
