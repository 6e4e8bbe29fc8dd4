package scene

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// What scenes look like, as SVG: strict XML that says in its description what is to be seen.
func TestDrawingGolden(t *testing.T) {
	for name, s := range drawnScenes() {
		var got bytes.Buffer
		if err := s.Drawing().SVG(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "scene_"+name+".svg"), got.Bytes())
		if texts := textsOf(t, got.Bytes()); !strings.Contains(texts, s.Memories[0].Name+"\n") {
			t.Errorf("%s: no memory %q among\n%s", name, s.Memories[0].Name, texts)
		}
	}
}

// textsOf parses a file as XML and returns what its elements say, a line each.
func textsOf(t *testing.T, svg []byte) string {
	t.Helper()
	var texts strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if words, ok := token.(xml.CharData); ok {
			texts.WriteString(string(words) + "\n")
		}
	}
}

// What scenes look like, as PNG in both schemes. Another machine's arithmetic may round other pixels: a channel may
// differ by 0.05 of 255 on average, which is less than a third of what one cell without its tint makes.
func TestDrawingPNG(t *testing.T) {
	for name, dark := range map[string]bool{"padded": false, "broadcast": true} {
		var got bytes.Buffer
		if err := letters(name).Drawing().PNG(&got, vector.PNGOptions{Scale: 1, Dark: dark}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "scene_"+name+".png")
		if *golden.Update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := difference(t, got.Bytes(), want); d > 0.05 {
			t.Errorf("%s: channels differ by %.2f of 255 on average", name, d)
		}
	}
}

// difference is the mean difference of two PNGs' channels, of 255.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	p, q := decoded(t, a), decoded(t, b)
	if p.Bounds() != q.Bounds() {
		t.Fatalf("%v is not %v", p.Bounds(), q.Bounds())
	}
	sum, size := 0.0, p.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := p.At(x, y).RGBA()
			r2, g2, b2, _ := q.At(x, y).RGBA()
			sum += apart(r1, r2) + apart(g1, g2) + apart(b1, b2)
		}
	}
	return sum / float64(3*size.X*size.Y)
}

func apart(a, b uint32) float64 { return float64(max(a, b)-min(a, b)) / 257 }

func decoded(t *testing.T, b []byte) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return m
}
