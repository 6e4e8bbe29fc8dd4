package convert

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/filename"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// The formats of outputs that are no container.
const (
	npyFile checkpoint.Format = ".npy"
	rawFile checkpoint.Format = "raw"
)

// formats are the endings of outputs that say what they hold, and bare those of bytes alone.
var formats, bare = []string{".npy", ".npz", ".safetensors", ".pt", ".pth", ".ckpt"}, []string{".raw", ".bin"}

func ending(path string) string { return strings.ToLower(filepath.Ext(words.URLPath(path))) }

func isRaw(path string) bool { return slices.Contains(bare, ending(path)) }

// format is what the output is, by its name; an .npy file without one.
func (o *options) format() checkpoint.Format {
	switch e := ending(o.out); {
	case e == ".pt" || e == ".pth" || e == ".ckpt":
		return checkpoint.Torch
	case e == ".safetensors":
		return checkpoint.Safetensors
	case e == ".npz":
		return checkpoint.NPZ
	case isRaw(o.out):
		return rawFile
	case o.dir != "":
		return checkpoint.Folder
	}
	return npyFile
}

// hasAxes reports whether an output of that format has the axes of a file, whose order is said by a name, a record or flags. The others have
// a tensor's dims.
func hasAxes(f checkpoint.Format) bool {
	return f == npyFile || f == rawFile || f == checkpoint.NPZ
}

// checkEnding refuses an output whose extension is that of no format that is written.
func checkEnding(path string) error {
	_, array, _ := source.SplitTensor(path)
	info, err := os.Stat(path)
	if special := err == nil && !info.Mode().IsRegular(); special || array != "" || path == "" || path == source.Stdin || strings.HasSuffix(path, "/") ||
		slices.Contains(formats, ending(path)) || isRaw(path) {
		return nil // what is no name of a file is refused where it is opened
	}
	return cli.UnknownEnding(path, "%s (PyTorch), or %s (bytes alone)", strings.Join(formats, ", "), words.Or(bare))
}

// output is where the result goes, and whether it can be read again from there alone.
type output struct {
	path string // source.Stdin for standard output
	// unrecorded is what a reader of a plain .npy must be told; empty if its name and header say it all, or if what is
	// assumed of it is right.
	unrecorded string
}

func (o output) isStdout() bool { return o.path == source.Stdin }

// onlyMember is the array's name in an archive of one array; np.savez calls it so too.
const onlyMember = "arr_0"

// newOutput is the output as the user names it, or <stem>.<layout>.npy beside the input; .npz if a .npy file and its name
// cannot say what the layout is. Names that would overwrite the input, or be read as another layout, are refused.
func (j *job) newOutput() (out output, err error) {
	o := j.options
	out.path = cmp.Or(o.out, o.dir)
	switch {
	case out.isStdout() && j.app.Format != cli.Table && !o.dryRun:
		return out, fault.New(fault.Usage, "standard output carries the data, so a report in %s has nowhere to go", j.app.Format).
			WithHint("name a file with --output, or leave out the format")
	case out.path == "" && o.source == source.Stdin:
		return out, fault.New(fault.Usage, "missing --output: standard input has no name to derive the output's from").
			WithHint("--output names the output; - is standard output")
	case out.path == "" && remote.IsHTTP(o.source) && o.unit == nil:
		return out, fault.New(fault.Usage, "missing --output: the result cannot be written beside %s", words.Quoted(o.source)).
			WithHint("--output names the output; - is standard output")
	case out.path == "":
		out.path, err = j.defaultName()
		if out.path = o.placed(out.path); source.NamesArchive(out.path) && j.in.one {
			j.format, j.tasks[0].name = checkpoint.NPZ, onlyMember
		}
	}
	switch {
	case err != nil:
		return out, err
	case (out.isStdout() || publish.IsNull(out.path)) && o.verify:
		return out, fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("name a file with --output")
	case publish.IsNull(out.path) || !j.in.one || !hasAxes(j.format) || j.format == rawFile:
		return out, nil
	}
	return j.readable(out)
}

