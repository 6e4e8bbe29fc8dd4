package trace

import (
	"fmt"
	"math"
)

// slice is start:stop:step: offset += start·stride, size = ⌈(stop-start)/step⌉, stride·step.
func (x *indexer) slice(e Arg) error {
	step := 1
	if e.Step != nil {
		step = max(*e.Step, -math.MaxInt) // as Python does, so that there is a -step
	}
	switch {
	case step == 0:
		return refuse("slice step cannot be zero")
	case step < 0 && x.Rules == PyTorch:
		return x.backwards(step)
	}
	if err := x.reachable(); err != nil {
		return err
	}
	size, stride := x.Shape[x.dim], x.Strides[x.dim]
	start, stop, n := sliceRange(e.Start, e.Stop, step, size)
	if n == 0 && x.Rules == NumPy {
		start, stop, step = 0, 0, 1
	}
	far, err := stretched(stride, step)
	if err != nil {
		return err
	}
	if err := x.move(start, stride); err != nil {
		return err
	}
	if n != size || step != 1 {
		x.why = append(x.why, fmt.Sprintf("%s: size = %s, stride = %d·%d = %d", x.from.called(x.old), sliceSize(start, stop, step, n),
			stride, step, far))
	}
	x.Shape[x.dim], x.Strides[x.dim] = n, far
	x.dim, x.old = x.dim+1, x.old+1
	return nil
}

// sliceSize writes the number of indices out: "⌈(5-1)/2⌉ = 2".
func sliceSize(start, stop, step, n int) string {
	run := fmt.Sprint(stop)
	switch {
	case step < 0:
		run, step = fmt.Sprint(start-stop), -step
	case start > 0 && step == 1:
		run = fmt.Sprintf("%d-%d", stop, start)
	case start > 0:
		run = fmt.Sprintf("(%d-%d)", stop, start)
	}
	if step > 1 {
		run = fmt.Sprintf("⌈%s/%d⌉", run, step)
	}
	if count := fmt.Sprint(n); run != count {
		return run + " = " + count
	}
	return run
}

// sliceRange is Python's slice.indices: start and stop as they count, and the number of indices. PyTorch has no steps
// below 1.
func sliceRange(from, to *int, step, size int) (start, stop, n int) {
	low, high := 0, size
	if step < 0 {
		low, high = -1, size-1
	}
	start, stop = low, high
	if step < 0 {
		start, stop = high, low
	}
	if from != nil {
		start = clamp(*from, size, low, high)
	}
	if to != nil {
		stop = clamp(*to, size, low, high)
	}
	switch {
	case step > 0 && stop > start:
		return start, stop, (stop-start-1)/step + 1
	case step < 0 && start > stop:
		return start, stop, (start-stop-1)/-step + 1
	}
	return start, start, 0
}

func clamp(i, size, low, high int) int {
	if i < 0 {
		i += size
	}
	return min(max(i, low), high)
}

func magnitude(n int) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// backwards refuses a negative step, of which PyTorch has none.
func (x *indexer) backwards(step int) error {
	r := refuse("step must be greater than zero").because("PyTorch has no negative strides")
	if x.dim < x.Rank() {
		r.Hint = fmt.Sprintf("flip(%d), which copies %s", x.dim, x.from.price())
		if step < -1 {
			r.Hint += fmt.Sprintf(", and then the step %d", -step)
		}
	}
	return r
}
