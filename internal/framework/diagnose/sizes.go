package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages about shapes that do not fit.
var sizeRules = []rule{
	{
		Message: Message{ID: "state-dict-size", Framework: "PyTorch", Live: true,
			Text: "Error(s) in loading state_dict for Conv2d:\n\tsize mismatch for weight: copying a param with shape torch.Size([64, 7, 7, 3]) from checkpoint, " +
				"the shape in current model is torch.Size([64, 3, 7, 7]).", Reference: "torch/nn/modules/module.py, PyTorch 1.13"},
		words: mismatched, answer: stateDict,
	},
	{
		Message: Message{ID: "numpy-broadcast", Framework: "NumPy", Live: true, Text: "could not broadcast input array from shape (3,224,224) into shape (224,224,3)",
			Reference: "numpy/core/src/multiarray/array_assign.c, NumPy 1.24; NumPy 2.4 prints it too"},
		words:  lazy.Regexp(`could not broadcast input array from shape|operands could not be broadcast together with shapes`),
		answer: withFound(misfitting, "tlayout inspect FILE.npy"),
	},
	{
		Message: Message{ID: "numpy-axes", Framework: "NumPy", Live: true, Text: "axes don't match array",
			Reference: "numpy/core/src/multiarray/shape.c, NumPy 1.24; NumPy 2.4 prints it too"},
		words: lazy.Regexp(`axes don't match array`),
		answer: withFound(Answer{What: "transpose got another number of axes than the array has", Same: tensor.Unknown, Cost: "nothing: the call fails",
			Fixes: []string{"a = np.moveaxis(a, -1, -3)  # H,W,C to C,H,W, and N,H,W,C to N,C,H,W"}}, "tlayout inspect FILE.npy"),
	},
	{
		Message: Message{ID: "candle-shape", Framework: "candle", Text: "shape mismatch in add, lhs: [3, 224, 224], rhs: [224, 224, 3]",
			Reference: "candle-core/src/error.rs, candle at 0123a8cb"},
		words: lazy.Regexp(`shape mismatch in [\w-]+, lhs: `), answer: withFound(misfitting, "tlayout trace --help"),
	},
	{
		Message: Message{ID: "burn-shape", Framework: "burn", Reference: "crates/burn-tensor/src/tensor/api/check.rs, burn at 01832cc2",
			Text: "=== Tensor Operation Error ===\n  Operation: 'Add'\n  Reason:\n    1. The provided tensors have incompatible shapes. " +
				"Incompatible size at dimension '0' => '3 != 224', which can't be broadcasted. Lhs tensor shape [3, 224, 224], Rhs tensor shape [224, 224, 3]. "},
		words: lazy.Regexp(`=== Tensor Operation Error === [^=]*\b(?:[Ss]hapes?|dimensions?|rank)\b`), answer: withFound(misfitting, "tlayout trace --help"),
	},
}

var misfitting = Answer{What: "the shapes do not fit this operation", Same: tensor.Unknown,
	Cost: "nothing: the call fails; permute and reshape of a contiguous tensor copy nothing"}

// withFound adds what the text's sizes and strides say; other is the command if it has none.
func withFound(a Answer, other string) func(string, []string) Answer {
	return func(message string, _ []string) Answer {
		b := a
		found := Found(message)
		b.Facts = slices.Concat(a.Facts, found.Facts)
		b.Commands = found.Commands
		if len(b.Commands) == 0 {
			b.Commands = []string{other}
		}
		return b
	}
}

var mismatched = lazy.Regexp(`size mismatch for ([^\s:]+): copying a param with shape ` + list + ` from checkpoint, the shape in current model is ` + list)

// stateDict answers load_state_dict, which prints each parameter whose sizes differ.
func stateDict(message string, _ []string) Answer {
	a := Answer{Same: tensor.Unknown, Cost: "nothing: load_state_dict fails"}
	all := mismatched.Get().FindAllStringSubmatch(message, -1)
	for _, m := range all {
		have, ok := sizes(m[2])
		want, fits := sizes(m[3])
		if !ok || !fits {
			continue
		}
		name := text.Quote(text.Cut(m[1], 80))
		fact, order, command := related(have, want)
		a.Facts = append(a.Facts, name+": "+fact)
		if order != nil && !strings.ContainsAny(name, `'\`) {
			a.Commands = append(a.Commands, command)
			a.Fixes = append(a.Fixes, fmt.Sprintf("state['%s'] = state['%[1]s'].permute(%s)", name, text.Ints(order, ", ")))
		}
	}
	a.What = fmt.Sprintf("%s %s other sizes in the checkpoint than in the model", text.Count(len(all), "parameter"), text.Plural(len(all), "has", "have"))
	if len(a.Fixes) > 0 {
		a.What += fmt.Sprintf("; %d would fit permuted, if that is the checkpoint's layout", len(a.Fixes))
	}
	if more := len(a.Facts) - 6; more > 0 {
		a.Facts = append(a.Facts[:6], fmt.Sprintf("and %d more", more))
	}
	a.Fixes = a.Fixes[:min(3, len(a.Fixes))]
	a.Commands = append(a.Commands[:min(1, len(a.Commands))], "tlayout inspect FILE.pt")
	return a
}
