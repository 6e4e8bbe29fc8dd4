package marks

import (
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// program is what takes its turn in a row. It gives the seconds of one run, or false where it cannot do the row.
type program struct {
	name string
	run  func() (seconds float64, can bool, err error)
}

// The names of programs that are not peers. roofs copy as many bytes as the conversion reads and writes.
const (
	one        = "tlayout"
	two        = "tlayout, two threads"
	goCopy     = "copy of Go"
	streamCopy = "copy past the caches"
	cMemcpy    = "memcpy of C"
)

var roofs = []string{goCopy, streamCopy, cMemcpy}

// streamFrom is the number of bytes from which on the roof in this process is the copy past the caches.
const streamFrom = 64 << 20

// The rule by which all programs are timed, the peers' too: one run, or, where that is a short one, which measures what
// the last program left in the caches, the mean of as many more as take some time.
const (
	shortRun    = 20 * time.Millisecond
	repeatedFor = 40 * time.Millisecond
)

func secondsPerRun(f func()) float64 {
	once := elapsed(f, 1)
	if once >= shortRun {
		return once.Seconds()
	}
	times := int(repeatedFor/max(once, 100*time.Nanosecond)) + 1
	return elapsed(f, times).Seconds() / float64(times)
}

func elapsed(f func(), times int) time.Duration {
	start := time.Now()
	for range times {
		f()
	}
	return time.Since(start)
}

// timed is a program of this process.
func timed(name string, f func()) program {
	return program{name, func() (float64, bool, error) { return secondsPerRun(f), true, nil }}
}

// conversion is tlayout's program with some threads.
func conversion(name string, p *convert.Plan, dst, src []byte, threads int) program {
	pad := make([]byte, p.ItemSize)
	return timed(name, func() { p.Run(dst, src, pad, convert.Options{Threads: threads}) })
}

// roof is the copy in this process.
func roof(dst, src []byte) program {
	if len(dst) <= streamFrom {
		return timed(goCopy, func() { copy(dst, src) })
	}
	k := kernel.Best()
	return timed(streamCopy, func() {
		k.Copy(dst, src, kernel.Options{Stream: true})
		k.Fence()
	})
}

// inTurn runs all programs as often as there are samples, one after the other, and returns the medians of their
// seconds. A program that cannot do it is asked once and left out.
func inTurn(programs []program, samples int) (map[string]float64, error) {
	taken := map[string][]float64{}
	cannot := map[string]bool{}
	for range samples {
		for _, p := range programs {
			if cannot[p.name] {
				continue
			}
			seconds, can, err := p.run()
			if err != nil {
				return nil, err
			}
			if cannot[p.name] = !can; can {
				taken[p.name] = append(taken[p.name], seconds)
			}
		}
	}
	medians := map[string]float64{}
	for name, seconds := range taken {
		medians[name] = median(seconds)
	}
	return medians, nil
}

// median is the middle one of at least one number, or the mean of the two in the middle.
func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
