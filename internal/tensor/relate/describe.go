package relate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// digit is a loop of B as a digit of one of A's dims: (i / div) mod n of its index i.
type digit struct {
	dim, div, n int
	span        int // positions of B from one value of the digit to the next
	backwards   bool
}

// describe makes a Relation of a numeral.
func describe(f *found, a, b Values) *Relation {
	r := &Relation{
		Base: f.base, Skip: f.skip, Loops: f.loops, Count: f.total, Padding: f.total - f.elements, Differ: f.differ,
		Explained: 1 - float64(f.differ)/float64(f.elements), Viewed: f.viewed, Swapped: f.swapped, Ambiguous: f.rivals > 0, Counted: f.by,
	}
	if !a.Type.LittleEndian().Equal(b.Type.LittleEndian()) {
		r.DType = b.Type.String()
	}
	if f.scale != nil && (f.scale.factor != 1 || f.scale.offset != 0) {
		r.Scale = &Affine{f.scale.factor, f.scale.offset}
	}
	if f.rivals > 0 {
		r.Why = "values repeat: other maps explain b as well, " + strconv.Itoa(f.rivals) + " of those tried"
	}
	names := a.names()
	digits := digitsOf(f, a.Shape)
	r.tell(f, digits, a, b, names)
	r.convert()
	return r
}

// names returns the names of the dims.
func (v Values) names() []string {
	names := v.Names
	if len(names) == 0 {
		for d := range v.Shape {
			names = append(names, "d"+strconv.Itoa(d))
		}
	}
	return names
}

// digitsOf returns the loops as digits of A's dims, innermost in B first; nil if they are no order of A's dims.
func digitsOf(f *found, shape []int) []digit {
	dims := axesOf(shape)
	var digits []digit
	span := 1
	for k, l := range f.loops {
		n, step := l.N, ints.Abs(l.Step)
		if whole := f.lens.a.n; k == len(f.loops)-1 && f.total < whole && whole%span == 0 {
			n = whole / span // the outermost loop would go on
		}
		n = reach(n, step, f.loops)
		next := span * l.N
		for n > 1 {
			d := slices.IndexFunc(dims, func(x axis) bool { return x.step <= step })
			if step == 0 || d < 0 || step%dims[d].step != 0 {
				return nil
			}
			div, size := step/dims[d].step, dims[d].n
			rest := ints.CeilDiv(size, div)
			g := digit{dims[d].dim, div, n, span, l.Step < 0}
			if n > rest && n%rest == 0 && size%div == 0 && d > 0 {
				g.n = rest
			}
			digits = append(digits, g)
			n, step, span = n/g.n, step*g.n, span*g.n
		}
		span = next
	}
	if !covers(f, digits, dims) {
		return nil
	}
	return digits
}

// reach returns how often a loop of n can run before it meets the next larger step; what is beyond is padding.
func reach(n, step int, loops []Loop) int {
	for _, other := range loops {
		if larger := ints.Abs(other.Step); step > 0 && larger > step && larger%step == 0 {
			n = min(n, larger/step)
		}
	}
	return n
}

// covers reports whether the digits of each dim are all of its index, and run in one direction from the dim's beginning or end.
func covers(f *found, digits []digit, dims []axis) bool {
	base := 0
	for _, x := range dims {
		of := digitsIn(digits, x.dim)
		div := 1
		for _, g := range of {
			if g.div != div || g.backwards != of[0].backwards {
				return false
			}
			div *= g.n
		}
		if len(of) > 0 && of[0].backwards {
			base += (x.n - 1) * x.step
		}
		if div < x.n {
			return false
		}
	}
	return base == f.base
}

// digitsIn returns the digits of a dim, the least significant first.
func digitsIn(digits []digit, dim int) []digit {
	of := slices.DeleteFunc(slices.Clone(digits), func(g digit) bool { return g.dim != dim })
	slices.SortFunc(of, func(g, h digit) int { return cmp.Compare(g.div, h.div) })
	return of
}

