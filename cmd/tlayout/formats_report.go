package main

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

const formatsSchema = "tlayout/formats/v1"

// formatsReport is what formats says of one layout. Strides are elements. What needs sizes is null without them.
type formatsReport struct {
	Schema     string             `json:"schema"`
	Asked      string             `json:"asked"`
	Answer     string             `json:"answer"`
	Layout     string             `json:"layout"`
	Explicit   string             `json:"explicit"`
	Dims       []string           `json:"dims"`
	DType      string             `json:"dtype"`
	ItemSize   int                `json:"itemsize"`
	Shape      []int              `json:"shape"`
	Physical   []int              `json:"physical_shape"`
	Symbols    []string           `json:"physical_symbols"`
	Axes       []formatsAxis      `json:"axes"`
	Strides    []int              `json:"strides"` // of the dims; null where they are in blocks
	Packed     bool               `json:"packed"`
	Elems      *int               `json:"storage_elems"`
	Bytes      *int               `json:"storage_bytes"`
	Padding    []formatsPadding   `json:"padding"`
	PadElems   int                `json:"pad_elems"`
	Frameworks []formatsFramework `json:"frameworks"`
	Candidates []candidateReport  `json:"candidates"`
	Ambiguity  string             `json:"ambiguity,omitempty"`
	Confusions []string           `json:"confusions"`
	Code       []formatsCode      `json:"code"`
	DirectML   *formatsDirectML   `json:"directml"`
	Notes      []string           `json:"notes"`

	format    notation.Format
	layout    *tensor.Layout // nil without sizes
	blocked   bool           // the format has blocks, even where a size needs one only, so that strides could say it
	exact     bool           // asked by strides
	framework string
}

func newFormatsReport(o *formatsOptions) (*formatsReport, error) {
	t, err := o.describeFormat()
	if err != nil {
		return nil, err
	}
	r := &formatsReport{Schema: formatsSchema, Asked: o.asked(), DType: t.DType.String(),
		ItemSize: t.DType.ItemSize(), Packed: true, Symbols: []string{}, Axes: []formatsAxis{}, Padding: []formatsPadding{}, Frameworks: []formatsFramework{},
		Candidates: []candidateReport{}, Confusions: []string{}, Code: []formatsCode{}, Notes: []string{},
		exact: o.exact() || o.strides.set, framework: o.framework}
	if r.format = t.Format; t.HasFormat {
		r.Layout, r.Explicit, r.Dims = layoutName(t), t.Format.Explicit(), t.Format.Names()
		r.blocked = !t.Format.Plain()
	}
	if o.shape.set || o.exact() {
		if err := r.size(t); err != nil {
			return nil, err
		}
	} else {
		r.DType, r.ItemSize = o.dtype.String(), 0
	}
	r.tell(t)
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

// size adds what follows from sizes.
func (r *formatsReport) size(t *source.Tensor) error {
	l := t.Layout
	r.Packed = t.HasFormat && sameAddresses(l, t.Format) && l.Offset() == 0
	if _, plain := l.Strided(); r.Packed && !plain { // to the end of the last block
		l, _ = t.Format.Bind(l.Shape())
	}
	elems := l.Alloc()
	if r.ItemSize > 0 && elems > math.MaxInt/r.ItemSize {
		return fault.New(fault.Unsupported, "shape %s of %s has more bytes than an address can count",
			tensor.Tuple(l.Shape()), t.DType)
	}
	bytes := elems * r.ItemSize
	r.layout, r.Dims, r.Shape, r.Elems, r.Bytes = &l, l.Names(), l.Shape(), &elems, &bytes
	if s, ok := l.Strided(); ok {
		r.Strides = s.Strides
	}
	if r.Packed {
		r.Padding, r.PadElems = newFormatsPadding(l), elems-l.Numel()
	}
	if s, ok := l.Strided(); ok && r.exact {
		in := s.Infer(r.Dims, source.KnownOrders(r.Dims))
		for _, c := range in.Candidates {
			r.Candidates = append(r.Candidates, candidateReport{notation.Order(r.Dims, c.Order).String(), c.Why})
		}
		r.Ambiguity = in.Ambiguity
	}
	return nil
}

// tell adds what is said of it.
func (r *formatsReport) tell(t *source.Tensor) {
	if t.HasFormat {
		r.axes()
		if r.Packed {
			r.Confusions = append(append(r.Confusions, r.format.Confusions()...), r.cutlass()...)
		}
	}
	r.name()
	r.Code = append(r.Code, r.code()...)
	if r.layout != nil && keeps(r.framework, "DirectML") {
		r.DirectML = r.directML(t.DType)
	}
	r.Answer = r.answer(t.HasFormat)
	if r.layout == nil {
		r.Notes = append(r.Notes, "--shape "+strings.Join(r.Dims, ",")+" gives the numbers, and a DirectML descriptor")
	}
}

// answer is the first line.
func (r *formatsReport) answer(ordered bool) string {
	asked := fault.Quote(r.Asked)
	is := asked + " is"
	if strings.HasPrefix(asked, "strides") {
		is = asked + " are"
	}
	what := fmt.Sprintf("%s %s: %s", is, r.Explicit, r.format.Words())
	switch {
	case !r.exact:
		return what
	case !ordered:
		return is + " in no order of dims, for " + r.disorder() + ": no name says it"
	case !r.Packed:
		return fmt.Sprintf("%s %s %s: no name says it, the strides themselves do", is, r.Explicit, r.apart())
	case r.Ambiguity != "":
		return fmt.Sprintf("%s %s: %s", is, r.candidateNames(), r.Ambiguity)
	}
	name := r.Explicit
	if tags := r.format.Spell().OneDNN; len(tags) > 0 {
		name = fmt.Sprintf("%s, in oneDNN %s", cmp.Or(r.Layout, r.Explicit), strings.Join(tags, " = "))
	}
	return fmt.Sprintf("%s %s: %s", is, name, r.format.Words())
}

// disorder says why strides are in no order.
func (r *formatsReport) disorder() string {
	s, plain := r.layout.Strided()
	switch {
	case plain && s.Negative():
		return "a stride is negative"
	case r.layout.Occupancy().Overlapping == tensor.Yes:
		return "elements share places"
	}
	return "dims reach into each other"
}

// apart says why a layout in the order of dims is not packed.
func (r *formatsReport) apart() string {
	var parts []string
	if r.layout.Gaps() != 0 {
		parts = append(parts, "with gaps")
	}
	if off := r.layout.Offset(); off != 0 {
		parts = append(parts, fmt.Sprintf("from offset %d on", off))
	}
	return strings.Join(parts, " ")
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

func (r *formatsReport) candidateNames() string {
	var names []string
	for _, c := range r.Candidates {
		names = append(names, c.Layout)
	}
	return strings.Join(names, " or ")
}
