package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Kind is what a step returns.
type Kind string

// The kinds: the very tensor it was called on, another look at the same storage, or a storage of its own.
const (
	Self Kind = "self"
	View Kind = "view"
	Copy Kind = "copy"
)

// Step is a call and what came of it.
type Step struct {
	Call   Call
	State  State // after it
	Kind   Kind
	Copied int      // bytes that a copy writes
	Why    []string // how shape, strides and offset came about: equations with their numbers, and a sentence where it needs one
}

// Refusal is a step that the framework refuses.
type Refusal struct {
	Text string // the framework's own message
	Why  string // the same in the numbers of the tensor; empty where Text says it all
	// Dims are the two neighbours that cannot become one, the outer first, where that is the reason: the outer one has
	// stride Found, and would need Expected to go on where the inner one ends. Nil otherwise.
	Dims            []int
	Expected, Found int
	Hint            string // the cheapest step that makes it possible, and its price; empty where there is none
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

// Apply takes one step. The error is a *Refusal where the framework refuses the call, and a *fault.Error where there is
// no such step, its arguments are of the wrong number or kind (Usage), or the result is beyond what tlayout can count
// (Unsupported).
//
// Post: with Kind View or Self the storage is the same; the element at any coordinate of the result is, followed by
// Storage.Origin, the one that the framework has there.
func (s State) Apply(c Call) (Step, error) {
	op, err := find(s.Rules, c)
	if err != nil {
		return Step{}, err
	}
	a, err := op.bind(c)
	if err != nil {
		return Step{}, err
	}
	if err := s.countable(); err != nil {
		return Step{}, err
	}
	step, err := op.run(s, a)
	if err == nil {
		err = step.State.countable()
	}
	switch {
	case err == nil:
		step.Call = c
		return step, nil
	case fault.ClassOf(err) == fault.Unsupported:
		return Step{}, fault.In(c.Text, err)
	}
	return Step{}, err
}

// look is another look at the same storage.
func (s State) look(to tensor.Strided, names []string, why ...string) (Step, error) {
	s.Strided, s.Names = to, names
	if len(why) == 0 {
		why = []string{"every dim keeps its size and stride"}
	}
	return Step{State: s, Kind: View, Why: why}, nil
}

// itself is what a call returns that has nothing to do.
func (s State) itself(why ...string) (Step, error) {
	return Step{State: s, Kind: Self, Why: why}, nil
}

// copied is a storage of its own: the element at a coordinate of s is put where placed has that coordinate. The result
// looks at it as to.
func (s State) copied(to, placed tensor.Strided, names []string, why ...string) (Step, error) {
	made, err := placed.Layout(nil, tensor.Unbounded)
	if err != nil {
		return Step{}, err
	}
	n := s.Numel()
	bytes, ok := s.bytes()
	if !ok {
		return Step{}, fault.New(fault.Unsupported, "a copy of %d elements is more than this machine can address", n)
	}
	why = append(why, "copies "+s.price())
	next := State{to, names, &Storage{n, &s, made}, s.ItemSize, s.Rules}
	return Step{State: next, Kind: Copy, Copied: bytes, Why: why}, nil
}

// duplicate is a copy of the same shape with other strides.
func (s State) duplicate(strides []int, why ...string) (Step, error) {
	to := tensor.Strided{Shape: s.Shape, Strides: strides}
	return s.copied(to, to, s.Names, why...)
}

// Usage is how a step is written, for the help text.
type Usage struct {
	Name    string
	Also    []string // other names for the same
	Args    string   // "dim0, dim1", "size…[, offset]"; empty where it takes none
	Example string   // "transpose(0,2)"
	Meaning string   // in a few words
}

// Steps lists the steps of a framework, those that belong together side by side.
func Steps(r Rules) []Usage {
	var all []Usage
	for _, op := range operations(r) {
		u := op.Usage
		u.Args = op.arguments()
		all = append(all, u)
	}
	return all
}

// operation is a step: how it is written, and what does it.
type operation struct {
	Usage
	params []param
	run    func(State, arguments) (Step, error)
}

func operations(r Rules) []operation {
	if r == NumPy {
		return numpySteps
	}
	return pytorchSteps
}

func (o operation) is(name string) bool { return o.Name == name || slices.Contains(o.Also, name) }

// find looks the step up.
func find(r Rules, c Call) (operation, error) {
	if err := c.misplaced(r); err != nil {
		return operation{}, err
	}
	ops := operations(r)
	if i := slices.IndexFunc(ops, func(o operation) bool { return o.is(c.Name) }); i >= 0 {
		return ops[i], nil
	}
	if other, ok := counterparts[c.Name]; ok && operationNames(r)[other] {
		return operation{}, fault.New(fault.Usage, "%s has no step %s", r.framework(), quote(c.Name)).WithHint("its name there is %s", other)
	}
	err := fault.New(fault.Usage, "trace does not follow %s", quote(c.Name))
	if hint, ok := unfollowed[c.Name]; ok {
		return operation{}, err.WithHint("%s", hint)
	}
	names := slices.Sorted(maps.Keys(operationNames(r)))
	if near := words.Nearest(c.Name, names); near != "" {
		return operation{}, err.WithHint("did you mean %s?", near)
	}
	return operation{}, err.WithHint("there are %s", strings.Join(names, ", "))
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

// counterparts says what the other framework calls the same.
var counterparts = map[string]string{
	"permute": "transpose", "movedim": "moveaxis", "swapdims": "swapaxes", "unsqueeze": "expand_dims", "expand_dims": "unsqueeze",
	"expand": "broadcast_to", "contiguous": "ascontiguousarray", "ascontiguousarray": "contiguous", "clone": "copy", "copy": "clone",
	"unfold": "sliding_window_view", "sliding_window_view": "unfold", "select": Index, "narrow": Index, "mT": "swapaxes",
	"t": "T",
}

// unfollowed says of operations that are no steps what is, or why there is none.
var unfollowed = hints(map[string]string{
	"chunk split tensor_split array_split hsplit vsplit dsplit unsafe_chunk unsafe_split": "each of the parts is a slice: [:, 0:2]",
	"unbind":  "each of the parts is an index: [0]",
	"view_as": "view(…) with the sizes of the other", "reshape_as": "reshape(…) with the sizes of the other",
	"expand_as": "expand(…) with the sizes of the other",
	"sum mean prod std var norm max min amax amin argmax argmin all any cumsum cumprod add sub mul div neg abs pow sqrt exp log " +
		"sin cos clamp clip round floor ceil relu sigmoid tanh softmax log_softmax gelu matmul mm bmm dot addmm sort topk where": "it computes: no view",
	"einsum": "where it only reorders dims or takes a diagonal it is a view: permute, transpose, diagonal",
	"repeat repeat_interleave tile roll cat concat concatenate stack hstack vstack dstack gather take index_select masked_select pad": "it always copies",
	"float double half bfloat16 int long short bool char byte type astype":                                                            "it copies, unless it is that type already, and keeps shape and order of memory",
	"cpu cuda detach requires_grad_ numpy data":                                                                                       "it changes neither shape nor strides: leave it out",
})

// hints takes keys of several names apart.
func hints(byNames map[string]string) map[string]string {
	all := map[string]string{}
	for names, hint := range byNames {
		for name := range strings.FieldsSeq(names) {
			all[name] = hint
		}
	}
	return all
}

// methods are steps that are no functions of the module.
var methods = map[Rules][]string{
	PyTorch: {"T", "mT", "view", "expand", "unfold", "contiguous", "to"},
	NumPy:   {"T", "view", "flatten"},
}

// misplaced refuses a function of the other framework, and one that is a method only.
func (c Call) misplaced(r Rules) error {
	switch {
	case c.Of == "":
	case c.Of != r:
		err := fault.New(fault.Usage, "%s.%s is a function of %s, and the steps are those of %s", modules[c.Of], words.Quote(c.Name),
			c.Of.framework(), r.framework())
		if r == PyTorch {
			return err.WithHint("--numpy follows NumPy's rules")
		}
		return err.WithHint("without --numpy PyTorch's rules are followed")
	case slices.Contains(methods[r], c.Name):
		return fault.New(fault.Usage, "%s has no function %s: it is a method", r.framework(), c.Name).WithHint("write it behind the tensor: x.%s", c.method())
	}
	return nil
}

// method is the call as a method, with the arguments that it has.
func (c Call) method() string {
	c.Of = ""
	return c.String()
}
