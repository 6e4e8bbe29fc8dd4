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
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// assumed reports whether the dims' names are guessed from the rank, so that statements refer to the array as stored.
func (o *options) assumed(t *source.Tensor) bool {
	return !t.Known() && t.FileShape != nil && slices.Equal(t.Layout.Names(), source.DimNames(t.Layout.Rank())) && t.Layout.Rank() > 1
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

// leaveUnknown makes the answer unknown, with a hint to name an order: the given one, else the one that the shape suggests, else the assumed one.
func (a *assertion) leaveUnknown(t *source.Tensor, order *notation.Format) {
	a.Verdict = tensor.Unknown
	a.Found = string(tensor.Unknown)
	a.Why = unknownOrder
	suggested := notation.RowMajor(t.Layout.Names())
	if looks := t.LooksLike(); looks != "" {
		a.Why += "; " + t.Doubt()
		if l, err := notation.Parse(looks); err == nil {
			suggested = l.Format
		}
	}
	if order == nil {
		order = &suggested
	}
	if t.FileShape == nil {
		a.Hint = "set the order with --from or --strides"
		return
	}
	a.Hint = "if it is " + order.String() + ": --from " + text.Shell(order.Key())
	if name, ok := nameWith(t, *order); ok {
		a.Hint += ", or a name such as " + text.File(name)
	}
}

// nameWith returns the source's file name with an order in it; ok is false if no name is read as that order, or it cannot be typed.
func nameWith(t *source.Tensor, f notation.Format) (name string, ok bool) {
	stem, isNpy := strings.CutSuffix(t.Source, ".npy")
	if _, short := f.Short(); !short || !isNpy || t.Member != nil || !text.Typable(t.Source) {
		return "", false
	}
	name = stem + "." + f.Key() + ".npy"
	read, ok := filename.Order(name, t.FileShape)
	return name, ok && read.Explicit() == f.Explicit()
}

// layoutAssertion answers --layout. c and fortran refer to the array as stored, all others to the tensor's dims.
func (o *options) layoutAssertion(want cli.Layout, t *source.Tensor) assertion {
	a := assertion{Name: "layout", Expected: want.Name}
	asked, err := want.Layout.For(t.Layout.Shape(), t.DType.Bits())
	switch err = cmp.Or(err, want.Layout.Holds(t.DType.String())); {
	case err != nil:
		a.Found = t.Layout.String()
		a.Hint = err.Error()
	case asked.Exact != nil:
		a.Found = t.Layout.String()
		a.OK = t.Layout.String() == asked.Exact.String()
		if o.assumed(t) {
			a.foundStored(a.Found)
		}
	case asked.Own != notation.NotOwn:
		o.ownOrder(&a, t, asked.Own)
	case t.Known():
		o.namedOrder(&a, t, t.Over(asked.Format))
	default:
		o.unnamedOrder(&a, t, source.NameDims(asked.Format))
	}
	return a
}

// ownOrder answers --layout c and --layout fortran.
func (o *options) ownOrder(a *assertion, t *source.Tensor, own notation.Own) {
	l, inFile := o.stored(t)
	f := notation.RowMajor(l.Names())
	if own == notation.OwnFortran {
		f = f.Reversed()
	}
	switch a.OK = f.Agrees(l); {
	case a.OK:
		a.Found = a.Expected
	case inFile && t.Header.Fortran:
		a.Found = "fortran"
	case inFile:
		a.Found = "c"
	default:
		a.Found = cmp.Or(t.OrderName(), l.String())
	}
	if inFile {
		a.foundStored(a.Found)
	}
	a.Hint = ""
	if !a.OK {
		a.Hint = o.convertHint(t, a.Expected, own)
	}
}

// namedOrder compares the source with order f. With --strict, its strides must match no other order.
func (o *options) namedOrder(a *assertion, t *source.Tensor, f notation.Format) {
	l := t.Layout
	a.Found = cmp.Or(t.OrderName(), l.String())
	if !slices.Equal(f.Names(), l.Names()) {
		a.Why = fmt.Sprintf("dims are %s, not %s", strings.Join(l.Names(), ","), strings.Join(f.Names(), ","))
		return
	}
	a.OK = f.Agrees(l)
	if a.OK && o.want.strict {
		a.Why = ambiguity(t, f)
		a.OK = a.Why == ""
	}
	if a.OK {
		a.Found = a.Expected
		return
	}
	a.Why = cmp.Or(a.Why, misread(t, f))
	a.Hint = o.convertHint(t, a.Expected, notation.NotOwn)
}

// misread returns the first axis in memory at which a reader of order f finds another dim of a cache, with their sizes: the tokens of a block,
// say, are as many as the heads.
func misread(t *source.Tensor, f notation.Format) string {
	if !notation.IsCache(f.Names()) || !f.Plain() || !t.HasFormat || !t.Format.Plain() {
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
func (o *options) unnamedOrder(a *assertion, t *source.Tensor, f notation.Format) {
	if t.FileShape != nil {
		if _, err := f.LogicalShape(t.FileShape); err != nil {
			a.foundStored(tensor.Tuple(t.FileShape))
			a.Why = text.Quote(err.Error())
			return
		}
	}
	a.Verdict = o.inEveryOrder(t, func(u *source.Tensor) bool {
		return slices.Equal(f.Names(), u.Layout.Names()) && f.Agrees(u.Layout) && !(o.want.strict && ambiguity(u, f) != "")
	})
	a.Found = a.Expected
	if a.Verdict != tensor.Yes {
		a.leaveUnknown(t, &f)
	}
}

// ambiguity names the other orders that match the strides; empty if there are none, or if the source's order is named.
func ambiguity(t *source.Tensor, f notation.Format) string {
	s, plain := t.Layout.Strided()
	if !plain || t.Named() && t.HasFormat && f.Explicit() == t.Format.Explicit() {
		return ""
	}
	return s.Infer(t.Layout.Names(), source.KnownOrders(t.Layout.Names())).Ambiguity
}

// acceptedAssertion answers --accepted-by for one framework.
func (o *options) acceptedAssertion(own inspect.Acceptance, t *source.Tensor, key string) assertion {
	a := assertion{Name: "accepted-by", Expected: key, Found: string(own.Answer), Why: own.Why, Verdict: own.Answer}
	a.stored = own.AsStored()
	switch {
	case own.Assumes:
		a.leaveUnknown(t, nil)
	case a.Verdict == tensor.Yes && a.Why == "" && o.assumed(t) && !t.Header.Fortran:
		a.Why = "as stored, C-contiguous in any axis order"
		a.stored = true
	}
	return a
}
