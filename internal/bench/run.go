package bench

import (
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
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	m := measurer{o.Clock, o.Samples, o.Sample, o.Progress}
	programs, left, err := m.measure(programs, o.within)
	if err != nil {
		return nil, err
	}
	r.Notes = append(r.Notes, left...)
	r.fill(programs, models)
	return r, nil
}

// fill writes what the programs measured into the report.
func (r *Report) fill(programs []*program, models map[string]*Model) {
	var steady []float64
	for _, p := range programs {
		if p.roof == nil {
			r.Rows = append(r.Rows, p.measured())
			continue
		}
		*p.speed = max(*p.speed, gbps(p.roof.Bytes, newTiming(p.samples).MedianNS))
		if p.roof.Level == tensorRoof && p.speed == &p.roof.ReadGBps {
			steady = p.samples
		}
	}
	walks := map[string]float64{}
	for _, row := range r.Rows {
		walks[row.Key()] = row.MedianNS
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Model = models[row.Key()]
		if row.Suite == Convert {
			row.OfRoof = row.GBps / r.roofAt(conversionRoof)
			continue
		}
		row.OfRoof = row.GBps / r.roofAt(tensorRoof)
		if !row.Pattern.Walk() {
			row.WalkShare = walks[row.Layout+"."+string(row.Pattern.Order())] / row.MedianNS
			row.Bound = boundOf(row.WalkShare)
		}
	}
	r.Verdict = newVerdict(r.Rows)
	r.Noise = newNoise(steady, r.Rows)
}

// measured is the row with its timing.
func (p *program) measured() Row {
	row := p.row
	row.Timing = newTiming(p.samples)
	row.GBps = gbps(row.Bytes, row.MedianNS)
	return row
}

// roofAt is the one that rows are measured against, in GB/s: that of reading the tensor, or of a copy for conversions. It
// is 0 where it was not measured.
func (r *Report) roofAt(level string) float64 {
	at := slices.IndexFunc(r.Machine.Roofs, func(roof Roof) bool { return roof.Level == level })
	switch {
	case at < 0:
		return 0
	case level == conversionRoof:
		return r.Machine.Roofs[at].CopyGBps
	}
	return r.Machine.Roofs[at].ReadGBps
}

func boundOf(walkShare float64) Bound {
	if walkShare < 0.5 {
		return Arithmetic
	}
	return Memory
}

// gbps is 10⁹ bytes a second, which is bytes a nanosecond.
func gbps(bytes int, ns float64) float64 { return float64(bytes) / ns }
