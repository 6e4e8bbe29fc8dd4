package trace

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }

// float returns the value of a number; ok is false if it is not known.
func (g Arg) float() (x float64, ok bool) {
	if g.Kind == Int {
		return float64(g.Int), true
	}
	x, err := strconv.ParseFloat(g.Word, 64)
	return x, err == nil && g.Kind == Number
}

// numberOf returns a number as an argument.
func numberOf(x float64) Arg {
	return Arg{Kind: Number, Word: strconv.FormatFloat(x, 'g', -1, 64)}
}

// arithmetic returns the value of an operator of numbers; of lists, + joins and * repeats.
func arithmetic(n node, left, right Arg) (Arg, error) {
	for _, v := range []Arg{left, right} {
		if v.Kind == Word {
			return Arg{}, unknownName(v.Word)
		}
	}
	if left.Kind == List && right.Kind == List && n.name == "+" {
		return Arg{Kind: List, List: append(append([]Arg{}, left.List...), right.List...)}, nil
	}
	if left.Kind == List && right.Kind == Int && n.name == "*" {
		return repeated(left, right.Int)
	}
	if left.Kind == Int && right.Kind == List && n.name == "*" {
		return repeated(right, left.Int)
	}
	if left.Kind == Int && right.Kind == Int {
		if v, ok, err := integers2(n.name, left.Int, right.Int); ok || err != nil {
			return v, err
		}
	}
	x, known := left.float()
	y, knownToo := right.float()
	isNumber := left.isNumber() && right.isNumber()
	if !isNumber {
		return Arg{}, fault.New(fault.Usage, "%s is not followed", n.text).WithHint("write its value")
	}
	if !known || !knownToo {
		return Arg{Kind: Number, Word: n.text}, nil
	}
	return floatArithmetic(n, x, y), nil
}

// maxRepeated limits the entries of a list that is repeated.
const maxRepeated = 64

func repeated(list Arg, n int) (Arg, error) {
	all := Arg{Kind: List}
	if n > maxRepeated || max(n, 0)*len(list.List) > maxRepeated {
		return all, fault.New(fault.Usage, "a list repeated %d times is above the limit of %d entries", n, maxRepeated)
	}
	for range max(n, 0) {
		all.List = append(all.List, list.List...)
	}
	return all, nil
}

// integers2 returns the value of an operator of integers; ok is false if it is not an integer.
func integers2(op string, a, b int) (v Arg, ok bool, err error) {
	var n int
	fits := true
	switch op {
	case "+":
		n, fits = tensor.MulAdd(a, b, 1)
	case "-":
		n, fits = tensor.MulAdd(a, b, -1)
	case "*":
		n, fits = tensor.Mul(a, b)
	case "//", "%":
		if b == 0 {
			return v, false, fault.New(fault.Usage, "%d %s 0: division by zero", a, op)
		}
		n = int(math.Floor(float64(a) / float64(b)))
		if op == "%" {
			n = a - n*b
		}
	case "**":
		if b < 0 {
			return v, false, nil
		}
		n = 1
		for i := 0; i < b && fits && i < strconv.IntSize; i++ {
			n, fits = tensor.Mul(n, a)
		}
	default:
		return v, false, nil
	}
	if !fits {
		return v, false, overflow("%d %s %d", a, op, b)
	}
	return Arg{Kind: Int, Int: n}, true, nil
}

// floatArithmetic returns the value of an operator of numbers, or of a comparison.
func floatArithmetic(n node, x, y float64) Arg {
	word := func(b bool) Arg { return Arg{Kind: Word, Word: pythonBool(b)} }
	switch n.name {
	case "+":
		return numberOf(x + y)
	case "-":
		return numberOf(x - y)
	case "*":
		return numberOf(x * y)
	case "/":
		return numberOf(x / y)
	case "//":
		return numberOf(math.Floor(x / y))
	case "%":
		return numberOf(x - y*math.Floor(x/y))
	case "**":
		return numberOf(math.Pow(x, y))
	case "==":
		return word(x == y)
	case "!=":
		return word(x != y)
	case "<":
		return word(x < y)
	case "<=":
		return word(x <= y)
	case ">":
		return word(x > y)
	case ">=":
		return word(x >= y)
	}
	return Arg{Kind: Number, Word: n.text}
}

// builtins are functions of Python, and of math, of numbers and lists.
var builtins = map[string]func([]Arg) Arg{
	"int": func(args []Arg) Arg { return rounded(args, math.Trunc) }, "floor": func(args []Arg) Arg { return rounded(args, math.Floor) },
	"ceil": func(args []Arg) Arg { return rounded(args, math.Ceil) }, "round": func(args []Arg) Arg { return rounded(args, math.RoundToEven) },
	"float": first, "sqrt": func(args []Arg) Arg { return function1(args, math.Sqrt) }, "log": func(args []Arg) Arg { return function1(args, math.Log) },
	"exp": func(args []Arg) Arg { return function1(args, math.Exp) }, "abs": first, "tuple": first, "list": first, "Size": first,
	"len": func(args []Arg) Arg {
		if len(args) == 1 && args[0].Kind == List {
			return Arg{Kind: Int, Int: len(args[0].List)}
		}
		return Arg{Kind: Number, Word: "len"}
	},
	"max": func(args []Arg) Arg { return extreme(args, 1) }, "min": func(args []Arg) Arg { return extreme(args, -1) },
	"finfo": func([]Arg) Arg { return Arg{Kind: Number, Word: "finfo"} }, "iinfo": func([]Arg) Arg { return Arg{Kind: Number, Word: "iinfo"} },
}

// first returns the value itself; float('inf') is a number.
func first(args []Arg) Arg {
	if len(args) == 0 {
		return Arg{Kind: List}
	}
	if args[0].Kind == Word {
		return Arg{Kind: Number, Word: args[0].Word}
	}
	return args[0]
}

func function1(args []Arg, compute func(float64) float64) Arg {
	if len(args) == 1 {
		if x, ok := args[0].float(); ok {
			return numberOf(compute(x))
		}
	}
	return Arg{Kind: Number, Word: "number"}
}

func rounded(args []Arg, round func(float64) float64) Arg {
	g := function1(args, round)
	x, ok := g.float()
	if !ok || math.Abs(x) > 1<<53 {
		return Arg{Kind: Number, Word: "integer"}
	}
	return Arg{Kind: Int, Int: int(x)}
}

// extreme returns the largest number by sign 1, the smallest by -1.
func extreme(args []Arg, sign float64) Arg {
	if len(args) == 1 && args[0].Kind == List {
		args = args[0].List
	}
	var best Arg
	for i, g := range args {
		x, ok := g.float()
		y, _ := best.float()
		if !ok {
			return Arg{Kind: Number, Word: fmt.Sprint(g)}
		}
		if i == 0 || (x-y)*sign > 0 {
			best = g
		}
	}
	return best
}

// constantOf returns a constant of a module: math.pi, torch.float32.
func constantOf(name string) Arg {
	switch name {
	case "pi":
		return numberOf(math.Pi)
	case "inf", "nan":
		return Arg{Kind: Number, Word: name}
	case "newaxis":
		return Arg{Kind: None}
	}
	return Arg{Kind: Word, Word: name}
}
