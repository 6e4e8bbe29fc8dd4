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

// bareSizes matches two shapes without parentheses, as ggml prints them.
var bareSizes = lazy.Regexp(`expected +(\d+(?:, *\d+)*),? got +(\d+(?:, *\d+)+)`)

// otherShape answers a shape that was expected beside the one that is there.
func otherShape(c *complaint) (Answer, bool) {
	want, have, ok := c.shapes()
	if m := bareSizes.Get().FindStringSubmatch(c.message); m != nil {
		var fits bool
		want, fits = mention.Sizes("(" + m[1] + ")")
		have, ok = mention.Sizes("(" + m[2] + ")")
		ok = ok && fits
	}
	if dots := c.said["have"]; dots != "" { // OpenVINO prints the tensor's sizes with dots
		have, ok = mention.Sizes(strings.ReplaceAll(dots, ".", ","))
		want, _ = mention.OpenSizes(c.said["want"])
	}
	if !ok {
		return Answer{}, false
	}
	who := cmp.Or(c.said["who"], "the call")
	if order := between(have, want); order != nil {
		a := c.permuted(who, have, order)
		if !c.directed && c.said["who"] == "" {
			a.What = fmt.Sprintf("the shapes %s and %s do not fit together; permuting one makes them equal", anySize(want), anySize(have))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(have)))) < len(have) && len(a.Facts) == 0 {
			a.Facts = []string{"dims of equal sizes can be exchanged as well"}
		}
		return a, true
	}
	a := Answer{What: fmt.Sprintf("the shape is %s; %s expects %s", anySize(have), who, anySize(want)), Same: tensor.Unknown, Cost: failing,
		Commands: []string{"tlayout inspect --shape " + mention.Spelled(mention.Closed(have))}}
	if slices.Min(slices.Concat(want, have)) < 0 {
		a.Facts = []string{"no order of the dims gives these sizes: not a layout problem"}
		return a, true
	}
	if !c.directed {
		a.What = fmt.Sprintf("the shapes %s and %s do not fit together", tensor.Tuple(want), tensor.Tuple(have))
	}
	fact, _, command := related(have, want)
	a.Facts = []string{fact}
	if command != "" {
		a.Commands = []string{command}
		a.Fixes = c.fix("reshape", want)
	}
	if slices.Equal(withoutOnes(have), withoutOnes(want)) {
		a.What += ": they differ by dims of size 1"
		a.Cost = "nothing: a view"
		a.Same = tensor.Yes
	}
	return a, true
}

// withoutOnes returns the sizes of a shape but 1.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

// ranks match the number of dims that is expected, and the one that is there.
var ranks = []*lazy.Expression{
	lazy.Regexp(`(?i)expected (?P<want>\d)-dimensional input .*?got (?P<have>\d)-dimensional`),
	lazy.Regexp(`(?i)expected (?:\d)D (?:or|and) (?P<want>\d)D(?: \w+)*,? \(?(?:but )?got:? (?P<have>\d)D`),
	lazy.Regexp(`(?i)expected (?P<want>\d)D \(unbatched\) or \dD \(batched\) input`),
	lazy.Regexp(`(?i)(?:expect\w*|requires?|must (?:be|have)|should (?:be|have)|needs?)[^\d]{0,40}?(?P<want>\d)-?(?:D\b|[- ]dim\w*| dims\b| axes)[^\d]*?(?:\d-?D[^\d]*)?(?:got|but|found|given|received|has)[^\d\[(]{0,40}?(?P<have>\d)-?(?:D\b|[- ]dim\w*|\b)`),
	lazy.Regexp(`(?i)dimension count of (?P<have>\d)[^\d]*'?[A-Za-z]?'?[^\d]*between \d and (?P<want>\d)`),
	lazy.Regexp(`(?i)rank[^\d]*got:? (?P<have>\d)[^\d]*expected:? (?P<want>\d)`),
	lazy.Regexp(`(?i)expected (?:min_)?ndim=(?P<want>\d), found ndim=(?P<have>\d)`),
}

