package framework

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Takes answers whether the framework takes a tensor as it lies: by its strides, by the name of its order, or, where its
// dims are in blocks, as a tensor of other dims over the same memory.
func (f Framework) Takes(o Offer) Answer {
	if why := f.refusesType(o.DType); why != "" {
		return no("%s", why)
	}
	a := f.takesLayout(o)
	switch {
	case a.OK && f.Types == nil:
		a.Why = cmp.Or(a.Why, "by its layout") + "; its types are not checked"
	case a.OK && a.Why == "":
		a.Why = f.remark(o)
	}
	return a
}

func (f Framework) takesLayout(o Offer) Answer {
	s, plain := o.Layout.Strided()
	switch {
	case f.Telling == ByOwnDigits:
		return yes(Logical, "")
	case !plain || f.Blocking == BlocksAxes && o.blocked():
		return f.takesBlocks(o)
	case f.Telling == ByShape && !s.CContiguous().OK:
		return no(`it stores no strides ("You are trying to save a non contiguous tensor"); .contiguous() first, `+
			"a copy of %s, which comes back row-major", o.Copy)
	case f.Telling == ByName && !f.named(o):
		return no("%s", f.Nameless)
	}
	return f.takesStrides(o, s)
}

// takesStrides answers for one stride a dim.
func (f Framework) takesStrides(o Offer, s tensor.Strided) Answer {
	as := Logical
	if f.Physical && len(o.Orders) > 0 {
		as = Physical
	}
	why := f.refusesStrides(s)
	switch {
	case f.Forward != "" && why == f.Negative:
		return no("%s; %s is %s", why, f.Forward, o.Copy)
	case why != "":
		return no("%s", why)
	case f.Overlap != "" && o.Overlapping != tensor.No:
		return yes(as, f.Overlap)
	}
	return yes(as, "")
}

// refusesStrides says why the framework takes no such sizes and strides; empty where it does.
func (f Framework) refusesStrides(s tensor.Strided) string {
	_, counted := s.DirectMLBytes(8)
	switch rank := f.refusesRank(s.Rank()); {
	case f.Empty != "" && s.Empty():
		return f.Empty
	case rank != "":
		return rank
	case f.Negative != "" && s.Negative():
		return f.Negative
	case f.MaxElems > 0 && !counted:
		return fmt.Sprintf("it counts at most %d elements", f.MaxElems)
	case f.Telling == ByNesting && !s.OneDNNAccepts():
		return "a stride is less than what the dims inside it take"
	}
	return ""
}

// refusesRank says which numbers of dims it takes; empty where this is one of them.
func (f Framework) refusesRank(rank int) string {
	switch {
	case rank >= f.MinDims && (f.MaxDims == 0 || rank <= f.MaxDims):
		return ""
	case f.MinDims == 0:
		return fmt.Sprintf("it takes at most %d dims", f.MaxDims)
	}
	return fmt.Sprintf("it takes %d to %d dims", f.MinDims, f.MaxDims)
}

// takesBlocks answers for dims in blocks.
func (f Framework) takesBlocks(o Offer) Answer {
	switch f.Blocking {
	case BlocksNamed:
		return f.takesNamed(f.named(o))
	case BlocksAxes:
		return f.takesAxes(o)
	case BlocksDigits:
		return f.takesDigits(o)
	}
	if shape := o.axes(); shape != nil {
		return no("its sizes cannot say blocks; this memory it stores as an array of shape %s", tensor.Tuple(shape))
	}
	return no("its sizes cannot say blocks")
}

func (f Framework) takesNamed(named bool) Answer {
	switch {
	case !named:
		return no("%s", f.Nameless)
	case f.Physical:
		return yes(Physical, "")
	}
	return yes(Logical, "")
}

func (f Framework) takesAxes(o Offer) Answer {
	shape := o.axes()
	if shape == nil {
		return no(noOrder)
	}
	if why := f.refusesStrides(notation.SplitDims(o.Layout)); why != "" {
		return no("%s", why)
	}
	return yes(Physical, "as an array of shape "+tensor.Tuple(shape)+", memory's own axes")
}

func (f Framework) takesDigits(o Offer) Answer {
	if o.Order == nil {
		return no(noOrder)
	}
	s := notation.SplitDims(o.Layout)
	if why := f.refusesStrides(s); why != "" {
		return no("%s", why)
	}
	return yes(Split, fmt.Sprintf("as dims %s, one for each digit, for operators that work element by element", tensor.Tuple(s.Shape)))
}

// TakesOrder answers for a memory order without sizes.
func (f Framework) TakesOrder(order notation.Format) Answer {
	blocked := !order.Plain()
	switch {
	case f.Telling == ByOwnDigits:
		return no("its shapes are numbers")
	case f.Telling == ByShape && order.Explicit() != notation.RowMajor(order.Names()).Explicit():
		return no("it stores no strides")
	case f.Telling == ByName || blocked && f.Blocking == BlocksNamed:
		return f.takesNamed(len(NamesIn(order, f.Name)) > 0)
	case blocked && f.Blocking == NoBlocks:
		return no("it stores no blocks")
	case f.refusesRank(f.rankOf(order)) != "":
		return no("%s", f.refusesRank(f.rankOf(order)))
	case blocked && f.Blocking == BlocksDigits:
		return yes(Split, "")
	case blocked && f.Blocking == BlocksAxes || f.Physical:
		return yes(Physical, "")
	}
	return yes(Logical, "")
}

// rankOf counts the dims that the framework is told of.
func (f Framework) rankOf(order notation.Format) int {
	if f.Blocking == BlocksAxes || f.Blocking == BlocksDigits {
		return len(order.Axes())
	}
	return order.Rank()
}
