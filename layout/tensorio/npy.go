package tensorio

import (
	"bytes"
	"errors"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/layout"
)

// ReadNPY reads an array in NumPy's .npy format, from its magic to its last element. Its layout is row-major or, if the file says so,
// column-major.
//
// The error is [ErrFormat] if the bytes break the format, and for Python objects and records.
func ReadNPY(r io.Reader) (layout.Tensor, error) {
	h, err := npy.ReadHeader(r, -1, npy.Limits{})
	if err != nil {
		return layout.Tensor{}, refusal(err)
	}
	word, ok := h.DType.Spelling()
	if !ok {
		return layout.Tensor{}, refusal(fault.New(fault.Unsupported, "elements are %s: want numbers, texts or times", h.DType))
	}
	order := "c"
	if h.Fortran {
		order = "fortran"
	}
	l, err := layout.Parse(order, h.Shape...)
	if err != nil {
		return layout.Tensor{}, refusal(err)
	}
	var data bytes.Buffer
	n, err := io.CopyN(&data, r, h.DataBytes)
	if errors.Is(err, io.EOF) {
		return layout.Tensor{}, refusal(fault.New(fault.Malformed, "the header claims %d bytes of data, but the file has %d", h.DataBytes, n))
	}
	return layout.Tensor{DType: word, Layout: l, Data: data.Bytes()}, err
}

// WriteNPY writes an array as np.save does: in Fortran order if its layout is column-major, otherwise in C order.
func WriteNPY(w io.Writer, t layout.Tensor) error {
	d, err := dtype.ParseTyped(t.DType)
	if err != nil {
		return err
	}
	data, fortran, err := stored(t)
	if err != nil {
		return err
	}
	header, err := npy.AppendHeader(nil, d, fortran, t.Layout.Shape())
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// stored returns the elements as a file has them.
func stored(t layout.Tensor) (data []byte, fortran bool, err error) {
	if err := t.Check(); err != nil {
		return nil, false, err
	}
	shape := t.Layout.Shape()
	columns, err := layout.Parse("fortran", shape...)
	if err != nil {
		return nil, false, err
	}
	rows, err := layout.Parse("c", shape...)
	if err != nil {
		return nil, false, err
	}
	if t.Layout.Equal(columns) && !t.Layout.Equal(rows) {
		size := len(t.Data) / max(1, t.Layout.Size())
		return t.Data[:t.Layout.Len()*size], true, nil
	}
	t, err = t.RowMajor()
	return t.Data, false, err
}
