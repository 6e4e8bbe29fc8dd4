package dump

import (
	"math/rand/v2"
	"testing"
)

// first returns the first shape of a dump, without its score; the zero Shape if there is none.
func first(data []byte) Shape {
	found := Shapes(data)
	if len(found) == 0 {
		return Shape{}
	}
	found[0].Score = 0
	return found[0]
}

// TestPaddingAsWideAsAlignment: a black part of a picture as wide as the alignment of its rows, or wider, is no padding; a narrower one is.
func TestPaddingAsWideAsAlignment(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for black, width := range map[int]int{63: 192 - 63, 64: 192, 65: 192} { // rows of 192 bytes are aligned to 64
		p := newPicture(r, 192, 100)
		data := pack(nil, "uint8", 1, false, 1, p)
		for y := range p.h {
			clear(data[(y+1)*192-black : (y+1)*192])
		}
		if got := first(data); got.Width != width || got.Pitch != 192 {
			t.Errorf("the last %d columns are black: %+v, expected a width of %d", black, got, width)
		}
	}
}

// TestHeaderLimit: a header has at most maxHeader bytes, whatever the size of elements.
func TestHeaderLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	within := 0
	for _, header := range []int{1200, 1920, 2160, 2400, 3600} {
		data := make([]byte, header)
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		data = pack(data, "uint16", 1, false, 1, newPicture(r, 110, 120))
		for _, g := range Shapes(data) {
			if g.Skip > maxHeader {
				t.Errorf("a header of %d bytes: %+v", header, g)
			}
			if g.Skip == header {
				within++
			}
		}
	}
	if within == 0 {
		t.Error("no header is found")
	}
}

// TestOddWidthHasNoChroma: frames in YUV 4:2:0 have an even width; rows of pairs after a picture of odd width are something else.
func TestOddWidthHasNoChroma(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 13))
	for _, width := range []int{100, 101, 120, 121, 140, 141} {
		p := newPicture(r, width, 96)
		var data, pairs []byte
		for i := range p.w * p.h {
			data = append(data, byte(p.value[0][i]*255))
		}
		for y := range p.h / 2 {
			for x := range p.w {
				pairs = append(pairs, byte(90+80*(x%2)+int(30*p.value[1][2*y*p.w+x])))
			}
		}
		data = append(data, pairs...)
		v := newView(&lenses[0], data)
		g := Shape{DType: "uint8", ItemSize: 1, Width: width, Channels: 1}
		if found := (&rows{view: v, pitch: width, channels: 1, n: v.n / width, step: v.near(width)}).chroma(&g); found != (width%2 == 0) {
			t.Errorf("width %d: %t, %+v", width, found, g)
		}
	}
}
