package trace

import (
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

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
