package cute

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Step is an operation and its result.
type Step struct {
	Call     Call
	Layout   Layout // after the operation; unchanged if it only returns a number
	Value    *int   // the result of size, cosize and at
	Why      []string
	Notes    []string // easily overlooked details, such as a tile that does not divide
	Warnings []string // where the result violates the operation's definition, with such a coordinate
}

// Usage is how an operation is written, for the help text.
type Usage struct {
	Name, Args, Example, What string
}

// Operations returns the operations, in groups.
func Operations() []Usage {
	all := make([]Usage, len(operations))
	for k, o := range operations {
		all[k] = o.Usage
	}
	return all
}

// operation is a row of the table: its syntax, its number of arguments, and its function.
type operation struct {
	Usage
	min, max int
	run      func(l Layout, args []argument, r *reasons) (Layout, *int, error)
}

var operations = []operation{
	{Usage{"coalesce", "[profile]", "coalesce((1,1))", "merge modes; with a profile, within each mode"}, 0, 1, runCoalesce},
	{Usage{"composition", "B", "composition((2,2):(1,2))", "A∘B, R(i) = A(B(i))"}, 1, 1, by(composeBy)},
	{Usage{"complement", "[n]", "complement(24)", "the layout of the repetitions up to n"}, 0, 1, runComplement},
	{Usage{"logical_divide", "B", "logical_divide(4:2)", "(tile,rest) in each mode"}, 1, 1, by(logicalDivide)},
	{Usage{"zipped_divide", "B", "zipped_divide(<3:1,8:1>)", "(tiles,rests)"}, 1, 1, by(zippedDivide)},
	{Usage{"tiled_divide", "B", "tiled_divide(<3:1,8:1>)", "(tiles,rest,rest,…)"}, 1, 1, by(tiledDivide)},
	{Usage{"flat_divide", "B", "flat_divide(<3:1,8:1>)", "(tile,…,rest,…)"}, 1, 1, by(flatDivide)},
	{Usage{"logical_product", "B", "logical_product(6:1)", "(A,repetitions), A repeated by B"}, 1, 1, by(logicalProduct)},
	{Usage{"zipped_product", "B", "zipped_product(<3:5,4:6>)", "(blocks,repetitions)"}, 1, 1, by(zippedProduct)},
	{Usage{"tiled_product", "B", "tiled_product(<3:5,4:6>)", "(blocks,repetition,…)"}, 1, 1, by(tiledProduct)},
	{Usage{"flat_product", "B", "flat_product(<3:5,4:6>)", "(block,…,repetition,…)"}, 1, 1, by(flatProduct)},
	{Usage{"blocked_product", "B", "blocked_product((3,4):(1,3))", "modes (A,B): blocks of A"}, 1, 1, ranked("blocked_product", false)},
	{Usage{"raked_product", "B", "raked_product((3,4):(1,3))", "modes (B,A): A interleaved"}, 1, 1, ranked("raked_product", true)},
	{Usage{"right_inverse", "", "right_inverse", "R with A(R(i)) = i"}, 0, 0, runRightInverse},
	{Usage{"left_inverse", "", "left_inverse", "L with L(A(i)) = i"}, 0, 0, runLeftInverse},
	{Usage{"size", "", "size", "number of coordinates"}, 0, 0, runSize},
	{Usage{"cosize", "", "cosize", "largest index + 1"}, 0, 0, runCosize},
	{Usage{"at", "coord…", "at(1,(0,1))", "the index of a coordinate"}, 1, maxModes, runAt},
}

