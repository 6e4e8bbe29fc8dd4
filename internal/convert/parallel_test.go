package convert

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// TestParallel: every piece of work is done once, under the guard of its thread; an error, including a guard's, stops all work and is
// returned, except ErrStop.
func TestParallel(t *testing.T) {
	const n = 1000
	failed := errors.New("failed")
	for _, threads := range []int{1, 3, 2 * n} {
		for _, c := range []struct{ atPiece, guarded, want error }{
			{nil, nil, nil}, {failed, nil, failed}, {ErrStop, nil, nil}, {nil, failed, failed}, {ErrStop, failed, failed},
		} {
			var done [n]atomic.Int32
			var workers atomic.Int32
			guard := func(f func() error) error {
				if err := f(); err != nil {
					return err
				}
				return c.guarded
			}
			err := Parallel(threads, n, guard, func(thread int) func(int) error {
				workers.Add(1)
				return func(k int) error {
					done[k].Add(1)
					if k == n/2 {
						return c.atPiece
					}
					return nil
				}
			})
			if err != c.want || int(workers.Load()) > min(threads, n) {
				t.Errorf("%d threads, %+v: %v, %d workers", threads, c, err, workers.Load())
			}
			times := make([]int32, n)
			for k := range done {
				times[k] = done[k].Load()
			}
			if slices.Max(times) > 1 || c.want == nil && c.atPiece == nil && slices.Min(times) == 0 {
				t.Errorf("%d threads, %+v: pieces are done %v times", threads, c, times)
			}
			if threads == 1 && c.atPiece != nil && times[n/2+1] > 0 {
				t.Errorf("%+v: work goes on", c)
			}
		}
	}
	if err := Parallel(4, 0, nil, nil); err != nil {
		t.Error(err)
	}
}

// TestShares: each thread starts with its own share; together they do every piece once, however many calls run at once.
func TestShares(t *testing.T) {
	const n, threads = 100, 4
	all := func(f func() error) error { return f() }
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() {
			var done [n]atomic.Int32
			err := inShares(threads, n, all, func(thread int) func(int) error {
				first := true
				return func(k int) error {
					own := done[thread*n/threads : (thread+1)*n/threads]
					if share := k / (n / threads); first && share != thread && !anyDone(own) {
						t.Errorf("thread %d starts with piece %d before any of its own", thread, k)
					}
					first = false
					done[k].Add(1)
					return nil
				}
			})
			if err != nil {
				t.Error(err)
			}
			for k := range done {
				if got := done[k].Load(); got != 1 {
					t.Errorf("piece %d is done %d times", k, got)
				}
			}
		})
	}
	calls.Wait()
}

func anyDone(counts []atomic.Int32) bool {
	for i := range counts {
		if counts[i].Load() > 0 {
			return true
		}
	}
	return false
}
