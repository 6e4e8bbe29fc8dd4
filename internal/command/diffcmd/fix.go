package diffcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// fixOutput is what a fix writes: flags that write a's bytes under a's label from a source with a's dims, or their row-major order.
type fixOutput struct {
	to   string // --to
	dims string // " --dims", for a source whose dims strides do not name
	file string // -o
}

// outputOfFix returns a in its named order, under a name that says so, or in its file's own order, without one.
func (p *pair) outputOfFix() fixOutput {
	t := p.tensors[0]
	names := p.layouts[0].Names()
	if !t.Named() || !t.OrderIsExact() {
		o := fixOutput{to: "c", file: "fixed.npy"}
		if t.Header.Fortran {
			o.to = "fortran"
		}
		return o
	}
	o := fixOutput{to: t.Format.Key(), file: "fixed." + t.Format.Key() + ".npy"}
	if !slices.Equal(names, source.DimNames(len(names))) {
		o.dims = " --dims " + text.Shell(strings.Join(names, ","))
	}
	if !nameSaysOrder(o.file, t) {
		o.file = "fixed.npz" // it records the layout
	}
	return o
}

// nameSaysOrder reports whether a tensor's named order is read from the name of a file.
func nameSaysOrder(file string, t *source.Tensor) bool {
	if t.Sized() && !t.Format.Plain() {
		return false
	}
	shape, err := t.Format.PhysicalShape(t.Layout.Shape())
	if err != nil {
		return false
	}
	read, named := filename.Order(file, shape)
	return named && read.Explicit() == t.Format.Explicit()
}

// noFix is why no command makes a of b.
type noFix int

// The reasons, in the order in which they are found.
const (
	fixFound        noFix = iota
	orderIsSame           // only b's numbers are others
	sourceUnnamed         // b is standard input, or has a name that no command line can have
	elementsPacked        // b's elements are smaller than a byte
	valuesComputed        // b's numbers are a's times a factor, plus an offset, or rounded to another type
	orderUnreadable       // b lacks or repeats elements, or no layout of its storage has their order
	typeUnnamed           // --dtype does not take the type as which b's elements are a's
	rowsNotViewed         // a is not a view of its elements under the shape that b is read with
	readsOtherwise        // b, opened with --from, is not the layout of the storage that was found
	makesOthers           // the conversion was tried, and its result is not a
)

// fix returns the command that makes a of b, whose conversion was tried, or why there is none.
func (p *pair) fix(d *differ, r *pairing.Relation) (string, noFix) {
	if why := p.unfixable(r); why != fixFound {
		return "", why
	}
	typ, flag, err := p.typeForFix(r)
	if err != nil {
		return "", typeUnnamed
	}
	if r.HasRows {
		return p.fixByRows(d, r, typ, flag)
	}
	return p.fixByReading(d, r, typ, flag)
}

// unfixable returns why convert cannot make a of b, before anything is tried: b's file needs a name, and a's elements in an order that can be
// read.
func (p *pair) unfixable(r *pairing.Relation) noFix {
	from := p.sources[1]
	if from.IsStdin() || !from.IsTypable() {
		return sourceUnnamed
	}
	if p.tensors[1].DType.Packed() {
		return elementsPacked
	}
	if r.Tolerance != nil && r.SameDims() {
		return orderIsSame
	}
	converted := r.DType != "" && !r.Viewed
	if converted || r.Scale != nil {
		return valuesComputed
	}
	if !r.CanRead && !r.HasRows {
		return orderUnreadable
	}
	return fixFound
}

// typeForFix returns the type as which b's elements are a's, and the flag that reads them so; empty for b's own type.
func (p *pair) typeForFix(r *pairing.Relation) (typ dtype.Type, flag string, err error) {
	typ = p.tensors[1].DType
	if !r.Swapped && !r.Viewed {
		return typ, "", nil
	}
	spelt := r.DType
	if r.Swapped {
		spelt = typ.OtherOrder().Typestr()
	}
	typ, err = dtype.Parse(spelt)
	return typ, " --dtype " + text.Shell(spelt), err
}

// fixByRows returns two commands: the first writes b's elements in the order of a's, the second gives them a's dims.
func (p *pair) fixByRows(d *differ, r *pairing.Relation, typ dtype.Type, flag string) (string, noFix) {
	a := p.layouts[0]
	out := p.outputOfFix()
	rows, err := reshaped(a, r.Rows.Shape())
	if err != nil {
		return "", rowsNotViewed
	}
	back, err := convert.Own(a, false)
	if err != nil {
		return "", rowsNotViewed
	}
	if !p.readsAs(d, r.Rows.String(), typ, r.Rows) {
		return "", readsOtherwise
	}
	if !p.makes(d, rows, r.Rows, typ, r) {
		return "", makesOthers
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to c -o - | tlayout convert - --from %s%s --to %s -o %s",
		p.sources[1].Arg(), flag, text.Shell(r.Rows.String()), text.Shell(back.Layout.String()), out.dims, text.Shell(out.to), out.file), fixFound
}

