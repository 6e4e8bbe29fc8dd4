package bench

import (
	"cmp"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
)

// Clock returns the time since the start of a run. Tests replace it.
type Clock func() time.Duration

// SystemClock is the monotonic clock.
func SystemClock() Clock {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Uncounted passes precede a sample, so that it measures neither what the last program left in the caches nor its dirty
// lines. Short passes run several times, because a last-level cache may keep a line only when it is used again; long ones
// not at all.
const (
	warmPasses = 3
	warmTime   = 3 * time.Millisecond   // maximum of a pass for warmPasses of them
	onceTime   = 200 * time.Millisecond // maximum for one
)

// maxPasses bounds a sample if the clock does not advance.
const maxPasses = 1 << 20

// measurer takes samples of programs in rounds.
type measurer struct {
	clock    Clock
	sample   time.Duration // minimum of a sample: it repeats short passes, so that reading the clock does not count
	progress func(done, total int)
}

// chooser selects the number of samples, given the time already spent, and returns notes on why there are fewer.
type chooser func(all []*program, spent time.Duration) (samples int, notes []string)

// Rounds calls take for each of n programs once per round, in a random order: a disturbance of the machine affects all programs alike, and
// no program always follows the same other one. The garbage collector runs between rounds only.
func Rounds(n, rounds int, take func(i int) error) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for round := range rounds {
		runtime.GC()
		for _, i := range rand.New(rand.NewPCG(1, uint64(round))).Perm(n) {
			if err := take(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure checks every program, takes samples in rounds, and checks every program again.
func (m measurer) measure(programs []*program, choose chooser) ([]*program, []string, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if err := check(programs); err != nil {
		return nil, nil, err
	}
	for _, p := range programs {
		m.prepare(p)
	}
	programs = m.fastest(programs)
	samples, notes := choose(programs, m.clock())
	done := 0
	Rounds(len(programs), samples, func(i int) error { //nolint:errcheck // taking a sample cannot fail
		programs[i].samples = append(programs[i].samples, m.takeSample(programs[i]))
		done++
		m.progress(done, samples*len(programs))
		return nil
	})
	return programs, notes, check(programs)
}

// prepare determines how many passes of a program make a sample.
func (m measurer) prepare(p *program) {
	m.time(p, 1)
	p.passes = 1
	once := m.time(p, 1)
	for ; once < m.sample/2 && p.passes < maxPasses; once = m.time(p, p.passes) {
		p.passes *= 2
	}
	once /= time.Duration(p.passes)
	p.once = max(once, 1)
	p.passes = min(max(1, int(m.sample/p.once)), maxPasses)
	switch {
	case p.once < warmTime:
		p.warm = warmPasses
	case p.once < onceTime:
		p.warm = 1
	}
}

// fastest drops the slow ways of every roof, by their times in prepare and, for those near the fastest, by another sample.
func (m measurer) fastest(programs []*program) []*program {
	type group struct {
		roof *Roof
		kind roofKind
	}
	ways := map[group][]*program{}
	for _, p := range programs {
		if p.roof != nil {
			ways[group{p.roof, p.kind}] = append(ways[group{p.roof, p.kind}], p)
		}
	}
	dropped := map[*program]bool{}
	for _, group := range ways {
		shortest := slices.MinFunc(group, func(a, b *program) int { return cmp.Compare(a.once, b.once) }).once
		times := make([]float64, len(group))
		for i, p := range group {
			dropped[p] = true
			times[i] = float64(p.once)
			if p.once < 3*shortest/2 {
				times[i] = min(times[i], m.takeSample(p))
			}
		}
		for _, i := range Fastest(times) {
			dropped[group[i]] = false
		}
	}
	return slices.DeleteFunc(programs, func(p *program) bool { return dropped[p] })
}

// check runs the checks of all programs.
func check(programs []*program) error {
	for _, p := range programs {
		if p.check == nil {
			continue
		}
		if err := p.check(); err != nil {
			return fault.In(p.row.Key(), err)
		}
	}
	return nil
}

// time returns the time of some passes.
func (m measurer) time(p *program, passes int) time.Duration {
	if p.timed != nil {
		return p.timed(passes)
	}
	start := m.clock()
	for range passes {
		p.pass()
	}
	return m.clock() - start
}

// minNS is the least sample: a thousandth of a nanosecond.
const minNS = 1e-3

// takeSample returns a sample: nanoseconds per pass.
func (m measurer) takeSample(p *program) float64 {
	m.time(p, p.warm)
	return max(float64(m.time(p, p.passes))/float64(p.passes), minNS)
}
