package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Kind is what a step returns.
type Kind string

// The kinds: the tensor itself, a view of its storage, a copy in a new storage, or new values in a new storage.
const (
	Self Kind = "self"
	View Kind = "view"
	Copy Kind = "copy"
	New  Kind = "new"
)

// Step is a call and its result.
type Step struct {
	Call   Call
	State  State // after the call
	Kind   Kind
	Copied int      // bytes that a copy writes
	Reason string   // why a view is impossible; empty unless it is a copy, and for operations that always copy
	Parts  int      // how many tensors the call returned, of which this is one and the next steps are the others; 0 for a tensor
	Why    []string // the equations of shape, strides and offset, with a sentence where an equation is not enough
}

// Refusal is a step that the framework refuses.
type Refusal struct {
	Text string // the framework's own message
	Why  string // the reason with the tensor's numbers; empty if Text is enough
	// Brief and Numbers are the parts of Why if dims cannot be merged: which dims, and the numbers.
	Brief, Numbers string
	// Dims are the two neighboring dims that cannot be merged, the outer one first: its stride is Found, but merging needs Expected.
	// Nil for other reasons.
	Dims            []int
	Expected, Found int
	Hint            string // the cheapest step that makes it possible, and its cost; empty if none does
}

func (r *Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) *Refusal { return &Refusal{Text: fmt.Sprintf(format, args...)} }

func (r *Refusal) because(format string, args ...any) *Refusal {
	r.Why = fmt.Sprintf(format, args...)
	return r
}

func (r *Refusal) withHint(format string, args ...any) *Refusal {
	r.Hint = fmt.Sprintf(format, args...)
	return r
}

// Apply applies one call. The error is a *Refusal if the framework refuses the call, and a *fault.Error if the operation is unknown,
// its arguments have the wrong number or kind (Usage), or a number overflows (Unsupported).
//
// Post: with Kind View or Self the storage is the same. If it HasOrigin, Storage.Origin of the offset of any coordinate of the result
// is the element that the framework has at that coordinate.
func (s State) Apply(c Call) (Step, error) {
	op, err := find(s.Rules, c)
	if err != nil {
		return Step{}, err
	}
	return s.apply(op, c)
}

func (s State) apply(op operation, c Call) (Step, error) {
	a, err := op.bind(c)
	if err != nil {
		return Step{}, err
	}
	if err := s.checkOverflow(); err != nil {
		return Step{}, err
	}
	step, err := op.result(s, a)
	if err == nil {
		err = step.State.checkOverflow()
	}
	if err == nil {
		step.Call = c
		return step, nil
	}
	if fault.ClassOf(err) == fault.Unsupported {
		return Step{}, fault.In(c.Text, err)
	}
	return Step{}, err
}

// view returns a view of the same storage.
func (s State) view(to tensor.Strided, names []string, why ...string) (Step, error) {
	s.Strided = to
	s.Names = names
	if len(why) == 0 {
		why = []string{"every dim keeps its size and stride"}
	}
	return Step{State: s, Kind: View, Why: why}, nil
}

// itself returns the tensor itself, returned by a call that changes nothing.
func (s State) itself(why ...string) (Step, error) {
	return Step{State: s, Kind: Self, Why: why}, nil
}

// copied returns a copy in a storage of its own: the element at a coordinate of s goes where placed has that coordinate. The result
// views it as to. The reason is Step's.
func (s State) copied(to, placed tensor.Strided, names []string, reason string, why ...string) (Step, error) {
	layout, err := placed.Layout(nil, tensor.Unbounded)
	if err != nil {
		return Step{}, err
	}
	n := s.Numel()
	bytes, ok := s.bytes()
	if !ok {
		return Step{}, fault.New(fault.Unsupported, "a copy of %d elements overflows 64 bits", n)
	}
	why = append(why, "copies "+s.copySize())
	if reason != "" {
		why = append([]string{reason}, why...)
	}
	from := s
	storage := &Storage{Elems: n, source: &from, placed: layout, isNew: s.Storage.isNew}
	s.Strided = to
	s.Names = names
	s.Storage = storage
	return Step{State: s, Kind: Copy, Copied: bytes, Reason: reason, Why: why}, nil
}

