package formatscmd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/gpu/descriptor"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{
	{Schema: "tlayout/formats/v1", Prints: "formats LAYOUT, formats --strides", Type: reflect.TypeFor[report]()},
	{Schema: "tlayout/formats_catalogue/v1", Prints: "formats", Type: reflect.TypeFor[catalogue]()},
}

// report describes one layout. What depends on sizes is null without them.
type report struct {
	Schema string `json:"schema"`
	Asked  string `json:"query"`
	Answer string `json:"answer"` // the answer in one line
	DType  string `json:"dtype"`
	order
	sizes
	Same       *sameMemory       `json:"same_memory"` // an order that strides cannot tell apart if some sizes are 1
	Frameworks []frameworkRow    `json:"frameworks"`  // each framework's view of the layout, or what it accepts
	Takes      []framework.Takes `json:"takes"`       // names that take only some types
	Confusions []string          `json:"confusions"`  // layouts that are easily confused with it
	Code       []code            `json:"code"`        // statements that make this memory, and back
	DirectML   *directML         `json:"directml"`
	// matrix descriptors of a tile: as a K-major and as an MN-major operand
	Descriptors []descriptor.Operand `json:"descriptors" jsonschema:"null without --descriptor"`
	document.Remarks

	exact     bool   // asked by strides
	named     bool   // asked by Triton's name of a layout of shared memory
	note      string // of the layout's name; empty if it has none
	framework string
	givenType *dtype.Type // of --dtype; nil if it is not given
	typed     bool        // the type is not an assumption
}

// code converts a logical x to y of this memory, and back.
type code struct {
	Framework string   `json:"framework"` // name of the framework
	Make      []string `json:"make"`      // statements that make it
	Back      []string `json:"back"`      // statements that restore the logical tensor
}

// directML is a DML_BUFFER_TENSOR_DESC. If there is none, Sizes is empty and Why is the reason.
type directML struct {
	Sizes []int `json:"sizes"`
	// step from one index of a dim to the next, in elements
	Strides  []int    `json:"strides" jsonschema:"null for a packed tensor"`
	DataType string   `json:"data_type"` // DirectML's DataType
	Bytes    int      `json:"directml_total_bytes"`
	Why      string   `json:"why,omitempty"` // the reason
	Code     []string `json:"make"`          // statements that make it
}

// newReport names the layout of the flags in each framework; with sizes, it adds the numbers.
func newReport(o *options, t *source.Tensor) (*report, error) {
	l := o.Layout.Layout
	named := l != nil && l.Sized != nil
	r := &report{Schema: "tlayout/formats/v1", Asked: o.requested(), DType: o.DType.String(), order: newOrder(t), sizes: noSizes(),
		Confusions: []string{}, exact: o.Exact() || o.Strides.Given || named, named: named, framework: o.framework, givenType: o.DType.Value,
		Remarks: document.Remarks{Notes: []string{}, Warnings: t.Warnings}}
	if o.Shape.Given || o.Exact() {
		var err error
		r.DType = t.DType.String()
		r.sizes, err = newSizes(t, r.exact)
		if err != nil {
			return nil, err
		}
	} else {
		r.Notes = append(r.Notes, r.sizesNote())
	}
	if l != nil && l.Note != "" && o.Vec == 0 {
		r.note = l.Note
		r.Notes = append(r.Notes, l.Note)
	}
	r.typed = r.givenType != nil || l != nil && l.DType+l.Element != ""
	if r.ordered {
		r.addOrder()
	}
	if o.descriptor {
		if err := r.addDescriptors(o); err != nil {
			return nil, err
		}
	}
	r.Frameworks = r.frameworkRows()
	r.Answer = r.answer()
	r.Takes = r.takes()
	r.Code = r.code()
	r.DirectML = r.directML(t)
	return r, nil
}

// sizesNote returns a note on the flag that adds sizes.
func (r *report) sizesNote() string {
	note := "--shape " + strings.Join(r.Dims, ",") + " adds the numbers"
	if selected(r.framework, framework.DirectML.Name) {
		note += ", and a DirectML descriptor"
	}
	return note
}

// addOrder adds the axes of an order of dims; if it is dense, also equal layouts and those that are easily confused with it.
func (r *report) addOrder() {
	r.addAxes()
	if !r.Packed {
		return
	}
	if r.Ambiguity == "" {
		r.Same = newSame(r.format, r.Shape)
	}
	r.Confusions = append(append(r.Confusions, framework.Confusions(r.format)...), r.cutlassConfusion()...)
}

