package kernel

import "unsafe"

// element is an element by its size. Moving an array is a load and a store, on machines of either byte order.
type element interface {
	[1]byte | [2]byte | [4]byte | [8]byte | [16]byte
}

// width is the size of an element in bytes.
func width[T element]() int {
	var v T
	return len(v)
}

// elements are the whole elements of b.
func elements[T element](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/width[T]())
}

func transpose[T element](dst []byte, dstRows []int, src []byte, srcRows []int) {
	for i, d := range dstRows {
		column := src[i*width[T]():]
		row := elements[T](dst[d:])[:len(srcRows)]
		for j, s := range srcRows {
			row[j] = *(*T)(unsafe.Pointer(&column[s]))
		}
	}
}

// interleave takes a few pixels at a time, row by row.
func interleave[T element](dst, src []byte, srcRows []int, n int) {
	count := len(srcRows)
	pixels := elements[T](dst)[:n*count]
	const few = 256
	for from := 0; from < n; from += few {
		many := min(few, n-from)
		for j, s := range srcRows {
			row := elements[T](src[s:])[from : from+many]
			to := pixels[from*count+j:]
			for i, v := range row {
				to[i*count] = v
			}
		}
	}
}

func deinterleave[T element](dst []byte, dstRows []int, src []byte, n int) {
	count := len(dstRows)
	pixels := elements[T](src)[:n*count]
	const few = 256
	for from := 0; from < n; from += few {
		many := min(few, n-from)
		for j, d := range dstRows {
			row := elements[T](dst[d:])[from : from+many]
			of := pixels[from*count+j:]
			for i := range row {
				row[i] = of[i*count]
			}
		}
	}
}

func genericTranspose(dst []byte, dstRows []int, src []byte, srcRows []int, size int) {
	switch size {
	case 1:
		transpose[[1]byte](dst, dstRows, src, srcRows)
	case 2:
		transpose[[2]byte](dst, dstRows, src, srcRows)
	case 4:
		transpose[[4]byte](dst, dstRows, src, srcRows)
	case 8:
		transpose[[8]byte](dst, dstRows, src, srcRows)
	case 16:
		transpose[[16]byte](dst, dstRows, src, srcRows)
	}
}

func genericInterleave(dst, src []byte, srcRows []int, n, size int) {
	switch size {
	case 1:
		interleave[[1]byte](dst, src, srcRows, n)
	case 2:
		interleave[[2]byte](dst, src, srcRows, n)
	case 4:
		interleave[[4]byte](dst, src, srcRows, n)
	case 8:
		interleave[[8]byte](dst, src, srcRows, n)
	case 16:
		interleave[[16]byte](dst, src, srcRows, n)
	}
}

func genericDeinterleave(dst []byte, dstRows []int, src []byte, n, size int) {
	switch size {
	case 1:
		deinterleave[[1]byte](dst, dstRows, src, n)
	case 2:
		deinterleave[[2]byte](dst, dstRows, src, n)
	case 4:
		deinterleave[[4]byte](dst, dstRows, src, n)
	case 8:
		deinterleave[[8]byte](dst, dstRows, src, n)
	case 16:
		deinterleave[[16]byte](dst, dstRows, src, n)
	}
}
