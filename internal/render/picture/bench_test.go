package picture

import (
	"strconv"
	"testing"
)

// Ten thousand elements with all labels and values, and as many cells of memory.
func BenchmarkScene(b *testing.B) {
	l := packed(b, 4, 25, 10, 10)
	value := func(off int) (string, float64, bool) { return strconv.Itoa(off), float64(off), true }
	s, m := Subject{Name: "x", Layout: l, Size: 4, Value: value}, []Memory{{"own", l, true}}
	for b.Loop() {
		if _, err := New(s, m, Options{Labels: []Label{Index, Coord, Value, Offset}, Colour: ByValue}); err != nil {
			b.Fatal(err)
		}
	}
}

// A part of 10¹² elements costs what the part does.
func BenchmarkCutScene(b *testing.B) {
	if strconv.IntSize < 64 {
		b.Skip("addresses in bytes do not fit 32 bits")
	}
	l := packed(b, 1000, 1000, 1000, 1000)
	for b.Loop() {
		if _, err := New(Subject{Name: "x", Layout: l, Size: 4}, []Memory{{"own", l, true}}, Options{Limit: 256}); err != nil {
			b.Fatal(err)
		}
	}
}
