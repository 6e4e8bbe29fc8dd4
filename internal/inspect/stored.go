package inspect

import "github.com/tlayout/tlayout/internal/file/source"

// Stored is the array in its file, over the file's own axes, as np.load, torch.from_numpy and safetensors see it. If the axes are in another order
// than the dims, it is a different view of the same bytes: a file of shape (N,H,W,C) is C-contiguous, while its tensor N,C,H,W is channels_last
// contiguous.
type Stored struct {
	Shape      []int            `json:"shape"`      // sizes of the dims, in logical order; of blocks, in values
	Strides    []int            `json:"strides"`    // step from one index of a dim to the next, in elements
	Contiguous storedContiguity `json:"contiguous"` // contiguity in each sense

	other bool // the tensor is a different view of the bytes
}

type storedContiguity struct {
	C bool `json:"c"` // C-contiguous: PyTorch's is_contiguous()
	F bool `json:"f"` // Fortran-contiguous
}

// newStored returns the array of a file; nil without one.
func newStored(t *source.Tensor) *Stored {
	if t.FileShape == nil {
		return nil
	}
	l, err := t.FileLayout()
	if err != nil {
		return nil
	}
	s, _ := l.Strided()
	return &Stored{Shape: t.Shape(), Strides: s.Strides, Contiguous: storedContiguity{s.CContiguous().OK, s.FContiguous().OK},
		other: l.String() != t.Layout.String()}
}

// Senses lists the kinds of contiguity of the array; in a file it always has C or Fortran order.
func (s *Stored) Senses() string { return Senses(s.Contiguous.C, s.Contiguous.F, false, false) }

// TwoViews reports whether the array as stored and the tensor are different views of the bytes, so that answers for one do not hold for the other.
func (r *Report) TwoViews() bool { return r.AsStored != nil && r.AsStored.other }
