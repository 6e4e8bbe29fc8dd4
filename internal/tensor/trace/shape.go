package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// wrongShape makes a refusal of the error that a shape of another number of elements has met.
func (s State) wrongShape(err error, shape []int, call string) error {
	if fault.ClassOf(err) == fault.Unsupported {
		return err
	}
	return shapeError{s, shape}.refusal(err.Error(), call)
}

// shapeError is a shape that the tensor's elements do not fill.
type shapeError struct {
	State
	shape []int
}

func (e shapeError) refusal(text, call string) *Refusal {
	r := &Refusal{Text: text}
	switch {
	case e.unknowns() > 1:
		r.Why, r.Hint = "with two sizes left open there is more than one answer", "write one of them out"
	case e.ambiguous():
		r.Why, r.Hint = "a size of 0 leaves the -1 open: it may be anything", "write the size out"
	case e.misfit():
		r.Why = fmt.Sprintf("the tensor has %s; %s", e.elements(), e.needs())
		r.Hint = e.fitting(call)
	}
	return r
}

// elements is "12 elements, 3·4".
func (e shapeError) elements() string {
	text := words.Count(e.Numel(), "element")
	if e.Rank() > 1 {
		text += ", " + words.Product(e.Shape)
	}
	return text
}

func (e shapeError) unknowns() int { return len(e.shape) - len(e.known()) }

// known lists the sizes that are not left open.
func (e shapeError) known() []int {
	return slices.DeleteFunc(slices.Clone(e.shape), func(n int) bool { return n < 0 })
}

func (e shapeError) ambiguous() bool {
	return e.unknowns() == 1 && e.Numel() == 0 && slices.Contains(e.shape, 0)
}

func (e shapeError) misfit() bool {
	n, ok := e.count()
	switch {
	case e.unknowns() == 0:
		return !ok || n != e.Numel()
	case e.unknowns() == 1:
		return !ok || n == 0 || e.Numel()%n != 0
	}
	return false
}

// count is the product of the known sizes, and whether it fits an int.
func (e shapeError) count() (int, bool) {
	n, err := tensor.Numel(e.known())
	return n, err == nil
}

// needs says what the sizes would take.
func (e shapeError) needs() string {
	n, ok := e.count()
	switch {
	case !ok:
		return fmt.Sprintf("(%s) needs more than can be counted", words.Ints(e.shape, ","))
	case e.unknowns() == 1:
		return fmt.Sprintf("%d is not a multiple of %s", e.Numel(), equals(e.known(), n))
	}
	return fmt.Sprintf("(%s) needs %s", words.Ints(e.shape, ","), equals(e.shape, n))
}

// equals is "3·5 = 15", or "15" where there is one size.
func equals(sizes []int, n int) string {
	if len(sizes) < 2 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s = %d", words.Product(sizes), n)
}

// fitting is the call with one size left open, so that the others fit: "view(3,-1) gives (3, 4)". Where no such view is
// one of the tensor's strides, it is a reshape.
func (e shapeError) fitting(call string) string {
	if e.unknowns() == 1 {
		return fmt.Sprintf("the sizes beside the -1 have to divide %d", e.Numel())
	}
	row := tensor.Strided{Shape: []int{e.Numel()}, Strides: []int{1}}
	if call != "view" {
		return e.opened(call, row)
	}
	if hint := e.opened(call, e.Strided); hint != "" {
		return hint
	}
	if hint := e.opened("reshape", row); hint != "" {
		return hint + ", by a copy"
	}
	return ""
}

// opened leaves the last size open with which the tensor can be viewed so; it is empty where there is none.
func (e shapeError) opened(call string, of tensor.Strided) string {
	for i := len(e.shape) - 1; i >= 0 && e.Numel() > 0; i-- {
		shape := slices.Clone(e.shape)
		shape[i] = -1
		if to, err := of.View(shape); err == nil {
			return fmt.Sprintf("%s(%s) gives %s", call, spelled(shape), tensor.Tuple(to.Shape))
		}
	}
	return ""
}
