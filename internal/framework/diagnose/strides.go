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

var recompiles = lazy.Regexp(`(?i)recompil|guard fail`)

// costOfStrides is what other strides than expected cost: a copy, or a recompilation.
func (c *complaint) costOfStrides() string {
	if recompiles.Get().MatchString(c.around) {
		return "a recompilation: compiled code is for one order of strides, and each new one compiles again"
	}
	return "one copy of that tensor"
}

// otherStrides answers two lists of strides, of sizes that the message has or that follow from the expected strides.
func otherStrides(c *complaint) (Answer, bool) {
	want, have, ok := c.pair(func(m mention.Tensor) []int { return m.Strides })
	if !ok || !c.directed || len(want) != len(have) {
		return Answer{}, false
	}
	a := Answer{What: fmt.Sprintf("the strides are %s, expected %s", tensor.Tuple(have), tensor.Tuple(want)), Same: tensor.No, Cost: c.costOfStrides(), Fixes: c.fix("contiguous", nil)}
	if d := pitched(want, have); d >= 0 {
		a.What = fmt.Sprintf("dim %d has a pitch of %d, expected %d: %d elements between its rows are not in the tensor", d, have[d], want[d], have[d]-want[d])
		a.Facts = []string{"a slice of a larger tensor has such strides, and rows that are padded; the order of dims is the expected one"}
		return a, true
	}
	if d := pitched(have, want); d >= 0 {
		a.What = fmt.Sprintf("dim %d has stride %d, expected a pitch of %d: rows that are padded by %d elements", d, have[d], want[d], want[d]-have[d])
		a.Fixes = c.padded(want[d])
		return a, true
	}
	shape, outermost := denseSizes(want)
	sizes := ""
	if s, ok := c.strided(); ok && len(s.Shape) == len(want) {
		shape = s.Shape
		sizes = tensor.Tuple(shape)
	}
	if complete := completed(shape, outermost, have); sizes == "" && complete != nil {
		shape = complete
		sizes = tensor.Tuple(shape)
	}
	if shape == nil {
		return a, true
	}
	to := tensor.Strided{Shape: shape, Strides: want}
	from := tensor.Strided{Shape: shape, Strides: have}
	if sizes == "" { // the outermost size is any: 2 stands for more than 1, of which the stride counts
		sizes = strings.Replace(tensor.Tuple(shape), "2", "N", 1)
		if !from.NonOverlappingAndDense() {
			from.Shape = slices.Clone(shape)
			from.Shape[outermost] = 1
			sizes += " with N = 1"
		}
	}
	a.What = fmt.Sprintf("the strides are those of a %s tensor, expected %s, of sizes %s", inWords(from), inWords(to), sizes)
	a.Facts = append(a.Facts, fmt.Sprintf("got strides %s, outermost dims first %s; expected %s, %s", tensor.Tuple(have), tensor.Tuple(from.DimOrder()),
		tensor.Tuple(want), tensor.Tuple(to.DimOrder())))
	switch order := to.DimOrder(); format(to) {
	case "contiguous":
	case "channels_last", "channels_last_3d":
		a.Fixes = c.fix("channels_last", nil)
	default:
		a.Fixes = []string{fmt.Sprintf("%s = %[1]s.permute(%s).contiguous().permute(%s)", c.operand(), text.Ints(order, ", "), text.Ints(inverse(order), ", "))}
	}
	return a, true
}

// inWords names the order of a tensor, of an image also by its letters.
func inWords(s tensor.Strided) string {
	name := format(s)
	if s.Rank() != 4 {
		return name
	}
	return cmp.Or(map[string]string{"contiguous": "contiguous (row-major, NCHW)", "channels_last": "channels_last (NHWC)"}[name], name)
}

// inverse returns the permutation that undoes an order of dims.
func inverse(order []int) []int {
	back := make([]int, len(order))
	for i, d := range order {
		back[d] = i
	}
	return back
}

// denseSizes returns the sizes of the dense tensor that has these strides, and its outermost dim, whose size does not follow and is 2;
// nil for other strides.
func denseSizes(strides []int) (shape []int, outermost int) {
	dims := ints.Range(len(strides))
	slices.SortStableFunc(dims, func(a, b int) int { return strides[b] - strides[a] })
	if len(dims) < 2 || strides[dims[len(dims)-1]] != 1 {
		return nil, 0
	}
	shape = make([]int, len(strides))
	shape[dims[0]] = 2
	for i, d := range dims[1:] {
		outer := strides[dims[i]]
		if outer%strides[d] != 0 {
			return nil, 0
		}
		shape[d] = outer / strides[d]
	}
	return shape, dims[0]
}

