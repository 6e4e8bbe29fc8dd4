package bench

import (
	"fmt"
	"time"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Options configure a measurement.
type Options struct {
	Machine  Machine
	Kernels  *kernel.Kernels
	Geometry cachesim.Geometry // for the model
	Clock    Clock
	Samples  int           // per row, at least MinSamples
	Sample   time.Duration // minimum of each
	// LevelRoofs also measures the roofs of every cache level and of memory.
	LevelRoofs bool
	Limit      time.Duration // time budget, which reduces the samples; 0 is unlimited
	// Progress is called with the samples done and their total.
	Progress func(done, total int)
}

// MinSamples is the minimum for meaningful medians and intervals.
const MinSamples = 10

// Run measures a subject. It fails with Resource if memory does not suffice, or if a program computes a wrong result.
func Run(s Subject, o Options) (*Report, error) {
	if err := s.Fits(o); err != nil {
		return nil, err
	}
	o.Progress(0, 1)
	models, err := s.models(o.Geometry)
	if err != nil {
		return nil, err
	}
	r := s.newReport(o)
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
	return r, r.measure(programs, models, o)
}

// newReport returns a report without rows.
func (s Subject) newReport(o Options) *Report {
	return &Report{Schema: Schema, Source: s.Source, Machine: o.Machine, Shape: s.Layouts[0].Shape(), Dims: s.Layouts[0].Names(),
		DType: s.DType.String(), Elems: s.Layouts[0].Numel(), Notes: []string{}}
}

// measure runs the programs and adds the measurements to the report.
func (r *Report) measure(programs []*program, models map[string]*Model, o Options) error {
	m := measurer{o.Clock, o.Sample, o.Progress}
	programs, left, err := m.measure(programs, o.within)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, left...)
	r.fill(programs, models)
	return nil
}

// within fits the measurement into the limit, some of which is spent: it reduces the samples, down to MinSamples, and never skips a program.
// It returns the number of samples, and a note on each change.
func (o Options) within(all []*program, spent time.Duration) (samples int, notes []string) {
	var round time.Duration
	for _, p := range all {
		round += p.cost()
	}
	fits := func(samples int) bool { return o.Limit == 0 || time.Duration(samples) <= (o.Limit-spent)/max(round, 1) }
	samples = o.Samples
	if !fits(samples) && samples > MinSamples {
		samples = max(MinSamples, int((o.Limit-spent)/max(round, 1)))
		notes = append(notes, fmt.Sprintf("%d samples instead of %d: the limit is --time %s", samples, o.Samples, o.Limit))
	}
	if !fits(samples) {
		notes = append(notes, fmt.Sprintf("took %s, longer than --time %s: a round takes %s",
			rounded(spent+round*time.Duration(samples)), o.Limit, rounded(round)))
	}
	return samples, notes
}

func rounded(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
