package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Messages about two sets of strides for the same sizes.
var strideRules = []rule{
	{
		Message: Message{ID: "ddp-grad-strides", Framework: "PyTorch",
			Text: "Grad strides do not match bucket view strides. This may indicate grad was not created according to the gradient layout contract, " +
				"or that the param's strides changed since DDP was constructed.  This is not an error, but may impair performance.\n" +
				"grad.sizes() = [64, 64, 1, 1], strides() = [64, 1, 64, 64]\nbucket_view.sizes() = [64, 64, 1, 1], strides() = [64, 1, 1, 1]",
			Reference: "torch/csrc/distributed/c10d/reducer.cpp, PyTorch 1.13"},
		words:  lazy.Regexp(`Grad strides do not match bucket view strides`),
		answer: bucketStrides,
	},
	{
		Message: Message{ID: "assert-size-stride", Framework: "PyTorch",
			Text:      "AssertionError: expected size 64==64, stride 3136==1 at dim=1",
			Reference: "torch/csrc/dynamo/guards.cpp, PyTorch 2.6"},
		words:  lazy.Regexp(`expected size \d+==\d+, stride -?\d+==-?\d+ at dim=\d+`),
		answer: assertedStrides,
	},
	{
		Message: Message{ID: "executorch-dim-order", Framework: "ExecuTorch",
			Text:      "Expected tensor to have default or channels last dim order, but got\n  dim_order(0): 0\n  dim_order(1): 2\n  dim_order(2): 1\n  dim_order(3): 3",
			Reference: "kernels/portable/cpu/util/kernel_ops_util.cpp, ExecuTorch 1.0"},
		words:  lazy.Regexp(`Expected tensor to have default or channels last dim order`),
		answer: dimOrder,
	},
	{
		Message: Message{ID: "executorch-different-dim-orders", Framework: "ExecuTorch",
			Text:      "Check failed (all_contiguous || all_channels_last): 2 input tensors have different dim orders",
			Reference: "runtime/core/exec_aten/util/tensor_util_portable.cpp, ExecuTorch 0.4"},
		words: lazy.Regexp(`input tensors have different dim orders`),
		answer: always(Answer{
			What: "an operator got one contiguous and one channels_last tensor; ExecuTorch's portable kernels require the same dim order for all",
			Same: tensor.Unknown, Cost: "one copy of the converted tensor; none if size-1 dims make both orders the same memory",
			Fixes:    []string{"inputs = tuple(" + freshCopy("x") + " for x in inputs)"},
			Commands: []string{"tlayout formats channels_last --shape 1,3,224,224"},
		}),
	},
}

var bucket = lazy.Regexp(`grad\.sizes\(\) = ` + list + `, strides\(\) = ` + list + ` bucket_view\.sizes\(\) = ` + list + `, strides\(\) = ` + list)

// bucketStrides answers DDP, which prints both sets of strides.
func bucketStrides(message string, _ []string) Answer {
	a := Answer{
		What:     "DDP copies a gradient into a bucket with other strides",
		Same:     tensor.Unknown,
		Cost:     "nothing if only dims of size 1 differ, as for 1x1 convolutions and Linear(1, n); otherwise a transposing copy in every step",
		Facts:    []string{"paste the lines grad.sizes() and bucket_view.sizes() too"},
		Commands: []string{"tlayout inspect --shape 64,64,1,1 --strides 64,1,64,64"},
	}
	m := bucket.Get().FindStringSubmatch(message)
	if m == nil {
		return a
	}
	grad, okGrad := strided(m[1], m[2])
	view, okView := strided(m[3], m[4])
	if !okGrad || !okView || text.Ints(grad.Shape, ",") != text.Ints(view.Shape, ",") {
		return a
	}
	a.Same, a.Facts = compare("the gradient", grad, "the bucket", view)
	a.Commands = []string{command("inspect", grad), command("inspect", view)}
	if a.Same == tensor.Yes {
		a.What = "gradient and bucket have the same memory: only strides of dims of size 1 differ"
		a.Cost = "nothing: the copy into the bucket is the same either way"
		a.Fixes = []string{`warnings.filterwarnings("ignore", message="Grad strides do not match")`}
		return a
	}
	a.What = "gradient and bucket have different memory: the copy into the bucket transposes"
	a.Cost = copies(grad) + " in another order, in every step"
	a.Fixes = []string{"p.data = p.data.contiguous()  # for that parameter, before DDP(model)",
		"y = x.permute(…).contiguous()    # where the forward pass permutes that parameter's other operand"}
	if f := format(grad); f == "channels_last" || f == "channels_last_3d" {
		a.Fixes[0] = "model = model.to(memory_format=torch." + f + ")  # before DDP(model)"
	}
	return a
}

// compare returns whether two tensors of the same sizes have every element at the same offset, and why.
func compare(nameA string, a tensor.Strided, nameB string, b tensor.Strided) (tensor.Answer, []string) {
	facts := []string{
		fmt.Sprintf("%s: sizes %s, strides %s, %s", nameA, tensor.Tuple(a.Shape), tensor.Tuple(a.Strides), format(a)),
		fmt.Sprintf("%s: sizes %s, strides %s, %s", nameB, tensor.Tuple(b.Shape), tensor.Tuple(b.Strides), format(b)),
	}
	var unused, used []string
	for d, n := range a.Shape {
		if a.Strides[d] == b.Strides[d] {
			continue
		}
		if n > 1 {
			used = append(used, strconv.Itoa(d))
			continue
		}
		unused = append(unused, strconv.Itoa(d))
	}
	if a.Empty() || len(used) == 0 {
		if len(unused) > 0 && !a.Empty() {
			facts = append(facts, fmt.Sprintf("the strides of %s %s differ, but strides of size-1 dims are never used: every element is at the same offset",
				text.Plural(len(unused), "dim", "dims"), text.And(unused)))
		}
		return tensor.Yes, facts
	}
	return tensor.No, append(facts, fmt.Sprintf("the strides of %s %s differ: elements have different offsets", text.Plural(len(used), "dim", "dims"), text.And(used)))
}

