package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

func (s State) torchView(a arguments) (Step, error) {
	if a.has("dtype") {
		return s.viewOfType(a)
	}
	shape := a.numbers("size")
	to, err := s.View(shape)
	if err == nil {
		return s.viewed(to)
	}
	if fault.ClassOf(err) == fault.Negative {
		whole := wholeShape(shape, s.Numel())
		return Step{}, s.cannotView(err.Error(), whole, "reshape("+spelled(shape)+")")
	}
	return Step{}, s.wrongShape(err, shape, "view")
}

func (s State) reshape(a arguments) (Step, error) { return s.reshapedTo(a.numbers("shape")) }

func (s State) reshapedTo(shape []int) (Step, error) {
	to, copies, err := s.Reshape(shape)
	if err != nil {
		return Step{}, s.wrongShape(err, shape, "reshape")
	}
	if !copies {
		return s.viewed(to)
	}
	return s.rowMajor(to, s.obstacle(to.Shape))
}

// viewed returns a view of another shape.
func (s State) viewed(to tensor.Strided) (Step, error) {
	return s.view(to, s.namesIn(to.Shape), s.whyView(to)...)
}

// rowMajor returns a copy with its elements in logical order.
func (s State) rowMajor(to tensor.Strided, reason string) (Step, error) {
	placed, err := tensor.Packed(s.Shape)
	if err != nil {
		return Step{}, err
	}
	names := s.namesIn(to.Shape)
	return s.copied(to, placed, names, reason, packedLines(to, names, ints.Range(to.Rank()))...)
}

func (s State) flatten(a arguments) (Step, error) {
	ends, err := s.axes([]int{a.number("start_dim", 0), a.number("end_dim", -1)}, s.Rank(), "", nil)
	if err != nil {
		return Step{}, err
	}
	start := ends[0]
	end := ends[1]
	if start > end {
		return Step{}, refuse("flatten() has invalid args: start_dim cannot come after end_dim").
			because("start_dim %d is after end_dim %d", start, end).withHint("flatten(%d,%d)", end, start)
	}
	if s.Rank() == 0 {
		return s.reshapedTo([]int{1})
	}
	if start == end {
		return s.itself("a single dim is already flat: returns the tensor itself")
	}
	return s.reshapedTo(slices.Concat(s.Shape[:start], []int{ints.Product(s.Shape[start : end+1])}, s.Shape[end+1:]))
}

// ravel is contiguous().view(-1): it copies more often than reshape(-1).
func (s State) ravel(arguments) (Step, error) {
	if s.CContiguous().OK {
		to, err := s.View([]int{-1})
		if err != nil {
			return Step{}, err
		}
		return s.viewed(to)
	}
	to, err := tensor.Packed([]int{s.Numel()})
	if err != nil {
		return Step{}, err
	}
	return s.rowMajor(to, s.notContiguous(s.CContiguous(), "contiguous"))
}

