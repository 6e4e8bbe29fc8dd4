package convertcmd

import (
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// fileAxes is the order of a file's axes, outermost first, and the logical sizes in the order of the tensor's names.
type fileAxes struct {
	order notation.Format
	sizes []int
}

// axesOf returns the axes of the target's file; nil if they have numbers only, or if the file is plain storage.
func axesOf(c *conversion) *fileAxes {
	f, ok := c.axesOrder()
	if !ok {
		return nil
	}
	f, sizes, err := c.tensor.SizesIn(f)
	if err != nil {
		return nil
	}
	if c.keepsAxes() {
		return &fileAxes{f, sizes}
	}
	shape, err := f.PhysicalShape(sizes)
	if err != nil || len(shape) != len(c.target.FileShape) {
		return nil
	}
	return &fileAxes{f, sizes}
}

// axesOrder returns the axis order of the target's file, if one was named or assumed.
func (c *conversion) axesOrder() (f notation.Format, ok bool) {
	t := c.tensor
	if c.request.to.Layout.Exact != nil {
		return f, false
	}
	switch c.frame {
	case logicalDims:
		return c.request.to.Layout.Format, true
	case ofStorage, ofTensor:
		return notation.RowMajor(c.from.Names()), true
	}
	if ordered := t.Named() || t.Assumed(); !ordered || !t.HasFormat {
		return f, false
	}
	if t.Header.Fortran {
		return t.Format.Reversed(), true
	}
	return t.Format, true
}