// answer returns the first line.
func (r *report) answer() string {
	if r.Descriptors != nil {
		return r.descriptorAnswer()
	}
	is := r.subject()
	if !r.exact {
		return fmt.Sprintf("%s %s: %s", is, r.Explicit, r.format.Words())
	}
	if !r.ordered && r.layout.Numel() == 0 {
		return text.Quote(r.Asked) + ": the tensor is empty: its strides are never used"
	}
	if len(r.OuterStridesOf) > 0 {
		return is + " " + inspect.OuterStridesText(r.OuterStridesOf, r.Dims)
	}
	if !r.ordered {
		return r.unorderedAnswer()
	}
	if !r.Packed {
		return r.looseAnswer()
	}
	if r.Ambiguity != "" {
		return fmt.Sprintf("%s %s: %s", is, inspect.CandidateNames(r.Candidates), r.Ambiguity)
	}
	name := r.Explicit
	if tags := framework.OneDNN.NamesOf(r.format); len(tags) > 0 {
		name = fmt.Sprintf("%s, in oneDNN %s", cmp.Or(r.Layout, r.Explicit), strings.Join(tags, " = "))
	}
	return fmt.Sprintf("%s %s: %s", is, name, r.format.Words())
}

// unorderedAnswer is the answer for strides that are not an order of dims.
func (r *report) unorderedAnswer() string {
	layout := text.Quote(r.Asked)
	if r.isShared() {
		return layout + ": a layout of shared memory; " + r.disorder()
	}
	return layout + ": " + r.disorder() + nameless
}

// looseAnswer is the answer for an order of dims that is not dense.
func (r *report) looseAnswer() string {
	order := fmt.Sprintf("%s %s %s", r.subject(), r.Explicit, r.looseness())
	if r.layout.Gaps() == 0 {
		return order + "; no layout name has an offset"
	}
	if r.isShared() {
		return order
	}
	return order + nameless
}

const nameless = "; no named layout has these strides"

// isShared reports whether the layout is one of shared memory, whose gaps and swizzles have names.
func (r *report) isShared() bool {
	return r.named || slices.ContainsFunc(r.Frameworks, func(f frameworkRow) bool { return f.framework == framework.Triton && f.OK })
}

// subject returns the layout as asked with its verb.
func (r *report) subject() string {
	if asked := text.Quote(r.Asked); strings.HasPrefix(asked, "strides") {
		return asked + " are"
	}
	return text.Quote(r.Asked) + " is"
}

// disorder returns why the strides match no order.
func (r *report) disorder() string {
	if s, plain := r.layout.Strided(); plain && s.Negative() {
		return "a stride is negative"
	}
	if !r.layout.Swizzle().IsZero() {
		return r.layout.Swizzle().String() + " permutes its addresses"
	}
	if r.layout.Occupancy().Overlapping == tensor.Yes {
		return "elements overlap"
	}
	return "dims interleave"
}

// looseness returns why a layout that orders its dims is not packed.
func (r *report) looseness() string {
	var parts []string
	if r.layout.Gaps() != 0 {
		parts = append(parts, "with gaps")
	}
	if off := r.layout.Offset(); off != 0 {
		parts = append(parts, fmt.Sprintf("at offset %d", off))
	}
	return strings.Join(parts, " ")
}

// cutlassConfusion warns that TensorNCxHWx does not count the padding of C in the stride of N.
// (CUTLASS, include/cutlass/layout/tensor.h: TensorNCxHWx::packed)
func (r *report) cutlassConfusion() []string {
	short, _ := r.format.Short()
	if len(r.Padding) != 1 || r.Padding[0].Dim != "C" || short != fmt.Sprintf("NCHW%dc", r.format.Axes()[len(r.Axes)-1].Extent) {
		return nil
	}
	return []string{fmt.Sprintf("CUTLASS's TensorNCxHWx omits the padding: its N-stride is H·W·C = %d, not %d",
		r.layout.Numel()/max(r.Shape[0], 1), *r.Axes[0].Stride)}
}

