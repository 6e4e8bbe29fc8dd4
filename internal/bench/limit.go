package bench

import (
	"fmt"
	"slices"
	"time"
)

// within leaves operations out, the dearest pattern first, until what is left can be measured within the limit, of which
// some is spent. Walks, conversions and roofs are always measured. It returns what is left, and a note for each pattern
// that is not.
func (o Options) within(all []*program, spent time.Duration) (kept []*program, notes []string) {
	cost := map[Pattern]time.Duration{}
	total := spent
	for _, p := range all {
		total += p.cost() * time.Duration(o.Samples)
		if p.operation() && !slices.Contains(o.Keep, p.row.Pattern) {
			cost[p.row.Pattern] += p.cost() * time.Duration(o.Samples)
		}
	}
	for o.Limit > 0 && total > o.Limit && len(cost) > 0 {
		dearest := Patterns[0]
		for _, p := range Patterns {
			if cost[p] > cost[dearest] {
				dearest = p
			}
		}
		notes = append(notes, fmt.Sprintf("%s is left out: its %d samples in every layout would take %s of the %s that --time allows",
			dearest, o.Samples, roundTime(cost[dearest]), o.Limit))
		total -= cost[dearest]
		delete(cost, dearest)
		all = slices.DeleteFunc(slices.Clone(all), func(p *program) bool { return p.operation() && p.row.Pattern == dearest })
	}
	if o.Limit > 0 && total > o.Limit {
		notes = append(notes, fmt.Sprintf("it took longer than the %s that --time allows: %d samples of walks and conversions take %s",
			o.Limit, o.Samples, roundTime(total)))
	}
	return all, notes
}

func roundTime(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
