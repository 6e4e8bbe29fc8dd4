package cachesim_test

import (
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// walk visits every element of a tensor once: order channel is n, h, w, c; order spatial is n, c, h, w.
type walk struct {
	Layout string `json:"layout"`
	Shape  [4]int `json:"shape"` // N, C, H, W
	Item   int    `json:"item"`  // bytes
	Order  string `json:"order"`
}

func (w walk) bind(t testing.TB) tensor.Layout {
	t.Helper()
	name, err := notation.Parse(w.Layout)
	if err != nil {
		t.Fatal(err)
	}
	layout, err := name.Format.Bind(w.Shape[:])
	if err != nil {
		t.Fatal(err)
	}
	return layout
}

// visit calls read with the coordinates of all elements in order.
func (w walk) visit(read func(n, c, h, w int)) {
	s := w.Shape
	for n := range s[0] {
		if w.Order == "spatial" {
			for c := range s[1] {
				for h := range s[2] {
					for w := range s[3] {
						read(n, c, h, w)
					}
				}
			}
			continue
		}
		for h := range s[2] {
			for w := range s[3] {
				for c := range s[1] {
					read(n, c, h, w)
				}
			}
		}
	}
}

// counts is the cost of the walk in s.
func (w walk) counts(t testing.TB, s *cachesim.Sim) cachesim.Counts {
	layout := w.bind(t)
	w.visit(func(n, c, h, x int) { s.Read(layout.At(n, c, h, x)*w.Item, w.Item) })
	return s.Counts()
}

func geometry(t testing.TB, s string) cachesim.Geometry {
	t.Helper()
	g, err := cachesim.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