// tell sets the kind, its sentence, the order and the layout.
func (r *Relation) tell(f *found, digits []digit, a, b Values, names []string) {
	if digits == nil {
		r.tellLoops(f, a)
		return
	}
	var order []int // A's dims, outermost in B first
	blocked, padded := false, false
	for d, n := range a.Shape {
		of := digitsIn(digits, d)
		blocked = blocked || len(of) > 1
		if len(of) > 0 {
			last := of[len(of)-1]
			padded = padded || last.n > ints.CeilDiv(n, last.div)
			if of[0].backwards {
				r.Reversed = append(r.Reversed, names[d])
			}
		} else {
			order = append(order, d)
			r.Order = append(r.Order, names[d])
		}
	}
	single := len(order)
	for _, g := range slices.Backward(digits) {
		order = append(order, g.dim)
		r.Order = append(r.Order, spell(names[g.dim], g, a.Shape[g.dim]))
	}
	r.Layout, r.IsLayout = layoutOf(f, digits, a.Shape, names)
	if !blocked {
		order = placed(order[:single], order[single:], a.Shape, b.Shape)
		for k, d := range order {
			r.Order[k] = names[d]
		}
	}
	r.tellOrder(f, order, blocked, padded, a, b)
	if single > 0 && len(digits) > 0 && r.Why == "" {
		r.Why = "a dim of size 1 may be anywhere in the order"
	}
}

// placed puts dims of size 1 into an order of the others: as B's shape says, or else where they are in A.
func placed(singles, order, shapeA, shapeB []int) []int {
	rest, all := slices.Clone(singles), []int(nil)
	for _, n := range shapeB {
		switch {
		case n == 1 && len(rest) > 0:
			all, rest = append(all, rest[0]), rest[1:]
		case len(order) > 0 && shapeA[order[0]] == n:
			all, order = append(all, order[0]), order[1:]
		}
	}
	if len(order) == 0 && len(rest) == 0 {
		return all
	}
	all = slices.DeleteFunc(all, func(d int) bool { return shapeA[d] == 1 })
	all = append(all, order...)
	for _, d := range singles {
		k := slices.Index(all, d-1) + 1
		all = slices.Insert(all, k, d)
	}
	return all
}

// spell returns a digit as C//4, C%4 or C//4%2; the last one of a dim has no end, and the only one is the dim.
func spell(name string, g digit, size int) string {
	if g.div > 1 {
		name += "//" + strconv.Itoa(g.div)
	}
	if g.div*g.n < size {
		name += "%" + strconv.Itoa(g.n)
	}
	return name
}

func (r *Relation) tellOrder(f *found, order []int, blocked, padded bool, a, b Values) {
	sorted := slices.IsSorted(order)
	permuted := make([]int, len(order))
	for k, d := range order {
		permuted[k] = a.Shape[d]
	}
	said := slices.Equal(permuted, b.Shape)
	inOrder := "holds a's elements in memory order " + strings.Join(r.Order, " ")
	switch {
	case f.skip > 0:
		r.Kind, r.Sentence = Shifted, "holds a's elements after "+text.Count(f.skip, "other")
		if !sorted {
			r.Sentence += ", in memory order " + strings.Join(r.Order, " ")
		}
	case f.total < f.lens.a.n:
		r.Kind, r.Sentence = Part, fmt.Sprintf("holds the first %d of a's elements", f.total)
		if !sorted || blocked {
			r.Sentence += " in memory order " + strings.Join(r.Order, " ")
		}
	case blocked:
		r.Kind, r.Sentence = Blocked, inOrder
	case f.elements < f.total && len(f.loops) == 1:
		r.Kind, r.Sentence = Pitched, fmt.Sprintf("holds a's elements, then %d others", f.total-f.elements)
	case padded || f.elements < f.total:
		r.Kind, r.Sentence = Pitched, inOrder+", with padding between them"
	case !sorted && said:
		r.Kind, r.Sentence = Permuted, inOrder
		r.As = "as if written by transpose" + tuple(order)
	case !sorted:
		r.Kind, r.Sentence = Relabeled, inOrder+", under the shape "+tensor.Tuple(b.Shape)
		r.As = "as if written by transpose" + tuple(order) + " and read as " + tensor.Tuple(b.Shape)
	case len(r.Reversed) > 0:
		r.Kind, r.Sentence = Reversed, "holds a's elements"
	case !slices.Equal(a.Shape, b.Shape):
		r.Kind, r.Sentence = Reshaped, "holds a's elements in the same order, under the shape "+tensor.Tuple(b.Shape)
	case r.DType == "" && r.Scale == nil && !r.Swapped:
		r.Kind, r.Sentence = Same, "holds a's elements in the same order"
	default:
		r.Kind, r.Sentence = Converted, "holds a's elements in the same order"
	}
	if len(r.Reversed) > 0 {
		r.Sentence += ", " + strings.Join(r.Reversed, " and ") + " reversed"
	}
}

