package inspect

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// unblocked is the packed layout of a blocked tensor's dims, in the order of their outer axes.
type unblocked struct {
	Layout  string `json:"layout"`  // memory order by name, outermost axis first: NHWC; shape:strides without a name
	Strides []int  `json:"strides"` // step from one index of a dim to the next, in elements
}

// asPlain marks facts about strides that may be those of a descriptor.
const asPlain = "read as plain strides"

// AsPlain ends titles about strides that may be a descriptor's: " (read as plain strides)"; otherwise empty.
func (r *Report) AsPlain() string {
	if len(r.OuterTags) == 0 {
		return ""
	}
	return " (" + asPlain + ")"
}

// newUnblocked returns nil for a layout without blocks or order.
func newUnblocked(l tensor.Layout, f notation.Format, ok bool) *unblocked {
	if !ok || f.Plain() {
		return nil
	}
	var order []int
	for _, a := range f.Axes() {
		if a.Extent == 0 {
			order = append(order, a.Dim)
		}
	}
	plain := notation.Order(l.Names(), order)
	packed, err := plain.Bind(l.Shape())
	if err != nil {
		return nil
	}
	s, _ := packed.Strided()
	return &unblocked{plain.String(), s.Strides}
}

// UnblockedText is the same tensor without blocks: "as plain nchw: strides (400, 20, 4, 1)"; empty if it has none.
func (r *Report) UnblockedText() string {
	if r.Unblocked == nil {
		return ""
	}
	return fmt.Sprintf("as plain %s: strides %s", strings.ToLower(r.Unblocked.Layout), tensor.Tuple(r.Unblocked.Strides))
}

// OuterStridesText names the oneDNN tags whose descriptors have these strides, and the flag that describes them; empty without any.
func (r *Report) OuterStridesText() string { return OuterStridesText(r.OuterTags, r.Dims) }

// shownTags limits the tags named: they differ only in the nesting of blocks.
const shownTags = 2

// OuterStridesText names tags of framework.OuterStridesOf, of a tensor of these dims: "the outer strides of oneDNN's nChw16c
// (--inner-blocks 16c)".
func OuterStridesText(tags, dims []string) string {
	if len(tags) == 0 {
		return ""
	}
	named := text.And(tags)
	which := ""
	if len(tags) > 1 {
		which = ", which differ only in their inner blocks"
	}
	if more := len(tags) - shownTags; more > 1 {
		named = text.And(append(tags[:shownTags:shownTags], text.Count(more, "more tag")))
	}
	blocks := tags[0]
	if outer := strings.Join(dims, ""); strings.EqualFold(blocks[:min(len(outer), len(blocks))], outer) {
		blocks = blocks[len(outer):]
	}
	return fmt.Sprintf("the outer strides of oneDNN's %s%s (--inner-blocks %s)", named, which, blocks)
}

// inBytes reports whether typed strides look like NumPy's, in bytes, and so are not a descriptor's; the source has a note on it.
func inBytes(s tensor.Strided, t *source.Tensor) bool {
	_, bytes := s.FromBytes(t.DType.ItemSize())
	return bytes
}

// addDescriptor adds how the layout relates to a oneDNN descriptor.
func (r *Report) addDescriptor(l tensor.Layout) {
	t := r.tensor
	r.Unblocked = newUnblocked(l, t.Format, t.HasFormat)
	r.OuterTags = []string{}
	if s, plain := l.Strided(); plain && !inBytes(s, t) {
		r.OuterTags = text.OrEmpty(framework.OuterStridesOf(s))
	}
	if len(r.OuterTags) != 1 {
		return
	}
	if tag, err := notation.Parse(r.OuterTags[0]); err == nil {
		r.Unblocked = newUnblocked(l, tag.Format, true)
	}
}