// readable says what the name of a .npy file, or of an archive of one array, does not say of its layout, and refuses one that says another.
func (j *job) readable(out output) (output, error) {
	k, archive := &j.tasks[0], j.format == checkpoint.NPZ
	if container, array, ok := source.SplitTensor(out.path); ok && array != "" {
		return out, fault.New(fault.Usage, "output %s has the name of an array in %s", words.Quoted(out.path), words.Quoted(container)).
			WithHint("convert writes whole archives: name an .npz")
	}
	if archive && k.recordsOrder() {
		return out, nil
	}
	base := ""
	if !out.isStdout() {
		base = source.Base(out.path)
	}
	if named, ok := filename.Order(base, k.target.FileShape); ok && (k.axes == nil || named.Explicit() != k.axes.order.Explicit()) {
		return out, fault.New(fault.Usage, "output %s would be read as %s", words.Quoted(out.path), named).
			WithHint("its name ends in a layout that it does not have: write to another name, or to an .npz")
	}
	if !archive && !k.readsBack(base) && (base != "" || k.target.Hidden) {
		out.unrecorded = k.howToRead(base)
	}
	return out, nil
}

// defaultName is <stem>.<layout>.npy beside the input, or .npz.
func (j *job) defaultName() (string, error) {
	query := j.in.name[len(words.URLPath(j.in.name)):]
	if !j.in.one {
		at := slices.IndexFunc(j.tasks, func(k task) bool { return k.converted })
		path := words.URLPath(j.in.set.Path)
		return filename.Stem(path, nil) + "." + j.tasks[at].target.Name + ".npz" + j.in.set.Path[len(path):], nil
	}
	k := &j.tasks[0]
	stem, err := j.stem(k)
	if err != nil {
		return "", err
	}
	parts := []string{stem}
	if k.axes != nil && k.keepsAxes() && (k.tensor.Named() || !k.ofAxes()) {
		if order, ok := k.axes.order.Short(); ok {
			parts = append(parts, strings.ToLower(order))
		}
	}
	path := strings.Join(append(parts, k.target.Name), ".") + ".npy"
	if k.target.Hidden || !k.readsBack(source.Base(path)) {
		return strings.TrimSuffix(path, ".npy") + ".npz" + query, nil
	}
	return path + query, nil
}

// stem is what a default output name begins with: the source's without its layout. For x.npz:w it is x.w.
func (j *job) stem(k *task) (string, error) {
	t, name := k.tensor, words.URLPath(j.in.name)
	m := t.Member
	if t.Kind == source.KindRaw {
		return strings.TrimSuffix(name, filepath.Ext(name)), nil
	}
	if m == nil || t.Source == m.Archive {
		return filename.Stem(name, t.FileShape), nil
	}
	array := filename.Stem(m.Name, t.FileShape)
	if array == "" || len(array) > 100 || strings.ContainsAny(array, `/\:*?"<>|`) || words.Quote(array) != array {
		return "", fault.New(fault.Usage, "the array's name %s cannot be part of a file's name", words.Quoted(array)).
			WithHint("--output names the output")
	}
	name = words.URLPath(m.Archive)
	return strings.TrimSuffix(name, filepath.Ext(name)) + "." + array, nil
}

// readsBack reports whether a .npy file of this name is read in the layout that it is written in: by its name, or by the
// order that is assumed of its rank. The axes of a tensor whose own order is not known need no name.
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

// howToRead says what a plain .npy file of this name does not record, and how it is read nevertheless.
func (k *task) howToRead(base string) string {
	name := words.Quote(base)
	if base == "" {
		name = "standard output"
	}
	what, flags := k.target.Layout.String(), ""
	switch channels, only := k.hiddenChannels(); {
	case k.axes != nil && !k.target.Hidden:
		what, flags = k.axes.order.String(), "--from "+words.Shell(k.axes.order.Key())
	case only:
		what = fmt.Sprintf("%s with C = %d", k.axes.order, channels)
		flags = fmt.Sprintf("--from %s --channels %d", words.Shell(k.axes.order.Key()), channels)
	case k.isStrided():
		flags = "--from " + words.Shell(what)
	}
	if flags != "" {
		flags = "read it with " + flags + ", or "
	}
	return fmt.Sprintf("%s does not record its layout, %s: %swrite an .npz, which does", name, what, flags)
}

// isStrided reports whether the target has one stride for each dim.
func (k *task) isStrided() bool {
	_, ok := k.target.Layout.Strided()
	return ok
}

