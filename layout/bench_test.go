package layout_test

import (
	"image"
	"testing"

	"github.com/tlayout/tlayout/layout"
)

// BenchmarkConvert measures conversions beside the loops that people write: a batch of float32, a small one, and an image. Convert plans each time,
// Plan once. TLAYOUT_CPU=avx2 measures that level.
//
//	go test -run '^$' -bench . ./layout
func BenchmarkConvert(b *testing.B) {
	for _, s := range []struct {
		name       string
		n, c, h, w int
	}{{"NCHW-NHWC", 8, 64, 56, 56}, {"4KiB", 1, 16, 8, 8}} {
		n, c, h, w := s.n, s.c, s.h, s.w
		src, dst := make([]float32, n*c*h*w), make([]float32, n*c*h*w)
		measure(b, s.name+"/loop", 8*len(src), func() error {
			for in := range n {
				for ic := range c {
					for ih := range h {
						for iw := range w {
							dst[((in*h+ih)*w+iw)*c+ic] = src[((in*c+ic)*h+ih)*w+iw]
						}
					}
				}
			}
			return nil
		})
		measureLayout(b, s.name, parsed(b, "nchw", n, c, h, w), parsed(b, "nhwc", n, c, h, w), 4)
	}

	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	planes := make([]byte, 3*1080*1920)
	measure(b, "RGBA-CHW/loop", 2*len(planes), func() error {
		for y := range 1080 {
			for x := range 1920 {
				p := img.RGBAAt(x, y)
				at := y*1920 + x
				planes[at], planes[1080*1920+at], planes[2*1080*1920+at] = p.R, p.G, p.B
			}
		}
		return nil
	})
	pixels, err := layout.Strided([]int{3, 1080, 1920}, []int{1, img.Stride, 4}, 0)
	if err != nil {
		b.Fatal(err)
	}
	measureLayout(b, "RGBA-CHW", pixels, parsed(b, "CHW", 3, 1080, 1920), 1)
}

func parsed(b testing.TB, name string, sizes ...int) layout.Layout {
	l, err := layout.Parse(name, sizes...)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// measureLayout measures Convert, and a plan's.
func measureLayout(b *testing.B, name string, from, to layout.Layout, itemSize int) {
	src, dst := make([]byte, from.Size()*itemSize), make([]byte, to.Size()*itemSize)
	bytes := 2 * to.Len() * itemSize
	measure(b, name+"/Convert", bytes, func() error { return layout.Convert(dst, src, from, to, itemSize) })
	plan, err := layout.NewPlan(from, to, itemSize)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, name+"/Plan", bytes, func() error { return plan.Convert(dst, src) })
}

// measure measures a conversion that reads and writes a number of bytes together.
func measure(b *testing.B, name string, bytes int, convert func() error) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(bytes))
		b.ReportAllocs()
		for b.Loop() {
			if err := convert(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
