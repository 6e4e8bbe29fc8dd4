package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// wantedSize is the size that a layer wants in a dim of its input, which has another one.
type wantedSize struct {
	who      string // "the convolution"
	axis     int    // from the end if negative
	size     int    // -1 if the text has no such number
	multiple bool   // any multiple of size will do
	have     string // the size that the dim has; empty if only the shape says it
}

const (
	ofWanting = `(?i)\b(?:expect\w*|requi\w*|should|must|needs?|wants?|to have|to match)\b`
	ofHaving  = `\b(?:got|but|not|found|given|received|actual\w*|has|have|input)\b`
)

// wantedSizes read the size that is wanted and the one that is there.
var wantedSizes = []*lazy.Expression{
	lazy.Regexp(`(?P<have>\d+) ?//? ?\d+ != \D*?\(?(?P<want>\d+)\b`), // JAX, Core ML: features of the input // groups, and those of the weight
	lazy.Regexp(`C: (?P<have>\d+) kernel channels: (?P<want>\d+)`),   // ONNX Runtime
	lazy.Regexp(`(?i)size (?P<want>\d+) (?:in (?:the )?last dim|along .?channel)`),
	lazy.Regexp(`\((?P<have>\d+) != (?P<want>\d+)\)`), // LiteRT
	lazy.Regexp(ofWanting + `[^\d\[(]{0,40}\(?(?P<want>\d+)\b[^\d\[(]{0,40}` + ofHaving + `[^\d\[(]{0,40}(?P<have>\d+)`),
	lazy.Regexp(`(?i)` + ofHaving + `[^\d\[(]{0,40}(?P<have>\d+)\b[^\d\[(]{0,60}` + ofWanting + `[^\d\[(]{0,30}(?P<want>\d+)`),
	lazy.Regexp(`(?i)(?:channel|depth|feature)[^\d\[(]{0,60}(?P<have>\d+) (?:vs\.?|versus|!=|and) (?P<want>\d+)`),
	lazy.Regexp(ofWanting + `[^\d\[(]{0,30}(?P<want>\d+) (?:input )?(?:channel|feature)`),
}

var ofLastDim = lazy.Regexp(`(?i)last (?:dim|axis)|shape\[-1\]|axis -1|hidden|trailing|in_features|channel_axis`)

// lastIsChannels are the languages whose images have their channels last.
var lastIsChannels = []string{"TensorFlow", "Keras", "MLX"}

// otherChannels answers a layer that finds another size where it expects the channels or features.
func otherChannels(c *complaint) (Answer, bool) {
	said := c.said
	for _, e := range wantedSizes {
		if said["want"] == "" {
			said = named(e, c.message)
		}
	}
	if said["want"] == "" {
		said = c.likelyChannels()
	}
	if said["want"] == "" {
		return Answer{}, false
	}
	if said["have"] == said["want"] {
		return Answer{}, false
	}
	w := wantedSize{who: cmp.Or(said["who"], "the layer"), axis: 1, size: parsed(said["want"]), have: said["have"], multiple: said["multiple"] != ""}
	if slices.Contains(lastIsChannels, c.language.name) || ofLastDim.Get().MatchString(c.message) {
		w.axis = -1
	}
	if said["axis"] != "" {
		w.axis, _ = strconv.Atoi(said["axis"])
	}
	if said["shape"] != "" {
		shape, _ := mention.OpenSizes(said["shape"])
		return w.in(c, shape), true
	}
	if shape := c.inputShape(); shape != nil {
		return w.in(c, shape), true
	}
	return w.withoutShape(c), true
}

// inputShape returns the first shape of two dims and more that a word calls so, or that is likely one; a known message would name it.
func (c *complaint) inputShape() []int {
	guessed := []int(nil)
	for _, m := range c.tensors {
		if len(m.Shape) > 1 && !m.Guessed {
			return m.Shape
		}
		if len(m.Shape) > 1 && guessed == nil {
			guessed = m.Shape
		}
	}
	if c.said["who"] != "" {
		return nil
	}
	return guessed
}

// likelyChannels returns what a message says of the axis of an image's channels, which are 3, 1 or 4.
func (c *complaint) likelyChannels() map[string]string {
	for _, n := range []int{3, 1, 4} {
		if c.said["axis"] != "" && len(c.tensors) > 0 && slices.Contains(c.tensors[0].Shape, n) {
			return map[string]string{"want": strconv.Itoa(n), "axis": c.said["axis"], "shape": mention.Spelled(c.tensors[0].Shape)}
		}
	}
	return nil
}

// weightChannels is the dim of a convolution's weight that has the input's channels: O,I and the window; H,W,I,O of TensorFlow; O, the
// window and I of MLX.
func (c *complaint) weightChannels(rank int) int {
	switch c.language.name {
	case "MLX":
		return rank - 1
	case "TensorFlow", "Keras":
		return rank - 2
	}
	return 1
}

