package convert

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrStop is what a worker of Parallel returns to end the work of all without an error.
var ErrStop = errors.New("stop")

// Parallel does n pieces of work on at most so many threads. Each makes its own worker and runs under its own guard; thread
// 0 is the caller's. It returns the first error by thread, after which no further piece is begun.
func Parallel(threads, n int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, min(threads, n))
	run := func(t int) {
		errs[t] = guard(func() error {
			work := worker(t)
			for {
				k := int(next.Add(1)) - 1
				if k >= n {
					return nil
				}
				if err := work(k); err != nil {
					next.Store(int64(n))
					if err == ErrStop {
						return nil
					}
					return err
				}
			}
		})
		if errs[t] != nil {
			next.Store(int64(n))
		}
	}
	for t := range errs[min(1, len(errs)):] {
		group.Go(func() { run(t + 1) })
	}
	if n > 0 {
		run(0)
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
