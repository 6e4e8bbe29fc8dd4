package guesscmd

import (
	"bytes"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate/dump"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/text"
)

// TestCommands reads dumps by the commands of guesses of every kind: each element is at the byte that the guess says, in the dims' order.
func TestCommands(t *testing.T) {
	for _, g := range []dump.Shape{
		{DType: "uint8", ItemSize: 1, Frames: 1, Planes: 1, Height: 9, Width: 30, Channels: 1, Pitch: 30},
		{DType: "uint8", ItemSize: 1, Frames: 1, Planes: 1, Height: 9, Width: 30, Channels: 3, Pitch: 90},
		{DType: "uint8", ItemSize: 1, Skip: 17, Frames: 1, Planes: 1, Height: 9, Width: 30, Channels: 3, Pitch: 96},
		{DType: "float32", ItemSize: 4, Frames: 1, Planes: 3, Height: 9, Width: 30, Channels: 1, Pitch: 120},
		{DType: ">u2", ItemSize: 2, Skip: 64, Frames: 4, Planes: 1, Height: 9, Width: 30, Channels: 1, Pitch: 64},
		{DType: "bfloat16", ItemSize: 2, Frames: 2, Planes: 3, Height: 9, Width: 30, Channels: 1, Pitch: 128},
		{DType: "uint8", ItemSize: 1, Frames: 2, Planes: 1, Height: 9, Width: 30, Channels: 4, Pitch: 128},
		{DType: "uint8", ItemSize: 1, Skip: 5, Frames: 1, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "nv12"},
		{DType: "uint8", ItemSize: 1, Skip: 5, Frames: 3, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "nv12"},
		{DType: "uint8", ItemSize: 1, Frames: 1, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "i420"},
		{DType: "uint8", ItemSize: 1, Frames: 3, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "i420"},
		{DType: "uint8", ItemSize: 1, Frames: 2, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "nv12"},
		{DType: "uint8", ItemSize: 1, Skip: 5, Frames: 2, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 30, Chroma: "i420"},
		{DType: "uint16", ItemSize: 2, Frames: 3, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 60, Chroma: "i420"},
		{DType: "uint16", ItemSize: 2, Frames: 1, Planes: 1, Height: 8, Width: 30, Channels: 1, Pitch: 60, Chroma: "nv12"},
	} {
		frame := g.Planes * g.Height * g.Pitch
		luma := frame
		if g.Chroma != "" {
			frame += frame / 2
		}
		file := filepath.Join(t.TempDir(), "it's.bin")
		trailing := g.Frames % 2 // in some
		if g.Chroma == "" {
			trailing = 0
		}
		cli.Must(os.WriteFile(file, make([]byte, g.Skip+g.Frames*frame+trailing), 0o666))
		planes := map[string][]string{"": {""}, "nv12": {":Y", ":UV"}, "i420": {":Y", ":U", ":V"}}[g.Chroma]
		for i, plane := range planes {
			line := newGuess(g, name.Parse("it's.bin"), g.Skip+g.Frames*frame+trailing).Commands[0]
			if strings.Contains(line, "--allow-trailing") != (trailing > 0) {
				t.Errorf("%s: %d bytes follow", line, trailing)
			}
			place := func(n, c, y, x int) int { // of an element in the dump, by the definition of its kind
				switch at := g.Skip + n*frame; {
				case i == 1 && g.Chroma == "nv12":
					return at + luma + y*g.Pitch + (2*x+c)*g.ItemSize
				case i > 0:
					return at + luma + (i-1)*luma/4 + y*g.Pitch/2 + x*g.ItemSize
				case g.Planes > 1:
					return at + c*g.Height*g.Pitch + y*g.Pitch + x*g.ItemSize
				default:
					return at + y*g.Pitch + (x*g.Channels+c)*g.ItemSize
				}
			}
			compare(t, file+plane, line, place)
			if i == 0 {
				compareStrides(t, newGuess(g, name.Parse("it's.bin"), g.Skip+g.Frames*frame+trailing), place)
			}
		}
	}
}

