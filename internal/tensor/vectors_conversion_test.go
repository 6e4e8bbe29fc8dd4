package tensor

import (
	"slices"
	"strings"
)

// checkConversionVector evaluates a small worked example, each by a check of its own.
func checkConversionVector(v *vector) {
	checks := map[string]func(*vector){
		"source1-storage-permutation": checkStoragePermutation,
		"source3-2x2":                 checkTwoOrders,
		"source2-2x3-WH":              checkColumnMajorText,
		"source2-padded":              checkPaddedText,
		"source2-dot":                 checkDotProduct,
		"source5-byteoffset":          checkByteOffset,
		"source3-inverse-permutation": checkInversePermutation,
	}
	id := input[string](v, "id")
	check := checks[id]
	if check == nil {
		v.t.Fatalf("no check for the conversion %q", id)
	}
	check(v)
}

// checkStoragePermutation moves a storage from NCHW to channels_last; the gather says which old cell each new one
// takes.
func checkStoragePermutation(v *vector) {
	v.prose("from_", "to")
	shape := input[[]int](v, "shape")
	nchw := mustLayout(v.t, shape, rowMajor(shape), 0, Unbounded)
	strides, _ := FormatStrides(shape, ChannelsLastFormat)
	nhwc := mustLayout(v.t, shape, strides, 0, Unbounded)
	cells := make([]int, nchw.Alloc())
	for i := range cells {
		cells[i] = i
	}
	v.want("gather", true, stored(nhwc, 0, read(nchw, cells)))
	v.want("storage_out", true, stored(nhwc, 0, read(nchw, input[[]int](v, "storage_in"))))
}

// checkTwoOrders stores a 2×2 matrix by rows and by columns.
func checkTwoOrders(v *vector) {
	values, shape := input[[]int](v, "values"), []int{2, 2}
	c, f := mustPacked(v.t, shape), mustColumnMajor(v.t, shape)
	v.want("c_strides", true, c.Strides)
	v.want("f_strides", true, f.Strides)
	v.want("c_order", true, stored(layoutOf(v.t, c), 0, values))
	v.want("f_order", true, stored(layoutOf(v.t, f), 0, values))
}

func checkColumnMajorText(v *vector) {
	l := layoutOf(v.t, mustColumnMajor(v.t, []int{2, 3}))
	v.want("colmajor", true, string(stored(l, 'x', []byte(input[string](v, "values")))))
}

func checkPaddedText(v *vector) {
	buffer := input[string](v, "buffer")
	l := mustLayout(v.t, input[[]int](v, "sizes"), input[[]int](v, "strides"), 0, len(buffer))
	text := input[string](v, "reads")
	v.want("reads", true, string(read(l, []byte(buffer))))
	v.want("buffer", true, string(stored(l, 'x', []byte(text))))
	if _, trailing := l.Slack(); trailing != len(buffer)-1-strings.LastIndexByte(buffer, 'F') {
		v.t.Errorf("trailing slack %d in %s", trailing, buffer)
	}
}

func checkDotProduct(v *vector) {
	v.want("offset", true, dot(v, input[[]int](v, "index"), input[[]int](v, "strides")))
}

// checkByteOffset is a dot product in bytes: int32 elements, so strides and offset are four times those in elements.
func checkByteOffset(v *vector) {
	const itemSize = 4
	strides := input[[]int](v, "strides_bytes")
	for i := range strides {
		strides[i] /= itemSize
	}
	v.want("byte_offset", true, itemSize*dot(v, input[[]int](v, "index"), strides))
}

// dot asks the layout of the smallest shape that holds the index.
func dot(v *vector, index, strides []int) int {
	shape := make([]int, len(index))
	for i, x := range index {
		shape[i] = x + 1
	}
	return mustLayout(v.t, shape, strides, 0, Unbounded).At(index...)
}

// checkInversePermutation derives the strides of channels_last from those of the physical NHWC shape: by the inverse
// of the permutation that takes NCHW to NHWC.
func checkInversePermutation(v *vector) {
	toPhysical := input[[]int](v, "to_physical")
	v.want("inverse", true, inverse(toPhysical))
	shape := []int{1, 64, 5, 4}
	physical := rowMajor(permuted(shape, toPhysical))
	v.want("nhwc_physical_strides_1x64x5x4", true, physical)
	v.want("logical_strides_via_inverse", true, permuted(physical, inverse(toPhysical)))
	strides, _ := FormatStrides(shape, ChannelsLastFormat)
	v.want("logical_strides_via_inverse", true, strides)
}

// permuted returns xs[order[0]], xs[order[1]], ….
func permuted(xs, order []int) []int {
	out := make([]int, len(order))
	for i, o := range order {
		out[i] = xs[o]
	}
	return out
}

func inverse(order []int) []int {
	out := make([]int, len(order))
	for i := range order {
		out[i] = slices.Index(order, i)
	}
	return out
}
