package layout_test

import (
	"image"
	"testing"

	"github.com/tlayout/tlayout/layout"
)

// BenchmarkConvert measures conversions of float32 beside the loops that people write, and of an image.
func BenchmarkConvert(b *testing.B) {
	n, c, h, w := 8, 64, 56, 56
	src, dst := make([]float32, n*c*h*w), make([]float32, n*c*h*w)
	b.Run("NCHW-NHWC/loop", func(b *testing.B) {
		b.SetBytes(int64(8 * len(src)))
		for b.Loop() {
			for in := range n {
				for ic := range c {
					for ih := range h {
						for iw := range w {
							dst[((in*h+ih)*w+iw)*c+ic] = src[((in*c+ic)*h+ih)*w+iw]
						}
					}
				}
			}
		}
	})
	from, to := parsed(b, "nchw", n, c, h, w), parsed(b, "nhwc", n, c, h, w)
	measure(b, "NCHW-NHWC/layout", from, to, 4)

	img := image.NewRGBA(image.Rect(0, 0, 1920, 1080))
	planes := make([]byte, 3*1080*1920)
	b.Run("RGBA-CHW/loop", func(b *testing.B) {
		b.SetBytes(int64(2 * len(planes)))
		for b.Loop() {
			for y := range 1080 {
				for x := range 1920 {
					p := img.RGBAAt(x, y)
					at := y*1920 + x
					planes[at], planes[1080*1920+at], planes[2*1080*1920+at] = p.R, p.G, p.B
				}
			}
		}
	})
	pixels, err := layout.Strided([]int{3, 1080, 1920}, []int{1, img.Stride, 4}, 0)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, "RGBA-CHW/layout", pixels, parsed(b, "CHW", 3, 1080, 1920), 1)
	measure(b, "4KiB/layout", parsed(b, "nchw", 1, 16, 8, 8), parsed(b, "nhwc", 1, 16, 8, 8), 4)
}

func parsed(b testing.TB, name string, sizes ...int) layout.Layout {
	l, err := layout.Parse(name, sizes...)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

func measure(b *testing.B, name string, from, to layout.Layout, itemSize int) {
	src, dst := make([]byte, from.Size()*itemSize), make([]byte, to.Size()*itemSize)
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(2 * to.Len() * itemSize))
		for b.Loop() {
			if err := layout.Convert(dst, src, from, to, itemSize); err != nil {
				b.Fatal(err)
			}
		}
	})
}