// compareStrides compares the strides of a guess, of the luma in 4:2:0, with the distances between neighbors.
func compareStrides(t *testing.T, g guess, place func(n, c, y, x int) int) {
	t.Helper()
	for d, name := range g.Dims {
		next := map[string]int{name: 1}
		step := place(next["N"], next["C"], next["H"], next["W"]) - place(0, 0, 0, 0)
		if g.Strides[d]*g.found.ItemSize != step {
			t.Errorf("%v: %s-stride is %d elements, neighbors are %d bytes apart", g.found, name, g.Strides[d], step)
		}
	}
}

// TestPicturePlanes: a pixel of planes in padded rows has the color of its place in each plane.
func TestPicturePlanes(t *testing.T) {
	const width, height, pitch = 8, 8, 16
	g := dump.Shape{DType: "uint8", ItemSize: 1, Skip: 3, Frames: 1, Planes: 3, Height: height, Width: width, Channels: 1, Pitch: pitch}
	data := make([]byte, g.Skip+3*height*pitch)
	value := func(x, y, c int) byte { return byte(64*c + 8*y + x) }
	for c := range 3 {
		for y := range height {
			for x := range width {
				data[g.Skip+(c*height+y)*pitch+x] = value(x, y, c)
			}
		}
	}
	p := newPicture(g, data, width, height)
	for y := range height {
		for x := range width {
			got := p.NRGBAAt(x, y)
			if want := (color.NRGBA{value(x, y, 0), value(x, y, 1), value(x, y, 2), 255}); got != want {
				t.Fatalf("(%d, %d) is %v, expected %v", x, y, got, want)
			}
		}
	}
}

// compare opens the file as a command line does, and compares the bytes of elements.
func compare(t *testing.T, file, line string, place func(n, c, y, x int) int) {
	t.Helper()
	flags, ok := strings.CutPrefix(line, `tlayout inspect "it's.bin" `)
	if !ok {
		t.Fatalf("%s does not name the file", line)
	}
	var s cli.Source
	cmd := &cobra.Command{}
	s.AddReading(cmd)
	s.AddTyping(cmd)
	if err := cmd.ParseFlags(strings.Fields(strings.ReplaceAll(flags, "'", ""))); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	a := &cli.App{Streams: &cli.Streams{}}
	x, err := s.OpenOnly(a, name.Parse(file), false)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	defer x.Close()
	start, _ := x.DataStart()
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		at, coords := map[string]int{}, []int{}
		for d, name := range x.Layout.Names() {
			at[name] = r.IntN(x.Layout.Shape()[d])
			coords = append(coords, at[name])
		}
		got, want := int(start)+x.Layout.At(coords...)*x.DType.ItemSize(), place(at["N"], at["C"], at["H"], at["W"])
		if got != want {
			t.Fatalf("%s: %v is at byte %d, expected %d", line, at, got, want)
		}
	}
}

// TestPictureIsInert: no line of a picture of shades begins what a CI runner might obey, so that none is changed on its way to the terminal.
func TestPictureIsInert(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for i := range 64 {
		data := make([]byte, 30*16)
		for k := range data {
			data[k] = byte(min(255, i*4+r.IntN(8)))
		}
		var drawn, inert bytes.Buffer
		p := newPicture(dump.Shape{DType: "uint8", ItemSize: 1, Frames: 1, Planes: 1, Height: 16, Width: 30, Channels: 1, Pitch: 30}, data, 30, 8)
		cli.Must(p.text(&drawn, scene.TextOptions{}))
		cli.Must(p.text(text.InertWriter(&inert), scene.TextOptions{}))
		if drawn.String() != inert.String() || strings.Count(drawn.String(), "\n") != 8 {
			t.Fatalf("drawn as\n%swritten as\n%s", &drawn, &inert)
		}
	}
}