func (s State) unflatten(a arguments) (Step, error) {
	sizes := a.numbers("sizes")
	if a.given["sizes"].Kind != List {
		return Step{}, fault.New(fault.Usage, "unflatten: sizes must be a tuple").WithHint("unflatten needs dim, sizes: unflatten(1,(4,-1))")
	}
	if len(sizes) == 0 {
		return Step{}, refuse("unflatten: sizes must be non-empty")
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if s.Rank() == 0 {
		return Step{}, refuse(unexpected+"Dimension specified as %d but tensor has no dimensions", d)
	}
	parts, err := tensor.Strided{Shape: s.Shape[d : d+1], Strides: []int{1}}.View(sizes)
	if err != nil {
		return Step{}, s.wrongParts(err, d, sizes)
	}
	to, err := s.View(slices.Concat(s.Shape[:d], parts.Shape, s.Shape[d+1:]))
	if err != nil {
		return Step{}, err
	}
	return s.viewed(to)
}

// unexpected begins unflatten's message for errors that it did not foresee.
const unexpected = "unflatten got an unexpected error: "

// wrongParts refuses sizes with unflatten's message.
func (s State) wrongParts(err error, d int, sizes []int) error {
	r, ok := s.wrongShape(err, sizes, "unflatten").(*Refusal)
	if !ok {
		return err
	}
	dim := State{Strided: tensor.Strided{Shape: s.Shape[d : d+1]}, Names: s.Names[d : d+1], Guessed: s.Guessed}
	if !strings.HasPrefix(r.Text, "shape '") {
		r.Text = unexpected + r.Text
	} else {
		r.Text = fmt.Sprintf("unflatten: Provided sizes %s don't multiply up to the size of dim %d (%d) in the input tensor",
			tensor.List(sizes), d, s.Shape[d])
		r.Why = fmt.Sprintf("%s has size %d; %s", s.called(d), s.Shape[d], shapeError{dim, sizes}.needs())
		r.Hint = ""
	}
	return r
}

// wholeShape replaces a -1.
func wholeShape(shape []int, numel int) []int {
	whole := slices.Clone(shape)
	if free := slices.Index(whole, -1); free >= 0 {
		whole[free] = 1
		whole[free] = numel / ints.Product(whole)
	}
	return whole
}

// wrongShape returns the refusal of a shape with another number of elements.
func (s State) wrongShape(err error, shape []int, call string) error {
	if fault.ClassOf(err) == fault.Unsupported {
		return err
	}
	return shapeError{s, shape}.refusal(err.Error(), call)
}

// shapeError is a shape with another number of elements than the tensor.
type shapeError struct {
	State
	shape []int
}

func (e shapeError) refusal(text, call string) *Refusal {
	if e.unknowns() > 1 {
		return &Refusal{Text: text, Why: "two sizes of -1 are ambiguous", Hint: "write the size of one"}
	}
	if e.ambiguous() {
		return &Refusal{Text: text, Why: "with a size of 0, -1 can be any size", Hint: "write the size instead of -1"}
	}
	if e.misfit() {
		return &Refusal{Text: text, Why: fmt.Sprintf("the tensor has %s; %s", e.elements(), e.needs()), Hint: e.fitting(call)}
	}
	return &Refusal{Text: text}
}

// elements returns "12 elements, 3·4".
func (e shapeError) elements() string {
	size := text.Count(e.Numel(), "element")
	if e.Rank() > 1 {
		size += ", " + text.Product(e.Shape)
	}
	return size
}

func (e shapeError) unknowns() int { return len(e.shape) - len(e.known()) }

// known returns the sizes that are not -1.
func (e shapeError) known() []int {
	return slices.DeleteFunc(slices.Clone(e.shape), func(n int) bool { return n < 0 })
}

func (e shapeError) ambiguous() bool {
	return e.unknowns() == 1 && e.Numel() == 0 && slices.Contains(e.shape, 0)
}

func (e shapeError) misfit() bool {
	n, ok := e.count()
	if e.unknowns() == 0 {
		return !ok || n != e.Numel()
	}
	if e.unknowns() == 1 {
		return !ok || n == 0 || e.Numel()%n != 0
	}
	return false
}

// count returns the product of the known sizes, and whether it fits an int.
func (e shapeError) count() (int, bool) {
	n, err := tensor.Numel(e.known())
	return n, err == nil
}

// needs returns the number of elements that the sizes need.
func (e shapeError) needs() string {
	n, ok := e.count()
	if !ok {
		return fmt.Sprintf("(%s) overflows 64 bits", text.Ints(e.shape, ","))
	}
	if e.unknowns() == 1 {
		return fmt.Sprintf("%d is not a multiple of %s", e.Numel(), equals(e.known(), n))
	}
	return fmt.Sprintf("(%s) needs %s", text.Ints(e.shape, ","), equals(e.shape, n))
}

// equals returns "3·5 = 15", or "15" for one size.
func equals(sizes []int, n int) string {
	if len(sizes) < 2 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s = %d", text.Product(sizes), n)
}

// fitting returns the call with -1 for one size, so that the others fit: "view(3,-1) gives (3, 4)". If the strides allow no such view,
// it suggests reshape.
func (e shapeError) fitting(call string) string {
	if e.unknowns() == 1 {
		return fmt.Sprintf("the other sizes must divide %d", e.Numel())
	}
	row := tensor.Strided{Shape: []int{e.Numel()}, Strides: []int{1}}
	if call != "view" {
		return e.opened(call, row)
	}
	if hint := e.opened(call, e.Strided); hint != "" {
		return hint
	}
	if hint := e.opened("reshape", row); hint != "" {
		return hint + ", with a copy"
	}
	return ""
}

// opened replaces a size by -1, the last one for which that works; empty if there is none.
func (e shapeError) opened(call string, input tensor.Strided) string {
	for i := len(e.shape) - 1; i >= 0 && e.Numel() > 0; i-- {
		shape := slices.Clone(e.shape)
		shape[i] = -1
		if to, err := input.View(shape); err == nil {
			return fmt.Sprintf("%s(%s) gives %s", call, spelled(shape), tensor.Tuple(to.Shape))
		}
	}
	return ""
}

// shapedAs is view_as, reshape_as and expand_as.
func (s State) shapedAs(a arguments) (Step, error) {
	x, err := s.operand(a.call.Name, a.given["other"])
	if err != nil {
		return Step{}, err
	}
	list := Arg{Kind: List}
	for _, n := range x.Shape {
		list.List = append(list.List, Arg{Kind: Int, Int: n})
	}
	a.given = map[string]Arg{"size": list}
	switch a.call.Name {
	case "view_as":
		return s.torchView(a)
	case "reshape_as":
		return s.reshapedTo(x.Shape)
	}
	return s.expand(a)
}

// atLeast adds dims to a tensor of fewer.
func (s State) atLeast(a arguments) (Step, error) {
	n := int(a.call.Name[len("atleast_")] - '0')
	if s.Rank() >= n {
		return s.itself("has enough dims: returns the tensor itself")
	}
	if n > 1 {
		return Step{}, stop(a.call.Name, "its strides for fewer dims are not known")
	}
	return s.reshapedTo([]int{1})
}
