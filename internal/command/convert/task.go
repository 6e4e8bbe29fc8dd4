package convert

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/document"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// task is what becomes of one tensor.
type task struct {
	conversion
	i      int        // its number in the input
	name   string     // in a container
	dtype  dtype.Type // of the elements that are written
	stored dtype.Type // what a .npy header says of them: bytes, of a type that it has no name for
	axes   *fileAxes  // of the target's file; nil if they have numbers only
	pad    []byte     // one element
	// converted is whether --to gives it a layout. Otherwise it keeps its own, as far as the output holds that.
	converted bool
	// moved is whether its elements get another order, or lose the gaps between them.
	moved bool
	apart bool // of PyTorch's: swapped, so that it gets a storage of its own, dense and in the order of its strides
	swap  int  // bytes of the numbers whose byte order is reversed; 0 for none
}

// bytes are those of its elements and padding.
func (k *task) bytes() int64 { return int64(k.target.Layout.Alloc()) * int64(k.dtype.ItemSize()) }

// decide decides of every tensor.
func (j *job) decide() error {
	for i := range j.in.numbers {
		k, err := j.newTask(i)
		switch {
		case err == nil:
		case j.in.one || strings.Contains(err.Error(), words.Quoted(j.in.set.Name(j.in.numbers[i]))):
			return err
		default:
			return fault.In(words.Quoted(words.Cut(j.in.set.Name(j.in.numbers[i]), 200)), err)
		}
		j.tasks = append(j.tasks, k)
	}
	return j.checkConverted()
}

// checkConverted refuses a layout that is for no tensor.
func (j *job) checkConverted() error {
	o := j.options
	if o.to.Layout == nil || slices.ContainsFunc(j.tasks, func(k task) bool { return k.converted }) {
		return nil
	}
	what := "no tensor of the rank of " + words.Quote(o.to.Name)
	if o.match != "" {
		what += " that matches " + words.Quoted(o.match)
	}
	return fault.New(fault.Usage, "%s has %s", words.Quoted(o.source), what).
		WithHint("tlayout inspect %s lists its tensors", words.Shell(words.Quote(j.in.set.Path)))
}

func (j *job) newTask(i int) (k task, err error) {
	matched, err := source.Matches(j.options.match, j.in.nameOf(i))
	if err != nil {
		return k, err
	}
	t, fits, err := j.in.open(i, matched)
	if err != nil {
		return k, err
	}
	if err = checkData(j.options, t); err == nil {
		own := j.options.to.Layout != nil && j.options.to.Layout.Own != notation.NotOwn // whatever the axes are called
		k, err = j.taskOf(i, t, matched && (fits || own))
	}
	if err != nil || j.reopens() {
		t.Close()
	}
	return k, err
}

// reopens reports whether a tensor is opened once more to be read: what is unpacked of an archive need not be held.
func (j *job) reopens() bool { return j.in.set.Format == checkpoint.NPZ }

// read runs f with a task's tensor, for its data.
func (j *job) read(k *task, f func(t *source.Tensor) error) error {
	t := k.tensor
	if j.reopens() {
		var err error
		if t, err = j.in.openAgain(k.i); err != nil {
			return err
		}
		defer t.Close()
	}
	return t.Guard(func() error { return f(t) })
}

// checkData refuses a source whose data cannot be converted.
func checkData(o *options, t *source.Tensor) error {
	if !t.HasData() {
		return fault.New(fault.Usage, "%s describes a layout without data", words.Quoted(o.source)).
			WithHint("tlayout plan explains its conversion")
	}
	if t.Trailing > 0 && !o.AllowTrailing {
		return fault.New(fault.Malformed, "%s has %s after its data", words.Quoted(t.Source), words.Bytes(t.Trailing)).
			WithHint("--allow-trailing ignores them")
	}
	return nil
}

