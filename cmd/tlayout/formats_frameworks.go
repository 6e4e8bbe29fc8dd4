package main

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// formatsFramework is what a framework calls the layout and what it wants passed: the shape, logical or physical, and
// the strides. Shape and strides are null where there are no sizes, strides also where the name implies them.
type formatsFramework struct {
	Framework string   `json:"framework"`
	Names     []string `json:"names"`
	Order     string   `json:"order"` // logical, physical or split: a dim for each digit
	Shape     []int    `json:"shape"`
	Symbols   []string `json:"symbols"`
	Strides   []int    `json:"strides"`
	Unit      string   `json:"stride_unit,omitempty"` // elements, bytes or vectors
	Notation  string   `json:"notation,omitempty"`    // shape:stride of CuTe
	Missing   bool     `json:"missing"`               // it has neither a name nor strides for the layout
}

// name fills in the frameworks.
func (r *formatsReport) name() {
	names := r.spellings()
	for _, f := range notation.Frameworks() {
		rare := f.Name == "MNN" || f.Name == "Ascend" || f.Name == "CuTe" && r.layout == nil
		if !keeps(r.framework, f.Name) || rare && r.framework == allFrameworks && len(names[f.Name]) == 0 {
			continue
		}
		row := formatsFramework{Framework: f.Name, Names: orEmpty(names[f.Name]), Order: "logical"}
		row.Shape, row.Symbols = r.Shape, r.Dims
		row.Missing = !r.takes(f, len(row.Names) > 0)
		if f.Physical && r.Packed {
			row.Order, row.Shape, row.Symbols = "physical", r.Physical, r.Symbols
		}
		if f.Unit != "" {
			row.Unit = f.Unit
			r.stride(&row)
		}
		if row.Missing {
			row = formatsFramework{Framework: f.Name, Names: []string{}, Missing: true}
		}
		r.Frameworks = append(r.Frameworks, row)
	}
}

// stride fills in the strides of a framework that counts them in row.Unit, and the shape that goes with them.
func (r *formatsReport) stride(row *formatsFramework) {
	if r.layout == nil {
		if row.Framework == "PyTorch" && r.blocked {
			row.Order, row.Symbols = "physical", r.Symbols
		}
		if r.blocked && (row.Framework == "DirectML" || row.Framework == "cuDNN" && !row.Missing) {
			row.Order, row.Symbols, row.Unit = r.blockedSymbols(row)
		}
		return
	}
	switch row.Framework {
	case "NumPy", "MegEngine":
		row.Strides = r.physicalStrides(row.Unit)
	case "PyTorch":
		if row.Strides = r.Strides; r.blocked {
			row.Order, row.Shape, row.Symbols, row.Strides = "physical", r.Physical, r.Symbols, r.physicalStrides(row.Unit)
		}
	case "DirectML":
		r.strideDirectML(row)
	case "cuDNN":
		if row.Strides = r.Strides; r.blocked && len(row.Names) > 0 {
			r.strideVectors(row)
		}
	case "oneDNN":
		row.Strides = r.outerStrides()
	case "CuTe":
		row.Notation = notation.CuTe(*r.layout)
		row.Strides = r.Strides
	}
}

// blockedSymbols are the dims of a layout in blocks without sizes: DirectML's of one dim a digit, cuDNN's logical ones.
func (r *formatsReport) blockedSymbols(row *formatsFramework) (order string, symbols []string, unit string) {
	if row.Framework == "cuDNN" {
		return "logical", r.Dims, "vectors"
	}
	for d := range r.Dims {
		for _, a := range r.digitAxes(d) {
			symbols = append(symbols, r.symbol(a))
		}
	}
	return "split", symbols, row.Unit
}

// physicalStrides are those of memory's axes; of a layout with gaps, those of the dims.
func (r *formatsReport) physicalStrides(unit string) []int {
	strides := slices.Clone(r.Strides)
	if r.Packed {
		strides = nil
		for _, x := range r.Axes {
			strides = append(strides, *x.Stride)
		}
	}
	for i := range strides {
		if unit == "bytes" {
			strides[i] *= r.ItemSize
		}
	}
	return strides
}

// outerStrides are those of a oneDNN descriptor: from one block of a dim to the next.
func (r *formatsReport) outerStrides() []int {
	if !r.blocked {
		return r.Strides
	}
	strides := make([]int, r.layout.Rank())
	for d := range strides {
		digits := r.layout.Dim(d).Digits
		strides[d] = digits[len(digits)-1].Stride
	}
	return strides
}

// strideVectors are those of NCHW_VECT_C, whose element is a vector of channels, and whose C is a multiple of it.
func (r *formatsReport) strideVectors(row *formatsFramework) {
	width := r.format.Axes()[len(r.format.Axes())-1].Extent
	row.Shape, row.Strides, row.Unit = r.layout.PaddedShape(), r.outerStrides(), "vectors"
	for d := range row.Strides {
		row.Strides[d] /= max(width, 1)
	}
}
