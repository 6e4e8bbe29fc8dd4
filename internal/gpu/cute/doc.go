// Package cute is CuTe's layout algebra: coalesce, composition, complement, divides, products and inverses of layouts, and the
// reason of each.
//
//	ParseLayout("(4,(2,2)):(2,(1,8))")   a layout as CuTe prints it → Layout
//	ParseSteps("coalesce complement(24)")  operations as text → []Call
//	Layout.Apply(Call)                   → Step, the layout after it and why; or *Refusal, the condition and its numbers
//
// A layout here is CuTe's own: a function from coordinates to integers whose leftmost mode varies fastest, and
//
//	L(i) = Σ over modes k ((i / Π sizes before k) mod size k) · stride k, without the mod in the last mode
//
// Definitions: CUTLASS at 7107b055, media/docs/cpp/cute/02_layout_algebra.md. The results equal those of its python/pycute/layout.py,
// which the tests record, except where these violate the document's conditions:
//
//   - composition enforces the shape divisibility condition of include/cute/layout.hpp, where pycute drops elements,
//     and accepts a stride that does not divide a mode if all elements stay in that mode, as layout.hpp does.
//
//   - A negative stride in the right side of a composition steps through all modes, as in layout.hpp.
//
//   - complement refuses layouts in which modes overlap, as layout.hpp does; pycute may return a mode of size 0.
//
//   - left_inverse is layout.hpp's where pycute's result is not an inverse. cosize counts strides by magnitude, as in layout.hpp.
//
//   - logical_product(n) multiplies; pycute divides.
//
// docs/cute.md has all cases in which pycute, layout.hpp and this differ.
//
//	layout.go, parse.go    layouts, what they map to; text
//	coalesce.go, compose.go, complement.go, inverse.go, divide.go, product.go, at.go
//	                       the operations
//	apply.go, reason.go    the table of operations; steps, refusals, and what works instead
package cute
