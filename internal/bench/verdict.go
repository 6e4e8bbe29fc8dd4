package bench

import (
	"cmp"
	"slices"
)

// newVerdict derives the conclusions from the rows.
func newVerdict(rows []Row) Verdict {
	v := Verdict{Ratios: []Ratio{}, Best: []Best{}, Slowdowns: []Slowdown{}, BreakEven: []BreakEven{}}
	at := byKey(rows)
	for _, row := range rows {
		if spatial, ok := at[accessKey(row.Layout, Spatial)]; ok && row.Pattern == Channel {
			r, ci := row.Over(spatial.Timing)
			v.Ratios = append(v.Ratios, Ratio{row.Layout, r, ci})
		}
	}
	for _, p := range patterns(rows) {
		if best, ok := bestOf(rows, p); ok {
			v.Best = append(v.Best, best)
			v.Slowdowns = append(v.Slowdowns, slowdowns(rows, at, best)...)
		}
	}
	for _, row := range rows {
		if row.Suite == Convert {
			v.BreakEven = append(v.BreakEven, breakEvens(row, patterns(rows), at)...)
		}
	}
	return v
}

// patterns returns the patterns of the rows, in their order.
func patterns(rows []Row) (all []Pattern) {
	for _, row := range rows {
		if row.Suite == Access && !slices.Contains(all, row.Pattern) {
			all = append(all, row.Pattern)
		}
	}
	return all
}

func byKey(rows []Row) map[string]Row {
	at := make(map[string]Row, len(rows))
	for _, row := range rows {
		at[row.Key()] = row
	}
	return at
}

// bestOf returns the layouts of a pattern by increasing median, up to the last one that is statistically tied with the first: one in
// between that differs does so by chance. ok is false if no layout has the pattern.
func bestOf(rows []Row, p Pattern) (Best, bool) {
	var all []Row
	for _, row := range rows {
		if row.Suite == Access && row.Pattern == p {
			all = append(all, row)
		}
	}
	if len(all) == 0 {
		return Best{}, false
	}
	slices.SortStableFunc(all, func(a, b Row) int { return cmp.Compare(a.MedianNS, b.MedianNS) })
	best := Best{Pattern: p, MedianNS: all[0].MedianNS}
	last := 0
	for i := range all {
		if !differ(all[i].Timing, all[0].Timing) {
			last = i
		}
	}
	for _, row := range all[:last+1] {
		best.Layouts = append(best.Layouts, row.Layout)
	}
	return best, true
}

// slowdowns compares the rows of a pattern with the fastest one, in their order.
func slowdowns(rows []Row, at map[string]Row, best Best) []Slowdown {
	var all []Slowdown
	fastest := at[accessKey(best.Layouts[0], best.Pattern)].Timing
	for _, row := range rows {
		if row.Suite == Access && row.Pattern == best.Pattern {
			r, ci := row.Over(fastest)
			all = append(all, Slowdown{row.Pattern, row.Layout, r, ci, slices.Contains(best.Layouts, row.Layout)})
		}
	}
	return all
}

// breakEvens returns a conversion's break-even for every pattern measured on both of its sides.
func breakEvens(conversion Row, patterns []Pattern, at map[string]Row) []BreakEven {
	var all []BreakEven
	for _, p := range patterns {
		from, before := at[accessKey(conversion.From, p)]
		to, after := at[accessKey(conversion.To, p)]
		if before && after {
			b := newBreakEven(conversion.Timing, from.Timing, to.Timing)
			b.From = conversion.From
			b.To = conversion.To
			b.Pattern = p
			all = append(all, b)
		}
	}
	return all
}

// newBreakEven is, for the medians and with [lo, hi] for their intervals,
//
//	Passes = convert / (from − to)             nil unless from > to, significantly
//	Lo     = convert.lo / (from.hi − to.lo)    nil unless the difference is positive
//	Hi     = convert.hi / (from.lo − to.hi)    likewise
func newBreakEven(convert, from, to Timing) BreakEven {
	const lo, hi = 0, 1
	b := BreakEven{
		Lo: per(convert.CINS[lo], from.CINS[hi]-to.CINS[lo]),
		Hi: per(convert.CINS[hi], from.CINS[lo]-to.CINS[hi]),
	}
	if differ(from, to) {
		b.Passes = per(convert.MedianNS, from.MedianNS-to.MedianNS)
	}
	return b
}

// per returns cost/gain, or nil without a gain.
func per(cost, gain float64) *float64 {
	if gain <= 0 {
		return nil
	}
	passes := cost / gain
	return &passes
}