// Apply applies one operation. The error is a *Refusal if CuTe refuses it, and a *fault.Error if the operation is unknown or its
// arguments are of the wrong kind (Usage), or if a number overflows or a limit is exceeded (Unsupported).
func (l Layout) Apply(c Call) (Step, error) {
	k := slices.IndexFunc(operations, func(o operation) bool { return o.Name == c.Name })
	if k < 0 {
		return Step{}, unknown(c.Name)
	}
	o := operations[k]
	if n := len(c.args); n < o.min || n > o.max {
		text := "extra argument"
		if n < o.min {
			text = "missing " + o.Args
		}
		return Step{}, fault.New(fault.Usage, "%s: %s", clip(c.Text), text).WithHint("write %s", o.Example)
	}
	r := &reasons{}
	got, value, err := o.run(l, c.args, r)
	var refusal *Refusal
	if errors.As(err, &refusal) {
		refusal.Hint = o.hint(l, c.args, refusal.Condition == "shape_divisibility" || strings.HasSuffix(o.Name, "divide"))
		return Step{}, refusal
	}
	if err != nil {
		return Step{}, fault.In(clip(c.Text), err)
	}
	return Step{Call: c, Layout: got, Value: value, Why: r.why, Notes: r.notes, Warnings: r.warnings}, nil
}

// hint returns what works instead: another B, or for an operation without one, another layout. sizesFirst prefers changing a size to
// changing a stride.
func (o operation) hint(l Layout, args []argument, sizesFirst bool) string {
	if len(args) == 0 || args[0].kind == number && o.Name == "complement" {
		near := suggest(l, sizesFirst, func(other Layout) bool { return o.works(other, args) })
		if near == "" {
			return ""
		}
		return fmt.Sprintf("%s of %s exists", o.Name, near)
	}
	return o.hintIn(args[0], sizesFirst, func(other argument) bool { return o.works(l, []argument{other}) })
}

// hintIn looks for one layout of a tiler to replace.
func (o operation) hintIn(b argument, sizesFirst bool, works func(argument) bool) string {
	switch b.kind {
	case number:
		return o.hintIn(argument{kind: typed, layout: single(b.n, 1)}, sizesFirst, works)
	case typed:
		near := suggest(b.layout, sizesFirst, func(other Layout) bool { return works(argument{kind: typed, layout: other}) })
		if near == "" {
			return ""
		}
		return fmt.Sprintf("instead of %s: %s", b.layout, near)
	}
	for k, part := range b.parts {
		hint := o.hintIn(part, sizesFirst, func(other argument) bool {
			parts := slices.Clone(b.parts)
			parts[k] = other
			return works(argument{kind: tiler, parts: parts})
		})
		if hint != "" {
			return hint
		}
	}
	return ""
}

func (o operation) works(l Layout, args []argument) bool {
	_, _, err := o.run(l, args, nil)
	return err == nil
}

func unknown(name string) error {
	names := make([]string, len(operations))
	for k, o := range operations {
		names[k] = o.Name
	}
	err := fault.New(fault.Usage, "unknown operation %s", text.Quoted(clip(name)))
	if near := text.Nearest(name, names); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("operations: %s", strings.Join(names, ", "))
}

// by returns a row of an operation whose argument is B: a layout, a number, or a tiler of them.
func by(op func(Layout, argument, *reasons) (Layout, error)) func(Layout, []argument, *reasons) (Layout, *int, error) {
	return func(l Layout, args []argument, r *reasons) (Layout, *int, error) {
		if err := checkTiler(args[0]); err != nil {
			return Layout{}, nil, err
		}
		if args[0].kind == tuple {
			r.add("B = %s is a shape and applies by mode; write one layout with strides", args[0])
		}
		got, err := op(l, args[0], r)
		return got, nil, err
	}
}

// checkTiler refuses numbers below 1.
func checkTiler(b argument) error {
	if b.kind == number && b.n < 1 {
		return fault.New(fault.Usage, "size %d is below 1", b.n)
	}
	for _, p := range b.parts {
		if err := checkTiler(p); err != nil {
			return err
		}
	}
	return nil
}

