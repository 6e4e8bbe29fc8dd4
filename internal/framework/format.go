package framework

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Formats (ByFormat): a name stands for an order of the last dims C,H,W or C,D,H,W, with any dims before them, and for padding C to
// whole vectors. A tensor has a format if its elements are where the format puts them: NHWC of 64 channels is kHWC, kHWC8 and kHWC16.

// formatMatch is a name, one of its layouts, and that layout over a tensor's sizes.
type formatMatch struct {
	Entry
	types  string // types
	padded tensor.Layout
}

// matches returns the formats whose elements are where the offer's are. An empty tensor is only row-major.
func (f *Framework) matches(o Offer) []formatMatch {
	var found []formatMatch
	for _, e := range f.names {
		for _, v := range e.layouts() {
			if padded, ok := v.match(o.Layout); ok {
				found = append(found, formatMatch{e, v.types, padded})
			}
		}
	}
	return found
}

// match returns the variant's layout over a tensor's sizes; ok is false if its elements are not where the tensor's are.
func (v variant) match(l tensor.Layout) (padded tensor.Layout, ok bool) {
	if l.Numel() == 0 && v.order != RowMajorOrder {
		return padded, false
	}
	order, ok := v.over(l.Names())
	if !ok || !v.channelsOf(l) || !order.Steps(l) {
		return padded, false
	}
	padded, err := order.Bind(l.Shape())
	return padded, err == nil && sameAddresses(padded, l)
}

// layouts returns what a name stands for; nothing for a name that NamesOf does not use.
func (e Entry) layouts() []variant {
	if e.variants != nil {
		return e.variants
	}
	if e.Order == "" || e.use == catalogueOnly {
		return nil
	}
	return []variant{{order: e.Order, types: e.Types}}
}

// over returns the order for a tensor with these dims: C//4 H W C%4 of N C//4 H W C%4 if they are C,H,W. ok is false if they do not end
// in the order's.
func (v variant) over(names []string) (f notation.Format, ok bool) {
	if v.order == RowMajorOrder {
		return notation.RowMajor(names), true
	}
	last := "CHW"
	if strings.Contains(v.order, "D") {
		last = "CDHW"
	}
	lead := len(names) - len(last)
	if lead < 0 || len(names) > maxFormatDims || strings.Join(names[lead:], "") != last {
		return notation.Format{}, false
	}
	key := overKey{v.order, lead}
	byPosition, known := overs.Load(key)
	if !known {
		byPosition, _ = overs.LoadOrStore(key, overPositions(v.order, lead, last))
	}
	return byPosition.(notation.Format).Rename(names), true
}

// maxFormatDims is how many dims letters can number; no framework has formats with so many.
const maxFormatDims = 12

// overs caches overPositions: parsing takes longer than everything else.
var overs sync.Map

type overKey struct {
	order string
	lead  int
}

// overPositions returns the order with lead dims before the last ones, all of them by position, whatever their names.
func overPositions(order string, lead int, last string) notation.Format {
	axes := strings.Split("ABCDEFGHIJKL"[:lead], "")
	for _, axis := range strings.Fields(order)[1:] {
		at := lead + strings.Index(last, axis[:1])
		axes = append(axes, string(rune('A'+at))+axis[1:])
	}
	parsed, err := notation.Parse(strings.Join(axes, " "))
	if err != nil {
		panic(err) // the catalogue's orders are tested
	}
	return parsed.Format
}

// channelsOf reports whether the layout has one of the variant's channel counts.
func (v variant) channelsOf(l tensor.Layout) bool {
	at := slices.Index(l.Names(), "C")
	return v.channels == nil || at >= 0 && slices.Contains(v.channels, l.Dim(at).Size)
}

// sameAddresses reports whether two layouts of the same sizes have the same offsets relative to their first elements.
func sameAddresses(a, b tensor.Layout) bool {
	for d := range a.Rank() {
		if a.Numel() > 0 && !slices.Equal(merged(a.Dim(d)), merged(b.Dim(d))) {
			return false
		}
	}
	return true
}

