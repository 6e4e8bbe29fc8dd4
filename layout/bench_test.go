package layout_test

import (
	"image"
	"testing"

	"github.com/tlayout/tlayout/layout"
)

// The size of images.
const (
	height = 1080
	width  = 1920
)

// BenchmarkConvert measures conversions beside the loops that people write: a batch of float32, a small one, and images. Convert plans each
// time, Plan once. TLAYOUT_CPU=avx2 measures that level.
//
//	go test -run '^$' -bench . ./layout
func BenchmarkConvert(b *testing.B) {
	batch(b, "NCHW-NHWC", 8, 64, 56, 56)
	batch(b, "4KiB", 1, 16, 8, 8)

	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	pixels, err := layout.Strided([]int{3, height, width}, []int{1, img.Stride, 4}, 0)
	if err != nil {
		b.Fatal(err)
	}
	chw := layout.MustParse("CHW", 3, height, width)
	hwc := layout.MustParse("HWC", 3, height, width)

	planes := make([]uint8, 3*height*width)
	measure(b, "RGBA-CHW/loop", 2*len(planes), func() error {
		eachPixel(img, func(at int, r, g, b uint8) {
			planes[at] = r
			planes[height*width+at] = g
			planes[2*height*width+at] = b
		})
		return nil
	})
	both(b, "RGBA-CHW", planes, chw, img.Pix, pixels)

	const scale = float32(1) / 255
	values := make([]float32, 3*height*width)
	measure(b, "RGBA-CHW-float32/loop", 5*len(values), func() error {
		for y := range height {
			for x := range width {
				p := img.RGBAAt(x, y)
				at := y*width + x
				values[at] = float32(p.R) * scale
				values[height*width+at] = float32(p.G) * scale
				values[2*height*width+at] = float32(p.B) * scale
			}
		}
		return nil
	})
	both(b, "RGBA-CHW-float32", values, chw, img.Pix, pixels, layout.Scale(1.0/255, 0))

	mean := []float32{0.485, 0.456, 0.406}
	std := []float32{0.229, 0.224, 0.225}
	normalize := []layout.Map{layout.Scale(1.0/255, 0), layout.Normalize(0, []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225})}
	measure(b, "RGBA-CHW-normalized/loop", 5*len(values), func() error {
		for y := range height {
			for x := range width {
				p := img.RGBAAt(x, y)
				at := y*width + x
				values[at] = (float32(p.R)/255 - mean[0]) / std[0]
				values[height*width+at] = (float32(p.G)/255 - mean[1]) / std[1]
				values[2*height*width+at] = (float32(p.B)/255 - mean[2]) / std[2]
			}
		}
		return nil
	})
	both(b, "RGBA-CHW-normalized", values, chw, img.Pix, pixels, normalize...)
	measure(b, "RGBA-HWC-normalized/loop", 5*len(values), func() error {
		for y := range height {
			for x := range width {
				p := img.RGBAAt(x, y)
				at := 3 * (y*width + x)
				values[at] = (float32(p.R)/255 - mean[0]) / std[0]
				values[at+1] = (float32(p.G)/255 - mean[1]) / std[1]
				values[at+2] = (float32(p.B)/255 - mean[2]) / std[2]
			}
		}
		return nil
	})
	both(b, "RGBA-HWC-normalized", values, hwc, img.Pix, pixels, normalize...)

	measure(b, "CHW-float32-RGBA/loop", 5*len(values), func() error {
		for y := range height {
			for x := range width {
				at := y*width + x
				to := y*img.Stride + 4*x
				img.Pix[to] = toByte(values[at])
				img.Pix[to+1] = toByte(values[height*width+at])
				img.Pix[to+2] = toByte(values[2*height*width+at])
			}
		}
		return nil
	})
	both(b, "CHW-float32-RGBA", img.Pix, pixels, values, chw, layout.Scale(255, 0))
}

// toByte is how people write it.
func toByte(x float32) uint8 { return uint8(min(max(x*255+0.5, 0), 255)) }

func eachPixel(img *image.RGBA, f func(at int, r, g, b uint8)) {
	for y := range height {
		for x := range width {
			p := img.RGBAAt(x, y)
			f(y*width+x, p.R, p.G, p.B)
		}
	}
}

// batch measures float32 from NCHW to NHWC.
func batch(b *testing.B, name string, n, c, h, w int) {
	src := make([]float32, n*c*h*w)
	dst := make([]float32, n*c*h*w)
	measure(b, name+"/loop", 8*len(src), func() error {
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
	both(b, name, dst, layout.MustParse("nhwc", n, c, h, w), src, layout.MustParse("nchw", n, c, h, w))
	measure(b, name+"-scaled/loop", 8*len(src), func() error {
		for in := range n {
			for ic := range c {
				for ih := range h {
					for iw := range w {
						dst[((in*h+ih)*w+iw)*c+ic] = src[((in*c+ic)*h+ih)*w+iw] * 2
					}
				}
			}
		}
		return nil
	})
	both(b, name+"-scaled", dst, layout.MustParse("nhwc", n, c, h, w), src, layout.MustParse("nchw", n, c, h, w), layout.Scale(2, 0))
}

// both measures Convert, and a plan's.
func both[D, S layout.Number](b *testing.B, name string, dst []D, to layout.Layout, src []S, from layout.Layout, maps ...layout.Map) {
	bytes := len(layout.TensorOf(dst, to).Data) + len(layout.TensorOf(src, from).Data)
	measure(b, name+"/Convert", bytes, func() error { return layout.Convert(dst, to, src, from, maps...) })
	plan, err := layout.NewPlan[D, S](to, from, maps...)
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
