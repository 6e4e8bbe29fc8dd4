package convert

import (
	"sync"
	"sync/atomic"
)

// parallel does n pieces of work on the options' threads, each of which makes its own worker under its own guard; one
// alone is the caller's. It returns the first error, after which no further piece is begun.
func parallel(o Options, n int, worker func() func(k int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, min(o.Threads, n))
	run := func(t int) {
		errs[t] = o.Guard(func() error {
			work := worker()
			for {
				k := int(next.Add(1)) - 1
				if k >= n {
					return nil
				}
				if err := work(k); err != nil {
					next.Store(int64(n))
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
