package layout_test

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"github.com/tlayout/tlayout/layout"
)

func ExampleParse() {
	for _, spelling := range []string{"nhwc", "channels_last", "NCHW4c", "fortran"} {
		l, err := layout.Parse(spelling, 2, 3, 4, 5)
		if err != nil {
			panic(err)
		}
		fmt.Println(l, "element (1,2,3,4) at", l.Offset(1, 2, 3, 4))
	}
	t, err := layout.Parse("f32[8,4]{0,1}")
	fmt.Println(t, err)
	// Output:
	// (2,3,4,5):(60,1,15,3) element (1,2,3,4) at 119
	// (2,3,4,5):(60,1,15,3) element (1,2,3,4) at 119
	// (2,(4,1)<3,4,5):(80,(1,80),20,4) in 160 element (1,2,3,4) at 158
	// (2,3,4,5):(1,2,6,24) element (1,2,3,4) at 119
	// (8,4):(1,8) <nil>
}

func ExampleLayout_Names() {
	l, err := layout.Parse("nhwc", 8, 64, 56, 56)
	if err != nil {
		panic(err)
	}
	names := l.Names()
	fmt.Println(strings.Join(names["oneDNN"], " "), strings.Join(names["TensorFlow"], " "), strings.Join(names["PyTorch"], " "))
	// Output: nhwc acdb NHWC channels_last
}

// Pixels of an image become the input of a network, which ONNX Runtime takes as float32 of shape (1, 3, H, W).
func ExampleConvert_image() {
	img := image.NewRGBA(image.Rect(0, 0, 4, 2))
	img.Set(1, 0, color.RGBA{255, 51, 0, 255})
	h, w := img.Rect.Dy(), img.Rect.Dx()

	pixels, err := layout.Strided([]int{3, h, w}, []int{1, img.Stride, 4}, 0) // without alpha
	if err != nil {
		panic(err)
	}
	planes, err := layout.Parse("CHW", 3, h, w)
	if err != nil {
		panic(err)
	}
	chw := make([]byte, planes.Size())
	if err := layout.Convert(chw, img.Pix, pixels, planes, 1); err != nil {
		panic(err)
	}
	input := make([]float32, len(chw))
	for i, v := range chw {
		input[i] = float32(v) / 255
	}
	fmt.Println(input[planes.Offset(0, 0, 1)], input[planes.Offset(1, 0, 1)], input[planes.Offset(2, 0, 1)])
	// Output: 1 0.2 0
}

// A tensor was transposed before it was written, and is read under its old shape.
func ExampleRelate() {
	nchw, nhwc := make([]byte, 4*120), make([]byte, 4*120)
	for i := range 120 {
		binary.LittleEndian.PutUint32(nchw[4*i:], math.Float32bits(float32(math.Sin(float64(i)))))
	}
	from, err := layout.Parse("nchw", 2, 3, 4, 5)
	if err != nil {
		panic(err)
	}
	to, err := layout.Parse("nhwc", 2, 3, 4, 5)
	if err != nil {
		panic(err)
	}
	if err := layout.Convert(nhwc, nchw, from, to, 4); err != nil {
		panic(err)
	}
	shape := []int{2, 3, 4, 5}
	r, err := layout.Relate(layout.Tensor{Data: nchw, DType: "float32", Shape: shape}, layout.Tensor{Data: nhwc, DType: "float32", Shape: shape})
	if err != nil || r == nil {
		panic(fmt.Sprint(r, err))
	}
	fmt.Println("b", r.Sentence)
	fmt.Println(r.Layout)
	// Output:
	// b holds a's elements in memory order d0 d2 d3 d1, under the shape (2, 3, 4, 5)
	// (2,3,4,5):(60,1,15,3)
}
