package diagnose

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages about views that are refused.
var viewRules = []rule{
	{
		Message: Message{ID: "view", Framework: "PyTorch", Live: true,
			Text: "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). " +
				"Use .reshape(...) instead.",
			Reference: "aten/src/ATen/native/TensorShape.cpp, PyTorch 1.13"},
		words:  lazy.Regexp(`view size is not compatible with input tensor's size and stride`),
		answer: refusedView,
	},
	{
		Message: Message{ID: "view-strides", Framework: "PyTorch", Live: true,
			Text:      "Cannot view a tensor with shape torch.Size([6, 4]) and strides (1, 6) as a tensor with shape (4, 6)!",
			Reference: "torch/_refs/__init__.py, PyTorch 1.13"},
		words: lazy.Regexp(`Cannot view a tensor with shape ` + list + ` and strides ` + list + ` as a tensor with shape ` + list),
		answer: func(_ string, m []string) Answer {
			s, ok := strided(m[1], m[2])
			if !ok {
				return anyView
			}
			return viewed(s, m[3])
		},
	},
	{
		Message: Message{ID: "view-symbols", Framework: "PyTorch",
			Text:      "Cannot view a tensor with shape torch.Size([s0, s2]) and strides (s3, 1) as a tensor with shape (s0*s2,)!",
			Reference: "torch/_refs/__init__.py, PyTorch 2.4"},
		words:  lazy.Regexp(`Cannot view a tensor with shape`),
		answer: always(anyView),
	},
	{
		Message: Message{ID: "shape-invalid", Framework: "PyTorch", Live: true,
			Text: "shape '[5, 2]' is invalid for input of size 12", Reference: "aten/src/ATen/InferSize.h, PyTorch 1.13"},
		words:  lazy.Regexp(`shape '(\[[-\d, ]*\])' is invalid for input of size (\d+)`),
		answer: func(_ string, m []string) Answer { return misfit(m[1], m[2]) },
	},
	{
		Message: Message{ID: "numpy-reshape", Framework: "NumPy", Live: true,
			Text: "cannot reshape array of size 12 into shape (5,2)", Reference: "numpy/core/src/multiarray/shape.c, NumPy 1.24; JAX 0.12 and MLX 0.32 print it too"},
		words:  lazy.Regexp(`[Cc]annot reshape array of (?:shape \([\d, ]*\) \()?size (\d+)\)? into shape (\([-\d, ]*\))`),
		answer: func(_ string, m []string) Answer { return misfit(m[2], m[1]) },
	},
	{
		Message: Message{ID: "numpy-shape-in-place", Framework: "NumPy", Live: true,
			Text:      "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
			Reference: "numpy/core/src/multiarray/getset.c, NumPy 1.24"},
		words: lazy.Regexp(`(?i)incompatible shape for (?:in-place modification|a non-contiguous array)`),
		answer: always(Answer{What: "a.shape = … never copies, and no view with these strides has the new shape", Same: tensor.No, Cost: "one copy of the array",
			Fixes:    []string{"a = a.reshape(shape)  # copies only if a view is impossible"},
			Commands: []string{"tlayout trace FILE.npy --numpy 'reshape(-1)'"}}),
	},
	{
		Message: Message{ID: "view-dtype", Framework: "PyTorch", Live: true,
			Text:      "self.stride(-1) must be 1 to view Half as Float (different element sizes), but got 6",
			Reference: "aten/src/ATen/native/TensorConversions.cpp, PyTorch 1.13 and 2.15"},
		words:  lazy.Regexp(`self\.(\w+)\((-?\d*)\) (must be 1|must be divisible by \d+|cannot be 0) to view \w+ as \w+ \(different element sizes\)(?:, but got (-?\d+))?`),
		answer: viewedAsType,
	},
	{
		Message: Message{ID: "numpy-view-dtype", Framework: "NumPy", Live: true,
			Text:      "To change to a dtype of a different size, the last axis must be contiguous",
			Reference: "numpy/core/src/multiarray/getset.c, NumPy 1.24"},
		words: lazy.Regexp(`To change to a dtype of a different size, the (?:last axis|array) must be (?:C-)?contiguous`),
		answer: always(Answer{What: "a view with another element size requires a last axis without gaps", Same: tensor.No, Cost: "one copy of the array",
			Fixes: []string{"b = a.copy().view(dtype)"}, Commands: []string{"tlayout inspect FILE.npy"}}),
	},
	{
		Message: Message{ID: "numpy-view-size", Framework: "NumPy", Live: true,
			Text:      "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis of the array.",
			Reference: "numpy/core/src/multiarray/getset.c, NumPy 1.24 and 2.5"},
		words: lazy.Regexp(`When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last axis`),
		answer: always(Answer{What: "elements of the larger type would cross from one row to the next", Same: tensor.No, Cost: "one copy of the array",
			Fixes: []string{"b = a.flatten().view(dtype)  # one axis, if the size in bytes is a multiple"}, Commands: []string{"tlayout inspect FILE.npy"}}),
	},
}

