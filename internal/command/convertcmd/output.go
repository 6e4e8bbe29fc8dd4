package convertcmd

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
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
	out.path = cmp.Or(j.destination.out, j.destination.dir)
	if out.path.IsZero() {
		out.path, err = j.derivedName()
		if err != nil {
			return out, err
		}
	}
	if reports := j.app.Format != cli.Table && !j.options.dryRun; reports && out.isStdout() {
		return out, fault.New(fault.Usage, "cannot write data and a %s report to the same standard output", j.app.Format).
			WithHint("use -o FILE, or drop the report format")
	}
	null := publish.IsNull(out.path)
	if unreadable := null || out.isStdout(); unreadable && j.options.verify {
		return out, fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("use -o FILE")
	}
	if j.scope != arrayToArray || !j.container.shapes || null {
		return out, nil
	}
	return j.readable(out)
}

// derivedName returns the output's name from the source's, which decides whether one array is an archive.
func (j *job) derivedName() (name.Name, error) {
	s := j.settings
	if s.source.IsStdin() {
		return name.Name{}, fault.New(fault.Usage, "missing --output: standard input has no name to derive an output name from").
			WithHint("-o FILE, or -o - for standard output")
	}
	if s.source.Kind() == name.URL && j.destination.place == nil {
		return name.Name{}, fault.New(fault.Usage, "missing --output: the result cannot be written beside %s", s.source).
			WithHint("-o FILE, or -o - for standard output")
	}
	file, err := j.defaultName()
	if err != nil {
		return file, err
	}
	if file.IsArchive() && j.scope == arrayToArray {
		j.container = npzFile
		j.tasks[0].name = onlyMember
	}
	return j.destination.placed(file), nil
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
	if unnamed := base == "" && !k.target.Hidden; archive || unnamed { // standard output: a reader names the order
		return out, nil
	}
	if k.isJoined() || !k.readsBack(base) {
		out.unrecorded = k.howToRead(base)
	}
	return out, nil
}

// misnamed reports that the name of a tensor, as that of a .npy file, ends in a layout in which it is not, or in which nobody has said that it is: in a
// checkpoint, the name of a tensor does not order its axes. order is its own, if somebody has named that.
func (k *task) misnamed() (named notation.Format, order string, ok bool) {
	named, ok = filename.Order(path.Base(k.name)+".npy", k.target.FileShape)
	if !ok {
		return named, "", false
	}
	if f, known := k.axesOrder(); known && k.dimNames() == givenNames {
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
	if k.axes != nil && k.keepsAxes() && k.dimNames() == givenNames {
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
	if !fitsFileName(array) {
		return name.Name{}, fault.New(fault.Usage, "array name %s cannot be part of a file name", text.Quoted(array)).
			WithHint("use -o FILE")
	}
	return m.Archive.WithEnding("").Plus("." + array), nil
}

// fitsFileName reports whether an array's name can be part of a file name on every system.
func fitsFileName(array string) bool {
	if array == "" || len(array) > 100 {
		return false
	}
	return !strings.ContainsAny(array, `/\:*?"<>|`) && text.Quote(array) == array
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