// tuple prints dims as arguments: (0,2,3,1).
func tuple(order []int) string { return "(" + text.Ints(order, ",") + ")" }

// tellLoops tells of loops that are no order of A's dims.
func (r *Relation) tellLoops(f *found, a Values) {
	shape, order := under(f)
	switch {
	case len(f.loops) == 1 && f.loops[0].Step == 1 && (f.base != 0 || f.skip != 0):
		r.Kind, r.Sentence = Shifted, fmt.Sprintf("holds a's elements from element %d of a on", f.base)
		if f.base < 0 || f.skip > 0 {
			r.Sentence = "holds a's elements after " + text.Count(f.skip-f.base, "other")
			if f.elements < f.lens.a.n {
				r.Sentence = fmt.Sprintf("holds a's first %d elements after %s", f.elements, text.Count(f.skip-f.base, "other"))
			}
		}
	case slices.ContainsFunc(f.loops, func(l Loop) bool { return l.Step == 0 }):
		r.Kind, r.Sentence = Repeated, "repeats a's elements"
	case shape != nil && !slices.IsSorted(order):
		r.Kind = Reread
		r.Sentence = "holds a's memory as read under the shape " + tensor.Tuple(shape) + " and then permuted"
		r.As = "as if a's memory was read as " + tensor.Tuple(shape) + " and written by transpose" + tuple(order)
	case len(f.loops) == 2 && f.loops[0].Step == 1 && f.loops[1] == Loop{2, -f.loops[0].N}:
		r.Kind, r.Sentence = Reread, "holds a's elements with the halves exchanged"
	case f.elements < f.total:
		r.Kind, r.Sentence = Pitched, "holds a's elements with padding between them"
	case f.elements < f.lens.a.n:
		r.Kind, r.Sentence = Part, fmt.Sprintf("holds %d of a's %d elements", f.elements, f.lens.a.n)
	default:
		r.Kind, r.Sentence = Reread, "holds a's elements in another order"
	}
}

// under returns the shape that makes the loops a permutation of dense dims, and that permutation; nil if there is none.
func under(f *found) (shape, order []int) {
	loops := slices.Clone(f.loops)
	slices.Reverse(loops)
	rising := ints.Range(len(loops))
	slices.SortFunc(rising, func(k, l int) int { return cmp.Compare(loops[l].Step, loops[k].Step) })
	order = make([]int, len(loops))
	step := 1
	for d, k := range slices.Backward(rising) {
		if loops[k].Step != step {
			return nil, nil
		}
		step *= loops[k].N
		order[k] = d
	}
	for _, k := range rising {
		shape = append(shape, loops[k].N)
	}
	if step != f.lens.a.n || f.base != 0 {
		return nil, nil
	}
	return shape, order
}

// layoutOf returns B's memory as a layout of A's dims, if B holds all of them. A dim of several digits that runs backwards must be whole
// blocks.
func layoutOf(f *found, digits []digit, shape []int, names []string) (tensor.Layout, bool) {
	dims, offset := make([]tensor.Dim, len(shape)), f.skip
	for d, n := range shape {
		dims[d] = tensor.Dim{Name: names[d], Size: n}
		div := 1
		for _, g := range digitsIn(digits, d) {
			extent, stride := min(g.n, ints.CeilDiv(n, g.div)), g.span
			if g.backwards {
				offset += (extent - 1) * stride
				stride = -stride
			}
			dims[d].Digits = append(dims[d].Digits, tensor.Digit{Div: g.div, Extent: extent, Stride: stride})
			div *= extent
		}
		if of := dims[d].Digits; len(of) == 0 {
			dims[d].Digits = []tensor.Digit{{Div: 1, Extent: n, Stride: f.total}}
		} else if len(of) > 1 && of[0].Stride < 0 && div != n {
			return tensor.Layout{}, false
		}
	}
	l, err := tensor.New(dims, offset, f.total)
	return l, err == nil && l.InBounds()
}

// convert adds to the sentence how values were changed.
func (r *Relation) convert() {
	switch {
	case r.Viewed:
		r.Sentence += ", their bits read as " + r.DType
	case r.DType != "":
		r.Sentence += ", as " + r.DType
	}
	if r.Swapped {
		r.Sentence += ", byte-swapped"
	}
	if s := r.Scale; s != nil {
		r.Sentence += ", times " + strconv.FormatFloat(s.Factor, 'g', 6, 64)
		if s.Offset != 0 {
			r.Sentence += " plus " + strconv.FormatFloat(s.Offset, 'g', 6, 64)
		}
	}
}
