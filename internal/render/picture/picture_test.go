package picture

import (
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// What makes no sense is refused, and says what it is.
func TestRefusals(t *testing.T) {
	l, other := packed(t, 2, 3), packed(t, 3, 2)
	for _, c := range []struct {
		m    []Memory
		o    Options
		text string
	}{
		{nil, Options{Labels: []Label{Value}}, "there are no values to draw"},
		{nil, Options{Colour: ByValue}, "there are no values to draw"},
		{[]Memory{{"wh\x1b", other, false}}, Options{}, `wh\x1b has shape (3, 2), and the tensor (2, 3)`},
	} {
		_, err := New(Subject{Layout: l}, c.m, c.o)
		wantFault(t, err, fault.Usage, c.text)
	}
	for _, c := range []struct {
		o    Options
		text string
	}{
		{Options{Limit: -1}, "a limit of -1"},
		{Options{Wrap: -2}, "rows of -2 cells"},
		{Options{Line: -64}, "a cache line of -64 bytes"},
		{Options{Steps: -1}, "-1 steps"},
	} {
		if _, err := New(Subject{Layout: l}, nil, c.o); err == nil || fault.ClassOf(err) != fault.Usage || err.Error() != c.text {
			t.Errorf("%+v: %v, expected %q", c.o, err, c.text)
		}
	}
}

// Rows are as long as a cache line, or as asked for; a storage that is shorter has one row. Items longer than a line have a
// row each.
func TestWidth(t *testing.T) {
	for _, c := range []struct {
		n, size        int
		o              Options
		width, rows    int
		skip, lastLine string
	}{
		{100, 4, Options{}, 16, 7, "", ""},
		{100, 4, Options{Wrap: 10}, 10, 10, "", ""},
		{10, 4, Options{}, 10, 1, "", ""},
		{100, 12, Options{}, 5, 20, "", ""},
		{3, 100, Options{}, 1, 3, "", ""},
		{1000, 4, Options{Limit: 256}, 16, 9, "… 55 more lines of 64 B", "992"},
		{1000, 4, Options{Limit: 256, Wrap: 10}, 10, 9, "… 92 more rows of 10", "990"},
		{300, 1, Options{Limit: 256}, 64, 5, "… 1 more line of 64 B", "256"},
		{100, 4, Options{Limit: 5}, 5, 2, "… 19 more rows of 5", ""},
	} {
		l := packed(t, c.n)
		m := mustDraw(t, Subject{Layout: l, Size: c.size}, []Memory{{"m", l, true}}, c.o).Memories[0]
		skip, last := "", m.Rows[len(m.Rows)-1].Address.String()
		for _, r := range m.Rows {
			skip += r.Skip
		}
		if m.Width != c.width || len(m.Rows) != c.rows || skip != c.skip || c.skip != "" && last != c.lastLine {
			t.Errorf("%d items of %d, %+v: %d wide, %d rows, %q, the last at %s", c.n, c.size, c.o, m.Width, len(m.Rows), skip, last)
		}
	}
}
