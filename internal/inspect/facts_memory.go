package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// contiguousText answers each kind of contiguity that the rank has. Every no has its reason, except for Fortran order, which only matters beside a
// yes.
func (r *Report) contiguousText() string {
	c := r.Contiguous
	if len(r.Shape) == 0 {
		return ""
	}
	if r.Strides == nil {
		return "no: " + c.WhyNot["c"].Reason
	}
	if r.Numel == 0 {
		return "C and F yes, like every empty tensor"
	}
	var yes, others []string
	last := r.ChannelsLastFormat()
	for _, x := range r.senses() {
		if x.key == "c_strict" || x.name == last && !r.channelsLastApplies() {
			continue
		}
		if x.ok {
			yes = append(yes, x.name)
			continue
		}
		others = append(others, x.text(x.key != "f"))
	}
	if r.LooksLike != "" && len(r.Shape) > 3 && c.C {
		others = append(others, last+" if the axes are "+strings.ToUpper(r.LooksLike))
	}
	if len(yes) > 0 {
		return strings.Join(append([]string{text.And(yes) + " yes"}, others...), "; ")
	}
	if r.Dense != nil && *r.Dense {
		others = append(others, "non-overlapping and dense")
	}
	return strings.Join(others, "; ")
}

// sense is a kind of contiguity, and why the tensor lacks it.
type sense struct {
	name, key string
	ok        bool
	why       string
}

// text is the answer, with the reason of a no if explained.
func (s *sense) text(explained bool) string {
	if s.ok {
		return s.name + " yes"
	}
	if explained {
		return s.name + " no: " + s.why
	}
	return s.name + " no"
}

// senses returns the kinds that the rank has.
func (r *Report) senses() []sense {
	c := r.Contiguous
	all := []sense{{"C", "c", c.C, ""}, {"F", "f", c.F, ""}}
	if last := r.ChannelsLastFormat(); len(r.Shape) == 4 || len(r.Shape) == 5 {
		all = append(all, sense{last, last, c.channelsLast(), ""})
	}
	if c.ignoresStrides() {
		all = append(all, sense{"C, strict", "c_strict", false, ""})
	}
	for i := range all {
		all[i].why = c.WhyNot[all[i].key].Reason
	}
	return all
}

// contiguousLines answer each kind with its reason.
func (r *Report) contiguousLines() (lines []string) {
	for _, x := range r.senses() {
		line := x.text(true)
		if x.key == "c_strict" && r.Numel == 0 {
			line += "; PyTorch and NumPy ignore the strides of an empty tensor"
		}
		lines = append(lines, line)
	}
	return lines
}

// channelsLastApplies reports whether channels_last means something for the tensor: its rank has such a format, and its second dim is channels, or
// lies in memory as channels do.
func (r *Report) channelsLastApplies() bool {
	if channelsLastFormat(len(r.Shape)).Rank() != len(r.Shape) || r.LooksLike != "" {
		return false
	}
	channels := r.Dims[1] == "C" || r.Dims[1] == "I"
	return channels || r.Contiguous.channelsLast()
}

// denseText is whether the tensor is dense, in PyTorch's term if PyTorch supports such strides.
func (r *Report) denseText() string {
	if !r.IsDense() {
		return "no: " + r.DensityText()
	}
	if r.Dense != nil && *r.Dense {
		return "yes (non-overlapping and dense)"
	}
	return "yes"
}

// IsDense reports whether the elements fill the extent without sharing addresses. An empty tensor is dense, as in PyTorch.
func (r *Report) IsDense() bool { return r.Packed || r.Numel == 0 }

// DensityText compares the number of elements with the extent from lowest to highest address.
func (r *Report) DensityText() string {
	return fmt.Sprintf("%s over an extent of %d", text.Count(r.Numel, "element"), r.Extent)
}

// padded reports whether padding between or after the elements is worth a fact. Strides of a descriptor do not determine it, and storageText covers
// it for a view.
func (r *Report) padded() bool {
	if r.Numel == 0 || len(r.OuterTags) > 0 || r.isView() {
		return false
	}
	return r.Padded == nil || *r.Padded || r.Trailing > 0
}

