package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// The operators that a dtype has: PyTorch 1.13 lacks most of them for float16 on a CPU, all versions some of
// them for integers and bool.
var (
	always    = strings.Fields("empty_like zeros_like ones_like full_like cast to type requires_grad_ cat stack split split split view")
	numbers   = strings.Fields("abs neg relu clamp exp sqrt sigmoid add sub mul div eq gt le where add mul")
	floats    = strings.Fields("pow gelu silu rand_like randn_like matmul matmul matmul conv2d conv2d conv2d conv2d")
	booleans  = strings.Fields("eq where where sin")
	complexes = strings.Fields("abs abs abs neg exp add mul div eq where")
)

// operator draws a step that computes values or splits the tensor.
func (d drawer) operator() python {
	names := slices.Clone(always)
	switch d.DType.String() {
	case "bool":
		names = append(names, booleans...)
	case "float32", "float64":
		names = append(names, slices.Concat(numbers, floats)...)
		if d.Empty() {
			names = slices.DeleteFunc(names, func(name string) bool { return name == "conv2d" })
		}
	case "int16", "int32", "int64":
		names = append(names, numbers...)
	case "complex64":
		names = append(names, complexes...)
	}
	name := names[d.IntN(len(names))]
	made := func(step, expression string) python {
		calls, err := ParseChain(step)
		if err != nil || len(calls) != 1 {
			panic(fmt.Sprint(step, ": ", err))
		}
		return python{calls[0], expression, false}
	}
	switch name {
	case "clamp":
		return d.clamp(made)
	case "gelu", "silu":
		return made(name, "F."+name+"(x)")
	case "add", "sub", "mul", "div", "pow", "eq", "gt", "le":
		step, expression := d.operand(name == "pow")
		return made(name+"("+step+")", "x."+name+"("+expression+")")
	case "where":
		return d.where(made)
	case "empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like":
		return d.like(name, made)
	case "cast":
		name = oneOf(d.Rand, "float", "double", "long", "short", "bool", "half", "int")
	case "to":
		if d.IntN(2) == 0 {
			f := oneOf(d.Rand, "channels_last", "preserve_format", "contiguous_format", "channels_last_3d")
			dtype := oneOf(d.Rand, "float32", "int16", "float64", "complex64")
			return made("to("+dtype+",memory_format="+f+")", "x.to(torch."+dtype+",memory_format=torch."+f+")")
		}
		dtype := oneOf(d.Rand, "float32", "int16", "float64", "complex64")
		return made("to("+dtype+")", "x.to(torch."+dtype+")")
	case "type":
		dtype := oneOf(d.Rand, "float32", "int16", "float64")
		return made("type("+dtype+")", "x.type(torch."+dtype+")")
	case "requires_grad_":
		return made("requires_grad_(False)", "x.requires_grad_(False)")
	case "view":
		dtype := oneOf(d.Rand, "float32", "int16", "float64", "int64", "int32", "float16")
		return made("view("+dtype+")", "x.view(torch."+dtype+")")
	case "cat", "stack":
		return d.joined(name, made)
	case "split":
		return d.piece(made)
	case "matmul":
		shape, strides := d.strides(d.factor())
		return made("matmul("+spell2(shape, strides)+")", "x.matmul("+pythonOperand(shape, strides, "")+")")
	case "conv2d":
		return d.convolution(made)
	}
	return made(name, "x."+name+"()")
}

type maker func(step, expression string) python

// spell2 writes a tensor as in a step, pythonOperand as in Python.
func spell2(shape, strides []int) string { return tensor.Tuple(shape) + ":" + tensor.Tuple(strides) }

func pythonOperand(shape, strides []int, dtype string) string {
	return "operand(x," + tensor.Tuple(shape) + "," + tensor.Tuple(strides) + dtype + ")"
}

// operand draws a number, the tensor itself, or a tensor that mostly broadcasts with it.
func (d drawer) operand(positive bool) (step, expression string) {
	switch d.IntN(6) {
	case 0:
		n := oneOf(d.Rand, "2", "0.5")
		return n, n
	case 1:
		if !positive {
			return "x", "x"
		}
	}
	shape, strides := d.strides(d.alike())
	return spell2(shape, strides), pythonOperand(shape, strides, "")
}

