package bench

import (
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
