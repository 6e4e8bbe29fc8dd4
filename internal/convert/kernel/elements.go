package kernel

import "unsafe"

// element is an array of an element's size. Moving it is a load and a store, in either byte order.
type element interface {
	[1]byte | [2]byte | [4]byte | [8]byte | [16]byte
}

// width returns the size of an element in bytes.
func width[T element]() int {
	var v T
	return len(v)
}

// sliceOf returns the whole elements of b.
func sliceOf[T element](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/width[T]())
}

// elementLoop is the loop in the package's comment, for one job without padding.
func elementLoop[T element](dst []byte, dstRows []int, src []byte, srcRows []int, j Job) {
	if len(srcRows) > len(dstRows) {
		for i, d := range dstRows {
			column := src[i*width[T]():]
			row := sliceOf[T](dst[j.Dst+d:])[:len(srcRows)]
			for k, s := range srcRows {
				row[k] = *(*T)(unsafe.Pointer(&column[j.Src+s]))
			}
		}
		return
	}
	for k, s := range srcRows {
		row := sliceOf[T](src[j.Src+s:])[:len(dstRows)]
		column := dst[k*width[T]():]
		for i, d := range dstRows {
			*(*T)(unsafe.Pointer(&column[j.Dst+d])) = row[i]
		}
	}
}

// paddedLoop is elementLoop for tables with NoRow.
func paddedLoop[T element](dst []byte, dstRows []int, src []byte, srcRows []int, j Job, pad []byte) {
	var padding T
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&padding)), width[T]()), pad)
	for i, d := range dstRows {
		if d == NoRow {
			continue
		}
		row := sliceOf[T](dst[j.Dst+d:])[:len(srcRows)]
		for k, s := range srcRows {
			if s == NoRow {
				row[k] = padding
			} else {
				row[k] = *(*T)(unsafe.Pointer(&src[j.Src+s+i*width[T]()]))
			}
		}
	}
}

// elements moves blocks element by element, in plain Go.
type elements struct{ block *Block }

func (e elements) String() string    { return "elements" }
func (e elements) writesLines() bool { return false }

// run moves the blocks of the jobs, through the caches.
func (e elements) run(_ *Worker, dst, src []byte, jobs []Job, n int, pad []byte, _ Stores) {
	for _, j := range jobs[:n] {
		e.block.byElements(dst, src, j, pad)
	}
}

// byElements moves the block of one job; rows that are NoRow contain pad.
func (b *Block) byElements(dst, src []byte, j Job, pad []byte) {
	switch b.size {
	case 1:
		moveElements[[1]byte](b, dst, src, j, pad)
	case 2:
		moveElements[[2]byte](b, dst, src, j, pad)
	case 4:
		moveElements[[4]byte](b, dst, src, j, pad)
	case 8:
		moveElements[[8]byte](b, dst, src, j, pad)
	case 16:
		moveElements[[16]byte](b, dst, src, j, pad)
	}
}

func moveElements[T element](b *Block, dst, src []byte, j Job, pad []byte) {
	if b.padded || b.partial {
		paddedLoop[T](dst, b.dstRows, src, b.srcRows, j, pad)
	} else {
		elementLoop[T](dst, b.dstRows, src, b.srcRows, j)
	}
}
