package convertcmd

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// output is where the result goes, and what its name and header do not record.
type output struct {
	path name.Name // name.Standard for standard output
	// unrecorded is the warning about a plain .npy; empty if its name and header record the layout, or if the assumed order is right.
	unrecorded string
}

func (o output) isStdout() bool { return o.path.IsStdin() }

// onlyMember is the name of the array in an archive of one array, as np.savez names it.
const onlyMember = "arr_0"

// newOutput resolves the output: as named, or <stem>.<layout>.npy beside the input, .npz if a .npy file and its name cannot record the layout. Names
// that would overwrite the input, or that would be read as another layout, are refused.
func (j *job) newOutput() (out output, err error) {
	s := j.settings
	d := j.destination
	out.path = cmp.Or(d.out, d.dir)
	switch {
	case out.isStdout() && j.app.Format != cli.Table && !j.options.dryRun:
		return out, fault.New(fault.Usage, "cannot write data and a %s report to the same standard output", j.app.Format).
			WithHint("use -o FILE, or drop the report format")
	case out.path.IsZero() && s.source.IsStdin():
		return out, fault.New(fault.Usage, "missing --output: standard input has no name to derive an output name from").
			WithHint("-o FILE, or -o - for standard output")
	case out.path.IsZero() && s.source.Kind() == name.URL && d.place == nil:
		return out, fault.New(fault.Usage, "missing --output: the result cannot be written beside %s", s.source).
			WithHint("-o FILE, or -o - for standard output")
	case out.path.IsZero():
		out.path, err = j.defaultName()
		out.path = d.placed(out.path)
		if out.path.IsArchive() && j.scope == arrayToArray {
			j.container = npzFile
			j.tasks[0].name = onlyMember
		}
	}
	switch {
	case err != nil:
		return out, err
	case (out.isStdout() || publish.IsNull(out.path)) && j.options.verify:
		return out, fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("use -o FILE")
	case publish.IsNull(out.path) || j.scope != arrayToArray || !j.container.shapes:
		return out, nil
	}
	return j.readable(out)
}

// readable notes what the name of a .npy file or one-array archive leaves open about its layout, and refuses a name of another layout.
func (j *job) readable(out output) (output, error) {
	k := &j.tasks[0]
	archive := j.container.records
	if container, array, ok := out.path.Resolve(); ok && array != "" {
		return out, fault.New(fault.Usage, "output %s names an array in %s", out.path, container).
			WithHint("convert writes whole archives: use -o x.npz")
	}
	if archive && k.recordsOrder() {
		return out, nil
	}
	base := ""
	if !out.isStdout() {
		base = out.path.Base()
	}
	if named, ok := filename.Order(base, k.target.FileShape); ok && (k.axes == nil || named.Explicit() != k.axes.order.Explicit()) {
		return out, fault.New(fault.Usage, "output %s would be read as %s", out.path, named).
			WithHint("its name ends in another layout: choose another name, or .npz")
	}
	if !archive && (k.isJoined() || !k.readsBack(base)) && (base != "" || k.target.Hidden) {
		out.unrecorded = k.howToRead(base)
	}
	return out, nil
}

// misnamed reports that the name of a tensor, as that of a .npy file, ends in a layout in which it is not, or in which nobody has said that it is: in a
// checkpoint, the name of a tensor does not order its axes. order is its own, if somebody has named that.
func (k *task) misnamed() (named notation.Format, order string, ok bool) {
	named, ok = filename.Order(path.Base(k.name)+".npy", k.target.FileShape)
	f, known := k.axesOrder()
	switch {
	case !ok:
		return named, "", false
	case known && k.dimsNamed():
		return named, f.String(), f.Explicit() != named.Explicit()
	}
	return named, "", true
}

// refuseMisnamed refuses to write a tensor as a file whose name would be read as another layout.
func (k *task) refuseMisnamed() error {
	named, order, ok := k.misnamed()
	if !ok {
		return nil
	}
	e := fault.New(fault.Usage, "%s would be read as %s, but is %s", text.Quoted(k.name), named, cmp.Or(order, "of unknown axis order"))
	if order == "" {
		return e.WithHint("if it is %s: --from %s --to c; otherwise write .npz", named, text.Shell(named.Key()))
	}
	return e.WithHint("its name ends in another layout: write .npz, which records the layout")
}

// spelled returns the order of the target's axes for flags and sentences: with letters by position if nobody named the dims.
func (k *task) spelled() notation.Format {
	f := k.axes.order
	if k.dimsNamed() || f.Rank() > len(positions) {
		return f
	}
	return f.Rename(strings.Split(positions[:f.Rank()], ""))
}