// completed returns a shape with its outermost size, which follows if other strides are dense in another order of dims; nil if they are not.
func completed(shape []int, outermost int, strides []int) []int {
	other, dim := denseSizes(strides)
	if shape == nil || other == nil || dim == outermost {
		return nil
	}
	complete := slices.Clone(shape)
	complete[outermost] = other[outermost]
	if s := (tensor.Strided{Shape: complete, Strides: strides}); !s.NonOverlappingAndDense() {
		return nil
	}
	return complete
}

// padded returns the statements that give rows a pitch, in elements.
func (c *complaint) padded(pitch int) []string {
	c.said["n"] = strconv.Itoa(pitch)
	return c.fix("pitch", nil)
}

// pitched returns the dim whose stride alone is larger than expected; -1 if the strides differ in another way.
func pitched(want, have []int) int {
	at := -1
	for d, n := range want {
		if have[d] == n {
			continue
		}
		if have[d] < n || at >= 0 {
			return -1
		}
		at = d
	}
	return at
}

// otherStride answers a message that has the stride of one dim.
func otherStride(c *complaint) (Answer, bool) {
	dim := cmp.Or(c.said["dim"], "?")
	have := parsed(c.said["have"])
	want := parsed(c.said["want"])
	if min(have, want) < 0 {
		return Answer{}, false
	}
	a := Answer{What: fmt.Sprintf("dim %s of %s has stride %d, expected %d", dim, c.operand(), have, want), Same: tensor.No, Cost: c.costOfStrides(), Fixes: c.fix("contiguous", nil)}
	switch 1 {
	case have:
		a.What += ": this dim is innermost here, as in a transposed, permuted or channels_last tensor; expected another order"
	case want:
		a.What += ": expected with this dim innermost, as in a transposed, permuted or channels_last tensor; this one has another order"
		a.Fixes = append(c.fix("channels_last", nil), a.Fixes...)
	default:
		if have < want {
			a.Fixes = c.padded(want)
		}
		a.Facts = []string{fmt.Sprintf("rows of %d elements that begin every %d, %d apart: a pitch, a slice of a larger tensor, or a size that changed", min(have, want), max(have, want),
			max(have, want)-min(have, want))}
	}
	if recompiles.Get().MatchString(c.around) {
		a.Facts = append(a.Facts, "the guard of compiled code fails: pass the same strides in every call; where sizes change too, torch.compile(f, dynamic=True)")
	}
	return a, true
}

// assertedCall matches the line of Inductor's code that raised the message.
var assertedCall = lazy.Regexp(`assert_size_stride\(\w+, (?P<shape>\([\d, ]*\)), (?P<strides>\([-\d, ]*\))`)

var strideAt = lazy.Regexp(`stride (?P<have>\d+)==(?P<want>\d+) at dim=\d+$`)

var asserted = lazy.Regexp(`expected size (\d+)==(\d+), stride (-?\d+)==(-?\d+) at dim=(\d+)`)

