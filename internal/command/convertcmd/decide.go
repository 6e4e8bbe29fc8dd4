package convertcmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// decide makes a task for every tensor. A pattern of --match that matches none is an error.
func (j *job) decide() error {
	names := make([]string, len(j.in.numbers))
	for i := range names {
		names[i] = j.in.nameOf(i)
	}
	if idle := j.options.match.Idle(names); idle != "" {
		return cli.NoMatch(j.settings.source, idle).WithHint("tlayout inspect %s lists its tensors", j.in.set.Path.Arg())
	}
	for i := range j.in.numbers {
		k, err := j.newTask(i)
		if err != nil {
			return j.named(i, err)
		}
		j.tasks = append(j.tasks, k)
	}
	return j.checkConverted()
}

// named adds the name of one of several tensors to an error that lacks it.
func (j *job) named(i int, err error) error {
	n := j.in.set.Name(j.in.numbers[i])
	if j.in.single || strings.Contains(err.Error(), n.String()) {
		return err
	}
	return fault.In(n.Cut(200), err)
}

// checkConverted refuses a layout that applies to no tensor.
func (j *job) checkConverted() error {
	o := j.settings
	if o.to.Layout == nil || slices.ContainsFunc(j.tasks, func(k task) bool { return k.action.converts() }) {
		return nil
	}
	what := "no tensor of the rank of " + text.Quote(o.to.Name)
	if len(j.options.match.Patterns) > 0 {
		what += " that matches " + text.Quoted(j.options.match.String())
	}
	return fault.New(fault.Usage, "%s has %s", o.source, what).
		WithHint("tlayout inspect %s lists its tensors", j.in.set.Path.Arg())
}

// newTask opens a tensor and makes its task. The tensor of an archive is closed again.
func (j *job) newTask(i int) (k task, err error) {
	matched := j.options.match.Selects(j.in.nameOf(i))
	t, fits, err := j.in.open(i, matched)
	if err != nil {
		return k, err
	}
	err = checkData(&j.settings.request, t)
	if err == nil {
		own := j.settings.to.Layout != nil && j.settings.to.Layout.Own != notation.NotOwn // for any names of axes
		k, err = j.taskOf(i, t, matched && (fits || own))
	}
	if err != nil || j.reopens() {
		t.Close()
	}
	return k, err
}

// checkData refuses a source whose data cannot be converted.
func checkData(o *request, t *source.Tensor) error {
	if !t.HasData() {
		return fault.New(fault.Usage, "%s describes a layout without data", o.source).
			WithHint("tlayout plan explains its conversion")
	}
	if t.Following > 0 && !o.AllowTrailing {
		return fault.New(fault.Malformed, "%s after %s in its file", text.Count(t.Following, "array"), t.Source).
			WithHint("%s is the first one, %s all", t.Source.Member("0").Arg(), t.Source.Member("*").Arg())
	}
	if t.Trailing > 0 && !o.AllowTrailing {
		return fault.New(fault.Malformed, "%s has %s after its data", t.Source, text.Bytes(t.Trailing)).
			WithHint("--allow-trailing ignores them")
	}
	return nil
}

// taskOf makes the task of a tensor without reading its data. The tensor keeps its layout unless --match and --from's rank fit.
func (j *job) taskOf(i int, t *source.Tensor, fits bool) (k task, err error) {
	k = task{i: i, name: j.nameOf(i), dtype: t.DType, stored: t.DType}
	if unspelled(t.DType) {
		k.stored = t.Header.DType
	}
	request, aimed := j.requestFor(i, t, fits)
	named := !j.container.axes && j.in.opts.Layout == nil && orderKnown(t, aimed)
	k.conversion = conversion{request: request, tensor: t, frame: frameOf(request, t, named)}
	if err := j.aim(&k, aimed); err != nil {
		return k, err
	}
	if l := k.target.Layout; j.scope == arrayToArray || l.Alloc() > l.Numel() {
		k.pad, err = t.DType.ParseValue(j.options.padValue)
		if err != nil {
			return k, fault.In("--pad-value", err)
		}
	}
	if aimed && k.target.Order == "" { // elements may overlap with exact strides
		if _, err := convert.NewPlan(k.target.Layout, k.from, k.dtype.ItemSize()); err != nil {
			return k, err
		}
	}
	if j.container.axes && (j.in.single || t.Named()) {
		k.findAxes()
	}
	k.swapped(j.container)
	k.action, err = j.fitOutput(&k, aimed)
	if err != nil {
		return k, err
	}
	return k, j.fitWords(&k)
}

