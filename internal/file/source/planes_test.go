package source

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// planesOf are the planes of chroma in memory's order, and bytes of a number, by V4L2's pages on NV12, NV21, P010, YUV420 and YVU420.
var planesOf = map[string]struct {
	chroma []string
	item   int
}{"nv12": {[]string{"UV"}, 1}, "nv21": {[]string{"VU"}, 1}, "p010": {[]string{"UV"}, 2}, "i420": {[]string{"U", "V"}, 1},
	"yv12": {[]string{"V", "U"}, 1}, "i010": {[]string{"U", "V"}, 2}}

// TestPlanes compares the byte of elements with the formulas of V4L2's pages on the formats, over random sizes, pitches and headers.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		f := pixelFormats[rng.IntN(len(pixelFormats))]
		chroma, item := planesOf[f.name].chroma, planesOf[f.name].item
		frames, h, w, skip := rng.IntN(4), 2*(1+rng.IntN(4)), 2*(1+rng.IntN(5)), rng.IntN(9)
		pitch := (w + 2*rng.IntN(4)) * item
		shape := []int{frames, h, w}
		if frames == 0 {
			frames, shape = 1, shape[1:]
		}
		frame := pitch * h * 3 / 2
		path := filepath.Join(t.TempDir(), "x.yuv")
		if err := os.WriteFile(path, make([]byte, skip+frames*frame), 0o666); err != nil {
			t.Fatal(err)
		}
		o := Options{Planes: f.name, Raw: &Typed{Shape: shape}, Skip: int64(skip), Pitch: int64(pitch)}
		for _, name := range append([]string{"Y"}, chroma...) {
			x, err := OpenOnly(named(path+":"+name), o)
			if err != nil {
				t.Fatalf("%s %v, pitch %d: %v", f.name, shape, pitch, err)
			}
			n, c, row, col := rng.IntN(frames), rng.IntN(2), rng.IntN(h/2), rng.IntN(w/2)
			want := skip + n*frame
			coord := []int{row, col}
			switch {
			case name == "Y":
				want += row*pitch + col*item
			case len(name) == 2:
				coord, want = append(coord, c), want+h*pitch+row*pitch+(2*col+c)*item
			case name == chroma[0]:
				want += h*pitch + row*pitch/2 + col*item
			default:
				want += h*pitch + h/2*pitch/2 + row*pitch/2 + col*item
			}
			if len(shape) == 3 {
				coord = append([]int{n}, coord...)
			}
			start, _ := x.DataStart()
			if got := int(start) + x.Layout.At(coord...)*item; got != want || x.DType.ItemSize() != item || !x.Named() {
				t.Fatalf("%s of %s %v, pitch %d, skip %d: %v is at byte %d, expected %d", name, f.name, shape, pitch, skip, coord, got, want)
			}
			if data, err := x.Data(); err != nil || len(data) < (x.Layout.Extent()+x.Layout.Offset())*item {
				t.Fatalf("%d bytes of data, %v", len(data), err)
			}
			x.Close()
		}
	}
}

// TestPlanesRefused: wrong sizes, pitches and files have one clear error.
func TestPlanesRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yuv")
	if err := os.WriteFile(path, make([]byte, 48), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		shape []int
		pitch int64
		skip  int64
		want  string
	}{
		{path, []int{4, 8}, 0, 0, ""},
		{path, []int{4}, 0, 0, "needs --shape H,W"},
		{path, []int{1, 1, 4, 8}, 0, 0, "needs --shape H,W"},
		{path, []int{3, 8}, 0, 0, "even sizes"},
		{path, []int{4, 8}, 9, 0, "pitch 9: want even sizes, and a multiple of 2 bytes from 8 to"},
		{path, []int{4, 8}, 6, 0, "from 8 to"},
		{path, []int{4, 8}, 10, 0, "needs 60 bytes from byte 0, the file has 48"},
		{path, []int{4, 8}, 0, 1, "needs 48 bytes from byte 1, the file has 48"},
		{path, []int{2, 8}, 0, 0, "needs 24 bytes"},
		{path, []int{4, 8}, 1 << 62, 0, "to 2147483647"},
		{path, []int{math.MaxInt - 1, 1 << 30}, 0, 0, "overflow"},
		{"-", []int{4, 8}, 0, 0, "standard input"},
	} {
		s, _, err := Open(named(c.name), Options{Planes: "nv12", Raw: &Typed{Shape: c.shape}, Pitch: c.pitch, Skip: c.skip})
		if err == nil {
			s.Close()
		}
		if (c.want == "") != (err == nil) || err != nil && (!strings.Contains(fmt.Sprint(err), c.want) || fault.ClassOf(err) < fault.Usage) {
			t.Errorf("%v, pitch %d, skip %d: %v, expected %q", c.shape, c.pitch, c.skip, err, c.want)
		}
	}
	if _, err := OpenOnly(named(path+":W"), Options{Planes: "nv12", Raw: &Typed{Shape: []int{4, 8}}}); err == nil || !strings.Contains(err.Error(), "has no tensor") {
		t.Errorf("an image has no plane W: %v", err)
	}
}