// computed returns a new tensor whose values are computed.
func (s State) computed(to tensor.Strided, names []string, typ dtype.Type, why ...string) (Step, error) {
	if _, err := tensor.NewStrided(to.Shape, to.Strides, 0); err != nil {
		return Step{}, err
	}
	s.Strided = to
	s.Names = names
	s.Storage = &Storage{Elems: to.StorageElems(), isNew: true}
	if !typ.Equal(s.DType) {
		s.DType = typ
		s.ItemSize = typ.ItemSize()
	}
	return Step{State: s, Kind: New, Why: why}, nil
}

// duplicate returns a copy of the same shape with other strides.
func (s State) duplicate(strides []int, reason string, why ...string) (Step, error) {
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	return s.copied(to, to, s.Names, reason, why...)
}

// Usage is how a step is written, for the help text.
type Usage struct {
	Name    string
	Also    []string // other names of the step
	Args    string   // "dim0, dim1", "size…[, offset]"; empty: none
	Example string   // "transpose(0,2)"
	Values  bool     // computes or writes values
}

// Steps returns the steps of a framework in groups, and at the end those of einops.
func Steps(r Rules) []Usage {
	var all []Usage
	for _, op := range slices.Concat(operations(r), einopsFunctions) {
		u := op.Usage
		u.Args = op.arguments()
		u.Also = slices.DeleteFunc(slices.Clone(u.Also), isUnwritten)
		if !isUnwritten(u.Name) {
			all = append(all, u)
		}
	}
	return all
}

// isUnwritten reports whether a name stands for what is written otherwise: 2 ** x, x[0] = 1, F.unfold(x, 2).
func isUnwritten(name string) bool {
	return slices.Contains([]string{"rpow", "rsub", "where_numbers", "write", "im2col"}, name)
}

// operation is a row of a framework's table: how a step is written, its arguments, and the function that does it.
type operation struct {
	Usage
	params []param
	run    func(State, arguments) (Step, error)
	pieces func(State, arguments) (pieces, error) // instead of run, of an operation that returns several tensors
	tuple  func(State, arguments) ([]Step, error) // the same, of one that returns new tensors, or one tensor, by its arguments
	free   bool                                   // any arguments, which do not matter
}

// result returns the tensor that the operation returns, or the one of several that the call's index selects.
func (o operation) result(s State, a arguments) (Step, error) {
	if o.tuple != nil {
		return o.selected(s, a)
	}
	if o.pieces == nil {
		step, err := o.run(s, a)
		if err == nil && a.given["inplace"].Word == "True" && step.Kind != Self {
			return s.overwritten(step, a.call.Name)
		}
		return step, err
	}
	p, err := o.pieces(s, a)
	if err != nil {
		return Step{}, err
	}
	return s.onePart(p, a.call)
}

// selected returns the tensor of a tuple that the call's index selects.
func (o operation) selected(s State, a arguments) (Step, error) {
	steps, err := o.tuple(s, a)
	if err != nil {
		return Step{}, err
	}
	k := 0
	if a.call.Part != nil {
		k = *a.call.Part
	}
	n := len(steps)
	if k < -n || k >= n {
		return Step{}, refuse("tuple index out of range").because("the tuple has %s", text.Count(n, "tensor"))
	}
	return steps[(k+n)%n], nil
}

// returnsSeveral reports whether a call returns several tensors.
func (s State) returnsSeveral(c Call) bool {
	op, err := find(s.Rules, c)
	if err != nil {
		return false
	}
	if op.tuple == nil {
		return op.pieces != nil
	}
	a, err := op.bind(c)
	if err != nil {
		return false
	}
	steps, err := op.tuple(s, a)
	return err == nil && len(steps) > 1
}

func operations(r Rules) []operation {
	if r == NumPy {
		return allNumPySteps()
	}
	return allPyTorchSteps()
}

var (
	allPyTorchSteps = sync.OnceValue(func() []operation { return slices.Concat(pytorchSteps, splits()[PyTorch], operatorSteps()) })
	allNumPySteps   = sync.OnceValue(func() []operation { return slices.Concat(numpySteps, splits()[NumPy]) })
)

func (o operation) is(name string) bool { return o.Name == name || slices.Contains(o.Also, name) }