// positions are the letters of dims that have no names, as in oneDNN's tags.
const positions = "ABCDEFGHIJKL"

// defaultName returns <stem>.<layout>.npy beside the input, or .npz.
func (j *job) defaultName() (name.Name, error) {
	if j.scope == arraysToArchive {
		at := slices.IndexFunc(j.tasks, func(k task) bool { return k.action.converts() })
		file := j.in.set.Path
		return file.WithBase(filename.Stem(file.Base(), nil) + "." + j.tasks[at].target.Name + ".npz"), nil
	}
	k := &j.tasks[0]
	stem, err := j.stem(k)
	if err != nil {
		return stem, err
	}
	var parts []string
	if k.axes != nil && k.keepsAxes() && k.dimsNamed() {
		if order, ok := k.axes.order.Short(); ok {
			parts = append(parts, strings.ToLower(order))
		}
	}
	file := stem.Plus("." + strings.Join(append(parts, k.target.Name), "."))
	plain := file.Plus(".npy")
	if !k.isJoined() && (k.target.Hidden || !k.readsBack(plain.Base())) {
		return file.Plus(".npz"), nil
	}
	return plain, nil
}

// stem returns the start of a default output name: the source's name without its layout; x.w for x.npz:w.
func (j *job) stem(k *task) (name.Name, error) {
	t := k.tensor
	m := t.Member
	if t.Kind == source.KindRaw {
		return j.in.name.WithEnding(""), nil
	}
	if m == nil || t.Source == m.Archive {
		return j.in.name.WithBase(filename.Stem(j.in.name.Base(), t.FileShape)), nil
	}
	array := filename.Stem(m.Name, t.FileShape)
	if array == "" || len(array) > 100 || strings.ContainsAny(array, `/\:*?"<>|`) || text.Quote(array) != array {
		return name.Name{}, fault.New(fault.Usage, "array name %s cannot be part of a file name", text.Quoted(array)).
			WithHint("use -o FILE")
	}
	return m.Archive.WithEnding("").Plus("." + array), nil
}

// readsBack reports whether a .npy file of this name is read in the layout it was written in, by its name or by the order assumed for its rank. A
// tensor of unknown axis order needs no name.
func (k *task) readsBack(base string) bool {
	if k.target.Hidden {
		return false
	}
	if k.axes == nil {
		return true
	}
	read, ok := filename.Order(base, k.target.FileShape)
	if !ok {
		read = notation.RowMajor(source.DimNames(len(k.target.FileShape)))
	}
	return read.Explicit() == k.axes.order.Explicit()
}

// howToRead is the warning about what a plain .npy file of this name does not record, and how to read it anyway.
func (k *task) howToRead(base string) string {
	name := text.Quote(base)
	if base == "" {
		name = "standard output"
	}
	what := k.target.Layout.String()
	flags := ""
	switch channels, only := k.hiddenChannels(); {
	case k.axes != nil && k.dtype.Packed():
		what = k.spelled().String()
		flags = "--from " + text.Shell(k.spelled().Key())
		if k.target.Hidden {
			what += " of sizes " + tensor.Tuple(k.axes.sizes)
			flags += ", which counts padding as values"
		}
	case k.axes != nil && !k.target.Hidden:
		what = k.spelled().String()
		flags = "--from " + text.Shell(k.spelled().Key())
	case only:
		what = fmt.Sprintf("%s with C = %d", k.axes.order, channels)
		flags = fmt.Sprintf("--from %s --channels %d", text.Shell(k.axes.order.Key()), channels)
	case k.isStrided():
		flags = "--from " + text.Shell(what)
	}
	switch {
	case k.dtype.Packed():
		return fmt.Sprintf("%s does not record that it packs %s, %s: read it with --dtype %s %s", name, k.dtype, what, k.dtype, flags)
	case flags != "":
		flags = "read it with " + flags + ", or "
	}
	return fmt.Sprintf("%s does not record its layout, %s: %swrite an .npz, which does", name, what, flags)
}

// isStrided reports whether every dim of the target has one stride.
func (k *task) isStrided() bool {
	_, ok := k.target.Layout.Strided()
	return ok
}

