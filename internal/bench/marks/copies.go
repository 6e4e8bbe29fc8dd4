package main

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// The names of copies begin with one of these and end with the way: the name in bench.Copies, or cMemcpy.
const (
	copyBy    = "copy by "
	copyByTwo = "copy on two threads by "
	cMemcpy   = "memcpy"
)

// copies are the fastest ways to copy n bytes, on one thread and if asked on two. The first call for each n tries all.
func (b *buffers) copies(n int, threads bool) []program {
	all := b.allCopies(n, threads)
	if b.near[n] == nil {
		for _, prefix := range []string{copyBy, copyByTwo} {
			b.near[n] = append(b.near[n], trial(all, prefix)...)
		}
	}
	return slices.DeleteFunc(all, func(p program) bool { return !slices.Contains(b.near[n], p.name) })
}

// allCopies are all ways to copy n bytes; on two threads, each copies a half.
func (b *buffers) allCopies(n int, threads bool) (programs []program) {
	dst, src, k := b.dst[:n], b.src[:n], kernel.Best()
	for _, c := range bench.Copies(dst, src, k) {
		programs = append(programs, timed(copyBy+c.Name, c.Run))
	}
	if !threads {
		return programs
	}
	half := n / 2 &^ 63
	second := map[string]func(){}
	for _, c := range bench.Copies(dst[half:], src[half:], k) {
		second[c.Name] = c.Run
	}
	for _, c := range bench.Copies(dst[:half], src[:half], k) {
		programs = append(programs, inTwo(copyByTwo+c.Name, c.Run, second[c.Name]))
	}
	return programs
}

// trials is how often a trial runs each way: the shorter time counts.
const trials = 3

// trial returns the names of the fastest of the programs whose names begin with prefix.
func trial(programs []program, prefix string) (names []string) {
	var times []float64
	for _, p := range programs {
		if !strings.HasPrefix(p.name, prefix) {
			continue
		}
		shortest := math.Inf(1)
		for range trials {
			if seconds, can, err := p.run(); can && err == nil {
				shortest = min(shortest, seconds)
			}
		}
		if !math.IsInf(shortest, 1) {
			names, times = append(names, p.name), append(times, shortest)
		}
	}
	var near []string
	for _, i := range bench.Fastest(times) {
		near = append(near, names[i])
	}
	return near
}

// fastest is the way with the lowest median of those whose names begin with prefix; "" if there is none.
func fastest(timings map[string]bench.Timing, prefix string) (way string, t bench.Timing) {
	for name, timing := range timings {
		of, ok := strings.CutPrefix(name, prefix)
		if ok && (way == "" || timing.MedianNS < t.MedianNS || timing.MedianNS == t.MedianNS && of < way) {
			way, t = of, timing
		}
	}
	return way, t
}

func twoProcessors() bool { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) >= 2 }

// inTwo is a program of two passes side by side, on two threads. The second thread is started before the time is taken and
// spins between passes, so that neither starting nor waking it is measured. It needs two processors.
func inTwo(name string, first, second func()) program {
	return program{name, func() (seconds float64, can bool, err error) {
		if !twoProcessors() {
			return 0, false, nil
		}
		var s spinner
		go s.spin(second)
		defer s.begun.Store(-1)
		pass := func() {
			n := s.begun.Add(1)
			first()
			for s.done.Load() != n {
			}
		}
		pass()
		return timed(name, pass).run()
	}}
}

// spinner runs passes on a thread of its own, one each time that begun is incremented, until it is negative.
type spinner struct {
	begun atomic.Int64
	_     [120]byte // begun and done are written by different threads: two cache lines apart
	done  atomic.Int64
}

func (s *spinner) spin(pass func()) {
	runtime.LockOSThread()
	for n := int64(1); ; n++ {
		for begun := s.begun.Load(); begun != n; begun = s.begun.Load() {
			if begun < 0 {
				return
			}
		}
		pass()
		s.done.Store(n)
	}
}
