package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/convert/pairing"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/filename"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/text"
)

// fixed is the result of a fix: flags that write a's bytes under a's label from a source with a's dims, or their row-major order.
type fixed struct {
	to   string // --to
	dims string // " --dims", for a source whose dims strides do not name
	out  string
}

// fixed returns what a fix writes: a in its named order, under a name that says so, or in its file's own order, without one.
func (p *pair) fixed() fixed {
	t, names := p.tensors[0], p.layouts[0].Names()
	if !t.Named() || !t.OrderIsExact() {
		x := fixed{to: "c", out: "fixed.npy"}
		if t.Header.Fortran {
			x.to = "fortran"
		}
		return x
	}
	x := fixed{to: t.Format.Key(), out: "fixed." + t.Format.Key() + ".npy"}
	if !slices.Equal(names, source.DimNames(len(names))) {
		x.dims = " --dims " + text.Shell(strings.Join(names, ","))
	}
	shape, err := t.Format.PhysicalShape(t.Layout.Shape())
	read, named := filename.Order(x.out, shape)
	if err != nil || !named || read.Explicit() != t.Format.Explicit() || t.Sized() && !t.Format.Plain() {
		x.out = "fixed.npz" // it records the layout
	}
	return x
}

// fix returns the command that makes a of b; "" if none was found that does when its conversion is tried.
func (p *pair) fix(d *differ, r *pairing.Relation) string {
	name, typ, flag := p.sources[1], p.tensors[1].DType, ""
	if typ.Packed() || !r.CanRead && !r.HasRows || r.Scale != nil || r.DType != "" && !r.Viewed || name == source.Stdin || !text.Typable(name) {
		return ""
	}
	if r.Viewed || r.Swapped {
		spelt := r.DType
		if r.Swapped {
			spelt = typ.OtherOrder().Typestr()
		}
		var err error
		if typ, err = dtype.Parse(spelt); err != nil {
			return ""
		}
		flag = " --dtype " + text.Shell(spelt)
	}
	a, write := p.layouts[0], p.fixed()
	if r.HasRows {
		rows, err := reshaped(a, r.Rows.Shape())
		back, also := convert.Own(a, false)
		if err != nil || also != nil || !p.readsAs(d, r.Rows.String(), typ, r.Rows) || !p.makes(d, rows, r.Rows, typ, r.Differ) {
			return ""
		}
		return fmt.Sprintf("tlayout convert %s%s --from %s --to c -o - | tlayout convert - --from %s%s --to %s -o %s",
			text.File(name), flag, text.Shell(r.Rows.String()), text.Shell(back.Layout.String()), write.dims, text.Shell(write.to), write.out)
	}
	from := strings.ToLower(notation.JoinDims(r.Order))
	if write.to == "fortran" || !p.readsAs(d, from, typ, r.Reading) {
		from = r.Reading.String()
		if !p.readsAs(d, from, typ, r.Reading) {
			return ""
		}
		flag += write.dims
	} else if write.to == "c" { // of the axes that the letters name
		write.to = strings.ToLower(notation.JoinDims(a.Names()))
	}
	if !r.Counted && !p.makes(d, a, r.Reading, typ, r.Differ) { // otherwise it was
		return ""
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to %s -o %s", text.File(name), flag, text.Shell(from), text.Shell(write.to), write.out)
}

// orderOfA returns the order of a's axes, which nobody named, in which a is the tensor that b is in the order that is named; "" if there is none.
func (p *pair) orderOfA(d *differ, r *pairing.Relation) string {
	a, b := p.tensors[0], p.tensors[1]
	exact := b.Named() && b.OrderIsExact() && b.Format.Plain() && len(r.Order) == b.Layout.Rank()
	if !a.Assumed() || !exact || r.Differ > 0 || r.Scale != nil || r.DType != "" || r.Swapped {
		return ""
	}
	var order strings.Builder
	for _, name := range a.Layout.Names() { // in the order of the file's axes
		at := slices.Index(r.Order, name)
		if at < 0 {
			return ""
		}
		order.WriteString(b.Format.Names()[b.Format.Axes()[at].Dim])
	}
	from := strings.ToLower(order.String())
	named, err := notation.Parse(from)
	if err != nil {
		return ""
	}
	in := *d.inputs[0]
	in.set = nil
	in.options = func(string) source.Options { return source.Options{Layout: &named} }
	defer in.close()
	t, err := in.open(p.sources[0])
	if err != nil {
		return ""
	}
	defer t.Close()
	sides, err := p.sides()
	if err != nil {
		return ""
	}
	sides[0].Layout = t.Layout
	sides[1].Layout, _ = diff.Aligned(t.Layout, b.Layout)
	if !slices.Equal(sides[0].Layout.Shape(), sides[1].Layout.Shape()) {
		return ""
	}
	found, err := diff.Run(sides[0], sides[1], diff.Rule{}, diff.Options{Convert: d.moving})
	if err != nil || found.Differing > 0 {
		return ""
	}
	return from
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