// taskOf decides of a tensor without looking at its data. It keeps its layout unless it fits: --match names it, and --from its axes.
func (j *job) taskOf(i int, t *source.Tensor, fits bool) (k task, err error) {
	k = task{i: i, name: j.nameOf(i), dtype: t.DType, stored: t.DType}
	if unspelled(t.DType) {
		k.stored = t.Header.DType
	}
	var flags *conversionFlags
	if flags, k.converted = j.flagsFor(t); !fits || !k.converted {
		flags, k.converted = j.keeping(t.Header.Fortran && hasAxes(j.format)), false
	}
	k.conversion = conversion{flags: flags, tensor: t, hasDims: !hasAxes(j.format) && j.in.opts.Layout == nil && k.saysDims(t), certain: !j.in.isArrays() && !j.in.one}
	if k.from = t.Layout; !k.converted && j.format == checkpoint.Torch && (!t.Named() || k.hasDims || t.StorageView) {
		k.target.Layout = k.from // PyTorch has strides
	} else if err := k.resolve(); err != nil {
		return k, err
	}
	if l := k.target.Layout; j.in.one && hasAxes(j.format) || l.Alloc() > l.Numel() {
		if k.pad, err = t.DType.ParseValue(j.options.padValue); err != nil {
			return k, fault.In("--pad-value", err)
		}
	}
	if k.converted && k.target.Order == "" { // exact strides, by which elements may overlap
		if _, err := convert.NewPlan(k.target.Layout, k.from, k.dtype.ItemSize()); err != nil {
			return k, err
		}
	}
	if hasAxes(j.format) && (j.in.one || t.Named()) {
		k.findAxes()
	}
	k.swapped(j.format)
	return k, j.fitOutput(&k)
}

// findAxes finds the axes of the target's file, whose shape may hide the sizes.
func (k *task) findAxes() {
	if k.axes = axesOf(&k.conversion); k.ofAxes() && k.axes != nil {
		full, err := k.axes.order.LogicalShape(k.target.FileShape)
		k.target.Hidden = err != nil || !slices.Equal(full, k.axes.sizes)
	}
}

// saysDims reports whether a tensor's order is known, so that its dims are those of the layout and not its file's axes. What its name says
// counts where another order is asked for.
func (k *task) saysDims(t *source.Tensor) bool {
	return t.OrderSource > source.ByName || t.OrderSource == source.ByName && k.converted
}

// nameOf is the name of a tensor in the output's container.
func (j *job) nameOf(i int) string {
	name := j.in.nameOf(i)
	switch {
	case j.format == checkpoint.NPZ && j.in.one:
		return onlyMember
	case j.format == checkpoint.NPZ && j.in.set.Format == checkpoint.NPZ:
		return strings.TrimSuffix(j.in.set.Storages[j.in.numbers[i]].ID, ".npy") // its member
	case j.format != checkpoint.Torch && j.in.set.Tensors[j.in.numbers[i]].Root:
		return stemName(j.in.set.Path)
	}
	return name
}

// flagsFor are the flags for tensors of a rank, and whether the target is one for this tensor: one that is not alone stays as it is if it has
// another rank.
func (j *job) flagsFor(t *source.Tensor) (f *conversionFlags, ok bool) {
	o, rank := j.options, t.Layout.Rank()
	to := o.to.Layout
	if to == nil || to.Own != notation.NotOwn || to.Exact != nil {
		return &o.conversionFlags, to != nil
	}
	if f = j.ranks[rank]; f == nil {
		f = &conversionFlags{}
		*f = o.conversionFlags
		fit := to.ForRank(rank)
		f.to.Layout = &fit
		j.ranks[rank] = f
	}
	return f, j.in.one || f.to.Layout.Format.Rank() == rank
}

// keeping are the flags of a conversion that keeps the axes.
func (j *job) keeping(fortran bool) *conversionFlags {
	order, k := "c", &j.kept[0]
	if fortran {
		order, k = "fortran", &j.kept[1]
	}
	if *k == nil {
		*k = &conversionFlags{Source: j.options.Source, source: j.options.source}
		(*k).Layout, (*k).Channels = cli.Layout{}, 0
		cli.Must((*k).to.Set(order))
	}
	return *k
}

// swapped gives a big-endian tensor the little-endian type of the numbers that a checkpoint holds, and that a .npy file holds of types that it
// has no name for. The values stay.
func (k *task) swapped(f checkpoint.Format) {
	d := k.dtype
	if d.Order() != dtype.Big || f != checkpoint.Torch && f != checkpoint.Safetensors && !unspelled(d) {
		return
	}
	k.dtype, k.stored = d.LittleEndian(), k.stored.LittleEndian()
	if k.swap = d.ItemSize(); d.Kind() == dtype.Complex {
		k.swap /= 2
	}
}

// unspelled reports whether a dtype has no name in a .npy header, as bfloat16, which is written as bytes.
func unspelled(d dtype.Type) bool {
	return d.Kind() != dtype.Void && strings.Contains(d.Typestr(), "V")
}

