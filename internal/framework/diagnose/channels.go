package diagnose

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages of layers that want a size in a dim of their input: often another dim has it.
var channelRules = []rule{
	{
		Message: Message{ID: "conv-channels", Framework: "PyTorch", Live: true,
			Text:      "Given groups=1, weight of size [64, 3, 7, 7], expected input[1, 224, 224, 3] to have 3 channels, but got 224 channels instead",
			Reference: "aten/src/ATen/native/Convolution.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`expected input` + list + ` to have (\d+) channels, but got (\d+) channels instead`),
		answer: func(_ string, m []string) Answer {
			w := wantedSize{who: "the convolution", axis: 1, size: parsed(m[2]), have: m[3]}
			a := w.in(m[1])
			if shape, ok := sizes(m[1]); ok && len(a.Fixes) > 0 && shape[0] == 1 { // an image without a batch is printed with one
				a.Fixes = append(a.Fixes, fmt.Sprintf("x = x.movedim(-1, %d)  # if x has no batch dim", 1-len(shape)))
			}
			return a
		},
	},
	{
		Message: Message{ID: "layer-norm-shape", Framework: "PyTorch", Live: true,
			Text:      "Given normalized_shape=[64], expected input with shape [*, 64], but got input of size[1, 64, 7, 7]",
			Reference: "aten/src/ATen/native/layer_norm.h, PyTorch 1.13 and 2.15"},
		words:  lazy.Regexp(`Given normalized_shape=` + list + `, expected input with shape [^a-z]*, but got input of size ?` + list),
		answer: layerNorm,
	},
	{
		Message: Message{ID: "group-norm-groups", Framework: "PyTorch", Live: true,
			Text:      "Expected number of channels in input to be divisible by num_groups, but got input of shape [1, 7, 7, 64] and num_groups=32",
			Reference: "aten/src/ATen/native/group_norm.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`channels in input to be divisible by num_groups, but got input of shape ` + list + ` and num_groups=(\d+)`),
		answer: func(_ string, m []string) Answer {
			return wantedSize{who: "GroupNorm", axis: 1, size: parsed(m[2]), multiple: true}.in(m[1])
		},
	},
	{
		Message: Message{ID: "group-norm-weight", Framework: "PyTorch", Live: true,
			Text:      "Expected weight to be a vector of size equal to the number of channels in input, but got weight of shape [63] and input of shape [1, 7, 7, 63]",
			Reference: "aten/src/ATen/native/group_norm.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`a vector of size equal to the number of channels in input, but got (?:weight|bias) of shape \[(\d+)\] and input of shape ` + list),
		answer: func(_ string, m []string) Answer {
			return wantedSize{who: "GroupNorm", axis: 1, size: parsed(m[1])}.in(m[2])
		},
	},
	{
		Message: Message{ID: "batch-norm-channels", Framework: "PyTorch", Live: true,
			Text: "running_mean should contain 7 elements not 64", Reference: "aten/src/ATen/native/Normalization.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`(?:running_mean|running_var|weight|bias) should contain (\d+) elements not (\d+)`),
		answer: func(text string, m []string) Answer {
			return wantedSize{who: "the norm", axis: 1, size: parsed(m[2]), have: m[1]}.pasted(text)
		},
	},
	{
		Message: Message{ID: "instance-norm-channels", Framework: "PyTorch",
			Text:      "expected input's size at dim=1 to match num_features (64), but got: 7.",
			Reference: "torch/nn/modules/instancenorm.py, PyTorch 2.15"},
		words: lazy.Regexp(`expected input's size at dim=([01]) to match num_features \((\d+)\), but got: (\d+)`),
		answer: func(text string, m []string) Answer {
			return wantedSize{who: "InstanceNorm", axis: parsed(m[1]), size: parsed(m[2]), have: m[3]}.pasted(text)
		},
	},
	{
		Message: Message{ID: "prelu-channels", Framework: "PyTorch", Live: true,
			Text:      "Mismatch of parameter numbers and input channel size. Found parameter numbers = 64 and channel size = 7.",
			Reference: "aten/src/ATen/native/Activation.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`Found parameter numbers = (\d+) and channel size = (\d+)`),
		answer: func(text string, m []string) Answer {
			return wantedSize{who: "PReLU", axis: 1, size: parsed(m[1]), have: m[2]}.pasted(text)
		},
	},
	{
		Message: Message{ID: "linear-features", Framework: "PyTorch", Live: true,
			Text: "mat1 and mat2 shapes cannot be multiplied (448x7 and 64x10)", Reference: "aten/src/ATen/native/LinearAlgebra.cpp, PyTorch 1.13 and 2.15"},
		words: lazy.Regexp(`mat1 and mat2 shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)`),
		answer: func(text string, m []string) Answer {
			return wantedSize{who: "the matrix", axis: -1, size: parsed(m[2]), have: m[1]}.pasted(text)
		},
	},
	{
		Message: Message{ID: "keras-axis", Framework: "Keras", Reference: "keras/src/layers/input_spec.py, Keras 3 at 0072c188",
			Text: "Input 0 with name 'None' of layer 'conv2d' is incompatible with the layer: expected axis -1 of input shape to have value 3, " +
				"but received input with shape (None, 3, 224, 224)"},
		words:  lazy.Regexp(`expected axis (-?\d+) of input shape to have value (\d+),? but received input with shape [(\[]([\w, ]*)[)\]]`),
		answer: kerasAxis,
	},
}

// wantedSize is the size that a layer wants in a dim of its input, which has another one.
type wantedSize struct {
	who      string // "the convolution"
	axis     int    // from the end if negative
	size     int    // -1 if the text has no such number
	multiple bool   // any multiple of size will do
	have     string // the size that the dim has; empty if only the shape says it
}

// parsed reads a number of a message; -1 if it is out of range.
func parsed(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

func (w wantedSize) String() string {
	if w.multiple {
		return fmt.Sprintf("a multiple of %d", w.size)
	}
	return fmt.Sprintf("size %d", w.size)
}

func (w wantedSize) fits(n int) bool {
	if w.multiple {
		return w.size > 0 && n > 0 && n%w.size == 0
	}
	return n == w.size
}

// found returns the dims of a shape that have the size, but for the axis: channels are expected last, then in dim 1.
func (w wantedSize) found(shape []int) []int {
	rank := len(shape)
	dims := append([]int{rank - 1, 1}, ints.Range(rank)...)
	if w.axis < 0 {
		dims[0] = 1
		dims[1] = rank - 1
	}
	var found []int
	for _, d := range dims {
		if d >= rank || d == w.at(rank) {
			continue
		}
		if w.fits(shape[d]) && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

// at returns the axis, counted from the first.
func (w wantedSize) at(rank int) int {
	if w.axis < 0 {
		return w.axis + rank
	}
	return w.axis
}

// moved returns the order of dims that puts a dim at the axis; the others keep their order.
func (w wantedSize) moved(dim, rank int) []int {
	rest := slices.DeleteFunc(ints.Range(rank), func(d int) bool { return d == dim })
	return slices.Insert(rest, w.at(rank), dim)
}

// in answers a message that has the input's shape.
func (w wantedSize) in(list string) Answer {
	a := Answer{What: w.who + " expects " + w.String() + " in another dim", Same: tensor.Unknown, Cost: "nothing: the call fails", Facts: []string{},
		Fixes: []string{}, Commands: []string{"tlayout trace --help"}}
	shape, ok := sizes(list)
	axis := w.at(len(shape))
	if !ok || len(shape) < 2 || w.size < 0 {
		return a
	}
	if axis < 0 || axis >= len(shape) {
		return a
	}
	a.What = fmt.Sprintf("%s expects %s in dim %d, which has size %d", w.who, w, axis, shape[axis])
	a.Commands = []string{"tlayout inspect --shape " + spelled(shape)}
	dims := w.found(shape)
	if dims == nil {
		a.Facts = []string{fmt.Sprintf("no dim of %s has %s: not a layout problem", tensor.Tuple(shape), w)}
		return a
	}
	a = permuted(a, w.who, shape, w.moved(dims[0], len(shape)))
	if len(dims) > 1 {
		a.Facts = append(a.Facts, fmt.Sprintf("dim %d has %s too", dims[1], w))
	}
	return a
}

// pasted answers a message that lacks the input's shape, which may be beside it.
func (w wantedSize) pasted(message string) Answer {
	for _, m := range mentions(message) {
		if m.shape != nil && !m.guessed && len(m.shape) > 1 {
			return w.in(spelled(m.shape))
		}
	}
	from := -1
	to := w.axis
	if w.axis < 0 {
		from = 1
		to = -1
	}
	a := Answer{What: fmt.Sprintf("%s expects %s in dim %d of its input, which has size %s", w.who, w, w.axis, w.have), Same: tensor.Unknown,
		Cost:     "nothing: the call fails",
		Facts:    []string{"paste x.shape too: another dim may have the size"},
		Fixes:    []string{fmt.Sprintf("x = x.movedim(%d, %d)  # if x.shape[%[1]d] is %[3]d", from, to, w.size)},
		Commands: []string{"tlayout trace --shape 8,7,7,64 'movedim(-1,1)'"}}
	if w.size < 0 {
		a.What = w.who + " expects another size in dim " + strconv.Itoa(w.axis) + " of its input"
		a.Fixes = []string{}
	}
	return a
}

// layerNorm answers a norm of the last dims, whose result has the order of its input.
func layerNorm(_ string, m []string) Answer {
	last := wantedSize{who: "the norm", axis: -1, size: -1}
	want, ok := sizes(m[1])
	if n := len(want); ok && n > 0 {
		last.size = want[n-1]
	}
	shape, ok := sizes(m[2])
	order := toTheEnd(shape, want)
	if !ok || order == nil || slices.IsSorted(order) {
		return last.in(m[2])
	}
	a := permuted(Answer{}, last.who, shape, order)
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	a.Fixes = []string{fmt.Sprintf("y = norm(x.permute(%s)).permute(%s)", text.Ints(order, ", "), text.Ints(back, ", "))}
	return a
}

// toTheEnd returns the order of dims that puts the wanted sizes last, each the first dim that has it; nil if there is none.
func toTheEnd(shape, want []int) []int {
	var chosen []int
	for _, n := range want {
		at := slices.IndexFunc(ints.Range(len(shape)), func(d int) bool { return shape[d] == n && !slices.Contains(chosen, d) })
		if at < 0 {
			return nil
		}
		chosen = append(chosen, at)
	}
	rest := slices.DeleteFunc(ints.Range(len(shape)), func(d int) bool { return slices.Contains(chosen, d) })
	return append(rest, chosen...)
}

// kerasAxis answers a layer of Keras, whose shapes may have a None.
func kerasAxis(_ string, m []string) Answer {
	const none = -1
	var shape []int
	for _, word := range shapeWord.Get().FindAllString(m[3], maxRank) {
		shape = append(shape, parsed(word))
	}
	w := wantedSize{who: "the layer", axis: parsed(m[1]), size: parsed(m[2])}
	if m[1][0] == '-' {
		w.axis = -parsed(m[1][1:])
	}
	a := Answer{What: fmt.Sprintf("the layer expects size %s on axis %s of its input, which has shape (%s)", m[2], m[1], m[3]), Same: tensor.Unknown,
		Cost: "nothing: the call fails", Facts: []string{"no axis of the input has that size: not a layout problem"}, Commands: []string{"tlayout formats nhwc"}}
	axis := w.at(len(shape))
	if axis < 0 || axis >= len(shape) || w.size == none {
		return a
	}
	dims := w.found(shape)
	if dims == nil {
		return a
	}
	a.Facts = []string{fmt.Sprintf("axis %d of the input has that size", dims[0])}
	a.Fixes = []string{fmt.Sprintf("x = keras.ops.transpose(x, (%s))  # one copy of the input", text.Ints(w.moved(dims[0], len(shape)), ", "))}
	return a
}

// maxRank limits the axes of a shape that are read.
const maxRank = 8

// shapeWord matches a size of a shape, or None.
var shapeWord = lazy.Regexp(`\w+`)
