package cute

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
)

// explain says why our answer may differ from pycute's, after proving it by the operation's definition; "" if nothing explains
// it. An answer is a layout, a number, "!" for a refusal, or "?" where pycute fails by another exception.
func (c pycuteCase) explain(column, got, want string) string {
	switch column {
	case "cosize":
		return explainCosize(c.a, got)
	case "complement":
		return explainComplement(c.a, got)
	case "left_inverse":
		return explainLeftInverse(c.a, got, want)
	case "composition", "logical_divide", "logical_product":
		return explainB(column, c.a, argument{kind: typed, layout: c.b}, got, want)
	case "composition_by", "logical_divide_by", "logical_product_by":
		return explainB(strings.TrimSuffix(column, "_by"), c.a, c.tiler, got, want)
	case "zipped_divide", "tiled_divide":
		return c.explainGathered("logical_divide", got, want)
	case "zipped_product":
		return c.explainGathered("logical_product", got, want)
	}
	return ""
}

// explainGathered: a zipped or tiled result is a rearranged logical one, whose difference is explained.
func (c pycuteCase) explainGathered(logical, got, want string) string {
	ours := answerOf(logical, c.a, c.tiler)
	if theirs := c.answers[logical+"_by"]; ours != theirs && (ours == "!") == (got == "!") && isLayout(theirs) == isLayout(want) {
		return explainB(logical, c.a, c.tiler, ours, theirs)
	}
	return ""
}

func isLayout(answer string) bool { return answer != "!" && answer != "?" }

// answerOf applies an operation with a B.
func answerOf(name string, a Layout, b argument) string {
	k := slices.IndexFunc(operations, func(o operation) bool { return o.Name == name })
	l, _, err := operations[k].run(a, []argument{b}, nil)
	if err != nil {
		return "!"
	}
	return l.String()
}

func explainB(name string, a Layout, b argument, got, want string) string {
	switch {
	case b.kind == keep:
		return ""
	case b.kind == tiler || b.kind == tuple:
		return explainModes(name, a, b, got, want)
	}
	layout := b.layout
	if b.kind == number {
		layout = single(b.n, 1)
	}
	switch name {
	case "composition":
		return explainComposition(a, layout, got, want)
	case "logical_divide":
		return explainDivide(a, layout, got, want)
	}
	return explainProduct(a, layout, got, want)
}

// explainModes: by mode, each mode that differs is explained.
func explainModes(name string, a Layout, b argument, got, want string) string {
	theirs, errTheirs := ParseLayout(want)
	ours, errOurs := ParseLayout(got)
	var reasons []string
	for k, part := range b.parts {
		one, other := answerOf(name, a.children()[k], part), want
		if errTheirs == nil {
			other = theirs.modes[k].String()
		}
		if errOurs == nil && ours.modes[k].String() != one {
			return "" // a mode must be what it is alone
		}
		if one == other {
			continue
		}
		why := explainB(name, a.children()[k], part, one, other)
		if why == "" && errTheirs == nil {
			return ""
		}
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	if reasons == nil {
		return ""
	}
	return reasons[0]
}

func explainComposition(a, b Layout, got, want string) string {
	ours, errOurs := ParseLayout(got)
	theirs, errTheirs := ParseLayout(want)
	negative := slices.ContainsFunc(b.leaves(), func(m mode) bool { return m.stride < 0 })
	switch {
	case negative && errOurs == nil && leafwise(a, b, ours): // pycute's differs in the stride of a mode of size 1, or is another function
		return "negative stride of B"
	case negative && errOurs != nil && (errTheirs != nil || !leafwise(a, b, theirs)):
		return "negative stride of B"
	case negative:
		return ""
	case errOurs != nil && errTheirs == nil && theirs.size != b.size:
		return "pycute drops elements"
	case errOurs == nil && want == "!" && leafwise(a, b, ours):
		return "stays in one mode"
	}
	return ""
}

// leafwise reports whether each leaf s:d of b has become a layout r with r(i) = A(|d|·i), negated if d is below 0.
func leafwise(a, b, r Layout) bool {
	if b.modes != nil {
		if len(b.modes) != len(r.modes) {
			return false
		}
		for k, m := range b.modes {
			if !leafwise(a, m, r.modes[k]) {
				return false
			}
		}
		return true
	}
	if r.size != b.size {
		return false
	}
	for i := range b.size {
		want, _ := coalesce(a, nil).At(i * ints.Abs(b.leaf.stride))
		is, _ := r.At(i)
		if is != want*sign(b.leaf.stride) {
			return false
		}
	}
	return true
}

// overlaps is layout.hpp's condition for complement, in its own words: sorted by stride, one is below the end of another.
func overlaps(l Layout) bool {
	for i, m := range l.leaves() {
		for j, o := range l.leaves() {
			if i != j && m.size > 1 && o.size > 1 && o.stride > 0 && m.stride >= o.stride && m.stride < o.size*o.stride {
				return true
			}
		}
	}
	return false
}

func explainComplement(l Layout, got string) string {
	if got == "!" && overlaps(l) {
		return "modes overlap"
	}
	return ""
}

func explainDivide(a, b Layout, got, want string) string {
	if overlaps(b) {
		return explainComplement(b, got)
	}
	rest, err := complement(b, a.size, nil)
	if err != nil {
		return ""
	}
	both, err := join(b, rest)
	if err != nil {
		return ""
	}
	return explainComposition(a, both, got, want)
}

func explainProduct(a, b Layout, got, want string) string {
	if overlaps(a) {
		return explainComplement(a, got)
	}
	rest, err := complement(a, a.size*b.Cosize(), nil)
	if err != nil {
		return ""
	}
	return explainComposition(rest, b, second(got), second(want))
}

// second is the second mode of a layout's text; other answers stay.
func second(answer string) string {
	if l, err := ParseLayout(answer); err == nil {
		return l.modes[1].String()
	}
	return answer
}

func explainCosize(l Layout, got string) string {
	if !slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride < 0 }) {
		return ""
	}
	low, high := 0, 0
	for i := range l.size {
		x, _ := l.At(i)
		low, high = min(low, x), max(high, x)
	}
	if got == strconv.Itoa(high-low+1) {
		return "negative strides"
	}
	return ""
}

var zeroSize = regexp.MustCompile(`[(,]0[,)].*:|^0:`)

// explainLeftInverse: pycute's is not an inverse, and ours is at least a quasi-inverse.
func explainLeftInverse(l Layout, got, want string) string {
	theirs, errTheirs := ParseLayout(want)
	switch {
	case overlaps(l):
		return explainComplement(l, got)
	case errTheirs != nil && !zeroSize.MatchString(want):
		return ""
	case errTheirs == nil && inverts(theirs, l):
		return ""
	case got == "!":
		return "left inverse divisibility"
	}
	ours, err := ParseLayout(got)
	if err != nil {
		return ""
	}
	for i := range l.size {
		x, _ := l.At(i)
		j, _ := ours.At(x)
		if y, _ := l.At(j); y != x {
			return ""
		}
	}
	if slices.ContainsFunc(l.leaves(), func(m mode) bool { return m.stride == 0 && m.size > 1 }) {
		return "quasi-inverse"
	}
	if !inverts(ours, l) {
		return ""
	}
	return "pycute's is no inverse"
}

func inverts(inverse, l Layout) bool {
	for i := range l.size {
		x, _ := l.At(i)
		if j, _ := inverse.At(x); j != i {
			return false
		}
	}
	return true
}
