package guesscmd

import (
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/relate/dump"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// picture is the first frame of a guess, made smaller.
type picture struct{ *image.NRGBA }

// newPicture draws a guess about these bytes, at most as many pixels wide and high, two pixels to a row of text.
func newPicture(g dump.Shape, data []byte, width, rows int) *picture {
	scale := max(1, float64(g.Width)/float64(width), float64(g.Height)/float64(2*max(rows, 4)))
	w := max(1, int(float64(g.Width)/scale))
	h := max(1, int(float64(g.Height)/scale))
	d, err := dtype.Parse(g.DType)
	if err != nil {
		panic(err)
	}
	value, _ := dtype.Float64(d)
	channel := channelStep(g)
	at := func(x, y, c int) float64 {
		i := g.Skip + int(float64(y)*scale)*g.Pitch + int(float64(x)*scale)*g.Channels*g.ItemSize + c*channel
		return value(data[i:][:g.ItemSize])
	}
	low, high := 0.0, 255.0
	if g.DType != "uint8" {
		low, high = contrast(w, h, at)
	}
	p := &picture{image.NewNRGBA(image.Rect(0, 0, w, h))}
	for y := range h {
		for x := range w {
			var rgb [3]uint8
			for c := range rgb {
				rgb[c] = uint8(255 * min(max((at(x, y, c)-low)/(high-low+1e-30), 0), 1))
			}
			p.SetNRGBA(x, y, color.NRGBA{rgb[0], rgb[1], rgb[2], 255})
		}
	}
	return p
}

// channelStep returns the bytes from red to green; 0 in gray.
func channelStep(g dump.Shape) int {
	if g.Planes == 3 {
		return g.Height * g.Pitch
	}
	if g.Channels >= 3 {
		return g.ItemSize
	}
	return 0
}

// contrastSample is the number of pixels whose values choose what is black and white.
const contrastSample = 1 << 14

// contrast returns the values that are shown as black and white: all but a hundredth of the pixels' at each end is between.
func contrast(w, h int, at func(x, y, c int) float64) (low, high float64) {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 0, 3*contrastSample)
	for range contrastSample {
		x, y := r.IntN(w), r.IntN(h)
		for c := range 3 {
			if v := at(x, y, c); !math.IsNaN(v) {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return 0, 1
	}
	slices.Sort(values)
	return values[len(values)/100], values[len(values)-1-len(values)/100]
}

// text writes the picture as half blocks in color, or as shades.
func (p *picture) text(w io.Writer, o scene.TextOptions) error {
	size := p.Bounds().Size()
	for y := 0; y < size.Y; y += 2 {
		var line strings.Builder
		for x := range size.X {
			line.WriteString(halves(p.NRGBAAt(x, y), p.NRGBAAt(x, min(y+1, size.Y-1)), o))
		}
		if o.Unicode && o.Color {
			line.WriteString("\x1b[0m")
		}
		if _, err := fmt.Fprintln(w, line.String()); err != nil {
			return err
		}
	}
	return nil
}

// halves returns a character of two pixels, one above the other.
func halves(top, bottom color.NRGBA, o scene.TextOptions) string {
	if !o.Unicode || !o.Color {
		gray := func(c color.NRGBA) int { return int(color.GrayModel.Convert(c).(color.Gray).Y) }
		return string(shades[(gray(top)+gray(bottom))*9/510])
	}
	if o.TrueColor {
		return fmt.Sprintf("\x1b[38;2;%d;%d;%d;48;2;%d;%d;%dm▀", top.R, top.G, top.B, bottom.R, bottom.G, bottom.B)
	}
	return fmt.Sprintf("\x1b[38;5;%d;48;5;%dm▀", cube(top), cube(bottom))
}

// shades are dark to bright. None of them begins what InertWriter escapes, as a colon does.
const shades = " .,-=+*o%@"

// cube returns a color's number among the 256 of terminals.
func cube(c color.NRGBA) int {
	level := func(x uint8) int { return (int(x) + 25) / 51 }
	return 16 + 36*level(c.R) + 6*level(c.G) + level(c.B)
}
