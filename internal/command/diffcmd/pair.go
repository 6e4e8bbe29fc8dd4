package diffcmd

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// pair is the two open tensors. The dims of both layouts are in the order of the first.
type pair struct {
	rule    diff.Rule
	sources [2]name.Name
	tensors [2]*source.Tensor
	layouts [2]tensor.Layout
	names   bool // dims were matched by name
}

// open opens a tensor of each source. The caller closes the pair, even after an error.
func (d *differ) open(sources [2]name.Name) (*pair, error) {
	p := &pair{rule: d.options.rule(), sources: sources}
	for i, n := range sources {
		t, err := d.inputs[i].open(n)
		if err != nil {
			return p, err
		}
		p.tensors[i] = t
		if !t.HasData() {
			return p, fault.New(fault.Usage, "%s describes a layout without data", n.Subject()).
				WithHint("name a file with data: diff compares elements")
		}
	}
	for i, t := range p.tensors { // x.npy beside x.ohwi.npy is assumed to be OIHW
		if other := p.tensors[1-i]; other.Named() && other.HasFormat {
			t.AssumeLike(other.Format)
		}
	}
	if err := p.dropSharedName(); err != nil {
		return p, err
	}
	p.layouts[0] = p.tensors[0].Layout
	p.layouts[1], p.names = diff.Aligned(p.layouts[0], p.tensors[1].Layout)
	return p, nil
}

// dropSharedName ignores the layout in a name that both sides have if only that name orders one side's axes and the stored shapes are
// equal: m.pt:w.nhwc, whose order does not depend on its name, beside w.nhwc.npy.
func (p *pair) dropSharedName() error {
	for i, t := range p.tensors {
		other := p.tensors[1-i]
		byNameAlone := t.OrderSource == source.ByName && !other.Named()
		sharedName := t.OwnName() == other.OwnName()
		if byNameAlone && sharedName && slices.Equal(t.FileShape, other.Layout.Shape()) {
			return t.ReadAs(notation.RowMajor(source.DimNames(len(t.FileShape))))
		}
	}
	return nil
}

// close closes the tensors. Those of an archive are mapped as long as it is open: their memory is released.
func (p *pair) close() {
	for _, t := range p.tensors {
		if t != nil {
			t.Release(0, int(t.Header.DataBytes))
			t.Close()
		}
	}
}

// guard runs f, which may read both tensors.
func (p *pair) guard(f func() error) error {
	return p.tensors[0].Guard(func() error { return p.tensors[1].Guard(f) })
}

// ownNames returns the names of the tensors, and those of their files.
func (p *pair) ownNames() (names []string) {
	for i, t := range p.tensors {
		names = append(names, t.OwnName(), p.sources[i].Shown())
	}
	return names
}

func (p *pair) sameShape() bool { return slices.Equal(p.layouts[0].Shape(), p.layouts[1].Shape()) }

// differsIn names what prevents a comparison of elements: dtype, shape or both.
func (p *pair) differsIn() (what []string) {
	if !p.rule.Comparable(p.tensors[0].DType, p.tensors[1].DType) {
		what = append(what, "dtype")
	}
	if !p.sameShape() {
		what = append(what, "shape")
	}
	return what
}

// compare compares the elements if types and shapes allow it, and shows progress.
func (p *pair) compare(d *differ) (*report, error) {
	if len(p.differsIn()) > 0 {
		return newReport(p, nil), nil
	}
	sides, err := p.sides()
	if err != nil {
		return nil, err
	}
	bar := cli.NewProgress(d.Streams, "reading", diff.Work(sides[0], sides[1]))
	defer bar.End()
	o := diff.Options{Limit: d.options.limit, Brief: d.brief(), Convert: d.moving}
	o.Convert.Done = bar.Add
	o.Convert.Guard = p.guard
	found, err := diff.Run(sides[0], sides[1], p.rule, o)
	return newReport(p, &found), err
}

// otherReading returns a note if reading a source in another order than the assumed one, or without the padding of its blocks, would make
// the shapes equal.
func (p *pair) otherReading() []string {
	for _, i := range []int{1, 0} {
		t := p.tensors[i]
		flags := p.remedy(i)
		if flags == "" {
			continue
		}
		how := "with the padding of its blocks"
		if t.Assumed() {
			how = fmt.Sprintf("as %s by default", t.Format)
		}
		return []string{fmt.Sprintf("%s is read %s; the shapes match with %s", t.Source.Shown(), how, flags)}
	}
	return nil
}

// remedy returns the flags for side i that make the shapes equal; "" if there are none.
func (p *pair) remedy(i int) string {
	t := p.tensors[i]
	side := sideNames[i]
	if !t.Assumed() {
		if channels := p.agrees(i, t.Format); t.HasFormat && !t.Sized() && channels > 0 {
			return fmt.Sprintf("--channels-%s %d", side, channels)
		}
		return ""
	}
	for _, name := range otherOrders(t.FileShape) {
		l, err := notation.Parse(name)
		if err != nil {
			continue
		}
		channels := p.agrees(i, l.Format)
		if channels == 0 {
			return fmt.Sprintf("--from-%s %s", side, name)
		}
		if channels > 0 {
			return fmt.Sprintf("--from-%s %s --channels-%s %d", side, name, side, channels)
		}
	}
	return ""
}

// otherOrders returns likely layouts of a file of that shape other than the assumed one.
func otherOrders(shape []int) []string {
	switch rank := len(shape); rank {
	case 3:
		return []string{"hwc"}
	case 4:
		return []string{"nhwc", "chwn", "hwcn"}
	case 5:
		return []string{"ndhwc", fmt.Sprintf("nchw%dc", shape[4])}
	case 6:
		return []string{fmt.Sprintf("ncdhw%dc", shape[5])}
	}
	return nil
}

// agrees reports whether side i, read in format f, has the shape of the other side: it returns 0 if so, the number of channels if its
// last block of C has to hold padding for that, −1 if not.
func (p *pair) agrees(i int, f notation.Format) (channels int) {
	other := p.tensors[1-i].Layout
	file := p.tensors[i].FileShape
	sizes, err := f.LogicalShape(file)
	if err != nil || len(sizes) != other.Rank() {
		return -1
	}
	for k, name := range f.Names() {
		at := slices.Index(other.Names(), name)
		if at < 0 || name != "C" && other.Dim(at).Size != sizes[k] {
			return -1
		}
		if size := other.Dim(at).Size; size != sizes[k] {
			sizes[k] = size
			channels = size
		}
	}
	if padded, err := f.PhysicalShape(sizes); err != nil || !slices.Equal(padded, file) {
		return -1
	}
	return channels
}
