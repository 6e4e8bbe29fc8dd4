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

// elementwise is the loop in the comment of Block, for one job without padding.
func elementwise[T element](dst []byte, dstRows []int, src []byte, srcRows []int, j Job) {
	if len(srcRows) > len(dstRows) {
		for i, d := range dstRows {
			column := src[i*width[T]():]
			row := elements[T](dst[j.Dst+d:])[:len(srcRows)]
			for k, s := range srcRows {
				row[k] = *(*T)(unsafe.Pointer(&column[j.Src+s]))
			}
		}
		return
	}
	for k, s := range srcRows {
		row := elements[T](src[j.Src+s:])[:len(dstRows)]
		column := dst[k*width[T]():]
		for i, d := range dstRows {
			*(*T)(unsafe.Pointer(&column[j.Dst+d])) = row[i]
		}
	}
}

// byElements moves the block of one job element by element; rows that are NoRow hold pad.
func (b *Block) byElements(dst, src []byte, j Job, pad []byte) {
	if b.padded || b.partial {
		b.paddedElements(dst, src, j, pad)
		return
	}
	switch b.size {
	case 1:
		elementwise[[1]byte](dst, b.dstRows, src, b.srcRows, j)
	case 2:
		elementwise[[2]byte](dst, b.dstRows, src, b.srcRows, j)
	case 4:
		elementwise[[4]byte](dst, b.dstRows, src, b.srcRows, j)
	case 8:
		elementwise[[8]byte](dst, b.dstRows, src, b.srcRows, j)
	case 16:
		elementwise[[16]byte](dst, b.dstRows, src, b.srcRows, j)
	}
}

// paddedElements is byElements for tables with NoRow.
func (b *Block) paddedElements(dst, src []byte, j Job, pad []byte) {
	for i, d := range b.dstRows {
		if d == NoRow {
			continue
		}
		for k, s := range b.srcRows {
			to := dst[j.Dst+d+k*b.size:][:b.size]
			if s == NoRow {
				copy(to, pad)
			} else {
				copy(to, src[j.Src+s+i*b.size:])
			}
		}
	}
}
