package convert

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ErrStop is what a worker of Parallel returns to end the work of all without an error.
var ErrStop = errors.New("stop")

// Parallel does n pieces of work on at most so many threads, in turn. Each makes its own worker and runs under its own guard;
// thread 0 is the caller's. It returns the first error by thread, after which no further piece is begun.
func Parallel(threads, n int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	return inParallel(threads, n, 1, guard, worker)
}

// inShares is Parallel where each thread has a share of the pieces side by side, and helps the others when it is done.
func inShares(threads, n int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	return inParallel(threads, n, min(threads, n), guard, worker)
}

// inParallel deals n pieces in so many shares.
func inParallel(threads, n, shares int, guard func(func() error) error, worker func(thread int) func(k int) error) error {
	switch min(threads, n) {
	case 0:
		return nil
	case 1:
		return guard(func() error { return inTurn(n, worker(0)) })
	}
	next, errs := make([]atomic.Int64, shares), make([]error, min(threads, n))
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
	var left atomic.Int64
	var group sync.WaitGroup
	for t := range errs[1:] {
		left.Add(1)
		group.Add(1)
		helpers.do(func() {
			defer group.Done()
			defer left.Add(-1)
			run(t + 1)
		})
	}
	run(0)
	if len(errs) <= runtime.GOMAXPROCS(0) { // to sleep and be woken takes longer
		for start := time.Now(); left.Load() > 0 && time.Since(start) < awake; {
			runtime.Gosched()
		}
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// inTurn does n pieces of work on this thread.
func inTurn(n int, work func(k int) error) error {
	for k := range n {
		if err := work(k); err == ErrStop {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// helpers are goroutines that look for work for a while before they end: a thread that the system must wake starts later than a
// conversion of a few hundred KiB takes.
var helpers pool

type pool struct {
	looking atomic.Int64 // helpers that look for work
	work    atomic.Pointer[func()]
}

// awake is how long helpers look for work, and how long a thread looks whether they are done before it sleeps.
const awake = 50 * time.Microsecond

// do has a helper run f, one that looks for work or a new one.
func (p *pool) do(f func()) {
	if p.looking.Load() > 0 && p.work.CompareAndSwap(nil, &f) {
		if p.looking.Load() > 0 || !p.work.CompareAndSwap(&f, nil) {
			return // a helper that stops looking looks once more after it said so
		}
	}
	go p.help(f)
}

// help runs f, and then what it finds. With one thread for all goroutines, looking would only keep others from running.
func (p *pool) help(f func()) {
	f()
	if runtime.GOMAXPROCS(0) == 1 {
		return
	}
	p.looking.Add(1)
	for start := time.Now(); time.Since(start) < awake; {
		if next := p.take(); next != nil {
			p.looking.Add(-1)
			next()
			p.looking.Add(1)
			start = time.Now()
		}
		runtime.Gosched()
	}
	p.looking.Add(-1)
	if next := p.take(); next != nil {
		p.help(next)
	}
}

// take takes the work that waits, if there is any.
func (p *pool) take() func() {
	if p.work.Load() == nil {
		return nil
	}
	if f := p.work.Swap(nil); f != nil {
		return *f
	}
	return nil
}
