package kernel

func genericTranspose(dst []byte, dstRows []int, src []byte, srcRows []int, size int) {
	for i, d := range dstRows {
		for j, s := range srcRows {
			move(dst[d+j*size:], src[s+i*size:], size)
		}
	}
}

func genericInterleave(dst, src []byte, srcRows []int, from, to, size int) {
	at := from * len(srcRows) * size
	for i := from; i < to; i++ {
		for _, s := range srcRows {
			move(dst[at:], src[s+i*size:], size)
			at += size
		}
	}
}

func genericDeinterleave(dst []byte, dstRows []int, src []byte, from, to, size int) {
	at := from * len(dstRows) * size
	for i := from; i < to; i++ {
		for _, d := range dstRows {
			move(dst[d+i*size:], src[at:], size)
			at += size
		}
	}
}

// move copies one item: an array of constant size is a load and a store, on machines of either byte order.
func move(dst, src []byte, size int) {
	switch size {
	case 1:
		dst[0] = src[0]
	case 2:
		*(*[2]byte)(dst) = [2]byte(src)
	case 4:
		*(*[4]byte)(dst) = [4]byte(src)
	case 8:
		*(*[8]byte)(dst) = [8]byte(src)
	case 16:
		*(*[16]byte)(dst) = [16]byte(src)
	}
}