// otherConvolution answers a convolution that prints the shapes of its input and of its weight: either may have the channels elsewhere.
func otherConvolution(c *complaint) (Answer, bool) {
	var input, weight []int
	for _, m := range c.tensors {
		isWeight := ofWeight.Get().MatchString(m.Before)
		if len(m.Shape) > 2 && isWeight && weight == nil {
			weight = m.Shape
		}
		if len(m.Shape) > 2 && !isWeight && input == nil {
			input = m.Shape
		}
	}
	if weight == nil || len(weight) != len(input) {
		return Answer{}, false
	}
	w := wantedSize{who: "the convolution", axis: 1}
	if slices.Contains(lastIsChannels, c.language.name) {
		w.axis = -1
	}
	rank := len(input)
	have := input[w.at(rank)]
	at := c.weightChannels(rank)
	w.size = weight[at]
	if have == w.size {
		return Answer{}, false
	}
	orders := [][]int{{0, 2, 3, 4, 1}, {0, 2, 3, 1}, {0, 2, 1}, {1, 2, 3, 0}, {2, 3, 1, 0}} // of other frameworks' weights to this one's
	orders = slices.DeleteFunc(orders, func(order []int) bool { return len(order) != rank || at < 2 })
	for _, order := range orders {
		if weight[order[at]] == have {
			c.said["operand"] = "weight"
			a := c.permuted("the convolution", weight, order)
			a.What = strings.Replace(a.What, "the input", "the weight (kernel, filter)", 1)
			a.Facts = []string{fmt.Sprintf("its dim %d must have the input's channels, %d", at, have)}
			return a, true
		}
	}
	return w.in(c, input), true
}

var ofWeight = lazy.Regexp(`(?i)weight|filter|kernel`)

// otherFeatures answers a norm of the last dims, whose result has the order of its input.
func otherFeatures(c *complaint) (Answer, bool) {
	last := wantedSize{who: "the norm", axis: -1, size: -1}
	want, _ := mention.Sizes(c.said["want"])
	if n := len(want); n > 0 {
		last.size = want[n-1]
	}
	shape, ok := mention.Sizes(c.said["shape"])
	if !ok {
		return last.in(c, nil), true
	}
	order := toTheEnd(shape, want)
	if order == nil || slices.IsSorted(order) {
		return last.in(c, shape), true
	}
	a := c.permuted(last.who, shape, order)
	a.Fixes = []string{fmt.Sprintf("y = norm(x.permute(%s)).permute(%s)", text.Ints(order, ", "), text.Ints(inverse(order), ", "))}
	return a, true
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
func (w wantedSize) found(shape []int) (found []int) {
	rank := len(shape)
	dims := append([]int{rank - 1, 1}, ints.Range(rank)...)
	if w.axis < 0 {
		dims[0] = 1
		dims[1] = rank - 1
	}
	for _, d := range dims {
		if d != w.at(rank) && w.fits(shape[d]) && !slices.Contains(found, d) {
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
func (w wantedSize) in(c *complaint, shape []int) Answer {
	a := Answer{What: w.who + " expects " + w.String() + " in another dim", Same: tensor.Unknown, Cost: failing, Fixes: []string{}, Commands: []string{"tlayout trace --help"}}
	axis := w.at(len(shape))
	if len(shape) < 2 || w.size < 0 || axis != min(max(axis, 0), len(shape)-1) {
		return a
	}
	a.What = fmt.Sprintf("%s expects %s in dim %d, which has size %d", w.who, w, axis, shape[axis])
	a.Commands = []string{"tlayout inspect --shape " + mention.Spelled(mention.Closed(shape))}
	dims := w.found(shape)
	if dims == nil {
		a.Facts = []string{fmt.Sprintf("no dim of %s has %s: not a layout problem; another layer or another input is meant", tensor.Tuple(shape), w)}
		return a
	}
	a = c.permuted(w.who, shape, w.moved(dims[0], len(shape)))
	if len(dims) > 1 {
		a.Facts = append(a.Facts, fmt.Sprintf("dim %d has %s too", dims[1], w))
	}
	isConvolution := w.who == "the convolution" && c.name == "PyTorch"
	mayLackBatch := shape[0] == 1 && len(shape) > 2 // PyTorch prints an image without a batch with one
	if isConvolution && mayLackBatch {
		a.Fixes = append(a.Fixes, fmt.Sprintf("x = x.movedim(-1, %d)  # if x has no batch dim", 1-len(shape)))
	}
	return a
}

// withoutShape answers a message that lacks the input's shape.
func (w wantedSize) withoutShape(c *complaint) Answer {
	from := -1
	to := w.axis
	order := []int{0, 3, 1, 2}
	layouts := "channels last (NHWC), expected first (NCHW)"
	if w.axis < 0 {
		from = 1
		to = -1
		order = []int{0, 2, 3, 1}
		layouts = "channels first (NCHW), expected last (NHWC)"
	}
	a := Answer{What: fmt.Sprintf("%s expects %s in dim %d of its input, which has size %s", w.who, w, w.axis, cmp.Or(w.have, "another one")), Same: tensor.Unknown,
		Cost: failing, Fixes: []string{}, Commands: []string{"tlayout trace --shape 8,7,7,64 'movedim(-1,1)'"}}
	if w.size < 0 {
		a.What = fmt.Sprintf("%s expects another size in dim %d of its input", w.who, w.axis)
		return a
	}
	a.Facts = []string{fmt.Sprintf("if %s is a height, a width or a length, and the channels are the %d, the input has its %s: paste x.shape too", w.have, w.size, layouts)}
	if c.said["other"] == w.have && w.have != "" { // the sizes of a product: (m, k) and (n, k)
		a.What = fmt.Sprintf("the first matrix has %s columns, the second %d rows: the inner sizes must be equal, and those of the second, transposed, are", w.have, w.size)
		a.Facts = nil
		a.Cost = "nothing: t() is a view"
		a.Fixes = []string{"y = mat1 @ mat2.t()  # a weight of nn.Linear is (out, in)"}
		return a
	}
	if w.have == "4" && w.size == 3 && w.who != "the matrix" {
		a.Facts = append(a.Facts, "4 where 3 channels are wanted may be RGBA: convert the image to RGB")
	}
	a.Fixes = c.fix("permute", order)
	if c.language.name == "PyTorch" {
		a.Fixes = []string{fmt.Sprintf("x = x.movedim(%d, %d)  # if x.shape[%[1]d] is %[3]d", from, to, w.size)}
	}
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
