package diagnose

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// related says how shape a can become shape b, by their sizes alone. order is a's dims in b's order, if the sizes are permuted: dims of
// equal sizes stay in their order. command shows it; it is empty if nothing fits.
func related(a, b []int) (fact string, order []int, command string) {
	from := tensor.Tuple(a)
	to := tensor.Tuple(b)
	elements, _ := tensor.Numel(a)
	others, _ := tensor.Numel(b)
	order = permutation(a, b)
	if order != nil {
		fact = fmt.Sprintf("%s.permute(%s) has shape %s", from, text.Ints(order, ", "), to)
		if sorted := slices.Sorted(slices.Values(a)); len(slices.Compact(sorted)) < len(a) {
			fact += "; dims of equal sizes can be exchanged as well"
		}
		return fact, order, fmt.Sprintf("tlayout trace --shape %s 'permute(%s)'", mention.Spelled(a), text.Ints(order, ","))
	}
	few := min(elements, others)
	many := max(elements, others)
	if few == many && few > 0 && len(b) > 0 {
		return fmt.Sprintf("%s and %s both have %s: a reshape fits, no permutation does", from, to, text.Count(few, "element")), nil,
			fmt.Sprintf("tlayout trace --shape %s 'view(%s)'", mention.Spelled(a), text.Ints(b, ","))
	}
	if few > 0 && many%few == 0 {
		fact = fmt.Sprintf(", a ratio of %d", many/few)
	}
	return fmt.Sprintf("%s has %s, %s has %d%s: no permutation or reshape fits", from, text.Count(elements, "element"), to, others, fact), nil, ""
}

// permutation returns the order of a's dims that gives b; nil if there is none, or a is b.
func permutation(a, b []int) (order []int) {
	if len(a) != len(b) || slices.Equal(a, b) {
		return nil
	}
	for _, n := range b {
		for d, m := range a {
			if m == n && !slices.Contains(order, d) {
				order = append(order, d)
				break
			}
		}
	}
	if len(order) < len(a) {
		return nil
	}
	return order
}
