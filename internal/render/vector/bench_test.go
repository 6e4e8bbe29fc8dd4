package vector

import (
	"fmt"
	"io"
	"testing"
)

// cells are as many as a large picture has: each a group with a title, a rectangle and a text.
func cells(n int) Drawing {
	d := Drawing{Width: 2000, Height: float64(n / 100 * 22), Title: "cells", Tints: Tints{Hues, 64}}
	for i := range n {
		x, y := float64(i%100*20), float64(i/100*22)
		d.Marks = append(d.Marks, Group{Title: fmt.Sprintf("n=0 c=%d h=0 w=%d, offset %d, byte %d", i%64, i%7, i, 4*i), Marks: []Mark{
			Rect{X: x, Y: y, W: 20, H: 22, Fill: Tint(i % 64), Stroke: Grid},
			Text{X: x + 10, Y: y + 11, Words: fmt.Sprintf("%04d", i%10000), Size: 7.5, Anchor: Middle, Mono: true, Paint: Ink}}})
	}
	return d
}

// A picture of 20000 cells.
func BenchmarkSVG(b *testing.B) {
	d := cells(20000)
	for b.Loop() {
		if err := d.SVG(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// A picture of 10000 cells, of 17.6 million pixels.
func BenchmarkPNG(b *testing.B) {
	d := cells(10000)
	for b.Loop() {
		if err := d.PNG(io.Discard, PNGOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMeasure(b *testing.B) {
	for b.Loop() {
		Measure("n=0 c=1 h=0 w=2, offset 11 …", 13, false, false)
	}
}

func BenchmarkTint(b *testing.B) {
	for i := range b.N {
		Tints{Hues, 64}.RGB(i, false)
	}
}
