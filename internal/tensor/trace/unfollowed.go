package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

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