// otherRank answers a tensor with another number of dims.
func otherRank(c *complaint) (Answer, bool) {
	for _, e := range ranks {
		m := named(e, c.message)
		if m != nil && m["have"] == "" && len(c.tensors) > 0 {
			m["have"] = strconv.Itoa(len(c.tensors[len(c.tensors)-1].Shape))
		}
		if m == nil || m["want"] == m["have"] {
			continue
		}
		if strings.Contains(c.message, "array.reshape(") { // scikit-learn says what to write
			return Answer{}, false
		}
		a := Answer{What: fmt.Sprintf("%s is %s-D, expected %s-D", c.operand(), m["have"], m["want"]), Same: tensor.Yes, Cost: "nothing: adding or dropping a dim of size 1 is a view"}
		switch parsed(m["want"]) - parsed(m["have"]) {
		case 1:
			a.What += ": one is missing, for images and sequences mostly the batch (dim 0)"
			a.Fixes = []string{c.filled("$x = $x[None]  # a batch of 1")}
		case -1:
			a.What += ": one is too many, often a batch or a channel dim of size 1"
			a.Facts = []string{"without such a dim, merge two of them: reshape"}
			a.Fixes = []string{c.filled("$x = $x[0]  # one of the batch")}
		}
		return a, true
	}
	return Answer{}, false
}

// dimNames matches dims in their order by name: [B, T, H, D], (batch, heads, seq).
var dimNames = lazy.Regexp(`[\[(]([A-Za-z]\w{0,9}(?:, ?[A-Za-z]\w{0,9}){1,5})(?:, ?\.\.\.)?[\])]`)

// otherNames answers a message that names the dims in the order that they have, and in the one that is expected.
func otherNames(c *complaint) (Answer, bool) {
	var lists [][]string
	var first mention.Role
	for i, at := range dimNames.Get().FindAllStringSubmatchIndex(c.message, 3) {
		lists = append(lists, strings.Split(strings.ReplaceAll(c.message[at[2]:at[3]], " ", ""), ","))
		if i == 0 {
			first = mention.RoleOf(c.message[max(0, at[0]-64):at[0]])
		}
	}
	if len(lists) != 2 || len(lists[0]) != len(lists[1]) || slices.Equal(lists[0], lists[1]) {
		return Answer{}, false
	}
	have := lists[0]
	want := lists[1]
	if first == mention.Expected {
		have = lists[1]
		want = lists[0]
	}
	order := make([]int, len(want))
	for i, name := range want {
		order[i] = slices.Index(have, name)
	}
	if !isPermutation(order) {
		return Answer{}, false
	}
	return Answer{What: fmt.Sprintf("the dims are in the order [%s], expected [%s]", strings.Join(have, ", "), strings.Join(want, ", ")), Same: tensor.No,
		Cost: "nothing in PyTorch: a view; what requires contiguous input copies it once", Facts: []string{"if the sizes only look so, as of a short sequence, the message is a false alarm"},
		Fixes: c.fix("permute", order)}, true
}

// anySize prints a shape in which -1 is any size.
func anySize(shape []int) string { return strings.ReplaceAll(tensor.Tuple(shape), "-1", "any") }

// between returns the order of dims that gives have the sizes of want, in which -1 is any size: that of an image first.
func between(have, want []int) []int {
	dims := ints.Range(len(have))
	fits := func(order []int) bool {
		for i, d := range order {
			isAny := want[i] < 0 || have[d] < 0
			if want[i] != have[d] && !isAny {
				return false
			}
		}
		return true
	}
	if len(have) != len(want) || len(have) == 0 || fits(dims) {
		return nil
	}
	if len(have) > 2 && fits(channelsFirst(dims)) {
		return channelsFirst(dims)
	}
	if len(have) > 2 && fits(channelsLast(dims)) {
		return channelsLast(dims)
	}
	if slices.Min(slices.Concat(have, want)) < 0 {
		return nil
	}
	return permutation(have, want)
}

// channelsLast returns the shape with axis 1 moved to the end.
func channelsLast(shape []int) []int { return slices.Concat(shape[:1], shape[2:], shape[1:2]) }

// channelsFirst returns the shape with the last axis moved to axis 1.
func channelsFirst(shape []int) []int {
	last := len(shape) - 1
	return slices.Concat(shape[:1], shape[last:], shape[1:last])
}