// paddingText describes storage without elements: the padded dim or the stride larger than dense, and the amount.
func (r *Report) paddingText() string {
	where := PaddedDims(r.tensor.Layout)
	if len(r.Candidates) == 1 && r.Candidates[0].gaps != "" {
		where = append(where, r.Candidates[0].gaps)
	}
	where = append(where, r.paddingAmount())
	if rows := r.paddedRows(); rows != "" {
		where = append(where, rows)
	}
	return strings.Join(where, "; ")
}

// paddedRows says that rows are padded as Core ML pads those of the Neural Engine; empty if they are not.
func (r *Report) paddedRows() string {
	s, plain := r.tensor.Layout.Strided()
	if !plain {
		return ""
	}
	row, pitch, ok := s.PaddedRows(r.tensor.DType.Bits(), tensor.NeuralEngineRow)
	if !ok {
		return ""
	}
	return fmt.Sprintf("rows of %d B begin every %d B, a multiple of %d, as Core ML pads them for the Neural Engine", row, pitch, tensor.NeuralEngineRow)
}

// paddingAmount is how much of the storage holds no element, or why that is unknown.
func (r *Report) paddingAmount() string {
	padded, why := r.GapsText()
	if padded == tensor.Unknown {
		return "unknown, " + why
	}
	if r.Gaps == nil {
		return why
	}
	return NoElement(*r.Gaps+r.Trailing, r.Storage-r.Leading, r.tensor.DType)
}

// PaddedDims names the dims that end inside a block.
func PaddedDims(l tensor.Layout) (all []string) {
	for i, padded := range l.PaddedShape() {
		if d := l.Dim(i); padded > d.Size {
			all = append(all, fmt.Sprintf("%s is padded from %d to %d", d.Name, d.Size, padded))
		}
	}
	return all
}

// NoElement says how much of a storage holds no element. Both sizes count elements of a type.
func NoElement(unused, storage int, d dtype.Type) string {
	bytes := func(elements int) string { return text.FullBytes(d.Size(int64(elements))) }
	return bytes(unused) + " of " + bytes(storage) + " hold no element"
}

// exactly formats the bytes of elements with all digits, as needed to map a buffer.
func (r *Report) exactly(elements int) string {
	return text.FullBytes(r.size(elements))
}

// size returns the bytes of elements.
func (r *Report) size(elements int) int64 { return r.tensor.DType.Size(int64(elements)) }

// InBytes returns the size of elements in bytes, which may be a part of one.
func (r *Report) InBytes(elements int) string { return r.tensor.DType.InBytes(elements) }

// itemText is the size of an element: "4 bytes", "4 bits".
func (r *Report) itemText() string {
	if r.Bits > 0 {
		return text.Count(r.Bits, "bit")
	}
	return text.Count(r.ItemSize, "byte")
}

// isView reports whether the tensor is from a checkpoint whose storage other tensors may use.
func (r *Report) isView() bool {
	return checkpoint.Format(r.tensor.Kind).Strided() && r.tensor.StorageView
}

// storageText is how much of its storage a view uses, and where the rest is; empty if it uses all, or is not a view.
func (r *Report) storageText() string {
	if !r.isView() || r.Numel == 0 || r.fillsStorage() {
		return ""
	}
	if r.Gaps == nil || r.Unique == nil {
		return fmt.Sprintf("%s, possibly shared with other tensors", r.exactly(r.Storage))
	}
	var rest []string
	for _, part := range []struct {
		elements int
		where    string
	}{{r.Leading, "before it"}, {*r.Gaps, "between its elements"}, {r.Trailing, "after it"}} {
		if part.elements > 0 {
			rest = append(rest, r.exactly(part.elements)+" "+part.where)
		}
	}
	return fmt.Sprintf("%s, of which %s are used; %s", r.exactly(r.Storage), r.exactly(*r.Unique), text.And(rest))
}

// fillsStorage reports whether the storage is known to hold nothing but elements.
func (r *Report) fillsStorage() bool {
	return r.Gaps != nil && *r.Gaps+r.Leading+r.Trailing == 0
}

// offsetText is the position of the first element, if the offset is not 0.
func (r *Report) offsetText() string {
	if r.Offset == 0 {
		return ""
	}
	return fmt.Sprintf("the first element is at offset %d, byte %s", r.Offset, r.tensor.DType.In(r.Offset))
}

