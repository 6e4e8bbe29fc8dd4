package convert

import (
	"cmp"
	"errors"
	"sync"
	"sync/atomic"
)

// ErrStop makes Parallel stop all workers without an error.
var ErrStop = errors.New("stop")

// Parallel does n pieces of work on at most threads threads, in turn. Each thread makes its own worker and runs under its own guard; thread
// 0 is the caller's. It returns the first error by thread, after which no further piece is started.
func Parallel(threads, n int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	return inParallel(threads, n, 1, guard, worker)
}

// inShares is Parallel with a contiguous share of the pieces for each thread, which helps the others when it is done.
func inShares(threads, n int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	return inParallel(threads, n, min(threads, n), guard, worker)
}

// inSequence does n pieces of work, up to the first error.
func inSequence(n int, work func(k int) error) error {
	for k := range n {
		if err := work(k); err == ErrStop {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// inParallel divides n pieces into shares. guard may be nil.
func inParallel(threads, n, shares int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	if guard == nil {
		guard = func(f func() error) error { return f() }
	}
	switch min(threads, n) {
	case 0:
		return nil
	case 1:
		return guard(func() error { return inSequence(n, worker(0)) })
	}
	next := make([]atomic.Int64, shares)
	errs := make([]error, min(threads, n))
	var stopped atomic.Bool
	run := func(t int) {
		errs[t] = guard(func() error {
			work := worker(t)
			for turn := range shares {
				share := (t + turn) % shares
				from, to := share*n/shares, (share+1)*n/shares
				for k := from + int(next[share].Add(1)) - 1; k < to && !stopped.Load(); k = from + int(next[share].Add(1)) - 1 {
					if err := work(k); err == ErrStop {
						stopped.Store(true)
					} else if err != nil {
						return err
					}
				}
			}
			return nil
		})
		if errs[t] != nil {
			stopped.Store(true)
		}
	}
	var group sync.WaitGroup
	for t := range errs[1:] {
		group.Go(func() { run(t + 1) })
	}
	run(0)
	group.Wait()
	return cmp.Or(errs...)
}
