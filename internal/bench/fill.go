package bench

import "slices"

// fill writes what the programs measured into the report.
func (r *Report) fill(programs []*program, models map[string]*Model) {
	var steady []float64
	for _, p := range programs {
		if p.roof == nil {
			r.Rows = append(r.Rows, p.measured())
			continue
		}
		*p.speed = max(*p.speed, gbps(p.roof.Bytes, NewTiming(p.samples).MedianNS))
		if p.roof.Level == tensorRoof && p.speed == &p.roof.ReadGBps {
			steady = p.samples
		}
	}
	at := byKey(r.Rows)
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Model = models[row.Key()]
		if row.Suite == Convert {
			row.OfRoof = row.GBps / r.roofAt(conversionRoof)
			continue
		}
		row.OfRoof = row.GBps / r.roofAt(tensorRoof)
		if !row.Pattern.Walk() {
			row.WalkShare = at[accessKey(row.Layout, row.Pattern.Order())].MedianNS / row.MedianNS
			row.Bound = boundOf(row.WalkShare)
		}
	}
	r.Verdict = newVerdict(r.Rows)
	r.Noise = newNoise(steady, r.Rows)
}

// measured is the row with its timing.
func (p *program) measured() Row {
	row := p.row
	row.Timing = NewTiming(p.samples)
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