func ranked(name string, raked bool) func(Layout, []argument, *reasons) (Layout, *int, error) {
	return func(l Layout, args []argument, r *reasons) (Layout, *int, error) {
		if args[0].kind != typed {
			return Layout{}, nil, fault.New(fault.Usage, "%s requires a layout, got %s", name, clip(args[0].String())).
				WithHint("write its strides: %s((3,4):(1,3))", name)
		}
		got, err := rankedProduct(l, args[0].layout, raked, r)
		return got, nil, err
	}
}

func zippedDivide(l Layout, b argument, r *reasons) (Layout, error) {
	return unzip("zipped_divide", l, b, r, logicalDivide)
}

func tiledDivide(l Layout, b argument, r *reasons) (Layout, error) {
	return spreadOut(zippedDivide, l, b, r, false)
}

func flatDivide(l Layout, b argument, r *reasons) (Layout, error) {
	return spreadOut(zippedDivide, l, b, r, true)
}

func zippedProduct(l Layout, b argument, r *reasons) (Layout, error) {
	return unzip("zipped_product", l, b, r, logicalProduct)
}

func tiledProduct(l Layout, b argument, r *reasons) (Layout, error) {
	return spreadOut(zippedProduct, l, b, r, false)
}

func flatProduct(l Layout, b argument, r *reasons) (Layout, error) {
	return spreadOut(zippedProduct, l, b, r, true)
}

func spreadOut(zipped func(Layout, argument, *reasons) (Layout, error), l Layout, b argument, r *reasons, both bool) (Layout, error) {
	got, err := zipped(l, b, r)
	if err != nil {
		return Layout{}, err
	}
	return spread(got, both)
}

func runCoalesce(l Layout, args []argument, r *reasons) (Layout, *int, error) {
	if args == nil {
		got := coalesce(l, r)
		return got, nil, nil
	}
	if !isProfile(args[0]) {
		return Layout{}, nil, fault.New(fault.Usage, "coalesce requires a profile, a tuple of integers, got %s", clip(args[0].String())).
			WithHint("coalesce((1,1)) keeps two modes")
	}
	got, err := coalesceBy(l, args[0], r)
	return got, nil, err
}

func isProfile(a argument) bool {
	return a.kind != typed && !slices.ContainsFunc(a.parts, func(p argument) bool { return !isProfile(p) })
}

func runComplement(l Layout, args []argument, r *reasons) (Layout, *int, error) {
	bound := 1
	if args != nil {
		bound = args[0].n
		if args[0].kind != number || bound < 1 {
			return Layout{}, nil, fault.New(fault.Usage, "complement requires an integer of at least 1, got %s", clip(args[0].String())).
				WithHint("write complement(24); for a shape, the product")
		}
	}
	got, err := complement(l, bound, r)
	return got, nil, err
}

func runRightInverse(l Layout, _ []argument, r *reasons) (Layout, *int, error) {
	got, _, err := rightInverse(l, r)
	return got, nil, err
}

func runLeftInverse(l Layout, _ []argument, r *reasons) (Layout, *int, error) {
	got, err := leftInverse(l, r)
	return got, nil, err
}

func runSize(l Layout, _ []argument, r *reasons) (Layout, *int, error) {
	r.add("size = %s = %d", times(l.leaves(), func(m mode) string { return fmt.Sprint(m.size) }, "·"), l.size)
	return l, &l.size, nil
}

func runCosize(l Layout, _ []argument, r *reasons) (Layout, *int, error) {
	n := l.Cosize()
	r.add("cosize = 1 + %s = %d", times(l.leaves(), func(m mode) string { return fmt.Sprintf("%d·%d", m.size-1, max(m.stride, -m.stride)) }, " + "), n)
	if slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride < 0 && m.size > 1 }) {
		r.note("strides count by magnitude, as in layout.hpp; pycute returns the index of the last coordinate plus 1")
	}
	return l, &n, nil
}

func times(modes []mode, text func(mode) string, between string) string {
	parts := make([]string, len(modes))
	for k, m := range modes {
		parts[k] = text(m)
	}
	return strings.Join(parts, between)
}
