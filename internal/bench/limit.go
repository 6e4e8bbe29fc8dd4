package bench

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

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
