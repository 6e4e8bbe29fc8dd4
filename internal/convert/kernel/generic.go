package kernel

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
