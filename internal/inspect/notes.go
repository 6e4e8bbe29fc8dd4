package inspect

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// remark adds what people stumble over.
func (r *Report) remark(t *source.Tensor) {
	for _, note := range []string{rawNote(t.DType), fortranNote(t), unusedNote(t)} {
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
}

// rawNote tells what may hide behind raw bytes: ml_dtypes stores its types so.
func rawNote(d dtype.Type) string {
	sub, _ := d.Sub()
	if d.Kind() != dtype.Void || d.Fields() != nil || sub.ItemSize() > 0 {
		return ""
	}
	switch d.ItemSize() {
	case 1:
		return "1 raw byte an item: ml_dtypes stores float8 so; --dtype float8_e4m3fn, or another float8, reads it"
	case 2:
		return "2 raw bytes an item: ml_dtypes stores bfloat16 so; --dtype bfloat16 reads it"
	}
	return ""
}

// fortranNote says what a reader that ignores the file's flag will see: of the two elements that come first in
// memory, it takes the second for another one.
func fortranNote(t *source.Tensor) string {
	if t.Kind == "shape" || t.Described || !t.Header.Fortran {
		return ""
	}
	axes, err := t.FileLayout()
	if err != nil {
		return ""
	}
	s, _ := axes.Strided()
	found, _ := axes.Find(1, 1)
	if s.CContiguous().OK || len(found) == 0 {
		return ""
	}
	last := make([]int, s.Rank())
	for i, n := range slices.Backward(s.Shape) {
		if n > 1 {
			last[i] = 1
			break
		}
	}
	return fmt.Sprintf("Fortran order: in memory the axes lie in reverse, the first one fastest. A reader that ignores the flag "+
		"finds at %s what belongs to %s; tlayout convert --to c rewrites the file row by row", tensor.List(last), tensor.List(found[0]))
}

// unusedNote tells of strides that look odd and do not matter.
func unusedNote(t *source.Tensor) string {
	s, plain := t.Layout.Strided()
	if !plain || !t.HasFormat || s.Empty() {
		return ""
	}
	packed, err := t.Format.Bind(s.Shape)
	if err != nil {
		return ""
	}
	want, _ := packed.Strided()
	for i, n := range s.Shape {
		if n == 1 && want.Rank() == s.Rank() && s.Strides[i] != want.Strides[i] {
			return fmt.Sprintf("%s has size 1: its stride of %d is never part of an address, whatever it is", t.Layout.Dim(i).Name, s.Strides[i])
		}
	}
	return ""
}