// code returns the statements; none for layouts with overlapping elements or negative strides.
func (r *report) code() []code {
	all := []code{}
	for _, d := range []struct {
		heading string
		framework.Dialect
	}{{framework.PyTorch.Name, framework.PyTorchCode}, {framework.NumPy.Name, framework.NumPyCode}} {
		if !selected(r.framework, d.heading) || len(r.Dims) == 0 {
			continue
		}
		if c, ok := r.codeIn(d.Dialect); ok {
			all = append(all, code{d.heading, c.Make, c.Back})
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

// directML returns the descriptor; nil without sizes.
func (r *report) directML(t *source.Tensor) *directML {
	if r.layout == nil || !selected(r.framework, framework.DirectML.Name) {
		return nil
	}
	none := func(why string) *directML { return &directML{Sizes: []int{}, Why: why, Code: []string{}} }
	answer := framework.DirectML.Accepts(r.offer)
	if !answer.OK {
		return none(answer.Why)
	}
	desc, ok := framework.NewDesc(r.offer.Dims(answer.As), t.DType)
	if !ok {
		return none("the tensor overflows a 64-bit address")
	}
	d := &directML{Sizes: desc.Sizes, Strides: desc.Strides, DataType: desc.DataType, Bytes: desc.Bytes, Code: desc.Lines()}
	if answer.As == framework.Split {
		d.Why = fmt.Sprintf("strides of %s cannot express blocks; for elementwise operators, %d dims can, one per digit",
			strings.Join(r.Dims, ","), len(d.Sizes))
	}
	return d
}

// Page writes the memory and the names in each framework; with --all also what to pass to it, easily confused layouts, and code. With
// --framework it writes only that framework.
func (r *report) Page(p *cli.Page) {
	if r.Descriptors != nil {
		r.pageDescriptors(p)
		return
	}
	p.Answer(r.Answer)
	all := r.framework == allFrameworks
	if all {
		p.Section(r.axisTable())
	}
	if all && !p.All() {
		p.Facts(r.facts()...)
		p.More(r.more()...)
		return
	}
	if all {
		p.Remarks(r.paddingLines()...)
		p.Section(r.candidateTable())
	}
	p.Section(r.frameworkTable().Fit(p.Columns(), render.Break(2, 1, 3)))
	p.Paragraph(r.passText())
	p.Section(takesTable(r.Takes))
	if all {
		r.pageConfusions(p)
	}
	p.Notes(r.Notes)
	r.pageCode(p)
}

// more returns the flags that show what the first screen omits.
func (r *report) more() []string {
	if r.layout == nil {
		return []string{"--all", "--shape " + strings.Join(r.Dims, ",")}
	}
	return []string{"--all"}
}

// pageConfusions writes layouts with the same strides or similar names.
func (r *report) pageConfusions(p *cli.Page) {
	lines := r.Confusions
	if r.Same != nil {
		lines = append([]string{"the same memory as " + r.Same.String()}, lines...)
	}
	if len(lines) > 0 {
		p.Heading("Easily confused")
		p.Bullets(lines...)
	}
}

// pageCode writes the statements.
func (r *report) pageCode(p *cli.Page) {
	for _, c := range r.Code {
		title := fmt.Sprintf("%s: convert x of %s to this memory and back", c.Framework, strings.Join(r.Dims, ","))
		if strings.Contains(strings.Join(c.Make, ""), "F.pad") {
			title += "; F is torch.nn.functional"
		}
		p.Code(title, "python", slices.Concat(c.Make, c.Back))
	}
	if d := r.DirectML; d != nil && len(d.Code) > 0 {
		if d.Why != "" {
			p.Paragraph("DirectML: " + d.Why)
		}
		p.Code("DirectML, C++", "cpp", d.Code)
	}
}

// candidateTable lists the layouts that match the strides.
func (r *report) candidateTable() render.Table {
	t := render.Table{Title: "Which layouts could this be?", Header: []string{"order", "why"}}
	if r.exact {
		for _, c := range r.Candidates {
			t.Add(c.Layout, c.Why)
		}
	}
	return t
}

// Rows returns a row for each framework, or for each operand that --descriptor describes.
func (r *report) Rows() render.Table {
	if r.Descriptors != nil {
		return cli.TableOf("major,mn,k,ok,lbo_bytes,sbo_bytes,lbo,sbo,canonical,why", r.Descriptors...)
	}
	t := render.Table{Header: []string{"framework", "spellings", "shape_kind", "shape", "stride_unit", "native_strides"}}
	for _, f := range r.Frameworks {
		t.Add(f.Framework, strings.Join(f.Names, " "), f.Order, strings.Join(f.sizes(), ","), f.Unit, strings.Join(text.Each(f.Strides), ","))
	}
	return t
}