var (
	asserted     = lazy.Regexp(`expected size (\d+)==(\d+), stride (-?\d+)==(-?\d+) at dim=(\d+)`)
	assertedCall = lazy.Regexp(`assert_size_stride\(\w+, (\([\d, ]*\)), (\([-\d, ]*\))`)
)

// assertedStrides answers Inductor, which prints actual==expected for one dim or several.
func assertedStrides(text string, _ []string) Answer {
	a := Answer{
		What: "the tensor's strides differ from those that the code was compiled for", Same: tensor.No,
		Cost:     "a copy of that tensor, to change its strides",
		Commands: []string{"tlayout formats channels_last"},
	}
	sizesDiffer := false
	for _, m := range asserted.Get().FindAllStringSubmatch(text, 16) {
		a.Facts = append(a.Facts, fmt.Sprintf("dim %s: size %s, expected %s; stride %s, expected %s", m[5], m[1], m[2], m[3], m[4]))
		sizesDiffer = sizesDiffer || m[1] != m[2]
		if m[5] == "1" && m[1] != "1" && m[3] != m[4] {
			switch "1" {
			case m[4]:
				a.Commands = ofImage(m[1], m[3])
				a.What = "compiled code expects channels_last, with stride 1 for dim 1, but got stride " + m[3]
				a.Fixes = append(a.Fixes, "x = x.contiguous(memory_format=torch.channels_last)  # before the compiled call")
			case m[3]:
				a.Commands = ofImage(m[1], m[4])
				a.What = "compiled code expects dim 1 to have stride " + m[4] + ", but got a channels_last tensor, with stride 1"
				a.Fixes = append(a.Fixes, "x = x.contiguous()  # before the compiled call")
			}
		}
	}
	if sizesDiffer {
		a.What = "the tensor's sizes differ from those that the code was compiled for"
		a.Fixes = []string{"torch._dynamo.mark_dynamic(x, dim)  # or torch.compile(model, dynamic=True)"}
	}
	if m := assertedCall.Get().FindStringSubmatch(text); m != nil {
		if s, ok := strided(m[1], m[2]); ok {
			a.Facts = append(a.Facts, fmt.Sprintf("expected: sizes %s, strides %s, %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides), format(s)))
			a.Cost = copies(s) + ", to change the strides"
			a.Commands = []string{command("inspect", s)}
		}
	}
	a.Fixes = append(a.Fixes, "torch.library.opcheck(op, args)  # if the fake kernel has other strides")
	return a
}

// ofImage returns the command about an image whose channels have this stride, H·W, if it is a square's of a usual size.
func ofImage(channels, stride string) []string {
	n, err := strconv.Atoi(stride)
	c, bad := strconv.Atoi(channels)
	side := int(math.Sqrt(float64(n)))
	if cmp.Or(err, bad) != nil || side*side != n || max(c, side) > 1<<16 {
		return []string{"tlayout formats channels_last"}
	}
	return []string{fmt.Sprintf("tlayout formats channels_last --shape 1,%d,%d,%d", c, side, side)}
}

var dimOrders = lazy.Regexp(`dim_order\((\d+)\): (\d+)`)

// dimOrder answers ExecuTorch's kernels, which print the actual order.
func dimOrder(message string, _ []string) Answer {
	a := Answer{
		What: "an ExecuTorch kernel got a tensor that is neither contiguous nor channels_last", Same: tensor.Unknown,
		Cost:     "one copy, to make that tensor contiguous",
		Fixes:    []string{"x = " + freshCopy("x") + "  # before torch.export"},
		Commands: []string{"tlayout formats channels_last --shape 8,1,3,3"},
	}
	var order []int
	seen := map[int]bool{}
	for i, m := range dimOrders.Get().FindAllStringSubmatch(message, 16) {
		d, err := strconv.Atoi(m[2])
		if err != nil || m[1] != strconv.Itoa(i) || seen[d] {
			return a
		}
		seen[d] = true
		order = append(order, d)
	}
	for d := range order {
		if !seen[d] {
			return a // no permutation
		}
	}
	wanted := map[int][]int{4: {0, 2, 3, 1}, 5: {0, 2, 3, 4, 1}}[len(order)]
	if wanted == nil {
		return a
	}
	a.Facts = []string{fmt.Sprintf("dims, outermost first: %s; channels_last is %s", tensor.Tuple(order), tensor.Tuple(wanted))}
	var sets []string
	for _, dims := range tensor.SameMemory(order, wanted) {
		sets = append(sets, "dim "+text.Ints(dims, " and "))
	}
	if len(sets) > 0 {
		a.What = "an ExecuTorch kernel got dim order " + tensor.Tuple(order) + ", which may be channels_last with a size of 1"
		a.Facts = append(a.Facts, "both are the same memory if the size is 1 for "+strings.Join(sets, ", or for ")+": then strides cannot distinguish them")
		a.Cost = "nothing if those sizes are 1: only the recorded order must change; otherwise one copy of that tensor"
	}
	return a
}