// viewedAsType answers x.view(dtype). A copy must have new strides: those of size-1 dims count here, which contiguous() keeps.
func viewedAsType(_ string, m []string) Answer {
	a := Answer{Same: tensor.No, Cost: "one copy of the tensor", Commands: []string{"tlayout inspect FILE.pt:NAME"},
		Fixes: []string{"y = " + freshCopy("x") + ".view(dtype)"}}
	switch name := m[1]; name {
	case "stride":
		a.What = fmt.Sprintf("a view with another element size requires another stride in dim %s: it has %s and %s", m[2], m[4], m[3])
		a.Facts = []string{"strides of size-1 dims count too: contiguous() keeps them, and clone does not"}
	case "size":
		a.What = fmt.Sprintf("the last dim, of size %s, cannot become elements of the larger type: it %s", m[4], m[3])
		a.Fixes = []string{"y = x.flatten().clone().view(dtype)  # one dim, if x.numel() is a multiple"}
	case "storage_offset":
		a.What = fmt.Sprintf("the tensor begins at element %s of its storage, between two elements of the larger type", m[4])
	default:
		a.What = "a tensor without dims has no dim whose size can change"
		a.Cost = "nothing"
		a.Fixes = []string{"y = x.reshape(1).view(dtype)  # to a smaller type"}
	}
	return a
}

// anyView answers a view whose sizes and strides are unknown.
var anyView = Answer{
	What: "the new shape merges dims that are not consecutive in memory, so no strides describe it", Same: tensor.No, Cost: "one copy of the tensor",
	Facts:    []string{"dims d and d+1 merge if stride[d] = size[d+1]·stride[d+1]; often not after transpose, permute, expand or a slice"},
	Fixes:    []string{"y = x.reshape(shape)            # copies only if a view is impossible", "y = x.contiguous().view(shape)  # copies unless x is contiguous"},
	Commands: []string{"tlayout trace --shape 2,3,4 'transpose(1,2)' 'view(8,3)'  # with your sizes and steps: names the dims"},
}

var integer = lazy.Regexp(`-?\d+`)

var viewCall = lazy.Regexp(`\bview\(\s*((?:-?\d+\s*,\s*)*-?\d+\s*,?|[\[(](?:-?\d+\s*,\s*)*-?\d+\s*,?[\])])\s*\)`)

// refusedView looks for the tensor and the call, which the message lacks, in the text around it.
func refusedView(text string, _ []string) Answer {
	s, ok := pasted(text)
	call := viewCall.Get().FindStringSubmatch(text)
	if !ok || call == nil {
		a := anyView
		a.Facts = append([]string{"the message has no numbers: paste it with x.shape, x.stride() and the line x.view(…) to find the dims"}, a.Facts...)
		return a
	}
	return viewed(s, call[1])
}

// viewed computes why a view with that shape is refused.
func viewed(s tensor.Strided, shape string) Answer {
	a := anyView
	to, err := sizesOrFree(shape)
	if err != nil {
		return a
	}
	calls, err := trace.ParseChain("view(" + text.Ints(to, ",") + ")")
	if err != nil || len(to) == 0 {
		return a
	}
	a.Commands = []string{command("trace", s, calls[0].String())}
	step, err := trace.Start(s, nil, s.StorageElems(), 1, trace.PyTorch).Apply(calls[0])
	var r *trace.Refusal
	if err == nil {
		a.What = fmt.Sprintf("a tensor with shape %s and strides %s can be viewed as %s: the message is about another tensor", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides), tensor.Tuple(step.State.Shape))
		a.Same = tensor.Yes
		a.Cost = "nothing"
		a.Facts = []string{"the view has strides " + tensor.Tuple(step.State.Strides)}
		a.Fixes = []string{}
		return a
	}
	if !errors.As(err, &r) {
		return a
	}
	if r.Dims != nil {
		a.What = "the view is refused: " + r.Brief
		a.Facts = []string{r.Numbers}
		a.Cost = copies(s)
		return a
	}
	a.What = "the view is refused: " + r.Text
	a.Facts = []string{}
	if r.Why != "" {
		a.Facts = []string{r.Why}
	}
	a.Same = tensor.Unknown
	a.Cost = "nothing: the number of elements differs"
	a.Fixes = []string{}
	return a
}

// sizesOrFree reads the sizes of a view; one may be -1.
func sizesOrFree(text string) ([]int, error) {
	call, err := trace.ParseChain("view(" + text + ")")
	if err != nil || len(call) != 1 {
		return nil, errors.New("no sizes")
	}
	found := integer.Get().FindAllString(text, 64)
	to := make([]int, len(found))
	for i, word := range found {
		to[i], err = strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// misfit answers sizes with another product than the number of elements.
func misfit(shape, numel string) Answer {
	a := Answer{What: "the new shape has a different number of elements", Same: tensor.Unknown, Cost: "nothing: the call fails",
		Facts: []string{}, Fixes: []string{}, Commands: []string{"tlayout trace --help  # view, reshape and their sizes"}}
	to, err := sizesOrFree(shape)
	elements, ok := sizes(numel)
	if err != nil || !ok {
		return a
	}
	n := elements[0]
	product := 1
	free := 0
	fits := true
	for _, x := range to {
		if x < 0 {
			free++
			continue
		}
		var ok bool
		product, ok = tensor.Mul(product, x)
		fits = fits && ok
	}
	if !fits {
		return a
	}
	if free == 0 {
		a.Facts = []string{fmt.Sprintf("%s = %d elements, the tensor has %d", text.Product(to), product, n)}
	}
	if free == 1 && product > 0 && n%product != 0 {
		a.What = "-1 cannot be inferred: the other sizes do not divide the number of elements"
		a.Facts = []string{fmt.Sprintf("%d elements are not a multiple of %d", n, product)}
	}
	if free == 0 && product > 0 {
		fact, fixes := resized(to, n, product)
		a.Fixes = fixes
		if fact != "" {
			a.Facts = append(a.Facts, fact)
		}
	}
	a.Commands = []string{fmt.Sprintf("tlayout trace --shape %d 'reshape(%s)'", n, text.Ints(to, ","))}
	return a
}
