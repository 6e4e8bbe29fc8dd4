package batch

import (
	"sync"
	"sync/atomic"
	"time"
)

// Run calls do for each source in the list's order, up to jobs in parallel, and passes the results to done one at a time.
func Run(l *List, jobs int, do func(Item) Result, done func(Result)) {
	var next atomic.Int64
	var reporting sync.Mutex
	var wait sync.WaitGroup
	for range max(1, min(jobs, l.Len())) {
		wait.Go(func() {
			for {
				i := int(next.Add(1) - 1)
				if i >= l.Len() {
					return
				}
				u := l.At(i)
				start := time.Now()
				o := do(u)
				o.Item = u
				o.Seconds = time.Since(start).Seconds()
				reporting.Lock()
				done(o)
				reporting.Unlock()
			}
		})
	}
	wait.Wait()
}
