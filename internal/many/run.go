package many

import (
	"sync"
	"sync/atomic"
	"time"
)

// Run calls unit for each source in the list's order, up to jobs in parallel, and passes the outcomes to done one at a time.
func Run(l *List, jobs int, unit func(Unit) Outcome, done func(Outcome)) {
	var next atomic.Int64
	var telling sync.Mutex
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
				o := unit(u)
				o.Unit, o.Seconds = u, time.Since(start).Seconds()
				telling.Lock()
				done(o)
				telling.Unlock()
			}
		})
	}
	wait.Wait()
}