// merged returns a dim's digits, merging those with a common stride and omitting those that are always 0. The last extent is what the
// size needs.
func merged(d tensor.Dim) []tensor.Digit {
	var all []tensor.Digit
	for _, g := range d.Digits {
		if g.Extent == 1 {
			continue
		}
		if n := len(all) - 1; n >= 0 && g.Stride == all[n].Stride*all[n].Extent {
			all[n].Extent *= g.Extent
			continue
		}
		all = append(all, g)
	}
	if n := len(all) - 1; n >= 0 {
		all[n].Extent = ints.CeilDiv(d.Size, all[n].Div)
		if all[n].Extent == 1 {
			all = all[:n]
		}
	}
	return all
}

// acceptsFormat answers by the formats that the tensor has: one of them must accept its type.
func (f *Framework) acceptsFormat(o Offer) Answer {
	rank := f.refusesRank(o.Layout.Rank())
	found := f.matches(o)
	if rank != "" {
		return no("%s", rank)
	}
	if len(found) == 0 {
		return no("%s", f.Nameless)
	}
	if len(accepting(found, o.DType)) == 0 {
		return no("%s", formatTypes(found))
	}
	for _, m := range accepting(found, o.DType) {
		if m.maxSize == 0 || slices.Max(o.Layout.Shape()[o.Layout.Rank()-3:]) <= m.maxSize {
			return yes(Logical)
		}
	}
	return no("%s accepts sizes of C, H and W up to %d", found[0].Name, found[0].maxSize)
}

// accepting returns the formats that accept a type. A format with padded rows is listed only if it is the only kind: NCHW of some widths
// is also kDLA_LINEAR.
func accepting(found []formatMatch, d dtype.Type) []formatMatch {
	taking := slices.DeleteFunc(slices.Clone(found), func(m formatMatch) bool { return !acceptsType(m.types, d) })
	pitched := func(m formatMatch) bool { return m.variants != nil }
	if others := slices.DeleteFunc(slices.Clone(taking), pitched); len(others) > 0 {
		return others
	}
	return taking
}

// formatTypes returns which types go with the formats. If the layout itself depends on the type, its row pitch names one.
func formatTypes(found []formatMatch) string {
	var entries []Entry
	for _, m := range found {
		if m.variants != nil && len(found) == 1 {
			return m.Name + " has this row pitch for " + m.types + " only"
		}
		m.Types = m.types
		entries = append(entries, m.Entry)
	}
	return acceptedTypes(entries)
}

// acceptedTypes returns which types go with the names: kCHW16 accepts float16 only; kHWC accepts float32 or uint8, kHWC8 float16 or
// bfloat16.
func acceptedTypes(entries []Entry) string {
	var parts []string
	accepts := " accepts "
	for _, e := range entries {
		text := e.spelled() + accepts + strings.Join(strings.Fields(e.Types), " or ")
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
		accepts = " "
	}
	if len(parts) == 1 {
		return parts[0] + " only"
	}
	return strings.Join(parts, ", ")
}

// remarkFormat returns where the formats run, if only on special hardware, and what storage the padding needs.
func remarkFormat(f *Framework, o Offer) []clause {
	var all []clause
	found := accepting(f.matches(o), o.DType)
	if !slices.ContainsFunc(found, func(m formatMatch) bool { return m.note == "" }) {
		all = append(all, uncut(found[0].Name+" "+found[0].note))
	}
	has := o.Layout.Alloc() - o.Layout.Offset()
	needs := found[0].padded.Alloc()
	if has < needs {
		all = append(all, uncut(fmt.Sprintf("%s needs %d elements with its padding", found[0].Name, needs)), uncut(fmt.Sprintf("this storage has %d", has)))
	}
	return all
}
