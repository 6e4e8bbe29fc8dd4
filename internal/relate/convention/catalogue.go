package convention

import (
	"cmp"
	"maps"
	"slices"
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
		if outer == nil || inner == nil {
			continue
		}
		if outer[1] != inner[1] || outer[3] != "" {
			continue
		}
		div, _ := strconv.Atoi(cmp.Or(inner[2], "1"))
		extent, _ := strconv.Atoi(inner[3])
		if outer[2] != strconv.Itoa(div*extent) {
			continue
		}
		digits[last-1], _, _ = strings.Cut(d, "%")
		digits = digits[:last]
	}
	return digits
}

// cataloguedName returns a framework's name for the order; empty if it has none.
func (c Change) cataloguedName() string {
	for _, n := range catalogued() {
		bound, fits := match(n.order, c.Order)
		dims := slices.Sorted(maps.Values(bound.dims))
		if fits && len(slices.Compact(dims)) == len(bound.dims) { // no two letters stand for one dim
			return n.name
		}
	}
	return ""
}
