package explorer

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/picture"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Each place of memory has the colour that it has in a picture of the same layout, at first and by place in memory.
func TestBrowserColoursAreThoseOfPictures(t *testing.T) {
	b := newTab(t)
	for _, s := range []Subject{
		of(t, "nchw", 1, 3, 2, 2), of(t, "nhwc", 1, 12, 2, 2), of(t, "nchw", 2, 13, 2, 1), of(t, "nchw4", 1, 64, 2, 2),
		of(t, "nchw", 2, 1, 3, 4), of(t, "nchw", 1, 1, 1, 1), strided(t, "(20):(2)@5", "N"), strided(t, "(3,14):(0,1)", "H", "W"),
		strided(t, "(3,2):(0,0)", "H", "W"), strided(t, "(2,3,2,2):(4,0,2,1)", "N", "C", "H", "W"),
		strided(t, "(4,5):(-5,1)@15", "O", "I"), strided(t, "(2,3,4):(12,4,1)", "a", "b", "c"),
	} {
		b.load(written(t, s), "#label=none")
		if got, want := tintsIn(b), pictured(t, s.Layout, vector.Hues, picture.ByChannel); !slices.Equal(got, want) {
			t.Errorf("%s has the colours %v, in pictures %v", s.Layout, got, want)
		}
		b.choose("colour", "memory")
		if got, want := tintsIn(b), pictured(t, s.Layout, vector.Ramp, picture.ByMemory); !slices.Equal(got, want) {
			t.Errorf("%s by place has the colours %v, in pictures %v", s.Layout, got, want)
		}
	}
}

// tintsIn are the colours of the memory's cells; empty for padding.
func tintsIn(b *tab) []string {
	b.t.Helper()
	return value[[]string](b, `Array.from(document.querySelectorAll("#memory .cell"),
		n => n.matches(".padding") ? "" : getComputedStyle(n).backgroundColor)`)
}

// pictured is the same of a picture. A page picks of the colours of the longest ramp.
func pictured(t *testing.T, l tensor.Layout, kind vector.TintKind, by picture.Colouring) []string {
	t.Helper()
	memory := []picture.Memory{{Name: "own", Layout: l}}
	scene, err := picture.New(picture.Subject{Layout: l, Size: 4}, memory, picture.Options{Colour: by})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, row := range scene.Memories[0].Rows {
		for _, cell := range row.Cells {
			i, tints := cell.Tint, scene.Scale.Tints
			if tints.Kind != kind {
				t.Fatalf("%s has tints of kind %d", l, tints.Kind)
			}
			if kind == vector.Ramp && tints.N > 1 {
				i, tints.N = (2*i*(manyTints-1)+tints.N-1)/(2*(tints.N-1)), manyTints
			}
			if list = append(list, ""); cell.Tint >= 0 {
				list[len(list)-1] = rgb(tints.RGB(i, false))
			}
		}
	}
	return list
}