// aim sets both layouts of a task. An output with strides holds any layout of a tensor as it is.
func (j *job) aim(k *task, aimed bool) error {
	t := k.tensor
	if j.holdsAsIs(k, aimed) {
		k.from = t.Layout
		k.target.Layout = t.Layout
		return nil
	}
	if err := k.bind(); err != nil {
		return err
	}
	if !j.in.isCheckpoint() {
		if err := k.requireOrder(); err != nil {
			return err
		}
	}
	return k.conversion.aim()
}

// holdsAsIs reports whether the output holds a tensor with the strides it has: one without a target, unless its file's axes have names.
func (j *job) holdsAsIs(k *task, aimed bool) bool {
	if aimed || !j.container.views {
		return false
	}
	return k.frame != ofFile || !k.tensor.Named()
}

// fitWords sets the shape of the stored array. Packed values are stored in the words of their source, or in bytes; their last axis must fill words.
// So are arrays of a joined order, element by element.
func (j *job) fitWords(k *task) error {
	k.shape = k.target.FileShape
	axes := axesOf(&k.conversion)
	if !k.dtype.Packed() {
		if j.container.joins && axes != nil && axes.order.Joined() {
			k.shape, _ = source.Joined(axes.order, k.shape, 1)
		}
		return nil
	}
	if names := j.container.names; k.stored.Packed() && names != nil && names(k.dtype) {
		return nil
	}
	if k.stored.Packed() {
		k.stored = dtype.Uint8
	}
	if k.target.Fortran {
		return fault.New(fault.Unsupported, "values of %s are packed along the last axis: Fortran order has none", k.dtype)
	}
	if !j.container.shapes {
		return nil
	}
	if !j.container.joins {
		return fault.New(fault.Unsupported, "%s has no place for packed %s", j.container.format.Title(), k.dtype).WithHint("write %s", k.filesFor())
	}
	f := notation.RowMajor(source.DimNames(len(k.target.FileShape)))
	if axes != nil {
		f = axes.order
	}
	var ok bool
	k.shape, ok = source.Joined(f, k.target.FileShape, k.stored.ItemSize()*k.dtype.PerByte())
	if !ok {
		return fault.New(fault.Unsupported, "a row of %s, shape %s, does not fill words of %s", k.dtype, tensor.Tuple(k.target.FileShape), k.stored).
			WithHint("-o x.bin writes bytes without a shape")
	}
	return nil
}

// orderKnown reports whether a tensor's axis order is known, so that its dims are those of the layout and not the file's axes. An order from the file's
// name counts if another one is requested.
func orderKnown(t *source.Tensor, aimed bool) bool {
	if t.OrderSource == source.ByName {
		return aimed
	}
	return t.OrderSource > source.ByName
}

// nameOf returns the name of a tensor in the output's container.
func (j *job) nameOf(i int) string {
	own := j.in.nameOf(i)
	n := j.in.numbers[i]
	if j.container.records && j.in.single {
		return onlyMember
	}
	if j.container.records && j.in.origin == arrayArchive {
		return strings.TrimSuffix(j.in.set.Storages[n].ID, ".npy") // its member
	}
	if root := j.in.set.Tensors[n].Root; root && !j.container.unnamed {
		return stemName(j.in.set.Path)
	}
	return own
}

