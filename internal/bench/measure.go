package bench

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
)

// Clock tells the time since the beginning of a run. Tests put their own in its place.
type Clock func() time.Duration

// SystemClock is the monotonic clock.
func SystemClock() Clock {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Passes that are not counted go before a sample, so that it does not measure what the last program left in the caches, or
// has still to write from there: several, for a last cache keeps lines only once they were used again; but none where one
// takes long, and sooner so for operations, of whose time memory's is a part.
const (
	warmPasses    = 3
	warmTime      = 3 * time.Millisecond   // of a pass that is repeated as often
	onceTime      = 200 * time.Millisecond // of one that is repeated once
	operationTime = 12 * time.Millisecond  // the same of an operation
)

// mostPasses bounds a sample of passes that take no time, as a clock may tell that does not move.
const mostPasses = 1 << 20

// measurer takes samples of programs in turn.
type measurer struct {
	clock    Clock
	sample   time.Duration // how long each takes at least: many short passes are one, so that reading the clock does not count
	progress func(done, total int)
}

// chooser returns the programs that are worth their time, when some is spent already, how many samples are, and what to
// say about it.
type chooser func(all []*program, spent time.Duration) (kept []*program, samples int, notes []string)

// Rounds calls take for each of n programs once per round, in an order that differs from round to round: a disturbance of
// the machine affects all programs alike, and none always follows the same other one. The garbage collector runs between
// rounds only.
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
	programs, samples, notes := choose(programs, m.clock())
	done := 0
	Rounds(len(programs), samples, func(i int) error { //nolint:errcheck // taking a sample cannot fail
		programs[i].samples = append(programs[i].samples, m.take(programs[i]))
		done++
		m.progress(done, samples*len(programs))
		return nil
	})
	return programs, notes, check(programs)
}

// prepare finds out how many passes of a program make a sample.
func (m measurer) prepare(p *program) {
	p.pass()
	p.passes = 1
	once := m.elapsed(p)
	for ; once < m.sample/2 && p.passes < mostPasses; once = m.elapsed(p) {
		p.passes *= 2
	}
	once /= time.Duration(p.passes)
	p.once = max(once, 1)
	p.passes = min(max(1, int(m.sample/p.once)), mostPasses)
	switch {
	case p.once < warmTime:
		p.warm = warmPasses
	case p.once < operationTime || p.once < onceTime && !p.operation():
		p.warm = 1
	}
}

// check runs the checks of all programs, and fails where one did not do its work.
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

// elapsed is the time of a sample's passes.
func (m measurer) elapsed(p *program) time.Duration {
	start := m.clock()
	for range p.passes {
		p.pass()
	}
	return m.clock() - start
}

// take is a sample: the time of one pass in nanoseconds.
func (m measurer) take(p *program) float64 {
	for range p.warm {
		p.pass()
	}
	return max(float64(m.elapsed(p))/float64(p.passes), leastNS)
}
