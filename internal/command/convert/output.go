package convert

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// output is where the result goes, and whether it can be read again from there alone.
type output struct {
	path    string // source.Stdin for standard output
	archive bool   // an .npz, which records every layout
	raw     bool   // bytes alone
	member  string // the array's name in the archive
	// unrecorded is what a reader of a plain .npy must be told; empty if its name and header say it all, or if what is
	// assumed of it is right.
	unrecorded string
}

// arrayName is the name by which the array is read again.
func (o output) arrayName() string {
	if o.archive {
		return o.path + ":" + o.member + ".npy"
	}
	return o.path
}

// onlyMember is the array's name in an archive of one array; np.savez calls it so too.
const onlyMember = "arr_0"

// newOutput is the output as the user names it, or <stem>.<layout>.npy beside the input; .npz if a .npy file and its name
// cannot say what the layout is. Names that would overwrite the input, or be read as another layout, are refused.
func (j *job) newOutput() (output, error) {
	o := j.options
	out := output{path: o.out, member: onlyMember}
	var err error
	switch {
	case o.out == source.Stdin && j.app.Format != cli.Table && !o.dryRun:
		return out, fault.New(fault.Usage, "standard output carries the data, so a report in %s has nowhere to go", j.app.Format).
			WithHint("name a file with --output, or leave out the format")
	case o.out == source.Stdin && o.verify:
		return out, unverifiable()
	case o.out == "" && o.source == source.Stdin:
		return out, fault.New(fault.Usage, "missing --output: standard input has no name to derive the output's from").
			WithHint("--output names the output; - is standard output")
	case o.out == "" && remote.IsHTTP(o.source) && o.unit == nil:
		return out, fault.New(fault.Usage, "missing --output: the result cannot be written beside %s", words.Quoted(o.source)).
			WithHint("--output names the output; - is standard output")
	case o.out == "":
		out.path, err = j.defaultName()
		out.path = o.placed(out.path)
	}
	if err != nil {
		return out, err
	}
	if publish.IsNull(out.path) {
		if o.verify {
			err = unverifiable()
		}
		return out, err
	}
	if out.archive, out.raw = source.NamesArchive(out.path), isRaw(out.path); out.raw {
		return out, nil
	}
	if archive, array, ok := source.SplitTensor(out.path); ok && array != "" {
		return out, fault.New(fault.Usage, "output %s has the name of an array in %s", words.Quoted(out.path), words.Quoted(archive)).
			WithHint("convert writes whole archives: name an .npz")
	}
	if out.archive && j.records() {
		return out, nil
	}
	base := ""
	if out.path != source.Stdin {
		base = source.Base(out.path)
	}
	if named, ok := source.OrderInName(base, j.target.FileShape); ok && (j.axes == nil || named.Explicit() != j.axes.order.Explicit()) {
		return out, fault.New(fault.Usage, "output %s would be read as %s", words.Quoted(out.path), named).
			WithHint("its name ends in a layout that it does not have: write to another name, or to an .npz")
	}
	if out.archive {
		return out, nil
	}
	if !j.readsBack(base) && (base != "" || j.target.Hidden) {
		out.unrecorded = j.howToRead(base)
	}
	return out, nil
}

func unverifiable() error {
	return fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("name a file with --output")
}

// defaultName is <stem>.<layout>.npy beside the input, or .npz.
func (j *job) defaultName() (string, error) {
	stem, err := j.stem()
	if err != nil {
		return "", err
	}
	parts := []string{stem}
	if j.axes != nil && j.keepsAxes() && (j.tensor.Named() || !j.ofAxes()) {
		if order, ok := j.axes.order.Short(); ok {
			parts = append(parts, strings.ToLower(order))
		}
	}
	query := j.options.source[len(words.URLPath(j.options.source)):]
	path := strings.Join(append(parts, j.target.Name), ".") + ".npy"
	if j.target.Hidden || !j.readsBack(source.Base(path)) {
		return strings.TrimSuffix(path, ".npy") + ".npz" + query, nil
	}
	return path + query, nil
}

// stem is what a default output name begins with: the source's without its layout. For x.npz:w it is x.w.
func (j *job) stem() (string, error) {
	t := j.tensor
	m := t.Member
	if t.Kind == source.KindRaw {
		name := words.URLPath(j.options.source)
		return strings.TrimSuffix(name, filepath.Ext(name)), nil
	}
	if m == nil || t.Source == m.Archive {
		return source.Stem(words.URLPath(j.options.source), t.FileShape), nil
	}
	array := source.Stem(m.Name, t.FileShape)
	if array == "" || len(array) > 100 || strings.ContainsAny(array, `/\:*?"<>|`) || words.Quote(array) != array {
		return "", fault.New(fault.Usage, "the array's name %s cannot be part of a file's name", words.Quoted(array)).
			WithHint("--output names the output")
	}
	name := words.URLPath(m.Archive)
	return strings.TrimSuffix(name, filepath.Ext(name)) + "." + array, nil
}

// readsBack reports whether a .npy file of this name is read in the layout that it is written in: by its name, or by the
// order that is assumed of its rank. The axes of a tensor whose own order is not known need no name.
func (j *job) readsBack(base string) bool {
	if j.target.Hidden {
		return false
	}
	if j.axes == nil {
		return true
	}
	read, ok := source.OrderInName(base, j.target.FileShape)
	if !ok {
		read = notation.RowMajor(source.DimNames(len(j.target.FileShape)))
	}
	return read.Explicit() == j.axes.order.Explicit()
}

// howToRead says what a plain .npy file of this name does not record, and how it is read nevertheless.
func (j *job) howToRead(base string) string {
	name := words.Quote(base)
	if base == "" {
		name = "standard output"
	}
	what, flags := j.target.Layout.String(), ""
	switch channels, only := j.hiddenChannels(); {
	case j.axes != nil && !j.target.Hidden:
		what, flags = j.axes.order.String(), "--from "+words.Shell(j.axes.order.Key())
	case only:
		what = fmt.Sprintf("%s with C = %d", j.axes.order, channels)
		flags = fmt.Sprintf("--from %s --channels %d", words.Shell(j.axes.order.Key()), channels)
	case j.isStrided():
		flags = "--from " + words.Shell(what)
	}
	if flags != "" {
		flags = "read it with " + flags + ", or "
	}
	return fmt.Sprintf("%s does not record its layout, %s: %swrite an .npz, which does", name, what, flags)
}

// isStrided reports whether the target has one stride for each dim.
func (j *job) isStrided() bool {
	_, ok := j.target.Layout.Strided()
	return ok
}

// hiddenChannels is the size of C, if that it ends inside a block is all that the file's shape hides.
func (j *job) hiddenChannels() (channels int, only bool) {
	if !j.target.Hidden || j.axes == nil {
		return 0, false
	}
	f, sizes := j.axes.order, j.axes.sizes
	at := slices.Index(f.Names(), "C")
	packed, err := f.Bind(sizes)
	if err != nil || at < 0 || !j.ofAxes() && packed.String() != j.target.Layout.String() {
		return 0, false
	}
	padded, err := f.LogicalShape(j.target.FileShape)
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
	case c.flags.strides.Given:
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