// assertedStrides answers Inductor, which prints actual==expected for one dim or several.
func assertedStrides(c *complaint) (Answer, bool) {
	a := Answer{What: "the tensor's strides differ from those that the code was compiled for", Same: tensor.No, Cost: "a copy of that tensor, to change its strides"}
	sizesDiffer := false
	for _, m := range asserted.Get().FindAllStringSubmatch(c.message, 16) {
		a.Facts = append(a.Facts, fmt.Sprintf("dim %s: size %s, expected %s; stride %s, expected %s", m[5], m[1], m[2], m[3], m[4]))
		sizesDiffer = sizesDiffer || m[1] != m[2]
		if m[5] != "1" || m[1] == "1" || m[3] == m[4] {
			continue
		}
		switch "1" {
		case m[4]:
			a.What = "compiled code expects channels_last, with stride 1 for dim 1, but got stride " + m[3]
			a.Fixes = append(a.Fixes, "x = x.contiguous(memory_format=torch.channels_last)  # before the compiled call")
		case m[3]:
			a.What = "compiled code expects dim 1 to have stride " + m[4] + ", but got a channels_last tensor, with stride 1"
			a.Fixes = append(a.Fixes, "x = x.contiguous()  # before the compiled call")
		}
	}
	if m := named(strideAt, c.message); len(a.Fixes) == 0 && m["have"] != m["want"] {
		a.Fixes = c.fix("contiguous", nil)
		if parsed(m["have"]) < parsed(m["want"]) {
			a.Fixes = c.padded(parsed(m["want"]))
		}
	}
	if call := named(assertedCall, c.around); call != nil {
		shape, _ := mention.Sizes(call["shape"])
		strides, _ := mention.Sizes(call["strides"])
		if s, ok := mention.Strided(shape, strides); ok {
			a.Facts = append(a.Facts, fmt.Sprintf("expected: sizes %s, strides %s, %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides), format(s)))
			a.Cost = copies(s) + ", to change the strides"
			a.Commands = []string{command("inspect", s)}
		}
	}
	if sizesDiffer {
		a.What = "only the sizes differ from those that the code was compiled for, not the strides"
		a.Fixes = []string{"torch._dynamo.mark_dynamic(x, dim)  # or torch.compile(model, dynamic=True)"}
	}
	a.Fixes = append(a.Fixes, "torch.library.opcheck(op, args)  # if the fake kernel has other strides")
	return a, true
}

// bucketStrides answers DDP, which prints the sizes and strides of a gradient and of its place in a bucket.
func bucketStrides(c *complaint) (Answer, bool) {
	a := Answer{What: "DDP copies a gradient into a bucket with other strides", Same: tensor.Unknown, Facts: []string{"paste the lines grad.sizes() and bucket_view.sizes() too"},
		Cost: "nothing if only dims of size 1 differ, as for 1x1 convolutions and Linear(1, n); otherwise a transposing copy in every step"}
	shape, _ := mention.Sizes(c.said["shape"])
	ofGrad, _ := mention.Sizes(c.said["grad"])
	ofBucket, _ := mention.Sizes(c.said["bucket"])
	grad, okGrad := mention.Strided(shape, ofGrad)
	bucket, okBucket := mention.Strided(shape, ofBucket)
	if c.said["shape"] == "" || !okGrad || !okBucket {
		return a, true
	}
	a.Same, a.Facts = compare("the gradient", grad, "the bucket", bucket)
	a.Commands = []string{command("inspect", grad), command("inspect", bucket)}
	if a.Same == tensor.Yes {
		a.What = "gradient and bucket have the same memory: only strides of dims of size 1 differ"
		a.Cost = "nothing: the copy into the bucket is the same either way"
		a.Fixes = []string{`warnings.filterwarnings("ignore", message="Grad strides do not match")`}
		return a, true
	}
	a.What = "gradient and bucket have different memory: the copy into the bucket transposes"
	a.Cost = copies(grad) + " in another order, in every step"
	a.Fixes = []string{"p.data = p.data.contiguous()  # for that parameter, before DDP(model)",
		"y = x.permute(…).contiguous()    # where the forward pass permutes that parameter's other operand"}
	if f := format(grad); strings.HasPrefix(f, "channels_last") {
		a.Fixes[0] = "model = model.to(memory_format=torch." + f + ")  # before DDP(model)"
	}
	return a, true
}

// compare returns whether two tensors of the same sizes have every element at the same offset, and why.
func compare(nameA string, a tensor.Strided, nameB string, b tensor.Strided) (tensor.Answer, []string) {
	facts := []string{
		fmt.Sprintf("%s: sizes %s, strides %s, %s", nameA, tensor.Tuple(a.Shape), tensor.Tuple(a.Strides), format(a)),
		fmt.Sprintf("%s: sizes %s, strides %s, %s", nameB, tensor.Tuple(b.Shape), tensor.Tuple(b.Strides), format(b)),
	}
	differ := map[bool][]string{}
	for d, n := range a.Shape {
		if a.Strides[d] != b.Strides[d] {
			differ[n > 1] = append(differ[n > 1], strconv.Itoa(d))
		}
	}
	used := differ[true]
	unused := differ[false]
	if len(used) > 0 && !a.Empty() {
		return tensor.No, append(facts, fmt.Sprintf("the strides of %s %s differ: elements have different offsets", text.Plural(len(used), "dim", "dims"), text.And(used)))
	}
	if len(unused) > 0 && !a.Empty() {
		facts = append(facts, fmt.Sprintf("the strides of %s %s differ, but strides of size-1 dims are never used: every element is at the same offset",
			text.Plural(len(unused), "dim", "dims"), text.And(unused)))
	}
	return tensor.Yes, facts
}
