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
	if f.refusesType(o.DType).full != "" || f.refusesAddress(o).full != "" {
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
	if _, decided := f.answersType(o.DType); decided {
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
func (f *Framework) namesViews() bool { return f.Order == ByShape && f.Sizes == OfMemory }

// AcceptsOrder answers for a memory order without sizes, and for a type if it is not nil, by the convention by which Accepts answers for
// a tensor of this order.
func (f *Framework) AcceptsOrder(order notation.Format, d *dtype.Type) Answer {
	if d != nil {
		if a, decided := f.answersType(*d); decided {
			return a
		}
	}
	orders := []notation.Format{order}
	switch f.convention(!order.Plain()) {
	case ByName, ByWholeName, ByFormat:
		return f.acceptsNames(orders, d)
	case ByAxes:
		return f.acceptsDims(len(order.Axes()), Physical)
	case ByDigits:
		return f.acceptsDims(len(order.Axes()), Split)
	case ByOwnDigits:
		if len(f.entriesOf(order)) == 0 {
			return no("its layouts need sizes")
		}
	case Unsupported:
		return no(noBlocks)
	case ByShape:
		if isRowMajor(order) {
			break
		}
		if f.namesViews() {
			return f.acceptsNames(orders, d)
		}
		return no("%s", f.Nameless)
	}
	return f.acceptsDims(order.Rank(), f.as())
}

func isRowMajor(order notation.Format) bool {
	return order.Explicit() == notation.RowMajor(order.Names()).Explicit()
}

// acceptsDims answers for any tensor of so many dims.
func (f *Framework) acceptsDims(rank int, as As) Answer {
	if why := f.refusesRank(rank); why != "" {
		return no("%s", why)
	}
	return yes(as)
}
