package diffcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
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
	shape, err := t.Format.PhysicalShape(t.Layout.Shape())
	read, named := filename.Order(o.file, shape)
	switch {
	case err != nil, !named, read.Explicit() != t.Format.Explicit(), t.Sized() && !t.Format.Plain():
		o.file = "fixed.npz" // it records the layout
	}
	return o
}

// fix returns the command that makes a of b; "" if none was found that does when its conversion is tried.
func (p *pair) fix(d *differ, r *pairing.Relation) string {
	if !p.fixable(r) {
		return ""
	}
	typ, flag, err := p.typeForFix(r)
	switch {
	case err != nil:
		return ""
	case r.HasRows:
		return p.fixByRows(d, r, typ, flag)
	}
	return p.fixByReading(d, r, typ, flag)
}

// fixable reports whether convert could make a of b: b's file has a name, and a's elements, in an order that can be read.
func (p *pair) fixable(r *pairing.Relation) bool {
	name := p.sources[1]
	switch {
	case name == source.Stdin, !text.Typable(name):
		return false
	case p.tensors[1].DType.Packed(), r.Scale != nil:
		return false
	case r.DType != "" && !r.Viewed: // other numbers
		return false
	}
	return r.CanRead || r.HasRows
}

// typeForFix returns the type as which b's elements are a's, and the flag that reads them so; empty for b's own type.
func (p *pair) typeForFix(r *pairing.Relation) (typ dtype.Type, flag string, err error) {
	typ = p.tensors[1].DType
	spelt := r.DType
	switch {
	case r.Swapped:
		spelt = typ.OtherOrder().Typestr()
	case !r.Viewed:
		return typ, "", nil
	}
	typ, err = dtype.Parse(spelt)
	return typ, " --dtype " + text.Shell(spelt), err
}

// fixByRows returns two commands: the first writes b's elements in the order of a's, the second gives them a's dims.
func (p *pair) fixByRows(d *differ, r *pairing.Relation, typ dtype.Type, flag string) string {
	a := p.layouts[0]
	out := p.outputOfFix()
	rows, err := reshaped(a, r.Rows.Shape())
	if err != nil {
		return ""
	}
	back, err := convert.Own(a, false)
	if err != nil || !p.readsAs(d, r.Rows.String(), typ, r.Rows) || !p.makes(d, rows, r.Rows, typ, r.Differ) {
		return ""
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to c -o - | tlayout convert - --from %s%s --to %s -o %s",
		text.File(p.sources[1]), flag, text.Shell(r.Rows.String()), text.Shell(back.Layout.String()), out.dims, text.Shell(out.to), out.file)
}

// fixByReading returns one command, which reads b in the order of dims by their letters, or else by sizes and strides.
func (p *pair) fixByReading(d *differ, r *pairing.Relation, typ dtype.Type, flag string) string {
	a := p.layouts[0]
	out := p.outputOfFix()
	from := strings.ToLower(notation.JoinDims(r.Order))
	byLetters := out.to != "fortran" && p.readsAs(d, from, typ, r.Reading)
	if !byLetters {
		from = r.Reading.String()
		if !p.readsAs(d, from, typ, r.Reading) {
			return ""
		}
		flag += out.dims
	}
	if byLetters && out.to == "c" { // of the axes that the letters name
		out.to = strings.ToLower(notation.JoinDims(a.Names()))
	}
	if !r.Counted && !p.makes(d, a, r.Reading, typ, r.Differ) { // otherwise it was
		return ""
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to %s -o %s", text.File(p.sources[1]), flag, text.Shell(from), text.Shell(out.to), out.file)
}

// orderOfA returns the order of a's axes, which nobody named, in which a is the tensor that b is in the order that is named; "" if there is none.
func (p *pair) orderOfA(d *differ, r *pairing.Relation) string {
	a, b := p.tensors[0], p.tensors[1]
	switch {
	case !a.Assumed(), !b.Named(), !b.OrderIsExact(), !b.Format.Plain(), len(r.Order) != b.Layout.Rank():
		return ""
	case r.Differ > 0, r.Scale != nil, r.DType != "", r.Swapped: // other elements
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

// sameIfA reports whether a, with its axes in an order, is the same tensor as b.
func (p *pair) sameIfA(d *differ, order notation.Layout) bool {
	in := *d.inputs[0]
	in.set = nil
	in.options = func(string) source.Options { return source.Options{Layout: &order} }
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
	in.options = func(string) source.Options { return source.Options{Layout: &named, DType: &typ} }
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

// makes reports whether b, read in a layout and as a type, is a in another one, but for some elements.
func (p *pair) makes(d *differ, a, b tensor.Layout, typ dtype.Type, differ int) bool {
	sides, err := p.sides()
	if err != nil {
		return false
	}
	sides[0].Layout, sides[1].Layout, sides[1].DType = a, b, typ
	found, err := diff.Run(sides[0], sides[1], diff.Rule{}, diff.Options{Convert: d.moving})
	return err == nil && found.Differing == differ
}