// hiddenChannels returns the size of C; only is false if the file's shape hides more than that C ends inside a block.
func (k *task) hiddenChannels() (channels int, only bool) {
	if !k.target.Hidden || k.axes == nil {
		return 0, false
	}
	f := k.axes.order
	sizes := k.axes.sizes
	at := slices.Index(f.Names(), "C")
	packed, err := f.Bind(sizes)
	if err != nil || at < 0 || k.frame != ofFile && packed.String() != k.target.Layout.String() {
		return 0, false
	}
	padded, err := f.LogicalShape(k.target.FileShape)
	if err != nil {
		return 0, false
	}
	channels = sizes[at]
	padded[at] = sizes[at]
	return channels, slices.Equal(padded, sizes)
}

// fileAxes is the order of a file's axes, outermost first, and the logical sizes in the order of the tensor's names.
type fileAxes struct {
	order notation.Format
	sizes []int
}

// axesOf returns the axes of the target's file; nil if they have numbers only, or if the file is plain storage.
func axesOf(c *conversion) *fileAxes {
	f, ok := c.axesOrder()
	if !ok {
		return nil
	}
	f, sizes, err := c.tensor.SizesIn(f)
	if err != nil {
		return nil
	}
	if shape, err := f.PhysicalShape(sizes); !c.keepsAxes() && (err != nil || len(shape) != len(c.target.FileShape)) {
		return nil
	}
	return &fileAxes{f, sizes}
}

// axesOrder returns the axis order of the target's file, if one was named or assumed.
func (c *conversion) axesOrder() (f notation.Format, ok bool) {
	t := c.tensor
	switch {
	case c.request.to.Layout.Exact != nil:
		return f, false
	case !c.keepsAxes():
		return c.request.to.Layout.Format, true
	case c.frame != ofFile:
		return notation.RowMajor(c.from.Names()), true
	case !t.HasFormat || !t.Named() && !t.Assumed():
		return f, false
	case t.Header.Fortran:
		return t.Format.Reversed(), true
	}
	return t.Format, true
}

// readAgain returns the options, and the flags, that read a raw output as the tensor it holds: the logical sizes and the memory order if these
// suffice, the sizes of the file's axes if they are unnamed, and otherwise a layout with strides. Errors are fault.Usage.
func (j *job) readAgain(k *task) (o source.Options, flags string, err error) {
	typ := k.dtype
	name := typ.String()
	if d, err := dtype.Parse(name); err != nil || !d.Equal(typ) {
		name = typ.Typestr()
	}
	l, order, err := k.recorded()
	if err == nil && l.Numel() == 0 {
		err = fault.New(fault.Usage, "an empty tensor has no bytes to write to %s", j.out.path).WithHint("use .npy or .npz")
	}
	if err != nil {
		return o, "", err
	}
	shape := l.Shape()
	from := order
	if !k.recordsOrder() || k.axes == nil && !k.target.Hidden && l.Alloc() == l.Numel() {
		shape, from = k.target.FileShape, ""
		if k.target.Fortran {
			from = "fortran"
		}
	} else if f, bad := notation.Parse(order); bad != nil || f.Own != notation.NotOwn || !binds(f.Format, l) {
		shape = nil
		from = l.String()
	}
	if shape != nil && from == order && !k.dimsNamed() && k.axes != nil {
		from = k.spelled().String()
	}
	o = source.Options{DType: &typ, Raw: &source.Typed{Shape: shape}, AllowTrailing: shape == nil}
	flags = "--raw --dtype " + text.Shell(name)
	if shape != nil {
		flags += " --shape " + cmp.Or(text.Ints(shape, ","), "'()'")
	}
	if from != "" {
		layout, err := notation.Parse(from)
		if err != nil {
			return o, "", err
		}
		o.Layout = &layout
		if shape != nil {
			from = strings.ToLower(from)
		}
		flags += " --from " + text.Shell(from)
	}
	if names := l.Names(); shape == nil {
		if dims, err := notation.ParseDims(strings.Join(names, ",")); err == nil && slices.Equal(dims, names) && k.dimsNamed() {
			o.Raw.Dims = names
			flags = flags + " --dims " + strings.Join(names, ",")
		}
		if _, high, ok := l.Span(); !ok || high+1 < l.Alloc() {
			flags += " --allow-trailing"
		}
	}
	return o, flags, nil
}

// binds reports whether a format with the sizes of a layout is that layout.
func binds(f notation.Format, l tensor.Layout) bool {
	if f.Rank() != l.Rank() || !slices.Equal(f.Names(), l.Names()) {
		return false
	}
	bound, err := f.Bind(l.Shape())
	return err == nil && bound.String() == l.String() && bound.Alloc() == l.Alloc()
}
