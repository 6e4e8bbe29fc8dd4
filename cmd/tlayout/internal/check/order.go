package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// readAsAsked reads a file whose axes are unknown in the order that --layout names. It returns nil where the order is
// known, or --layout is not given.
func (o *options) readAsAsked(t *source.Tensor) *assertion {
	asked := o.want.layout.Layout
	if asked == nil || asked.Own != notation.NotOwn || asked.Exact != nil || o.reading.Layout.Layout != nil || t.Described || t.FileShape == nil {
		return nil
	}
	a := &assertion{Name: "layout", Expected: o.want.layout.Name, Why: "the file's axes are unknown: read as " + asked.Format.String()}
	if against := t.Contradiction(asked.Format); against != "" {
		a.Found, a.Why = against, "nothing else names the file's axes"
		a.Hint = o.convertHint(t, o.want.layout.Name)
		if t.LooksLike() == "" && a.Hint != "" {
			a.Hint += "; or, if it already has this layout, --from " + words.Shell(o.want.layout.Name)
		}
		return a
	}
	if err := t.ReadAs(source.NameDims(asked.Format)); err != nil {
		a.Found, a.Why = words.Quote(err.Error()), ""
		return a
	}
	a.OK = true
	return a
}

// unknownAxes is what --strict finds in a file that was read in the order asserted, for want of another.
const unknownAxes = "unknown"

// layoutAssertion answers --layout. With --strict, a file that can be read in this order is not enough: something must say
// that this is its order.
func (o *options) layoutAssertion(t *source.Tensor) assertion {
	a := assertion{Name: "layout", Expected: o.want.layout.Name}
	read := o.readAsAsked(t)
	if read != nil {
		if a = *read; !a.OK {
			return a
		}
	}
	if exact := o.want.layout.Layout.Exact; exact != nil {
		a.Found, a.OK = t.Layout.String(), t.Layout.String() == exact.String()
		return a
	}
	l, f := o.orderAndLayout(t)
	if a.Found = cmp.Or(t.OrderName(), l.String()); !slices.Equal(f.Names(), l.Names()) {
		a.OK, a.Why = false, fmt.Sprintf("its dims are %s, not %s", strings.Join(l.Names(), ","), strings.Join(f.Names(), ","))
		return a
	}
	several := ""
	if a.OK = f.Agrees(l); a.OK && o.want.strict && read == nil {
		several = ambiguity(t, f)
	}
	switch {
	case a.OK && o.want.strict && read != nil:
		a.OK, a.Found, a.Why = false, unknownAxes, "the file's axes are unknown"
		a.Hint = "name them: --from " + words.Shell(o.want.layout.Name)
	case several != "":
		a.OK, a.Why, a.Hint = false, several, o.convertHint(t, o.want.layout.Name)
	case a.OK:
		a.Found = o.want.layout.Name
	default:
		a.Hint = o.convertHint(t, o.want.layout.Name)
	}
	return a
}

// orderAndLayout is the order that --layout names, and the layout that it is compared with: for c and fortran that of the
// file's own axes, if there is a file.
func (o *options) orderAndLayout(t *source.Tensor) (tensor.Layout, notation.Format) {
	asked, l := o.want.layout.Layout, t.Layout
	if asked.Own == notation.NotOwn {
		return l, t.Rename(asked.Format)
	}
	if axes, err := t.FileLayout(); err == nil && !t.Described && t.FileShape != nil {
		l = axes
	}
	f := notation.RowMajor(l.Names())
	if asked.Own == notation.OwnFortran {
		f = f.Reversed()
	}
	return l, f
}

// ambiguity names the other orders that the strides agree with; empty where there are none. If the source's order is
// named, no other counts.
func ambiguity(t *source.Tensor, f notation.Format) string {
	s, plain := t.Layout.Strided()
	if !plain || t.Named && t.HasFormat && f.Explicit() == t.Format.Explicit() {
		return ""
	}
	return s.Infer(t.Layout.Names(), source.KnownOrders(t.Layout.Names())).Ambiguity
}
