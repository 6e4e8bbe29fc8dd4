package marks

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/convert"
)

// buffers are the memory that all rows share, touched before anything is measured.
type buffers struct{ dst, src []byte }

func (b *buffers) grow(dst, src int) {
	if len(b.dst) < dst {
		b.dst = touched(dst)
	}
	if len(b.src) < src {
		b.src = touched(src)
	}
}

func touched(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// check runs the conversion once and compares some thousand elements with their own addresses, so that no figure is that
// of work left out.
func check(r row, p *convert.Plan, dst, src []byte) error {
	for i := range dst {
		dst[i] = 0xEE
	}
	if err := p.Run(dst, src, make([]byte, r.item), convert.Options{Threads: 1}); err != nil {
		return err
	}
	from, err := bind(r.from, r.shape)
	if err != nil {
		return err
	}
	to, err := bind(r.to, r.shape)
	if err != nil {
		return err
	}
	for k := range 5000 {
		coord := someCoord(r.shape, k)
		s, d := from.At(coord...)*r.item, to.At(coord...)*r.item
		if string(src[s:s+r.item]) != string(dst[d:d+r.item]) {
			return fmt.Errorf("element %v is wrong", coord)
		}
	}
	return nil
}

// someCoord is the k-th of coordinates that are spread over the shape.
func someCoord(shape [4]int, k int) []int {
	at, coord := k*7919, make([]int, 4)
	for i := 3; i >= 0; i-- {
		coord[i] = at % shape[i]
		at /= shape[i]
	}
	coord[0] = k % shape[0]
	return coord
}