// strictText is a short strictNote.
func (r *Report) strictText() string {
	if r.strictNote(r.tensor) == "" {
		return ""
	}
	why := r.Contiguous.WhyNot["c_strict"]
	return fmt.Sprintf("no: %s; PyTorch and NumPy ignore it because %s has size 1. Code that compares every stride does not: %s", why.Reason,
		*why.Dim, strictReaders)
}

// strictLines are strictNote as lines.
func (r *Report) strictLines() []string {
	if note := r.strictNote(r.tensor); note != "" {
		return []string{note}
	}
	return nil
}

// extentText is the range of offsets that the elements span, and how many of them are used.
func (r *Report) extentText() string {
	s := fmt.Sprint(r.Extent)
	if r.Span != nil {
		s += fmt.Sprintf(", offsets %d to %d in a storage of %d", r.Span[0], r.Span[1], r.Storage)
	}
	if r.Unique != nil && *r.Unique != r.Extent {
		s += fmt.Sprintf("; %d of them used", *r.Unique)
	}
	return s
}

// addLeadingDim sets BLAS's leading dimension, in elements; a block of a quantized tensor is none.
func (r *Report) addLeadingDim(s tensor.Strided) {
	ld, rowMajor, ok := s.LeadingDim()
	if !ok || r.BlockShape != nil {
		return
	}
	r.LDA = &ld
	r.LDAOrder = "column-major"
	if rowMajor {
		r.LDAOrder = "row-major"
	}
}

// leadingText is the leading dimension of a matrix, or why it has none.
func (r *Report) leadingText() string {
	if len(r.Shape) != 2 || r.BlockShape != nil {
		return ""
	}
	if r.LDA != nil {
		return fmt.Sprintf("%d, %s: BLAS's leading dimension, in elements", *r.LDA, r.LDAOrder)
	}
	if r.Strides == nil {
		return "none: " + explain.NoStrides(r.tensor.Layout)
	}
	if !slices.Contains(r.Strides, 1) {
		return "none: BLAS needs a stride of 1"
	}
	return fmt.Sprintf("none: BLAS needs a stride of 1 and one of at least the size beside it, got %s", tensor.Tuple(r.Strides))
}

// WasteText describes storage without elements: before the first, between them, or after the last; empty if there is none.
func (r *Report) WasteText() string {
	if r.isView() {
		return r.storageText()
	}
	before := ""
	rest := ""
	if r.Leading > 0 {
		before = r.exactly(r.Leading) + " before the first element"
	}
	if r.Gaps == nil || *r.Gaps+r.Trailing > 0 {
		rest = r.paddingText()
	}
	return joined(before, rest)
}

// GapsText returns whether there is padding between elements, like Padded, and why that or its amount is unknown.
func (r *Report) GapsText() (padded tensor.Answer, why string) {
	if r.Padded == nil {
		return tensor.Unknown, "too many elements to count"
	}
	if !*r.Padded {
		return tensor.No, ""
	}
	if r.Gaps == nil {
		return tensor.Yes, "amount not counted: too many elements"
	}
	return tensor.Yes, ""
}

// joined joins the non-empty texts.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}

// BroadcastText names the broadcast dims.
func (r *Report) BroadcastText() string {
	if len(r.BroadcastDims) == 0 {
		return "no"
	}
	var dims []string
	for _, i := range r.BroadcastDims {
		dims = append(dims, r.Dims[i])
	}
	return "along " + strings.Join(dims, ", ") + " (stride 0)"
}

// SharedText counts the elements that share addresses; empty if there are none.
func (r *Report) SharedText() string {
	switch tensor.Answer(r.Overlapping) {
	case tensor.Unknown:
		return fmt.Sprintf("unknown: more than %d elements to compare", r.OverlapLimit)
	case tensor.Yes:
		if r.Unique == nil {
			return fmt.Sprintf("%d elements in an extent of %d", r.Numel, r.Extent)
		}
		return fmt.Sprintf("%d elements share %d addresses", r.Numel, *r.Unique)
	}
	return ""
}

func (r *Report) overlaps() bool { return r.Overlapping == string(tensor.Yes) }
