package inspect

import "github.com/tlayout/tlayout/internal/tensor/source"

// Stored is the array in its file, over the file's own axes: what np.load, torch.from_numpy and safetensors see. Where the
// axes are in another order than the dims, it is another view of the same bytes than the tensor: a file of shape (N,H,W,C)
// is C-contiguous, and its tensor N,C,H,W is channels_last contiguous.
type Stored struct {
	Shape      []int            `json:"shape"`
	Strides    []int            `json:"strides"`
	Contiguous storedContiguity `json:"contiguous"`

	other bool // the tensor is another view of the bytes
}

type storedContiguity struct {
	C bool `json:"c"` // C-contiguous: PyTorch's is_contiguous()
	F bool `json:"f"` // Fortran-contiguous
}

// newStored is the array of a file; nil without one.
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

// Senses names the senses in which the array is contiguous; a file's always is, in C or Fortran order.
func (s *Stored) Senses() string { return Senses(s.Contiguous.C, s.Contiguous.F, false, false) }

// TwoViews reports whether the array as stored is another view of the bytes than the tensor, so that neither's answers are
// the other's.
func (r *Report) TwoViews() bool { return r.AsStored != nil && r.AsStored.other }