// find looks up the operation of a call.
func find(r Rules, c Call) (operation, error) {
	if err := c.misplaced(r); err != nil {
		return operation{}, err
	}
	ops := operations(r)
	if i := slices.IndexFunc(ops, func(o operation) bool { return o.is(c.Name) }); i >= 0 {
		op := ops[i]
		op.Example = strings.Replace(op.Example, op.Name, c.Name, 1)
		op.Name = c.Name
		return op, nil
	}
	if op, ok := inPlace(r, c.Name); ok {
		return op, nil
	}
	if other, ok := counterparts[c.Name]; ok && operationNames(r)[other] {
		return operation{}, fault.New(fault.Usage, "%s has no operation %s", r.framework(), text.Quoted(c.Name)).WithHint("%s calls it %s", r.framework(), other)
	}
	if _, ok := unsupported()[c.Name]; ok {
		return operation{}, unsupportedStep(c.Name)
	}
	names := slices.Sorted(maps.Keys(operationNames(r)))
	near := text.Nearest(c.Name, names)
	if near != "" && c.Module != "" { // which may have it
		return operation{}, stop(text.Quote(c.Name), "what it returns is not known; did you mean %s?", near)
	}
	if near != "" {
		return operation{}, fault.New(fault.Usage, "unknown operation %s", text.Quoted(c.Name)).WithHint("did you mean %s?", near)
	}
	return operation{}, stop(text.Quote(c.Name), "what it returns is not known")
}

func operationNames(r Rules) map[string]bool {
	names := map[string]bool{}
	for _, o := range operations(r) {
		names[o.Name] = true
		for _, name := range o.Also {
			names[name] = true
		}
	}
	return names
}

func (r Rules) framework() string {
	if r == NumPy {
		return "NumPy"
	}
	return "PyTorch"
}

// counterparts maps one framework's operations to the other's.
var counterparts = map[string]string{
	"permute": "transpose", "movedim": "moveaxis", "swapdims": "swapaxes", "unsqueeze": "expand_dims", "expand_dims": "unsqueeze",
	"expand": "broadcast_to", "contiguous": "ascontiguousarray", "ascontiguousarray": "contiguous", "clone": "copy", "copy": "clone",
	"unfold": "sliding_window_view", "sliding_window_view": "unfold", "select": Index, "narrow": Index, "mT": "swapaxes",
	"t": "T", "tensor_split": "array_split", "array_split": "tensor_split", "chunk": "array_split", "astype": "to",
}

// unsupported maps operations whose result is not known to the reason.
var unsupported = sync.OnceValue(func() map[string]string {
	return byNames(map[string]string{
		"nonzero argwhere masked_select unique unique_consecutive bincount": "its size depends on the data",
		"resize_ set_ index_put lstm gru":                                   "its result depends on more than shapes and strides",
		"fft_fft rfft irfft stft istft fft ifft":                            "the strides depend on the library that computes it",
	})
})

// unsupportedStep returns the error for an operation whose result is not known.
func unsupportedStep(name string) error { return stop(name, "%s", unsupported()[name]) }

// byNames splits keys with several names.
func byNames(byNames map[string]string) map[string]string {
	all := map[string]string{}
	for names, why := range byNames {
		for name := range strings.FieldsSeq(names) {
			all[name] = why
		}
	}
	return all
}

// methods are the steps that exist only as methods, not as functions of the module.
var methods = map[Rules][]string{
	PyTorch: {"T", "mT", "view", "expand", "unfold", "contiguous", "to", "data", "requires_grad_", "cpu", "cuda", "share_memory_", "type"},
	NumPy:   {"T", "view", "flatten"},
}

// misplaced refuses a function of the other framework, and a function that exists only as a method.
func (c Call) misplaced(r Rules) error {
	if c.Module == "" {
		return nil
	}
	if c.Module != r {
		return fault.New(fault.Usage, "%s.%s is a %s function, but the steps follow %s", modules[c.Module], text.Quote(c.Name),
			c.Module.framework(), r.framework())
	}
	isMethod := slices.Contains(methods[r], c.Name) || slices.Contains(views, c.Name)
	if isMethod {
		return fault.New(fault.Usage, "%s has no function %s: it is a method", r.framework(), c.Name).WithHint("write x.%s(…)", c.Name)
	}
	return nil
}
