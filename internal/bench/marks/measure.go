package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
)

// program takes its turn in a row. Run returns the seconds of one pass, or false if the program cannot do the row.
type program struct {
	name string
	run  func() (seconds float64, can bool, err error)
}

// The names of programs that are not peers, beside those of copies.
const (
	oneThread  = "tlayout"
	twoThreads = "tlayout, two threads"
)

// All programs, the peers too, are timed by one rule: a single pass, or, if that is short and so depends on what the last
// program left in the caches, the mean of as many more as fill some time.
const shortRun = 20 * time.Millisecond

var repeatedFor = 40 * time.Millisecond // tests shorten it

// timed is a program of this process. It ends early if passes turn out to be much longer than the first one, as they may be on
// two threads if other programs run.
func timed(name string, pass func()) program {
	return program{name, func() (float64, bool, error) {
		start := time.Now()
		pass()
		once := time.Since(start)
		if once >= shortRun {
			return once.Seconds(), true, nil
		}
		passes := int(repeatedFor/max(once, 100*time.Nanosecond)) + 1
		done, piece := 0, passes/16+1
		start = time.Now()
		for done == 0 || done < passes && time.Since(start) < 2*repeatedFor {
			for range piece {
				pass()
			}
			done += piece
		}
		return time.Since(start).Seconds() / float64(done), true, nil
	}}
}

// inRounds measures all programs. One that cannot do the row is asked once and has no timing.
func inRounds(programs []program, samples int) (map[string]bench.Timing, error) {
	taken, cannot := make([][]float64, len(programs)), make([]bool, len(programs))
	err := bench.Rounds(len(programs), samples, func(i int) error {
		if cannot[i] {
			return nil
		}
		seconds, can, err := programs[i].run()
		if cannot[i] = !can; can {
			taken[i] = append(taken[i], seconds*1e9)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	timings := map[string]bench.Timing{}
	for i, p := range programs {
		if !cannot[i] {
			timings[p.name] = bench.NewTiming(taken[i])
		}
	}
	return timings, nil
}

// buffers are memory that all rows share, and the ways to copy that are worth measuring in it.
type buffers struct {
	dst, src []byte
	near     map[int][]string // names of programs, by the bytes that they copy
}

// grow provides at least n bytes each, with every page written: the source with noise, because some processors copy lines that
// are zero, or equal, faster.
func (b *buffers) grow(n int) {
	if len(b.dst) >= n {
		return
	}
	b.dst, b.src, b.near = make([]byte, n), make([]byte, n), map[int][]string{}
	for i := range n {
		b.dst[i] = 0xEE
	}
	rand.NewChaCha8([32]byte{}).Read(b.src) //nolint:errcheck // it never fails
}

// check compares random elements of the destination with the source, so that no ratio is that of omitted work.
func (r row) check(dst, src []byte, to, from tensor.Layout) error {
	for range 5000 {
		var c [4]int
		for d, n := range r.shape {
			c[d] = rand.IntN(n)
		}
		s, d := from.At(c[:]...)*r.size, to.At(c[:]...)*r.size
		if !bytes.Equal(src[s:s+r.size], dst[d:d+r.size]) {
			return fmt.Errorf("element %v is wrong", c)
		}
	}
	return nil
}

// measure runs all programs of a row in rounds, and tlayout on two threads too if asked.
func (b *buffers) measure(r row, peers peerSet, samples int, threads bool) (result, error) {
	plan, to, from, err := r.plan()
	if err != nil {
		return result{}, err
	}
	dstBytes, srcBytes := to.Alloc()*r.size, from.Alloc()*r.size
	b.grow(max(dstBytes, srcBytes))
	dst, src, pad := b.dst[:dstBytes], b.src[:srcBytes], make([]byte, r.size)
	pass := func(threads int) func() {
		return func() { plan.Run(dst, src, pad, convert.Options{Threads: threads}) } //nolint:errcheck // in memory nothing fails
	}
	clear(dst)
	pass(1)()
	if err := r.check(dst, src, to, from); err != nil {
		return result{}, err
	}
	programs := []program{timed(oneThread, pass(1))}
	if threads {
		pass(2)() // which measures its stores
		programs = append(programs, timed(twoThreads, pass(2)))
	}
	half := (dstBytes + srcBytes) / 2
	programs = append(programs, b.copies(half, threads)...)
	timings, err := inRounds(append(programs, peers.programs(r, half)...), samples)
	if err != nil {
		return result{}, err
	}
	return newResult(r, dstBytes+srcBytes, timings), nil
}

// result is a row of the report. Ratios are to the roof: 1 is the speed of a copy.
type result struct {
	Name string `json:"row"`
	bench.Row
	Roof          string             `json:"roof"` // the fastest copy
	RoofGBps      float64            `json:"roof_gb_per_s"`
	Threads       float64            `json:"two_threads,omitempty"`         // speedup over one; 0 if not measured
	CopyThreads   float64            `json:"copy_two_threads,omitempty"`    // that of the fastest copy
	CopyThreadsBy string             `json:"copy_two_threads_by,omitempty"` // the fastest copy on two threads
	Peers         map[string]float64 `json:"peers,omitempty"`
}

func newResult(r row, bytes int, timings map[string]bench.Timing) result {
	var roof bench.Timing
	out := result{Name: r.String(), Peers: map[string]float64{}}
	out.Roof, roof = fastest(timings, copyBy)
	if by, two := fastest(timings, copyByTwo); by != "" {
		out.CopyThreadsBy = by
		out.CopyThreads, _ = roof.Over(two)
	}
	for _, name := range peerNames {
		if t, ok := timings[name]; ok {
			out.Peers[name], _ = roof.Over(t)
		}
	}
	t := timings[oneThread]
	out.Row = bench.Row{Suite: bench.Convert, From: r.from, To: r.to, Shape: r.shape[:], DType: fmt.Sprintf("V%d", r.size),
		Bytes: bytes, Timing: t, GBps: float64(bytes) / t.MedianNS}
	out.OfRoof, _ = roof.Over(t)
	out.RoofGBps = float64(bytes) / roof.MedianNS
	if two, ok := timings[twoThreads]; ok {
		out.Threads, _ = t.Over(two)
	}
	return out
}

// behind is how much longer tlayout takes than oneDNN, 0.1 for a tenth; 0 if it does not, or oneDNN has no such row.
func (r result) behind() float64 {
	theirs, ok := r.Peers[oneDNN]
	if !ok || r.OfRoof >= theirs {
		return 0
	}
	return theirs/r.OfRoof - 1
}
