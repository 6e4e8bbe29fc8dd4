package convert

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// swapped gives a big-endian tensor the little-endian type of the numbers that a checkpoint holds, and that a .npy file holds of types that it
// has no name for. The values stay.
func (w *whole) swapped(p *piece) {
	if d := p.tensor.Type; d.Order() == dtype.Big && (w.format == checkpoint.Torch || w.format == checkpoint.Safetensors || unspelled(d)) {
		p.tensor.Type = d.LittleEndian()
		if p.swap = d.ItemSize(); d.Kind() == dtype.Complex {
			p.swap /= 2
		}
	}
}

// swapper writes numbers of size bytes with their bytes in reverse order.
type swapper struct {
	out  io.Writer
	size int
	rest []byte // of a number that is not complete
}

func (s *swapper) Write(b []byte) (int, error) {
	all := append(s.rest, b...)
	whole := len(all) - len(all)%s.size
	for number := range slices.Chunk(all[:whole], s.size) {
		slices.Reverse(number)
	}
	if _, err := s.out.Write(all[:whole]); err != nil {
		return 0, err
	}
	s.rest = append([]byte{}, all[whole:]...)
	return len(b), nil
}
