package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Options say how it is measured.
type Options struct {
	Machine  Machine
	Kernels  *kernel.Kernels
	Geometry cachesim.Geometry // of the model
	Clock    Clock
	Samples  int           // of each row, at least MinSamples
	Sample   time.Duration // how long each takes at least
	// LevelRoofs asks for the roofs of every cache and of memory too.
	LevelRoofs bool
	// Limit is how long it may take; 0 is any time. Operations that would take longer are left out, the dearest first,
	// but for those to keep.
	Limit time.Duration
	Keep  []Pattern
	// Progress is told how many samples of how many are taken; it may be nil.
	Progress func(done, total int)
}

// MinSamples is the least from which medians and intervals are worth something.
const MinSamples = 10

// Run measures a subject that NewSubject made. It fails with Resource where the memory is not there, or where a program
// did not do its work.
func Run(s Subject, o Options) (*Report, error) {
	if err := s.Fits(o); err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	o.Progress(0, 1)
	models, err := s.models(o.Geometry)
	if err != nil {
		return nil, err
	}
	r := &Report{Schema: Schema, Source: s.Source, Machine: o.Machine, Shape: s.Layouts[0].Shape(), Dims: s.Layouts[0].Names(),
		DType: s.DType.String(), Elems: s.Layouts[0].Numel(), Notes: []string{}}
	r.Machine.Cache, r.Machine.Roofs = o.Geometry.String(), newRoofs(s.bytes())
	if o.LevelRoofs {
		r.Machine.Roofs = append(levelRoofs(o.Machine), r.Machine.Roofs...)
	}
	b, err := newBuilder(s, o.Kernels)
	if err != nil {
		return nil, err
	}
	programs := roofPrograms(r.Machine.Roofs, reader.For(o.Kernels), o.Kernels)
	for _, row := range s.rows() {
		p, err := b.program(row)
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	m := measurer{o.Clock, o.Sample, o.Progress}
	programs, left, err := m.measure(programs, o.within)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, left...)
	r.fill(programs, models)
	return r, nil
}

// within leaves operations out, the dearest pattern first, and then takes fewer samples, until what is left can be measured
// within the limit, of which some is spent. Walks, conversions and roofs are always measured, and MinSamples are taken. It
// returns what is left, how many samples are taken, and a note for each thing that is not as was asked.
func (o Options) within(all []*program, spent time.Duration) (kept []*program, samples int, notes []string) {
	cost := map[Pattern]time.Duration{} // of a round
	var round time.Duration
	for _, p := range all {
		round += p.cost()
		if p.operation() && !slices.Contains(o.Keep, p.row.Pattern) {
			cost[p.row.Pattern] += p.cost()
		}
	}
	fits := func(samples int) bool { return o.Limit == 0 || time.Duration(samples) <= (o.Limit-spent)/max(round, 1) }
	for !fits(o.Samples) && len(cost) > 0 {
		dearest := slices.MaxFunc(Patterns, func(a, b Pattern) int { return cmp.Compare(cost[a], cost[b]) })
		notes = append(notes, fmt.Sprintf("%s is left out: %d samples of it take %s of the %s that --time allows",
			dearest, o.Samples, rounded(cost[dearest]*time.Duration(o.Samples)), o.Limit))
		round -= cost[dearest]
		delete(cost, dearest)
		all = slices.DeleteFunc(slices.Clone(all), func(p *program) bool { return p.operation() && p.row.Pattern == dearest })
	}
	samples = o.Samples
	if !fits(samples) && samples > MinSamples {
		samples = max(MinSamples, int((o.Limit-spent)/max(round, 1)))
		notes = append(notes, fmt.Sprintf("%d samples are taken of %d: --time allows %s", samples, o.Samples, o.Limit))
	}
	if !fits(samples) {
		notes = append(notes, fmt.Sprintf("it took %s, longer than the %s that --time allows: a round of walks and conversions takes %s",
			rounded(spent+round*time.Duration(samples)), o.Limit, rounded(round)))
	}
	return all, samples, notes
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
