package tensor

import (
	"maps"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// reporter is what a definition needs of *testing.T and of *rapid.T.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// same reports a difference between what the model says and what the plain definition says.
func same(t reporter, what string, l any, got, want any) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // which is much faster
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s of %v (-plain +model):\n%s", what, l, diff)
	}
}

// layoutDefinitions states each operation on a Layout as an equation over its whole domain.
var layoutDefinitions = map[string]func(reporter, Layout){
	"Parts":     defineParts,
	"At":        defineAt,
	"Find":      defineFind,
	"Logical":   defineLogical,
	"Memory":    defineMemory,
	"Span":      defineSpan,
	"Padded":    definePadded,
	"Broadcast": defineBroadcast,
	"Occupancy": defineOccupancy,
	"Strided":   defineStrided,
	"Moved":     defineMoved,
}

// Parts: a layout gives back what it was made of, and what it is made of makes the same layout.
func defineParts(t reporter, l Layout) {
	var dims []Dim
	var names []string
	var shape []int
	for i := range l.Rank() {
		d := l.Dim(i)
		dims, names, shape = append(dims, d), append(names, d.Name), append(shape, d.Size)
	}
	again, err := New(dims, l.Offset(), l.Alloc())
	if err == nil {
		again, err = again.Swizzled(l.Swizzle(), l.Alloc())
	}
	if err != nil {
		t.Errorf("New of the parts of %s: %v", l, err)
	}
	same(t, "New(parts)", l, again.String(), l.String())
	other, err := l.With(dims, l.Offset(), l.Alloc())
	same(t, "With(parts)", l, []any{other, err}, []any{l, nil})
	var primed []string
	for _, name := range names {
		primed = append(primed, name+"'")
	}
	renamed, err := l.Renamed(primed, l.Alloc())
	same(t, "Renamed", l, []any{renamed.Names(), renamed.String(), err}, []any{primed, l.String(), nil})
	same(t, "Alloc", l, again.Alloc(), l.Alloc())
	same(t, "Names", l, l.Names(), names)
	same(t, "Shape", l, l.Shape(), shape)
	same(t, "Numel", l, l.Numel(), len(coordsOf(shape)))
}

// At is the defining sum, dim by dim.
func defineAt(t reporter, l Layout) {
	for _, c := range coordsOf(l.Shape()) {
		if got, want := l.At(c...), address(l, c); got != want {
			t.Errorf("At%v of %s = %d, want %d", c, l, got, want)
			return
		}
	}
}

// Find is the inverse of At: at each offset exactly the coordinates that live there, none in padding and outside. With
// a lower limit it gives as many of them and says that there may be more.
func defineFind(t reporter, l Layout) {
	at := residents(l)
	offsets := append(slices.Collect(maps.Keys(at)), l.Offset(), l.Alloc(), -1)
	for _, near := range slices.Clone(offsets) {
		offsets = append(offsets, near-1, near+1)
	}
	for _, off := range offsets {
		all, complete := l.Find(off, l.Numel()+1)
		slices.SortFunc(all, slices.Compare)
		same(t, "Find", l, all, at[off])
		same(t, "completeness of Find", l, complete, true)
		for _, limit := range []int{0, 1, len(at[off])} {
			some, complete := l.Find(off, limit)
			same(t, "number that Find returns under a limit", l, len(some), min(limit, len(at[off])))
			same(t, "completeness of Find under a limit", l, complete, limit >= len(at[off]))
			for _, c := range some {
				same(t, "At of a coordinate found", l, l.At(c...), off)
			}
		}
	}
}

// Logical visits every coordinate once, the last index fastest, and can be stopped.
func defineLogical(t reporter, l Layout) {
	want := coordsOf(l.Shape())
	k := 0
	for c, off := range l.Logical() {
		if k >= len(want) || !slices.Equal(c, want[k]) || off != address(l, c) {
			t.Errorf("element %d of the walk over %s is %v at %d", k, l, c, off)
			return
		}
		k++
	}
	same(t, "number of elements walked", l, k, len(want))
	for range l.Logical() {
		break
	}
}

// Memory visits each cell of the storage from a start to the end with its residents, and can be stopped.
func defineMemory(t reporter, l Layout) {
	at := residents(l)
	if l.Alloc() > 4096 {
		return
	}
	for _, from := range []int{0, l.Alloc() / 2, l.Alloc()} {
		off := from
		for cell := range l.Memory(from, l.Numel()) {
			slices.SortFunc(cell.Coords, slices.Compare)
			same(t, "cell", l, cell, Cell{off, at[off], true})
			off++
		}
		same(t, "end of the storage", l, off, l.Alloc())
	}
	for range l.Memory(0, 1) {
		break
	}
}

// Moved puts every element, before its swizzle, and the end of the storage as much further as the offset; only a negative offset is out
// of range here.
func defineMoved(t reporter, l Layout) {
	for _, offset := range []int{0, 1, 50, -1} {
		m, err := l.Moved(offset)
		if offset < 0 || err != nil {
			same(t, "whether Moved refuses", l, err != nil, offset < 0)
			continue
		}
		by := offset - l.Offset()
		same(t, "storage of Moved", l, m.Alloc(), max(0, l.Alloc()+by))
		for _, c := range coordsOf(l.Shape()) {
			if want := swizzled(l.Swizzle(), plainAddress(l, c)+by); m.At(c...) != want {
				t.Errorf("%s moved to %d: %v lies at %d", l, offset, c, m.At(c...))
				return
			}
		}
	}
}