// alike draws a shape that mostly broadcasts with the tensor's.
func (d drawer) alike() []int {
	shape := slices.Clone(d.Shape)
	switch d.IntN(8) {
	case 0, 1, 2, 3:
		return shape
	case 4: // a new dim of size 1, whose stride of 0 decides nothing
		return append([]int{1}, shape...)
	case 5:
		return slices.Insert(shape, d.IntN(len(shape)+1), 1)
	}
	for i, n := range shape {
		switch {
		case d.IntN(3) == 0:
			shape[i] = 1
		case n == 1:
			shape[i] = oneOf(d.Rand, 1, 2, 3)
		case d.IntN(40) == 0:
			shape[i] = n + 1
		}
	}
	if len(shape) > 0 && d.IntN(4) == 0 {
		shape = shape[1+d.IntN(len(shape)):]
	}
	for d.IntN(6) == 0 && len(shape) < 6 {
		shape = append([]int{oneOf(d.Rand, 1, 2, 3)}, shape...)
	}
	return shape
}

// strides draws strides for a shape: dense in some order, sometimes with a gap or a broadcast dim.
func (d drawer) strides(shape []int) (_, strides []int) {
	strides = make([]int, len(shape))
	if d.IntN(3) == 0 && d.Rank() == len(shape) && d.Rank() > 0 { // the order of the tensor
		strides = tensor.Strided{Shape: shape, Strides: d.Strides}.InferDense()
		return shape, strides
	}
	run := 1
	for _, k := range drawOrder(d.Rand, len(shape)) {
		if strides[k] = run; d.IntN(14) == 0 {
			strides[k] = oneOf(d.Rand, 0, run+1, 2*run)
		}
		run = max(run, strides[k]*max(shape[k], 1))
	}
	return shape, strides
}

// clamp draws numbers or tensors as bounds: not both, and mostly one or two.
func (d drawer) clamp(made maker) python {
	var steps, expressions []string
	whole := d.IntN(2) == 0
	for _, name := range []string{"min", "max"} {
		step := oneOf(d.Rand, "0", "1", "0.5")
		expression := step
		if !whole {
			shape, strides := d.strides(d.alike())
			step, expression = spell2(shape, strides), pythonOperand(shape, strides, "")
		}
		if d.IntN(4) > 0 {
			steps, expressions = append(steps, name+"="+step), append(expressions, name+"="+expression)
		}
	}
	return made("clamp("+strings.Join(steps, ",")+")", "x.clamp("+strings.Join(expressions, ",")+")")
}

func (d drawer) where(made maker) python {
	shape, strides := d.strides(d.alike())
	condition := pythonOperand(shape, strides, ",torch.bool")
	if d.IntN(4) == 0 {
		n := oneOf(d.Rand, "0.5", "2")
		return made("where("+spell2(shape, strides)+","+n+")", "where("+condition+",x,"+n+")")
	}
	other, others := d.strides(d.alike())
	return made("where("+spell2(shape, strides)+","+spell2(other, others)+")", "x.where("+condition+","+pythonOperand(other, others, "")+")")
}

func (d drawer) like(name string, made maker) python {
	var words []string
	if d.IntN(3) == 0 {
		words = append(words, "memory_format=torch."+oneOf(d.Rand, "channels_last", "preserve_format", "contiguous_format", "channels_last_3d"))
	}
	if d.IntN(4) == 0 {
		words = append(words, "dtype=torch."+oneOf(d.Rand, "float32", "float64"))
	}
	if name == "full_like" {
		words = append([]string{"0.5"}, words...)
		if !strings.HasPrefix(d.DType.String(), "float") {
			words[0] = "1"
		}
	}
	given := strings.Join(words, ",")
	return made(name+"("+given+")", "torch."+name+"(x,"+given+")")
}

// joined draws cat or stack of one to three tensors.
func (d drawer) joined(name string, made maker) python {
	dim := d.dim()
	if name == "stack" {
		dim = d.in(-d.Rank()-1, d.Rank())
	}
	steps, expressions := []string{}, []string{"x"}
	for range d.IntN(3) {
		shape := slices.Clone(d.Shape)
		if at := dim + d.Rank(); name == "cat" && d.Rank() > 0 && at >= 0 && at < 2*d.Rank() {
			shape[at%d.Rank()] = d.IntN(4)
		}
		switch d.IntN(25) {
		case 0:
			shape = append(shape, 1)
		case 1:
			shape = []int{0}
		case 2:
			if len(shape) > 0 {
				shape[d.IntN(len(shape))]++
			}
		}
		shape, strides := d.strides(shape)
		steps, expressions = append(steps, spell2(shape, strides)), append(expressions, pythonOperand(shape, strides, ""))
	}
	list := strings.Join(steps, ",")
	if list != "" {
		list += ","
	}
	return made(fmt.Sprintf("%s(%sdim=%d)", name, list, dim), fmt.Sprintf("torch.%s([%s],%d)", name, strings.Join(expressions, ","), dim))
}

