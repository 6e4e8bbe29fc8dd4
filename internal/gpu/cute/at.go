package cute

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// runAt returns the index of a coordinate: a number for a mode, or a tuple that nests as the mode does, fully or partly. A number for
// several modes counts their coordinates, leftmost fastest; the last mode gets the remainder, which may exceed its size, as in CuTe
// (crd2idx of int_tuple.py and stride.hpp).
func runAt(l Layout, args []argument, r *reasons) (Layout, *int, error) {
	coord := args[0]
	if len(args) > 1 {
		coord = argument{kind: tuple, parts: args}
	}
	t := &terms{r: r}
	if err := t.collect(l, coord); err != nil {
		return Layout{}, nil, err
	}
	r.add("index = %s = %d", strings.Join(t.products, " + "), t.sum)
	return l, &t.sum, nil
}

// terms holds the products coordinate·stride of the leaves.
type terms struct {
	products []string
	sum      int
	r        *reasons
}

func (t *terms) collect(l Layout, c argument) error {
	if c.kind == number {
		if c.n < 0 {
			return fault.New(fault.Usage, "coordinate %d is negative", c.n)
		}
		return t.count(l, c.n, true)
	}
	if c.kind != tuple {
		return fault.New(fault.Usage, "%s is not a coordinate", clip(c.String())).WithHint("coordinates look like at(5) or at(1,(0,1))")
	}
	if l.modes == nil || len(c.parts) != len(l.modes) {
		return fault.New(fault.Usage, "coordinate %s does not fit %s, which has %s", clip(c.String()), l, text.Count(l.Rank(), "mode")).
			WithHint("at(5) counts coordinates, leftmost fastest")
	}
	for k, m := range l.modes {
		if err := t.collect(m, c.parts[k]); err != nil {
			return err
		}
	}
	return nil
}

// count adds the terms of the i-th coordinate of a mode.
func (t *terms) count(l Layout, i int, typed bool) error {
	if typed && i >= l.size {
		t.r.note("coordinate %d is outside mode %s, which has 0…%d: CuTe does not check", i, l, l.size-1)
	}
	if l.modes == nil {
		sum, ok := tensor.MulAdd(t.sum, i, l.leaf.stride)
		if !ok {
			return overflow(fmt.Sprintf("index %d·%d", i, l.leaf.stride))
		}
		t.sum = sum
		t.products = append(t.products, fmt.Sprintf("%d·%d", i, l.leaf.stride))
		return nil
	}
	last := len(l.modes) - 1
	for k, m := range l.modes {
		digit := i
		if k < last {
			digit = i % m.size
			i = i / m.size
		}
		if err := t.count(m, digit, false); err != nil {
			return err
		}
	}
	return nil
}