// requestFor returns the request for a tensor, and whether it has a target of its own, by --to. Of several tensors, those that do not fit or have
// another rank keep their layout.
func (j *job) requestFor(i int, t *source.Tensor, fits bool) (r *request, aimed bool) {
	s := j.settings
	if !fits || s.to.Layout == nil {
		return j.keeping(t.Header.Fortran && j.container.axes), false
	}
	if !s.to.Layout.HasFormat() {
		return &s.request, true
	}
	rank := t.Layout.Rank()
	r = j.ranks[rank]
	if r == nil {
		fit := s.to.Layout.ForRank(rank)
		r = &request{}
		*r = s.request
		r.to.Layout = &fit
		j.ranks[rank] = r
	}
	if !j.in.single && r.to.Layout.Format.Rank() != rank {
		return j.keeping(t.Header.Fortran && j.container.axes), false
	}
	return r, true
}

// keeping returns the request for a conversion that keeps the axes.
func (j *job) keeping(fortran bool) *request {
	order := "c"
	k := &j.kept[0]
	if fortran {
		order = "fortran"
		k = &j.kept[1]
	}
	if *k == nil {
		*k = &request{source: j.settings.source}
		(*k).Source = j.settings.Source
		(*k).Layout, (*k).Channels = cli.Layout{}, 0
		cli.Must((*k).to.Set(order))
	}
	return *k
}

// fitOutput refuses what the output cannot hold, and returns what becomes of the tensor. Without aimed, it has no target of its own.
func (j *job) fitOutput(k *task, aimed bool) (action, error) {
	from, strided := k.from.Strided()
	if strided && from.Negative() && !j.in.single {
		return kept, fault.New(fault.Unsupported, "tensor has negative strides")
	}
	if j.container.axes {
		return actionOf(aimed, !sameOrder(k.from, k.target.Layout)), nil
	}
	if !aimed {
		if err := j.checkKept(k); err != nil {
			return kept, err
		}
	}
	if j.container.views {
		return j.fitTorch(k, from, aimed)
	}
	if k.target.Hidden {
		return kept, fault.New(fault.Unsupported, "%s with sizes %s ends inside a block, which a shape cannot express", k.target.Order, tensor.Tuple(k.target.Layout.Shape())).
			WithHint("write %s", k.filesFor())
	}
	if k.target.Fortran && !j.container.fortran {
		return kept, fault.New(fault.Unsupported, "%s has no Fortran order", j.container.format.Title()).WithHint("use .pt or .npz, which have it")
	}
	return actionOf(aimed, !sameOrder(k.from, k.target.Layout)), nil
}

// checkKept refuses a tensor that has no target, and a layout that is not in order of its dims.
func (j *job) checkKept(k *task) error {
	_, strided := k.from.Strided()
	if strided && j.in.origin == imagePlanes {
		return fault.New(fault.Unsupported, "%s is a part of an image's storage", j.in.set.Name(j.in.numbers[k.i])).
			WithHint("--to c stores the planes one by one")
	}
	if padded := k.frame == ofTensor && k.from.Alloc() != k.from.Numel(); padded || !strided {
		return fault.New(fault.Unsupported, "%s is stored in blocks or with padding", j.in.set.Name(j.in.numbers[k.i])).
			WithHint("convert the archive to a plain layout first: --to nchw -o plain.npz")
	}
	return nil
}

// fitTorch fits the target to PyTorch, which has strides: a tensor that is not converted keeps its own, in a storage of its own if its bytes are swapped.
func (j *job) fitTorch(k *task, from tensor.Strided, aimed bool) (action, error) {
	swapped := k.swap > 0 && j.in.origin == pickles
	if aimed {
		to := k.request.to.Layout
		if to.Own == notation.NotOwn && !to.Format.Plain() {
			return kept, fault.New(fault.Unsupported, "PyTorch strides cannot express %s, which splits a dim into blocks", k.target.Order).
				WithHint("write %s", k.filesFor())
		}
		result := actionOf(true, swapped || !sameOrder(k.from, k.target.Layout))
		strides, _ := k.target.Layout.Strided()
		k.target.FileShape = strides.Shape
		return result, k.asEmpty(strides)
	}
	if swapped {
		var err error
		k.target, err = convert.Exact(k.from.Names(), from.Shape, from.InferDense())
		return swappedApart, err
	}
	k.target = convert.Target{Layout: k.from}
	return kept, nil
}
