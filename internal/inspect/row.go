package inspect

import (
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Row is a tensor in one line of a list.
type Row struct {
	Source, DType, Shape, Size string // Shape: for a file, that of the array as stored
	Layout                     string // memory order, if known or assumed
	Order                      string // C, F or both, for the array as stored
	Tags                       string // short remarks on what is unusual
	Warnings                   []string
}

// NewRow returns a tensor's row, with the warnings of its report. It does not ask frameworks whether they accept the tensor, which a list does not
// show.
func NewRow(t *source.Tensor) Row {
	r := Light(t)
	r.AsStored = newStored(t)
	shape := r.Shape
	bytes := int64(r.NBytes)
	c := r.Contiguous
	if r.AsStored != nil {
		shape = r.AsStored.Shape
		bytes = r.Container.DataBytes
		c = contiguity{C: r.AsStored.Contiguous.C, F: r.AsStored.Contiguous.F}
	}
	var orders []string
	if c.C {
		orders = append(orders, "C")
	}
	if c.F {
		orders = append(orders, "F")
	}
	return Row{text.Quote(r.Source), r.shortType(), tensor.Tuple(shape), text.ShortBytes(bytes), r.layoutText(),
		strings.Join(orders, ", "), strings.Join(r.tags(), ", "), r.Warnings}
}

// shortType is a shorter TypeText.
func (r *Report) shortType() string {
	if r.Fields != nil {
		return "struct"
	}
	if r.Encoding != "" {
		return r.TypeText()
	}
	return text.Cut(r.DType, maxType/2)
}

// layoutText is a shorter OrderText; NCHW? is an assumption.
func (r *Report) layoutText() string {
	if r.OrderText() == "" {
		return ""
	}
	if r.LayoutAssumed {
		return r.Layout + "?"
	}
	if r.Swizzle != nil {
		return r.Swizzle.String()
	}
	return r.Layout
}

// tags are the highlights in a word or two each.
func (r *Report) tags() []string {
	var tags []string
	mark := func(is bool, word string) {
		if is {
			tags = append(tags, word)
		}
	}
	mark(r.ByteOrder == "big", "big-endian")
	mark(r.Fields != nil, text.Count(len(r.Fields), "field"))
	mark(r.rawType() != "", r.rawType()+"?")
	mark(r.LooksLike != "", "like "+strings.ToUpper(r.LooksLike))
	mark(r.Padded != nil && *r.Padded, "padded")
	mark(r.Offset != 0, "offset")
	mark(len(r.BroadcastDims) > 0, "broadcast")
	mark(len(r.BroadcastDims) == 0 && r.Overlapping == string(tensor.Yes), "overlapping")
	mark(r.Negative(), "negative strides")
	mark(r.headerText() != "", "header")
	mark(r.Container != nil && r.Container.ArchiveMember != nil && r.Container.Compressed, "deflated")
	mark(len(r.Warnings) > 0, "warning")
	return tags
}
