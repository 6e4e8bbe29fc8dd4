package picture

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestSwizzleRemovesConflicts: threads that read a column of 16-byte vectors conflict in a row-major tile of float16, but not with the
// swizzle of NVIDIA's 128-byte mode.
func TestSwizzleRemovesConflicts(t *testing.T) {
	rows := strided(t, []int{8, 64}, []int{64, 1}, 0, -1)
	for _, c := range []struct {
		l    tensor.Layout
		line string
		cell string
	}{
		{rows, "up to 8-way bank conflicts: 8 accesses take 64 transactions", "0×8"},
		{swizzled(t, rows, tensor.Swizzle{Bits: 3, Base: 3, Shift: 3}, -1), "no bank conflicts: 8 accesses take 8 transactions", "4"},
		{swizzled(t, rows, tensor.Swizzle{Bits: 1, Base: 3, Shift: 3}, -1), "up to 4-way bank conflicts: 8 accesses take 32 transactions", "4×4"},
	} {
		s := mustDraw(t, Subject{Layout: c.l, Size: 2}, []Memory{{Name: "own", Layout: c.l, Own: true}, {Name: "rows", Layout: rows}},
			Options{Labels: []Label{Bank}, Color: ByBank, Banks: "h:16"})
		if !slices.Contains(s.Lines, c.line) || !slices.Contains(s.Memories[0].Lines, c.line) {
			t.Errorf("%s: %q, %q, expected %q", c.l, s.Lines, s.Memories[0].Lines, c.line)
		}
		if !slices.Contains(s.Lines, "threads along H access 16 bytes each; a warp is served 8 threads at a time") {
			t.Errorf("%s: %q", c.l, s.Lines)
		}
		if got := s.Memories[1].Lines[1]; got != "up to 8-way bank conflicts: 8 accesses take 64 transactions" {
			t.Errorf("rows beside %s: %q", c.l, got)
		}
		cell := s.Tensor.Bands[0].Planes[0].Rows[1].Cells[0]
		if cell.Labels[0] != c.cell || s.Scale.Name != "bank" || int(cell.Tint) != c.l.At(1, 0)*2/4%32 {
			t.Errorf("%s: the element (1, 0) is %+v of %+v, expected %s", c.l, cell, s.Scale, c.cell)
		}
	}
}
