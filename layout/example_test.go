package layout_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/layout"
	"github.com/tlayout/tlayout/layout/tensorio"
)

// A tensor of float32 moves from NCHW to NHWC.
func Example() {
	nchw := layout.MustParse("nchw", 1, 3, 2, 2)
	nhwc := layout.MustParse("nhwc", 1, 3, 2, 2)
	src := []float32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}
	dst := make([]float32, nhwc.Size())
	if err := layout.Convert(dst, nhwc, src, nchw); err != nil {
		panic(err)
	}
	fmt.Println(dst)
	fmt.Println(nhwc, "channel 2 of pixel (1, 0) is at", nhwc.Offset(0, 2, 1, 0))
	// Output:
	// [0 10 20 1 11 21 2 12 22 3 13 23]
	// (1,3,2,2):(12,1,6,3) channel 2 of pixel (1, 0) is at 8
}

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
	names := layout.MustParse("nhwc", 8, 64, 56, 56).Names()
	fmt.Println(strings.Join(names["oneDNN"], " "), strings.Join(names["TensorFlow"], " "), strings.Join(names["PyTorch"], " "))
	// Output: nhwc acdb NHWC channels_last
}

func ExampleLayout_All() {
	columns := layout.MustParse("fortran", 2, 2)
	for coord, offset := range columns.All() {
		fmt.Println(coord, offset)
	}
	// Output:
	// [0 0] 0
	// [0 1] 2
	// [1 0] 1
	// [1 1] 3
}

// The second of every two rows, backwards.
func ExampleLayout_Slice() {
	rows := layout.MustParse("c", 4, 3)
	part, err := rows.Slice(0, 3, -1, -2)
	if err != nil {
		panic(err)
	}
	fmt.Println(part)
	// Output: (2,3):(-6,1)@9
}

// Images become the input of a network, which ONNX Runtime takes as float32 of shape (N, 3, H, W), normalized by channel.
func ExampleConvert_images() {
	whole := image.NewRGBA(image.Rect(0, 0, 8, 8))
	whole.Set(3, 1, color.RGBA{255, 51, 0, 255})
	images := []*image.RGBA{image.NewRGBA(image.Rect(0, 0, 4, 2)), whole.SubImage(image.Rect(2, 1, 6, 3)).(*image.RGBA)}
	mean := []float64{0.485, 0.456, 0.406}
	std := []float64{0.229, 0.224, 0.225}

	const height, width = 2, 4
	batch := layout.MustParse("nchw", len(images), 3, height, width)
	input := make([]float32, batch.Size())
	for i, img := range images {
		pixels, err := layout.Strided([]int{3, height, width}, []int{1, img.Stride, 4}, 0) // without alpha
		if err != nil {
			panic(err)
		}
		planes, err := batch.Index(0, i)
		if err != nil {
			panic(err)
		}
		if err := layout.Convert(input, planes, img.Pix, pixels, layout.Scale(1.0/255, 0), layout.Normalize(0, mean, std)); err != nil {
			panic(err)
		}
	}
	for c := range 3 {
		fmt.Printf("%.3f ", input[batch.Offset(1, c, 0, 1)])
	}
	// Output: 2.249 -1.143 -1.804
}

// Planes of float32 become the colors of an image, rounded and within 0 to 255. Its alpha is kept.
func ExampleConvert_saturated() {
	img := image.NewRGBA(image.Rect(0, 0, 2, 1))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	planes := []float32{0, 1, 0.5, 1.2, -3, 0.1}
	pixels, err := layout.Strided([]int{3, 1, 2}, []int{1, img.Stride, 4}, 0)
	if err != nil {
		panic(err)
	}
	if err := layout.Convert(img.Pix, pixels, planes, layout.MustParse("chw", 3, 1, 2), layout.Scale(255, 0)); err != nil {
		panic(err)
	}
	fmt.Println(img.Pix)
	// Output: [0 128 0 255 255 255 26 255]
}

func ExampleConvert_errors() {
	nchw := layout.MustParse("nchw", 1, 3, 4, 4)
	nhwc := layout.MustParse("nhwc", 1, 3, 4, 4)
	x := make([]float32, nchw.Size())
	err := layout.Convert(x, nhwc, x, nchw)
	fmt.Println(errors.Is(err, layout.ErrOverlap), err)
	err = layout.Convert(x[:40], nhwc, make([]float32, 48), nchw)
	fmt.Println(errors.Is(err, layout.ErrShort), err)
	// Output:
	// true dst and src overlap: a conversion needs another storage
	// true storage too short: dst has 40 elements, its layout needs 48
}

// Weights of PyTorch, OIHW, become those of TensorFlow, HWIO.
func ExampleLayout_Permute() {
	oihw := layout.TensorOf(make([]float32, 16*8*3*3), layout.MustParse("c", 16, 8, 3, 3))
	var checkpoint bytes.Buffer
	if err := tensorio.WriteSafetensors(&checkpoint, map[string]layout.Tensor{"conv.weight": oihw}, nil); err != nil {
		panic(err)
	}

	file, err := tensorio.NewSafetensors(bytes.NewReader(checkpoint.Bytes()), int64(checkpoint.Len()))
	if err != nil {
		panic(err)
	}
	tensors := map[string]layout.Tensor{}
	for _, name := range file.Names() {
		w, err := file.Tensor(name)
		if err != nil {
			panic(err)
		}
		w.Layout, err = w.Layout.Permute(2, 3, 1, 0) // a view; WriteSafetensors moves the elements
		if err != nil {
			panic(err)
		}
		fmt.Println(name, w.DType, w.Layout)
		tensors[name] = w
	}
	fmt.Println(tensorio.WriteSafetensors(&checkpoint, tensors, file.Metadata()))
	// Output:
	// conv.weight float32 (3,3,8,16):(3,1,9,72)
	// <nil>
}

// A tensor was transposed before it was written, and is read under its old shape. Two elements changed.
func ExampleRelate() {
	a := make([]float32, 120)
	for i := range a {
		a[i] = float32(math.Sin(float64(i)))
	}
	nchw := layout.MustParse("nchw", 2, 3, 4, 5)
	b := make([]float32, 120)
	if err := layout.Convert(b, layout.MustParse("nhwc", 2, 3, 4, 5), a, nchw); err != nil {
		panic(err)
	}
	b[7], b[8] = 5, 5

	r, err := layout.Relate(layout.TensorOf(a, nchw), layout.TensorOf(b, nchw))
	if err != nil {
		panic(err) // ErrUnrelated if nothing was found
	}
	fmt.Println("b", r)
	fmt.Println(r.Layout)
	// Output:
	// b holds a's elements in memory order N H W C, under the shape (2, 3, 4, 5); 2 of 120 elements differ
	// (2,3,4,5):(60,1,15,3)
}

func ExampleValues() {
	var file bytes.Buffer
	if err := tensorio.WriteNPY(&file, layout.TensorOf([]float64{1, 2, 3, 4, 5, 6}, layout.MustParse("fortran", 2, 3))); err != nil {
		panic(err)
	}

	t, err := tensorio.ReadNPY(&file)
	if err != nil {
		panic(err)
	}
	values, err := layout.Values[float64](t)
	if err != nil {
		panic(err)
	}
	row, err := t.Layout.Index(0, 1)
	if err != nil {
		panic(err)
	}
	for coord, at := range row.All() {
		fmt.Println(coord, values[at])
	}
	fmt.Println(t.Layout, slices.Max(values))
	// Output:
	// [0] 2
	// [1] 4
	// [2] 6
	// (2,3):(1,2) 6
}