// fixByReading returns one command, which reads b in the order of dims by their letters, or else by sizes and strides.
func (p *pair) fixByReading(d *differ, r *pairing.Relation, typ dtype.Type, flag string) (string, noFix) {
	a := p.layouts[0]
	out := p.outputOfFix()
	from := strings.ToLower(notation.JoinDims(r.Order))
	byLetters := out.to != "fortran" && p.readsAs(d, from, typ, r.Reading)
	if !byLetters {
		from = r.Reading.String()
		if !p.readsAs(d, from, typ, r.Reading) {
			return "", readsOtherwise
		}
		flag += out.dims
	}
	if byLetters && out.to == "c" { // of the axes that the letters name
		out.to = strings.ToLower(notation.JoinDims(a.Names()))
	}
	if !r.Counted && !p.makes(d, a, r.Reading, typ, r) { // otherwise it was
		return "", makesOthers
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to %s -o %s", p.sources[1].Arg(), flag, text.Shell(from), text.Shell(out.to), out.file), fixFound
}

// orderOfA returns the order of a's axes, which nobody named, in which a is the tensor that b is in the order that is named; "" if there is none.
func (p *pair) orderOfA(d *differ, r *pairing.Relation) string {
	a, b := p.tensors[0], p.tensors[1]
	if !a.Assumed() || !hasNamedDims(b) || len(r.Order) != b.Layout.Rank() {
		return ""
	}
	if otherElements := r.Differ > 0 || r.ChangesValues(); otherElements {
		return ""
	}
	var order []string
	for _, name := range a.Layout.Names() { // in the order of the file's axes
		at := slices.Index(r.Order, name)
		if at < 0 {
			return ""
		}
		order = append(order, b.Format.Names()[b.Format.Axes()[at].Dim])
	}
	from := strings.ToLower(notation.JoinDims(order))
	named, err := notation.Parse(from)
	if err != nil || !p.sameIfA(d, named) {
		return ""
	}
	return from
}

// hasNamedDims reports whether somebody named the order of a tensor's dims, which has no blocks.
func hasNamedDims(t *source.Tensor) bool { return t.Named() && t.OrderIsExact() && t.Format.Plain() }

// sameIfA reports whether a, with its axes in an order, is the same tensor as b.
func (p *pair) sameIfA(d *differ, order notation.Layout) bool {
	in := *d.inputs[0]
	in.set = nil
	in.options = func(name.Name) source.Options { return source.Options{Layout: &order} }
	defer in.close()
	t, err := in.open(p.sources[0])
	if err != nil {
		return false
	}
	defer t.Close()
	sides, err := p.sides()
	if err != nil {
		return false
	}
	sides[0].Layout = t.Layout
	sides[1].Layout, _ = diff.Aligned(t.Layout, p.tensors[1].Layout)
	if !slices.Equal(sides[0].Layout.Shape(), sides[1].Layout.Shape()) {
		return false
	}
	found, err := diff.Run(sides[0], sides[1], diff.Rule{}, diff.Options{Convert: d.moving})
	return err == nil && found.Differing == 0
}

// readsAs reports whether b, opened with --from and --dtype and no other flags, is a layout of the storage that it has here. Axes in
// another order, strides that the file records and a file without a header refuse that, or make it another.
func (p *pair) readsAs(d *differ, from string, typ dtype.Type, want tensor.Layout) bool {
	named, err := notation.Parse(from)
	if err != nil || d.options.Raw {
		return false
	}
	in := *d.inputs[1]
	in.options = func(name.Name) source.Options { return source.Options{Layout: &named, DType: &typ} }
	t, err := in.open(p.sources[1])
	if err != nil {
		return false
	}
	defer t.Close()
	if t.Header.DataOffset != p.tensors[1].Header.DataOffset || !t.DType.Equal(typ) {
		return false
	}
	got, _ := diff.Aligned(want, t.Layout)
	return got.Offset() == want.Offset() && slices.Equal(got.Shape(), want.Shape()) && sameAddresses(got, want)
}

// reshaped returns a layout under another shape; it fails if that takes a copy.
func reshaped(l tensor.Layout, shape []int) (tensor.Layout, error) {
	s, ok := l.Strided()
	if !ok {
		return l, fault.New(fault.Unsupported, "blocks are not reshaped")
	}
	v, err := s.View(shape)
	if err != nil {
		return l, err
	}
	return v.Layout(nil, l.Alloc())
}

// makes reports whether b, read in a layout and as a type, is a in another one, but for the elements that the relation does not explain.
func (p *pair) makes(d *differ, a, b tensor.Layout, typ dtype.Type, r *pairing.Relation) bool {
	sides, err := p.sides()
	if err != nil {
		return false
	}
	sides[0].Layout, sides[1].Layout, sides[1].DType = a, b, typ
	if r.Tolerance != nil {
		near := diff.Rule{Numeric: true, ATol: r.Tolerance.MaxAbs}
		found, err := diff.Run(sides[0], sides[1], near, diff.Options{Convert: d.moving})
		return err == nil && found.Differing <= r.Differ
	}
	found, err := diff.Run(sides[0], sides[1], diff.Rule{}, diff.Options{Convert: d.moving})
	return err == nil && found.Differing == r.Differ
}
