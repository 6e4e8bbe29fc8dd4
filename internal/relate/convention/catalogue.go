package convention

import (
	"strconv"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/framework"
)

// minDigits is from how many digits on an order is named by its numbers alone: blocks of 32 channels are in many layouts, sf128x4 in one.
const minDigits = 4

// named is an order of the catalogue as a pattern of digits.
type named struct {
	name  string
	order []string
}

// catalogued are the orders of matrices, and of images in tiles, that frameworks have names for, with digits that no other order has.
var catalogued = sync.OnceValue(func() (all []named) {
	for _, e := range framework.Catalogue() {
		order := joined(strings.Fields(e.Order))
		isTiled := e.Kind == framework.Matrices || e.Kind == framework.Activations && len(order) > minDigits+1
		if isTiled && len(order) >= minDigits && !e.OfBytes() {
			all = append(all, named{e.Name + " of " + e.Framework, order})
		}
	}
	return all
})

// joined writes neighbors that are one digit as one: M//256 M//32%8, which pads M, as M//32.
func joined(order []string) (digits []string) {
	for _, d := range order {
		digits = append(digits, d)
		last := len(digits) - 1
		if last == 0 {
			continue
		}
		outer := parts(digits[last-1])
		inner := parts(d)
		if outer == nil || inner == nil || outer[1] != inner[1] || outer[3] != "" {
			continue
		}
		div := number(inner[2])
		if number(outer[2]) != div*number(inner[3]) {
			continue
		}
		digits[last-1] = inner[1]
		if div > 1 {
			digits[last-1] += "//" + inner[2]
		}
		digits = digits[:last]
	}
	return digits
}

// number reads a divisor or a modulus, of which a digit without one has 1.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return n
}

// cataloguedName returns a framework's name for the order; empty if it has none.
func (c Change) cataloguedName() string {
	for _, n := range catalogued() {
		bound, fits := match(n.order, c.Order)
		if fits && bound.isInjective() {
			return n.name
		}
	}
	return ""
}

// isInjective reports whether no two letters stand for one dim.
func (b binding) isInjective() bool {
	seen := map[string]bool{}
	for _, dim := range b.dims {
		seen[dim] = true
	}
	return len(seen) == len(b.dims)
}
