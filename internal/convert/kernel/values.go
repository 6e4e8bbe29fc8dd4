package kernel

import "unsafe"

// Scalar is the types of Go whose values are numbers of one size on every machine.
type Scalar interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// BytesOf returns the memory of values.
func BytesOf[T Scalar](values []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(v)))
}

// ValuesOf returns the whole values in memory; ok is false if it does not begin at a multiple of their alignment.
func ValuesOf[T Scalar](b []byte) (values []T, ok bool) {
	var v T
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(v) != 0 {
		return nil, false
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v))), true
}

// SizeOf returns the bytes of a value.
func SizeOf[T Scalar]() int {
	var v T
	return int(unsafe.Sizeof(v))
}
