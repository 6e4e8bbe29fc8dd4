package bench

import (
	"bytes"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Layout is one of the layouts that are compared, and its name in the report.
type Layout struct {
	Name string
	tensor.Layout
}

// memory takes at least 64 KiB, so that it begins with a page.
func memory(n int) []byte { return make([]byte, max(n, 64<<10))[:n] }

// lay returns the storage of the tensor in a layout. Its padding holds zeros.
func lay(to, rowMajor tensor.Layout, elements []byte, it item) ([]byte, error) {
	plan, err := convert.NewPlan(to, rowMajor, it.size)
	if err != nil {
		return nil, err
	}
	mem := memory(to.Alloc() * it.size)
	return mem, plan.Run(mem, elements, nil, convert.Options{})
}

// holds fails where an element is not where the layout says.
func holds(mem []byte, l tensor.Layout, it item) error {
	moves := make([][]int, l.Rank())
	for d := range moves {
		for i := range l.Dim(d).Size {
			moves[d] = append(moves[d], l.Dim(d).At(i)*it.size)
		}
	}
	i := 0
	return eachRow(moves, l.Offset()*it.size, func(at int, row []int) error {
		for _, move := range row {
			if p := at + move; !bytes.Equal(mem[p:p+it.size], it.codes[value(i)]) {
				return fault.New(fault.Resource, "element %d is not at byte %d of %s", i, p, l)
			}
			i++
		}
		return nil
	})
}

// eachRow calls f with the start of every row, in logical order.
func eachRow(moves [][]int, at int, f func(at int, row []int) error) error {
	if len(moves) == 1 {
		return f(at, moves[0])
	}
	for _, move := range moves[0] {
		if err := eachRow(moves[1:], at+move, f); err != nil {
			return err
		}
	}
	return nil
}
