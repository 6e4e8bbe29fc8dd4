package framework

import (
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Questions beside Accepts: whether a framework has a layout at all, for any tensor.

// Expresses answers whether the framework has this layout, if only as another view: one that names views has NHWC as an array of memory's axes,
// and refuses a tensor of N,C,H,W with its strides.
func (f *Framework) Expresses(o Offer) Answer {
	a := f.Accepts(o)
	if a.OK || !f.namesView(o) {
		return a
	}
	if f.refusesType(o.DType) != "" || f.refusesAddress(o).full != "" {
		return a
	}
	return f.acceptsAxes(o)
}

// namesView reports whether the framework has a name for the order of memory's axes.
func (f *Framework) namesView(o Offer) bool {
	if !f.namesViews() || len(o.Orders) == 0 || !o.Orders[0].Plain() {
		return false
	}
	return len(f.entriesOf(o.Orders[0])) > 0
}

// RefusesSizes reports whether a refusal says nothing of the layout or the type: the framework refuses a row-major tensor of these sizes too.
func (f *Framework) RefusesSizes(o Offer) bool {
	if f.unchecked(o.DType) || f.refusesType(o.DType) != "" {
		return false
	}
	order := notation.RowMajor(o.Layout.Names())
	l, err := order.Bind(o.Layout.Shape())
	if err != nil {
		return false
	}
	return !f.Accepts(Offer{Layout: l, Stored: l, Orders: []notation.Format{order}, Order: &order, Overlapping: tensor.No, DType: o.DType, Copy: o.Copy}).OK
}

// namesViews reports whether the framework has no strides, and names for the order of an array's axes.
func (f *Framework) namesViews() bool { return f.Order == ByShape && f.Physical }

// needsName reports whether the framework takes such a memory order by its name.
func (f *Framework) needsName(blocked, rowMajor bool) bool {
	if f.Order == ByName || f.Order == ByFormat {
		return true
	}
	if blocked {
		return f.Blocks == BlocksNamed
	}
	return f.namesViews() && !rowMajor
}

// AcceptsOrder answers for a memory order without sizes, and for a type if it is not nil.
func (f *Framework) AcceptsOrder(order notation.Format, d *dtype.Type) Answer {
	blocked := !order.Plain()
	rowMajor := order.Explicit() == notation.RowMajor(order.Names()).Explicit()
	named := f.needsName(blocked, rowMajor)
	if d != nil && f.unchecked(*d) {
		return Answer{Unchecked: true}.And(typeName(*d) + " is not checked")
	}
	if d != nil && f.refusesType(*d) != "" {
		return no("%s", f.refusesType(*d))
	}
	if f.Order == ByOwnDigits && len(f.entriesOf(order)) == 0 {
		return no("its layouts need sizes")
	}
	if f.Order == ByShape && !rowMajor && !f.namesViews() {
		return no("%s", f.Nameless)
	}
	if named && len(f.entriesOf(order)) == 0 {
		return no("%s", f.Nameless)
	}
	if named && len(f.NamesAccepting(order, d)) == 0 {
		return no("%s", acceptedTypes(f.entriesOf(order)))
	}
	if blocked && f.Blocks == NoBlocks {
		return no("it stores no blocks")
	}
	if !named && f.refusesRank(f.rankOf(order)) != "" {
		return no("%s", f.refusesRank(f.rankOf(order)))
	}
	if blocked && f.Blocks == BlocksDigits {
		return yes(Split)
	}
	if blocked && f.Blocks == BlocksAxes || f.Physical {
		return yes(Physical)
	}
	return yes(Logical)
}

// rankOf returns how many dims the framework is given.
func (f *Framework) rankOf(order notation.Format) int {
	if f.Blocks == BlocksAxes || f.Blocks == BlocksDigits {
		return len(order.Axes())
	}
	return order.Rank()
}
