package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/snippet"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

const formatsSchema = "tlayout/formats/v1"

// formatsReport is what formats says of one layout. What needs sizes is null without them.
type formatsReport struct {
	Schema string `json:"schema"`
	Asked  string `json:"asked"`
	Answer string `json:"answer"`
	DType  string `json:"dtype"`
	formatsOrder
	formatsSizes
	Frameworks []formatsFramework `json:"frameworks"`
	Confusions []string           `json:"confusions"`
	Code       []formatsCode      `json:"code"`
	DirectML   *formatsDirectML   `json:"directml"`
	Notes      []string           `json:"notes"`

	exact     bool // asked by strides
	framework string
}

// formatsCode are statements that make y, of this memory, from a logical x, and x from y.
type formatsCode struct {
	Framework string   `json:"framework"`
	Make      []string `json:"make"`
	Back      []string `json:"back"`
}

// formatsDirectML is a DML_BUFFER_TENSOR_DESC. Sizes is empty where there is none, and Why says why.
type formatsDirectML struct {
	Sizes    []int    `json:"sizes"`
	Strides  []int    `json:"strides"` // null where the tensor is packed NCHW
	DataType string   `json:"data_type"`
	Bytes    int      `json:"total_tensor_size_in_bytes"`
	Why      string   `json:"why,omitempty"`
	Code     []string `json:"code"`
}

func newFormatsReport(o *formatsOptions) (*formatsReport, error) {
	t, err := o.describeFormat()
	if err != nil {
		return nil, err
	}
	r := &formatsReport{Schema: formatsSchema, Asked: o.asked(), DType: o.dtype.String(), formatsOrder: newFormatsOrder(t),
		formatsSizes: noSizes(), Confusions: []string{}, Notes: []string{}, exact: o.exact() || o.strides.set, framework: o.framework}
	if o.shape.set || o.exact() {
		r.DType = t.DType.String()
		if r.formatsSizes, err = newFormatsSizes(t, r.exact); err != nil {
			return nil, err
		}
	} else {
		note := "--shape " + strings.Join(r.Dims, ",") + " gives the numbers"
		if r.framework == allFrameworks || r.framework == strings.ToLower(notation.DirectML) {
			note += ", and a DirectML descriptor"
		}
		r.Notes = append(r.Notes, note)
	}
	if r.ordered {
		r.axes()
	}
	if r.ordered && r.Packed {
		r.Confusions = append(append(r.Confusions, r.format.Confusions()...), r.cutlass()...)
	}
	r.Answer, r.Frameworks, r.Code, r.DirectML = r.answer(), r.frameworkRows(), r.code(), r.directML(t)
	return r, nil
}

// asked is the layout as the user wrote it.
func (o *formatsOptions) asked() string {
	switch {
	case o.strides.set:
		return "strides " + tensor.Tuple(o.strides.values)
	case o.layout.layout != nil:
		return o.layout.name
	}
	return "shape " + tensor.Tuple(o.shape.values)
}

// code collects the statements. There are none for layouts in which elements share places or run backwards.
func (r *formatsReport) code() []formatsCode {
	all := []formatsCode{}
	for _, d := range []struct {
		framework string
		snippet.Dialect
	}{{notation.PyTorch, snippet.PyTorch}, {notation.NumPy, snippet.NumPy}} {
		if !keeps(r.framework, d.framework) || len(r.Dims) == 0 {
			continue
		}
		if c, ok := r.codeIn(d.Dialect); ok {
			all = append(all, formatsCode{d.framework, c.Make, c.Back})
		}
	}
	return all
}

func (r *formatsReport) codeIn(d snippet.Dialect) (snippet.Code, bool) {
	if r.Packed {
		return d.Packed(r.format, r.Shape), true
	}
	return d.Strided(*r.layout)
}

// directML is the descriptor; nil without sizes.
func (r *formatsReport) directML(t *source.Tensor) *formatsDirectML {
	if r.layout == nil || !keeps(r.framework, notation.DirectML) {
		return nil
	}
	none := func(why string) *formatsDirectML { return &formatsDirectML{Sizes: []int{}, Why: why, Code: []string{}} }
	answer := notation.FrameworkOf(notation.DirectML).Takes(r.offer)
	if !answer.OK {
		return none(answer.Why)
	}
	desc, ok := snippet.DirectML(r.offer.Dims(answer.As), t.DType)
	if !ok {
		return none("the tensor is larger than an address can count")
	}
	d := &formatsDirectML{desc.Sizes, desc.Strides, desc.DataType, desc.Bytes, "", desc.Lines()}
	if answer.As == notation.Split {
		d.Why = fmt.Sprintf("strides of %s cannot say blocks; with a dim for each digit, %d in all, they can, "+
			"for operators that work element by element", strings.Join(r.Dims, ","), len(d.Sizes))
	}
	return d
}

// cutlass tells that TensorNCxHWx does not count the padding of C in the stride of N.
func (r *formatsReport) cutlass() []string {
	short, _ := r.format.Short()
	if len(r.Padding) != 1 || r.Padding[0].Dim != "C" || short != fmt.Sprintf("NCHW%dc", r.format.Axes()[len(r.Axes)-1].Extent) {
		return nil
	}
	return []string{fmt.Sprintf("CUTLASS's TensorNCxHWx steps N by H·W·C = %d, without the padding, not by %d",
		r.layout.Numel()/max(r.Shape[0], 1), *r.Axes[0].Stride)}
}