// fitOutput refuses what the output cannot hold, and decides what moves.
func (j *job) fitOutput(k *task) (err error) {
	from, strided := k.from.Strided()
	switch {
	case strided && from.Negative() && !j.in.one:
		return fault.New(fault.Unsupported, "it has negative strides")
	case hasAxes(j.format):
	case !k.converted && (!strided || k.hasDims && k.from.Alloc() != k.from.Numel()):
		return fault.New(fault.Unsupported, "%s is stored in blocks or with padding", words.Quoted(j.in.set.Name(j.in.numbers[k.i]))).
			WithHint("convert the archive to a plain layout first: --to nchw -o plain.npz")
	case j.format == checkpoint.Torch:
		return j.fitTorch(k, from)
	case k.target.Hidden:
		return fault.New(fault.Unsupported, "%s of sizes %s ends inside of a block, which a shape cannot say", k.target.Order, tensor.Tuple(k.target.Layout.Shape())).
			WithHint("write an .npz, which records the layout")
	case j.format == checkpoint.Safetensors && k.target.Fortran:
		return fault.New(fault.Unsupported, "safetensors has no Fortran order").WithHint("write .pt or .npz, which have")
	}
	k.moved = !sameOrder(k.from, k.target.Layout)
	return nil
}

// fitTorch makes the target one of PyTorch's, which has strides: a tensor that is not converted keeps its own.
func (j *job) fitTorch(k *task, from tensor.Strided) (err error) {
	k.apart = k.swap > 0 && j.in.set.Format.Pickled()
	to, _ := k.target.Layout.Strided()
	switch format := k.flags.to.Layout; {
	case k.converted && !format.Format.Plain() && format.Own == notation.NotOwn:
		return fault.New(fault.Unsupported, "PyTorch has no strides for %s, which cuts a dim into blocks", k.target.Order).
			WithHint("write .safetensors or .npz, which hold the blocks as axes")
	case k.converted:
		k.moved = k.apart || !sameOrder(k.from, k.target.Layout)
		k.target.FileShape = to.Shape
		return k.asEmpty(to)
	case k.apart:
		k.moved = true
		k.target, err = convert.Exact(k.from.Names(), from.Shape, from.InferDense())
	default:
		k.target = convert.Target{Layout: k.from}
	}
	return err
}

// asEmpty gives an empty tensor that becomes channels_last the strides that PyTorch gives it, in which a size of 0 counts.
func (k *task) asEmpty(s tensor.Strided) error {
	formats := map[string]tensor.MemoryFormat{"NHWC": tensor.ChannelsLastFormat, "NDHWC": tensor.ChannelsLast3D}
	format, ok := formats[k.target.Order]
	if !ok || k.target.Layout.Numel() > 0 {
		return nil
	}
	var err error
	s.Strides, _ = tensor.FormatStrides(s.Shape, format)
	k.target.Layout, err = s.Layout(k.target.Layout.Names(), 0)
	return err
}

// sameOrder reports whether both layouts have the same elements at the same distances, the target without gaps.
func sameOrder(from, to tensor.Layout) bool {
	a, ok := from.Strided()
	b, also := to.Strided()
	if !ok || !also || to.Alloc() != to.Numel() || to.Offset() != 0 {
		return false
	}
	if to.Numel() == 0 {
		return true
	}
	order := sameDims(from.Names(), to.Names())
	for i, k := range order {
		if b.Shape[i] > 1 && a.Strides[k] != b.Strides[i] {
			return false
		}
	}
	return true
}

// records reports whether an archive records the layout: not if the file's axes are kept and their order was assumed, because a record is
// no assumption. It says the dtype where .npy has no name for it.
func (k *task) records() bool { return k.recordsOrder() || unspelled(k.dtype) }

func (k *task) recordsOrder() bool { return !k.keepsAxes() || k.tensor.Named() }

// recorded is the layout of the result over the logical dims, and its memory order.
func (k *task) recorded() (l tensor.Layout, order string, err error) {
	if !k.ofAxes() || k.axes == nil || !k.recordsOrder() {
		return k.target.Layout, k.target.Order, nil
	}
	l, f, err := source.Stored(k.axes.order, k.axes.sizes, k.target.FileShape, k.target.Fortran)
	return l, f.String(), err
}

// record is what layout.json has of the tensor; nil for nothing.
func (k *task) record() (*document.ArrayRecord, error) {
	if !k.records() {
		return nil, nil
	}
	l, order, err := k.recorded()
	if s, ok := l.Strided(); err == nil && ok && !k.recordsOrder() { // letters that are assumed are no record
		l, err = s.Layout(nil, l.Alloc())
		f := notation.RowMajor(l.Names())
		if k.target.Fortran {
			f = f.Reversed()
		}
		order = f.String()
	}
	if err != nil {
		return nil, err
	}
	d := k.stored
	if d.Kind() == dtype.Void && d.Fields() == nil { // a .npy file cannot name it
		d = k.dtype
	}
	r := document.NewArrayRecord(d, k.target.FileShape, l, order)
	return &r, nil
}
