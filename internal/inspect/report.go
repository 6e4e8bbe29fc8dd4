// Package inspect is what can be known of a tensor, as one value with JSON tags. Commands read it; it knows no flags.
package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Report is all that inspect says. Its JSON names are a contract; sizes without a unit in their name count
// elements. A null stands for a question that cannot be asked of the tensor.
type Report struct {
	Schema        string                    `json:"schema"`
	Source        string                    `json:"source"`
	SourceBytes   []byte                    `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	Container     *ContainerReport          `json:"container"`
	DType         string                    `json:"dtype"`
	Descr         string                    `json:"descr"`
	ByteOrder     string                    `json:"byte_order"`
	ItemSize      int                       `json:"itemsize"`
	Fields        []fieldReport             `json:"fields,omitempty"`
	FileShape     []int                     `json:"file_shape"`
	Dims          []string                  `json:"dims"`
	Shape         []int                     `json:"shape"`
	Strides       []int                     `json:"strides"`
	StridesBytes  []int                     `json:"strides_bytes"`
	Offset        int                       `json:"offset"`
	Numel         int                       `json:"numel"`
	NBytes        int                       `json:"nbytes"`
	Layout        string                    `json:"layout"`
	LayoutAssumed bool                      `json:"layout_assumed"`
	LooksLike     string                    `json:"looks_like,omitempty"`
	Explicit      string                    `json:"explicit"`
	Notation      string                    `json:"notation"`
	Formula       string                    `json:"formula"`
	Digits        map[string][]tensor.Digit `json:"digits"`
	Contiguous    contiguityReport          `json:"contiguous"`
	Suggested     *string                   `json:"suggested_memory_format"`
	Dense         *bool                     `json:"non_overlapping_and_dense"`
	Packed        bool                      `json:"packed"`
	Padded        *bool                     `json:"padded"`
	BroadcastDims []int                     `json:"broadcast_dims"`
	Overlapping   string                    `json:"overlapping"`
	OverlapLimit  int                       `json:"overlapping_limit,omitempty"`
	Extent        int                       `json:"extent_elems"`
	Unique        *int                      `json:"unique_elems"`
	Gaps          *int                      `json:"gap_elems"`
	Span          []int                     `json:"span"`
	Storage       int                       `json:"storage_elems"`
	Leading       int                       `json:"leading_slack"`
	Trailing      int                       `json:"trailing_slack"`
	InBounds      bool                      `json:"in_bounds"`
	DirectMLBytes *int                      `json:"directml_total_bytes"`
	Candidates    []CandidateReport         `json:"candidates"`
	Ambiguous     bool                      `json:"ambiguous"`
	Ambiguity     string                    `json:"ambiguity,omitempty"`
	Names         namesReport               `json:"names"`
	PyTorch       *pytorchReport            `json:"pytorch"`
	NumPy         *numpyReport              `json:"numpy"`
	OneDNN        *onednnReport             `json:"onednn"`
	MegEngine     *megengineReport          `json:"megengine"`
	AcceptedBy    map[string]Acceptance     `json:"accepted_by"`
	Explain       []Derivation              `json:"explain,omitempty"` // with --explain
	Notes         []string                  `json:"notes"`
	Warnings      []string                  `json:"warnings"`
}

type ContainerReport struct {
	Kind          string `json:"kind"`
	Version       string `json:"version"`
	FortranOrder  bool   `json:"fortran_order"`
	DataOffset    int64  `json:"data_offset"`
	DataBytes     int64  `json:"data_bytes"`
	TrailingBytes int64  `json:"trailing_bytes"`
	*MemberReport        // of kind "npz" alone
}

type fieldReport struct {
	Name   string `json:"name"`
	Title  string `json:"title,omitempty"`
	DType  string `json:"dtype"`
	Offset int    `json:"offset_bytes"`
}

type CandidateReport struct {
	Layout string `json:"layout"`
	Why    string `json:"why"`
}

func New(t *source.Tensor) *Report {
	l, d := t.Layout, t.DType
	r := &Report{
		Schema: "tlayout/inspect/v1", Source: t.Source, SourceBytes: words.RawBytes(t.Source), DType: d.String(), Descr: d.Typestr(),
		ByteOrder: d.Order().String(), ItemSize: d.ItemSize(), FileShape: t.FileShape,
		Dims: l.Names(), Shape: l.Shape(), Offset: l.Offset(), Numel: l.Numel(), NBytes: l.Numel() * d.ItemSize(),
		Layout: t.OrderName(), LayoutAssumed: t.Assumed, LooksLike: t.LooksLike(), Notation: l.String(), Formula: explain.Formula(l),
		Digits: map[string][]tensor.Digit{}, BroadcastDims: l.BroadcastDims(), Extent: l.Extent(), Storage: l.Alloc(),
		InBounds: l.InBounds(), Packed: l.Packed(), Candidates: []CandidateReport{},
		Notes: append([]string{}, t.Notes...), Warnings: append([]string{}, t.Warnings...),
	}
	for i := range l.Rank() {
		r.Digits[l.Dim(i).Name] = l.Dim(i).Digits
	}
	if t.HasFormat {
		r.Explicit = t.Format.Explicit()
	}
	r.contain(t)
	r.occupy(l)
	r.frameworks(t)
	r.offerTo(t)
	r.remark(t)
	if !r.InBounds {
		low, high, _ := l.Span()
		r.Warnings = append(r.Warnings, fmt.Sprintf("elements lie from offset %d to %d, outside of a storage of %d", low, high, l.Alloc()))
	}
	return r
}

// contain adds what the file says.
func (r *Report) contain(t *source.Tensor) {
	for _, f := range t.DType.Fields() {
		r.Fields = append(r.Fields, fieldReport{words.Quote(f.Name), words.Quote(f.Title), f.DType.String(), f.Offset})
	}
	if t.Kind == "shape" {
		return
	}
	h := t.Header
	r.Descr = strings.Trim(words.Quote(h.Descr), "'")
	r.Container = &ContainerReport{t.Kind, fmt.Sprintf("%d.%d", h.Major, h.Minor), h.Fortran, h.DataOffset, h.DataBytes, t.Trailing,
		newMemberReport(t)}
}

// occupy adds how the addresses are used.
func (r *Report) occupy(l tensor.Layout) {
	o := l.Occupancy()
	r.Overlapping = string(o.Overlapping)
	if o.Overlapping == tensor.Unknown {
		r.OverlapLimit = tensor.EnumerationLimit
	}
	if o.Unique >= 0 {
		gaps := r.Extent - o.Unique
		padded := gaps > 0
		r.Unique, r.Gaps, r.Padded = &o.Unique, &gaps, &padded
	}
	if low, high, ok := l.Span(); ok {
		r.Span = []int{low, high}
	}
	r.Leading, r.Trailing = l.Slack()
}

// frameworks adds what each framework calls the layout and what it says of it.
func (r *Report) frameworks(t *source.Tensor) {
	s, plain := t.Layout.Strided()
	r.Names = newNames(t)
	r.Contiguous = newContiguity(t.Layout)
	if t.HasFormat && !t.Format.Plain() {
		r.Candidates = append(r.Candidates, CandidateReport{r.Layout, "by its name: strides could not say its blocks"})
	}
	if !plain {
		return
	}
	r.Strides, r.StridesBytes = s.Strides, tensor.InBytes(s.Strides, r.ItemSize)
	if bits := dtype.DirectMLBits(t.DType); bits > 0 {
		if n, ok := s.DirectMLBytes(bits); ok {
			r.DirectMLBytes = &n
		}
	}
	in := s.Infer(r.Dims, source.KnownOrders(r.Dims))
	for _, c := range in.Candidates {
		r.Candidates = append(r.Candidates, CandidateReport{notation.Order(r.Dims, c.Order).String(), c.Why})
	}
	r.Ambiguous, r.Ambiguity = in.Ambiguity != "", in.Ambiguity
	r.ask(s)
}
