package checkcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// assumed reports whether the dims' names are guessed from the rank, so that statements refer to the array as stored.
func (o *options) assumed(t *source.Tensor) bool {
	if t.Known() || t.FileShape == nil {
		return false
	}
	rank := t.Layout.Rank()
	return rank > 1 && slices.Equal(t.Layout.Names(), source.DimNames(rank))
}

// needsOrder answers unknown, with a hint to name an order: the given one, else the one that the shape suggests, else the assumed one.
func (a assertion) needsOrder(t *source.Tensor, order *notation.Format) assertion {
	why := unknownOrder
	suggested := notation.RowMajor(t.Layout.Names())
	if looks := t.LooksLike(); looks != "" {
		why += "; " + t.Doubt()
		if l, err := notation.Parse(looks); err == nil {
			suggested = l.Format
		}
	}
	if order == nil {
		order = &suggested
	}
	a = a.unknown(why)
	if t.FileShape == nil {
		return a.withHint("set the order with --from or --strides")
	}
	hint := "if it is " + order.String() + ": --from " + text.Shell(order.Key())
	if file, ok := nameWith(t, *order); ok {
		hint += ", or a name such as " + file.Arg()
	}
	return a.withHint(hint)
}

// readings returns the tensors that the source may be: itself if its order is known, otherwise one for each order of its axes.
func (o *options) readings(t *source.Tensor) []*source.Tensor {
	if t.Known() {
		return []*source.Tensor{t}
	}
	return inspect.Readings(t)
}

// inEveryOrder is yes if a condition holds for every possible axis order, no if it holds for none, and otherwise unknown.
func (o *options) inEveryOrder(t *source.Tensor, holds func(*source.Tensor) bool) tensor.Answer {
	all := o.readings(t)
	yes := 0
	for _, u := range all {
		if holds(u) {
			yes++
		}
	}
	switch yes {
	case len(all):
		return tensor.Yes
	case 0:
		return tensor.No
	}
	return tensor.Unknown
}

// unknownOrder is the reason for an unknown answer.
const unknownOrder = "axis order not given"

// nameWith returns the source's file name with an order in it; ok is false if no name is read as that order, or it cannot be typed.
func nameWith(t *source.Tensor, f notation.Format) (file name.Name, ok bool) {
	if t.Source.Ending() != ".npy" || t.Member != nil || !t.Source.IsTypable() {
		return file, false
	}
	if _, short := f.Short(); !short {
		return file, false
	}
	if _, short := f.Short(); !short {
		return file, false
	}
	file = t.Source.WithEnding("." + f.Key() + ".npy")
	read, ok := filename.Order(file.Base(), t.FileShape)
	return file, ok && read.Explicit() == f.Explicit()
}

// layoutAssertion answers --layout. c and fortran refer to the array as stored, all others to the tensor's dims.
func (o *options) layoutAssertion(want cli.Layout, t *source.Tensor) assertion {
	a := assertion{Name: "layout", Expected: want.Name}
	bound, err := want.Layout.For(t.Layout.Shape(), t.DType.Bits())
	if err := cmp.Or(err, want.Layout.Holds(t.DType.String())); err != nil {
		return a.failed(t.Layout.String(), "").withHint(err.Error())
	}
	if bound.Exact != nil {
		a = a.decided(t.Layout.String() == bound.Exact.String(), t.Layout.String())
		if o.assumed(t) {
			return a.asStored(a.Found)
		}
		return a
	}
	if bound.Own != notation.NotOwn {
		return o.ownOrder(a, t, bound.Own)
	}
	if t.Known() {
		return o.namedOrder(a, t, t.Over(bound.Format))
	}
	return o.unnamedOrder(a, t, source.NameDims(bound.Format))
}