// runtimes run models of other frameworks, on arrays that must be contiguous.
var runtimes = []string{"ONNX Runtime", "OpenVINO", "TensorRT", "Core ML"}

// permuted answers an input that has the expected sizes in another order of dims.
func (c *complaint) permuted(who string, have, order []int) Answer {
	dims := ints.Range(len(have))
	want := make([]int, len(order))
	for i, d := range order {
		want[i] = have[d]
	}
	a := Answer{Same: tensor.No, Cost: "permute is a view and copies nothing; what requires contiguous input copies it once",
		What:     fmt.Sprintf("the input has shape %s; %s expects %s", anySize(have), who, anySize(want)),
		Fixes:    c.fix("permute", order),
		Commands: []string{fmt.Sprintf("tlayout trace --shape %s 'permute(%s)'", mention.Spelled(mention.Closed(have)), text.Ints(order, ","))}}
	if len(have) > 2 && slices.Equal(order, channelsLast(dims)) {
		a.What = fmt.Sprintf("the input has channels first, %s; %s expects channels last, %s", anySize(have), who, anySize(want))
	}
	if len(have) > 2 && slices.Equal(order, channelsFirst(dims)) {
		a.What = fmt.Sprintf("the input has channels last, %s; %s expects channels first, %s", anySize(have), who, anySize(want))
		a.Same = tensor.Yes
		a.Cost = "nothing in PyTorch: permute is a view, and its result is channels_last"
	}
	if c.language.name != "PyTorch" {
		a.Same = tensor.No
		a.Cost = "one copy of the input"
	}
	if slices.Contains(runtimes, c.name) {
		a.Language = "NumPy"
		a.Cost = "one copy of the input: runtimes require a contiguous one"
		a.Fixes = []string{fmt.Sprintf("x = np.ascontiguousarray(x.transpose(%s))", text.Ints(order, ", "))}
	}
	return a
}

// badIndex matches an axis that differs, of which ONNX Runtime prints all.
var badIndex = lazy.Regexp(`index: (\d) Got: (\d+) Expected: (\d+)`)

// invalidDimensions answers ONNX Runtime, which prints only the axes that differ: the others are any.
func invalidDimensions(c *complaint) (Answer, bool) {
	have := []int{-1, -1, -1}
	want := []int{-1, -1, -1}
	var axes []string
	for _, m := range badIndex.Get().FindAllStringSubmatch(c.message, 16) {
		axes = append(axes, fmt.Sprintf("axis %s: %s, expected %s", m[1], m[2], m[3]))
		for d := parsed(m[1]); d >= len(have); {
			have = append(have, -1)
			want = append(want, -1)
		}
		have[parsed(m[1])] = parsed(m[2])
		want[parsed(m[1])] = parsed(m[3])
	}
	order := between(have, want)
	if _, ok := mention.Sizes(mention.Spelled(mention.Closed(have))); !ok {
		order = nil
	}
	if order == nil || len(axes) < 2 || !slices.Equal(slices.Sorted(slices.Values(have)), slices.Sorted(slices.Values(want))) {
		return Answer{What: "the input's sizes are not the model's", Same: tensor.Unknown, Cost: failing, Fixes: []string{},
			Facts: append(axes, "the sizes are not the expected ones in another order: not a layout problem")}, true
	}
	a := c.permuted("ONNX Runtime's model", have, order)
	a.Facts = axes
	return a, true
}

var mismatched = lazy.Regexp(`size mismatch for ([^\s:]+): copying a param with shape ` + mention.List + ` from checkpoint, the shape in current model is ` + mention.List)

// stateDict answers load_state_dict, which prints each parameter whose sizes differ.
func stateDict(c *complaint) (Answer, bool) {
	a := Answer{Same: tensor.Unknown, Cost: "nothing: load_state_dict fails", Fixes: []string{}}
	all := mismatched.Get().FindAllStringSubmatch(c.around, -1)
	for _, m := range all {
		have, ok := mention.Sizes(m[2])
		want, fits := mention.Sizes(m[3])
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
	return a, true
}
