package formats

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

const schema = "tlayout/formats/v1"

// report is what formats says of one layout. What needs sizes is null without them.
type report struct {
	Schema string `json:"schema"`
	Asked  string `json:"asked"`
	Answer string `json:"answer"`
	DType  string `json:"dtype"`
	order
	sizes
	Frameworks []frameworkRow `json:"frameworks"`
	Confusions []string       `json:"confusions"`
	Code       []code         `json:"code"`
	DirectML   *directML      `json:"directml"`
	Notes      []string       `json:"notes"`

	exact     bool // asked by strides
	framework string
}

// code are statements that make y, of this memory, from a logical x, and x from y.
type code struct {
	Framework string   `json:"framework"`
	Make      []string `json:"make"`
	Back      []string `json:"back"`
}

// directML is a DML_BUFFER_TENSOR_DESC. Sizes is empty where there is none, and Why says why.
type directML struct {
	Sizes    []int    `json:"sizes"`
	Strides  []int    `json:"strides"` // null where the tensor is packed NCHW
	DataType string   `json:"data_type"`
	Bytes    int      `json:"total_tensor_size_in_bytes"`
	Why      string   `json:"why,omitempty"`
	Code     []string `json:"code"`
}

func newReport(o *options) (*report, error) {
	t, err := o.describeFormat()
	if err != nil {
		return nil, err
	}
	r := &report{Schema: schema, Asked: o.asked(), DType: o.DType.String(), order: newFormatsOrder(t),
		sizes: noSizes(), Confusions: []string{}, Notes: []string{}, exact: o.Exact() || o.Strides.Given, framework: o.framework}
	if o.Shape.Given || o.Exact() {
		r.DType = t.DType.String()
		if r.sizes, err = newFormatsSizes(t, r.exact); err != nil {
			return nil, err
		}
	} else {
		note := "--shape " + strings.Join(r.Dims, ",") + " gives the numbers"
		if r.framework == allFrameworks || r.framework == strings.ToLower(framework.DirectML) {
			note += ", and a DirectML descriptor"
		}
		r.Notes = append(r.Notes, note)
	}
	if r.ordered {
		r.axes()
	}
	if r.ordered && r.Packed {
		r.Confusions = append(append(r.Confusions, framework.Confusions(r.format)...), r.cutlass()...)
	}
	r.Answer, r.Frameworks, r.Code, r.DirectML = r.answer(), r.frameworkRows(), r.code(), r.directML(t)
	return r, nil
}

// asked is the layout as the user wrote it.
func (o *options) asked() string {
	switch {
	case o.Strides.Given:
		return "strides " + tensor.Tuple(o.Strides.Values)
	case o.Layout.Layout != nil:
		return o.Layout.Name
	}
	return "shape " + tensor.Tuple(o.Shape.Values)
}

// Code collects the statements. There are none for layouts in which elements share places or run backwards.
func (r *report) code() []code {
	all := []code{}
	for _, d := range []struct {
		framework string
		framework.Dialect
	}{{framework.PyTorch, framework.PyTorchCode}, {framework.NumPy, framework.NumPyCode}} {
		if !keeps(r.framework, d.framework) || len(r.Dims) == 0 {
			continue
		}
		if c, ok := r.codeIn(d.Dialect); ok {
			all = append(all, code{d.framework, c.Make, c.Back})
		}
	}
	return all
}

func (r *report) codeIn(d framework.Dialect) (framework.Code, bool) {
	if r.Packed {
		return d.Packed(r.format, r.Shape), true
	}
	return d.Strided(*r.layout)
}

// directML is the descriptor; nil without sizes.
func (r *report) directML(t *source.Tensor) *directML {
	if r.layout == nil || !keeps(r.framework, framework.DirectML) {
		return nil
	}
	none := func(why string) *directML { return &directML{Sizes: []int{}, Why: why, Code: []string{}} }
	answer := framework.Of(framework.DirectML).Takes(r.offer)
	if !answer.OK {
		return none(answer.Why)
	}
	desc, ok := framework.NewDesc(r.offer.Dims(answer.As), t.DType)
	if !ok {
		return none("the tensor is larger than an address can count")
	}
	d := &directML{desc.Sizes, desc.Strides, desc.DataType, desc.Bytes, "", desc.Lines()}
	if answer.As == framework.Split {
		d.Why = fmt.Sprintf("strides of %s cannot say blocks; with a dim for each digit, %d in all, they can, "+
			"for operators that work element by element", strings.Join(r.Dims, ","), len(d.Sizes))
	}
	return d
}

// cutlass tells that TensorNCxHWx does not count the padding of C in the stride of N.
func (r *report) cutlass() []string {
	short, _ := r.format.Short()
	if len(r.Padding) != 1 || r.Padding[0].Dim != "C" || short != fmt.Sprintf("NCHW%dc", r.format.Axes()[len(r.Axes)-1].Extent) {
		return nil
	}
	return []string{fmt.Sprintf("CUTLASS's TensorNCxHWx steps N by H·W·C = %d, without the padding, not by %d",
		r.layout.Numel()/max(r.Shape[0], 1), *r.Axes[0].Stride)}
}

// answer is the first line.
func (r *report) answer() string {
	asked := words.Quote(r.Asked)
	is := asked + " is"
	if strings.HasPrefix(asked, "strides") {
		is = asked + " are"
	}
	switch {
	case !r.exact:
		return fmt.Sprintf("%s %s: %s", is, r.Explicit, r.format.Words())
	case !r.ordered:
		return is + " in no order of dims, for " + r.disorder() + ": no name says it"
	case !r.Packed && r.layout.Gaps() == 0:
		return fmt.Sprintf("%s %s %s: no name says where it begins", is, r.Explicit, r.apart())
	case !r.Packed:
		return fmt.Sprintf("%s %s %s: no name says it, the strides themselves do", is, r.Explicit, r.apart())
	case r.Ambiguity != "":
		return fmt.Sprintf("%s %s: %s", is, r.candidateNames(), r.Ambiguity)
	}
	name := r.Explicit
	if tags := framework.Spell(r.format).OneDNN; len(tags) > 0 {
		name = fmt.Sprintf("%s, in oneDNN %s", cmp.Or(r.Layout, r.Explicit), strings.Join(tags, " = "))
	}
	return fmt.Sprintf("%s %s: %s", is, name, r.format.Words())
}

// disorder says why strides are in no order.
func (r *report) disorder() string {
	s, plain := r.layout.Strided()
	switch {
	case r.layout.Numel() == 0:
		return "it is empty, and no element lies anywhere"
	case plain && s.Negative():
		return "a stride is negative"
	case r.layout.Occupancy().Overlapping == tensor.Yes:
		return "elements share places"
	}
	return "dims reach into each other"
}

// apart says why a layout in the order of dims is not packed.
func (r *report) apart() string {
	var parts []string
	if r.layout.Gaps() != 0 {
		parts = append(parts, "with gaps")
	}
	if off := r.layout.Offset(); off != 0 {
		parts = append(parts, fmt.Sprintf("from offset %d on", off))
	}
	return strings.Join(parts, " ")
}

func (r *report) candidateNames() string {
	var names []string
	for _, c := range r.Candidates {
		names = append(names, c.Layout)
	}
	return strings.Join(names, " or ")
}