// piece draws an operation that returns several tensors, and mostly one of its results.
func (d drawer) piece(made maker) python {
	name := oneOf(d.Rand, "chunk", "split", "tensor_split", "hsplit", "vsplit", "dsplit", "unbind")
	dim := d.dim()
	size := 3
	if at := dim + d.Rank(); at >= 0 && at < 2*d.Rank() {
		size = d.Shape[at%d.Rank()]
	}
	part := oneOf(d.Rand, 0, 0, 0, 1, -1, 2)
	n, isList := fmt.Sprint(d.in(0, 4)), d.IntN(2) == 0
	first := d.in(0, size)
	switch {
	case name == "split" && isList && d.IntN(12) == 0:
		n = fmt.Sprintf("(%d,)", first)
	case name == "split" && isList:
		n = fmt.Sprintf("(%d, %d)", first, size-first)
	case name != "chunk" && isList:
		n = fmt.Sprintf("(%d, %d)", first, d.IntN(7)-3)
	}
	arguments := fmt.Sprintf("%s,%d", n, dim)
	switch name {
	case "hsplit", "vsplit", "dsplit":
		arguments = n
	case "unbind":
		arguments = fmt.Sprint(dim)
	}
	step := fmt.Sprintf("%s(%s)[%d]", name, arguments, part)
	return made(step, "x."+step)
}

// factor draws the shape of the other matrix, mostly one that fits.
func (d drawer) factor() []int {
	inner := 3
	if d.Rank() > 0 && d.IntN(15) > 0 {
		inner = d.Shape[d.Rank()-1]
	}
	shape := []int{inner}
	if d.IntN(4) > 0 {
		shape = append(shape, oneOf(d.Rand, 1, 2, 3))
		for k := d.Rank() - 3; len(shape) < 5 && d.IntN(2) == 0; k-- {
			n := oneOf(d.Rand, 1, 1, 2)
			if k >= 0 && d.IntN(3) > 0 {
				n = d.Shape[k]
			}
			shape = append([]int{n}, shape...)
		}
	}
	if d.IntN(40) == 0 {
		return nil
	}
	return shape
}

// convolution draws a weight and parameters, mostly those that fit.
func (d drawer) convolution(made maker) python {
	channels, groups := 3, 1
	if n := d.Rank(); n == 3 || n == 4 {
		channels = d.Shape[n-3]
	}
	if channels > 1 && d.IntN(4) == 0 {
		groups = channels
	}
	if groups > 0 && channels%groups == 0 && d.IntN(15) > 0 {
		channels /= groups
	}
	shape := []int{groups * oneOf(d.Rand, 1, 2, 3), max(1, channels), oneOf(d.Rand, 1, 1, 2, 3), oneOf(d.Rand, 1, 1, 2, 3)}
	shape, strides := d.strides(shape)
	given := ""
	bias := tensor.Strided{Shape: shape[:1], Strides: []int{1}}
	if d.IntN(20) == 0 {
		bias = tensor.Strided{Shape: []int{shape[0] + 1}, Strides: []int{2}}
	}
	withBias := d.IntN(3) == 0
	for _, name := range []string{"stride", "padding", "dilation"} {
		if d.IntN(4) == 0 {
			low := 1
			if name == "padding" {
				low = 0
			}
			given += fmt.Sprintf(",%s=%s", name, oneOf(d.Rand, fmt.Sprint(low+d.IntN(2)), fmt.Sprintf("(%d, %d)", low+d.IntN(2), 1)))
		}
	}
	if groups > 1 || d.IntN(30) == 0 {
		given += fmt.Sprintf(",groups=%d", groups+d.IntN(30)/29)
	}
	step, expression := spell2(shape, strides), pythonOperand(shape, strides, "")
	if withBias {
		step, expression = step+","+spell2(bias.Shape, bias.Strides), expression+","+pythonOperand(bias.Shape, bias.Strides, "")
	}
	return made("conv2d("+step+given+")", "F.conv2d(x,"+expression+given+")")
}
