package bench

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

func modelOf(t *testing.T, p Pattern, layout string, itemSize int, shape ...int) Model {
	t.Helper()
	l := bind(t, layout, shape...)
	walk, err := newNest(p, l, itemSize)
	if err != nil {
		t.Fatal(err)
	}
	return newModel(walk, l.Numel(), cachesim.Reference)
}

// The shape (1,64,5,4): in NCHW the next channel is H·W = 20 elements, 80 bytes, further, in another line of 64 bytes; in NHWC
// 16 channels share a line.
func TestModelNextChannel(t *testing.T) {
	for _, c := range []struct {
		layout  string
		pattern Pattern
		touches float64
	}{
		{"nchw", Channel, 1}, {"nhwc", Channel, 1. / 16}, {"nchw", Spatial, 1. / 16},
		{"nhwc", Spatial, 1}, // the next pixel is C = 64 elements, 256 bytes, further
		{"nchw4", Channel, 1. / 4}, {"nchw16", Channel, 1. / 16}, {"nchw16", Spatial, 1},
		{"nchw4", Spatial, 1. / 4}, // four pixels share a line
	} {
		m := modelOf(t, c.pattern, c.layout, 4, 1, 64, 5, 4)
		if m.TouchesPerElem != c.touches {
			t.Errorf("%s, %s: %v lines touched per element, expected %v", c.layout, c.pattern, m.TouchesPerElem, c.touches)
		}
		if m.LinesPerElem != 1./16 || m.BytesUsed != 1 || m.Error != 0 {
			t.Errorf("%s, %s: %+v; 5 KiB stay in L1", c.layout, c.pattern, m)
		}
	}
}

// TestModelPadding: padding is fetched but not used: with three channels in blocks of four, 3/4 of the bytes are used.
func TestModelPadding(t *testing.T) {
	if m := modelOf(t, Channel, "nchw4", 1, 1, 3, 16, 16); m.BytesUsed != 0.75 || m.LinesPerElem != 1024./64/768 {
		t.Errorf("%+v", m)
	}
}

// A channel-wise walk over 2,048 channels in NCHW cycles through more lines than L1 has, so each line is fetched again for
// each of its pixels; in NHWC each is fetched once.
func TestModelThrashing(t *testing.T) {
	nchw, nhwc := modelOf(t, Channel, "nchw", 4, 2, 2048, 7, 7), modelOf(t, Channel, "nhwc", 4, 2, 2048, 7, 7)
	if nchw.LinesPerElem < 0.9 || nchw.MissPerElem["l2"] != 1./16 || nchw.BytesUsed > 0.07 {
		t.Errorf("NCHW: %+v", nchw)
	}
	if nhwc.LinesPerElem != 1./16 || nhwc.MissPerElem["l3"] != 1./16 {
		t.Errorf("NHWC: %+v", nhwc)
	}
}

// The sampled model of a large tensor is close to the exact one.
func TestModelSampled(t *testing.T) {
	for _, layout := range []string{"nchw", "nhwc", "nchw8", "chwn"} {
		l := bind(t, layout, 8, 64, 56, 56)
		for _, p := range []Pattern{Channel, Spatial} {
			walk, err := newNest(p, l, 4)
			if err != nil {
				t.Fatal(err)
			}
			exact := simulated(cachesim.New(cachesim.Reference), walk, l.Numel(), cachesim.Reference)
			sampled := simulated(cachesim.NewSample(cachesim.Reference, sampledPart), walk, l.Numel(), cachesim.Reference)
			if off := math.Abs(sampled.LinesPerElem/exact.LinesPerElem - 1); off > max(sampled.Error, 0.01) {
				t.Errorf("%s, %s: %v sampled, %v counted, which is off by more than %v", layout, p, sampled.LinesPerElem, exact.LinesPerElem, sampled.Error)
			}
			if sampled.TouchesPerElem != exact.TouchesPerElem || sampled.PagesPerElem != exact.PagesPerElem {
				t.Errorf("%s, %s: %+v, expected %+v", layout, p, sampled, exact)
			}
		}
	}
}

// TestModelExactUpTo: up to exactElems elements are simulated exactly, to the last one; more are sampled: a few of the classes that a walk
// touches.
func TestModelExactUpTo(t *testing.T) {
	walk, err := newNest(Channel, bind(t, "nchw", 1, 40, 77, 77), 4) // pages that are not all alike
	if err != nil {
		t.Fatal(err)
	}
	for elems, exact := range map[int]bool{exactElems: true, exactElems + 1: false} {
		if m := newModel(walk, elems, cachesim.Reference); (m.Error == 0) != exact {
			t.Errorf("%d elements: an error of %v", elems, m.Error)
		}
	}
}
