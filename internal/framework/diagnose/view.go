package diagnose

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

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
func refusedView(c *complaint) (Answer, bool) {
	s, ok := c.strided()
	shape := c.said["to"]
	if shape == "" {
		if call := viewCall.Get().FindStringSubmatch(c.around); call != nil {
			shape = call[1]
		}
	}
	if s.Negative() {
		return unknownView("PyTorch has no negative strides: " + tensor.Tuple(s.Strides) + " are those of another array"), true
	}
	if ok && shape != "" {
		return viewed(s, shape), true
	}
	if c.said["to"] == "" {
		return unknownView("the message has no numbers: paste it with x.shape, x.stride() and the line x.view(…) to find the dims"), true
	}
	return anyView, true
}

// unknownView is anyView, and first why it names no dims.
func unknownView(why string) Answer {
	a := anyView
	a.Facts = append([]string{why}, a.Facts...)
	return a
}

// viewed computes why a view with that shape is refused.
func viewed(s tensor.Strided, shape string) Answer {
	a := anyView
	to, err := sizesOrFree(shape)
	if err != nil {
		return a
	}
	if len(to) == 0 {
		return a
	}
	call := trace.ViewAs(to)
	a.Commands = []string{command("trace", s, call.String())}
	step, err := trace.Start(s, nil, s.StorageElems(), 1, trace.PyTorch).Apply(call)
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
	steps, err := trace.Parse("view(" + text + ")")
	if err != nil || len(steps) != 1 {
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

// splitBadly names the first sizes that a shape splits or merges into others with another product; empty if each has its own.
func splitBadly(from, to []int) string {
	i := 0
	for j := 0; i < len(from) && j < len(to); i++ {
		first := j
		product := to[j]
		for j++; j < len(to) && product < from[i]; j++ {
			product *= max(to[j], 1)
		}
		isMerge := product > from[i] && j == first+1
		if isMerge || product < 1 || from[i] < 1 {
			return ""
		}
		if product != from[i] {
			return fmt.Sprintf("dim %d of size %d does not split into %s = %d: pad or cut it by %d", i, from[i], text.Product(to[first:j]), product,
				max(product, from[i])-min(product, from[i]))
		}
	}
	return ""
}

// reshaped returns x.reshape(…) in the language of the message; those with a slice stay NumPy's and PyTorch's.
func (c *complaint) reshaped(statement string) string {
	list, comment, ok := strings.Cut(strings.TrimPrefix(statement, "x.reshape("), ")")
	if c.language.name != "TensorFlow" || !ok || strings.Contains(comment, ".reshape") {
		return statement
	}
	return "x = tf.reshape(x, [" + list + "])" + comment
}

// countsOf read a number of elements, and the sizes that they do not fill.
var countsOf = []*lazy.Expression{
	lazy.Regexp(`(?i)(?P<n>\d+) (?:elements|values)\b[^\[({]*[\[({]? ?(?P<to>[\[({]-?\d[-\d, ]*[\])}])`),
	lazy.Regexp(`(?i)size ?=? ?(?P<n>\d+)\b[^\[({]*(?P<to>[\[({]-?\d[-\d, ]*[\])}])`),
	lazy.Regexp(`(?i)(?P<to>[\[({]-?\d[-\d, ]*[\])}])[^\[({\d]*(?P<n>\d{2,}) ?(?:elements|values)?`),
	lazy.Regexp(`(?i)(?P<n>\d+) (?:elements|values)\D*(?P<to>\d+)\b`),
	lazy.Regexp(`(?i)volume (?P<n>\d+) to (?P<to>\d+)\b`), // TensorRT
}

// misfit answers sizes with another product than the number of elements.
func misfit(c *complaint) (Answer, bool) {
	a := Answer{What: "the new shape has a different number of elements", Same: tensor.Unknown, Cost: failing, Commands: []string{"tlayout trace --help  # view, reshape and their sizes"}}
	said := c.said
	want, have, two := c.shapes()
	two = two && slices.Min(slices.Concat(want, have)) >= 0
	if said["to"] == "" && two {
		n, _ := tensor.Numel(have)
		said = map[string]string{"to": mention.Spelled(want), "n": strconv.Itoa(n)}
	}
	for _, e := range countsOf {
		if said["to"] == "" {
			if m := named(e, c.message); m != nil {
				said = m
			}
		}
	}
	if said["to"] == "" {
		return Answer{}, false
	}
	to, err := sizesOrFree(said["to"])
	n, bad := strconv.Atoi(said["n"])
	_, isCountable := mention.Sizes(said["n"])
	if err != nil || bad != nil || !isCountable {
		return a, true
	}
	if len(to) < 2 && n < minSide { // counts of other things
		return Answer{}, false
	}
	if two {
		if fact := splitBadly(have, to); fact != "" {
			a.Facts = append(a.Facts, fact)
		}
	}
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
		return a, true
	}
	if free == 0 && product == n {
		return Answer{}, false
	}
	if free == 0 {
		a.Facts = append([]string{fmt.Sprintf("%s = %d elements, the tensor has %d", text.Product(to), product, n)}, a.Facts...)
	}
	if free == 1 && product > 0 && n%product != 0 {
		a.What = "-1 cannot be inferred: the other sizes do not divide the number of elements"
		a.Facts = []string{fmt.Sprintf("%d elements are not a multiple of %d", n, product)}
	}
	if free == 0 && product > 0 {
		fact, fixes := resized(to, n, product)
		for _, f := range fixes {
			a.Fixes = append(a.Fixes, c.reshaped(f))
		}
		if fact != "" {
			a.Facts = append(a.Facts, fact)
		}
	}
	a.Commands = []string{fmt.Sprintf("tlayout trace --shape %d 'reshape(%s)'", n, text.Ints(to, ","))}
	return a, true
}