// ownOrder answers --layout c and --layout fortran.
func (o *options) ownOrder(a assertion, t *source.Tensor, own notation.Own) assertion {
	l, inFile := o.stored(t)
	f := notation.RowMajor(l.Names())
	if own == notation.OwnFortran {
		f = f.Reversed()
	}
	found := cmp.Or(t.OrderName(), l.String())
	if inFile {
		found = "c"
		if t.Header.Fortran {
			found = "fortran"
		}
	}
	if f.Agrees(l) {
		a = a.passed(a.Expected)
	} else {
		a = a.failed(found, "").withHint(o.convertHint(t, a.Expected, own))
	}
	if inFile {
		return a.asStored(a.Found)
	}
	return a
}

// namedOrder compares the source with order f. With --strict, its strides must match no other order.
func (o *options) namedOrder(a assertion, t *source.Tensor, f notation.Format) assertion {
	l := t.Layout
	found := cmp.Or(t.OrderName(), l.String())
	if !slices.Equal(f.Names(), l.Names()) {
		return a.failed(found, fmt.Sprintf("dims are %s, not %s", strings.Join(l.Names(), ","), strings.Join(f.Names(), ",")))
	}
	why := ""
	if f.Agrees(l) {
		if o.want.strict {
			why = ambiguity(t, f)
		}
		if why == "" {
			return a.passed(a.Expected)
		}
	}
	return a.failed(found, cmp.Or(why, misread(t, f))).withHint(o.convertHint(t, a.Expected, notation.NotOwn))
}

// misread returns the first axis in memory at which a reader of order f finds another dim of a cache, with their sizes: the tokens of a block,
// say, are as many as the heads.
func misread(t *source.Tensor, f notation.Format) string {
	if !notation.IsCache(f.Names()) || !t.HasFormat {
		return ""
	}
	if !f.Plain() || !t.Format.Plain() {
		return ""
	}
	for k, x := range f.Axes() {
		if found := t.Format.Axes()[k]; found.Dim != x.Dim {
			is := t.Layout.Dim(found.Dim)
			want := t.Layout.Dim(x.Dim)
			return fmt.Sprintf("axis %d in memory is %s = %d, expected %s = %d", k, is.Name, is.Size, want.Name, want.Size)
		}
	}
	return ""
}

// unnamedOrder answers for a source with unnamed axes: no if they cannot be those of f, yes if the strides match f in every axis order.
func (o *options) unnamedOrder(a assertion, t *source.Tensor, f notation.Format) assertion {
	if t.FileShape != nil {
		if _, err := f.LogicalShape(t.FileShape); err != nil {
			return a.failed("", text.Quote(err.Error())).asStored(tensor.Tuple(t.FileShape))
		}
	}
	matches := func(u *source.Tensor) bool {
		if !slices.Equal(f.Names(), u.Layout.Names()) || !f.Agrees(u.Layout) {
			return false
		}
		return !o.want.strict || ambiguity(u, f) == ""
	}
	if o.inEveryOrder(t, matches) == tensor.Yes {
		return a.passed(a.Expected)
	}
	return a.needsOrder(t, &f)
}

// ambiguity names the other orders that match the strides; empty if there are none, or if the source's order is named.
func ambiguity(t *source.Tensor, f notation.Format) string {
	s, plain := t.Layout.Strided()
	if !plain {
		return ""
	}
	named := t.Named() && t.HasFormat
	if named && f.Explicit() == t.Format.Explicit() {
		return ""
	}
	return s.Infer(t.Layout.Names(), source.KnownOrders(t.Layout.Names())).Ambiguity
}

// acceptedAssertion answers --accepted-by for one framework.
func (o *options) acceptedAssertion(own inspect.Acceptance, t *source.Tensor, key string) assertion {
	a := assertion{Name: "accepted-by", Expected: key, Why: own.Why, stored: own.AsStored()}.answered(own.Answer, string(own.Answer))
	if own.Assumes {
		return a.needsOrder(t, nil)
	}
	rowMajor := o.assumed(t) && !t.Header.Fortran
	if a.OK && a.Why == "" && rowMajor {
		a.Why = "as stored, C-contiguous in any axis order"
		a.stored = true
	}
	return a
}
