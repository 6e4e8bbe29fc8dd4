package kernel

import "unsafe"

// item is an item by its size. Moving an array is a load and a store, on machines of either byte order.
type item interface {
	[1]byte | [2]byte | [4]byte | [8]byte | [16]byte
}

// width is the size of an item in bytes.
func width[T item]() int {
	var v T
	return len(v)
}

// items are the whole items of b.
func items[T item](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/width[T]())
}

func transpose[T item](dst []byte, dstRows []int, src []byte, srcRows []int) {
	for i, d := range dstRows {
		column := src[i*width[T]():]
		row := items[T](dst[d:])[:len(srcRows)]
		for j, s := range srcRows {
			row[j] = *(*T)(unsafe.Pointer(&column[s]))
		}
	}
}

// interleave goes row by row through a few pixels at a time.
func interleave[T item](dst, src []byte, srcRows []int, n int) {
	count := len(srcRows)
	pixels := items[T](dst)[:n*count]
	const few = 256
	for from := 0; from < n; from += few {
		many := min(few, n-from)
		for j, s := range srcRows {
			row := items[T](src[s:])[from : from+many]
			to := pixels[from*count+j:]
			for i, v := range row {
				to[i*count] = v
			}
		}
	}
}

func deinterleave[T item](dst []byte, dstRows []int, src []byte, n int) {
	count := len(dstRows)
	pixels := items[T](src)[:n*count]
	const few = 256
	for from := 0; from < n; from += few {
		many := min(few, n-from)
		for j, d := range dstRows {
			row := items[T](dst[d:])[from : from+many]
			of := pixels[from*count+j:]
			for i := range row {
				row[i] = of[i*count]
			}
		}
	}
}