// hiddenChannels is the size of C, if that it ends inside a block is all that the file's shape hides.
func (k *task) hiddenChannels() (channels int, only bool) {
	if !k.target.Hidden || k.axes == nil {
		return 0, false
	}
	f, sizes := k.axes.order, k.axes.sizes
	at := slices.Index(f.Names(), "C")
	packed, err := f.Bind(sizes)
	if err != nil || at < 0 || !k.ofAxes() && packed.String() != k.target.Layout.String() {
		return 0, false
	}
	padded, err := f.LogicalShape(k.target.FileShape)
	if err != nil {
		return 0, false
	}
	channels, padded[at] = sizes[at], sizes[at]
	return channels, slices.Equal(padded, sizes)
}

// fileAxes is the order of the axes of a file, outermost first, and the tensor's logical sizes in the order of its names.
type fileAxes struct {
	order notation.Format
	sizes []int
}

// axesOf are the axes of the target's file; nil if they have numbers only, or if the file is mere storage.
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

// axesOrder is the order in which the target's file has its axes, if one was named or assumed.
func (c *conversion) axesOrder() (f notation.Format, ok bool) {
	t := c.tensor
	switch {
	case c.flags.to.Layout.Exact != nil:
		return f, false
	case !c.keepsAxes():
		return c.flags.to.Layout.Format, true
	case !c.ofAxes():
		return notation.RowMajor(c.from.Names()), true
	case !t.HasFormat || !t.Named() && !t.Assumed():
		return f, false
	case t.Header.Fortran:
		return t.Format.Reversed(), true
	}
	return t.Format, true
}

// readAgain is how the bytes of a raw output are read as the tensor that they are, as options and as flags: the logical sizes and the memory
// order where that says all, those of the file's axes where nothing names them, and else a layout with strides. Errors are fault.Usage: there
// are no bytes.
func (j *job) readAgain(k *task) (o source.Options, flags string, err error) {
	typ := k.dtype
	name := typ.String()
	if d, err := dtype.Parse(name); err != nil || !d.Equal(typ) {
		name = typ.Typestr()
	}
	l, order, err := k.recorded()
	if err == nil && l.Numel() == 0 {
		err = fault.New(fault.Usage, "an empty tensor has no bytes to write to %s", words.Quoted(j.out.path)).WithHint("write .npy or .npz")
	}
	if err != nil {
		return o, "", err
	}
	shape, from := l.Shape(), order
	if !k.recordsOrder() || k.axes == nil && !k.target.Hidden && l.Alloc() == l.Numel() {
		if shape, from = k.target.FileShape, ""; k.target.Fortran {
			from = "fortran"
		}
	} else if f, bad := notation.Parse(order); bad != nil || f.Own != notation.NotOwn || !binds(f.Format, l) {
		shape, from = nil, l.String()
	}
	o = source.Options{DType: &typ, Raw: &source.Typed{Shape: shape}, AllowTrailing: shape == nil}
	flags = "--raw --dtype " + words.Shell(words.Quote(name))
	if shape != nil {
		flags += " --shape " + cmp.Or(words.Ints(shape, ","), "'()'")
	}
	if from != "" {
		layout, err := notation.Parse(from)
		if err != nil {
			return o, "", err
		}
		if o.Layout = &layout; shape != nil {
			from = strings.ToLower(from)
		}
		flags += " --from " + words.Shell(from)
	}
	if names := l.Names(); shape == nil {
		if dims, err := notation.ParseDims(strings.Join(names, ",")); err == nil && slices.Equal(dims, names) {
			o.Raw.Dims, flags = names, flags+" --dims "+strings.Join(names, ",")
		}
		if _, high, ok := l.Span(); !ok || high+1 < l.Alloc() {
			flags += " --allow-trailing"
		}
	}
	return o, flags, nil
}

// binds reports whether a format of the layout's sizes is the layout.
func binds(f notation.Format, l tensor.Layout) bool {
	if f.Rank() != l.Rank() || !slices.Equal(f.Names(), l.Names()) {
		return false
	}
	bound, err := f.Bind(l.Shape())
	return err == nil && bound.String() == l.String() && bound.Alloc() == l.Alloc()
}
