package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/text"
)

// rangeOf names n consecutive rows of all, as NumPy does; empty for all.
func rangeOf(from, n, all int) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf("%d:%d", from, from+n)
}

// rowsOf names the rows of the only source: a range, ranges, or those of a block.
func rowsOf(a pairing.Arrangement, all int) (rows string, plain bool) {
	if len(a.Blocks) == 1 && len(a.Runs) > 1 {
		rows, plain = nestOf(a.Blocks[0], all)
	}
	if plain {
		return rows, true
	}
	if len(a.Runs) == 1 {
		return rangeOf(a.Runs[0].From, a.Runs[0].N, all), true
	}
	ranges := rangesOf(a.Runs)
	if len(ranges) > maxNamed {
		first, period := periodOf(a.Runs)
		if period > 0 {
			ranges = rangesOf(first)
			return fmt.Sprintf("%s of every %d", text.First(maxNamed, ranges, ", "), period), len(ranges) <= maxNamed
		}
	}
	return text.First(maxNamed, ranges, ", "), len(ranges) <= maxNamed
}

// rangesOf names runs: each, or several single rows at equal distances as one range with a step.
func rangesOf(runs []relate.Run) (ranges []string) {
	for len(runs) > 0 {
		r := runs[0]
		n := 1
		for n < len(runs) && runs[n].N == 1 && runs[n].From-runs[n-1].From == runs[1].From-r.From {
			n++
		}
		if r.N > 1 || n < 3 {
			ranges = append(ranges, fmt.Sprintf("%d:%d", r.From, r.From+r.N))
			runs = runs[1:]
			continue
		}
		ranges = append(ranges, steppedRange(r.From, runs[n-1].From, runs[1].From-r.From))
		runs = runs[n:]
	}
	return ranges
}

// steppedRange names rows at equal distances, as NumPy does: 1:48:2, and 20::-1 down to row 0.
func steppedRange(first, last, step int) string {
	if step > 0 {
		return fmt.Sprintf("%d:%d:%d", first, last+1, step)
	}
	if last == 0 {
		return fmt.Sprintf("%d::%d", first, step)
	}
	return fmt.Sprintf("%d:%d:%d", first, last-1, step)
}

// periodOf returns the runs of the first period rows, if each row is period rows after the one that is period rows before it; all and 0 without such a
// period.
func periodOf(runs []relate.Run) (first []relate.Run, period int) {
	var rows []int
	for _, r := range runs {
		for k := range r.N {
			rows = append(rows, r.From+k)
		}
	}
	for period = 2; period <= len(rows)/2; period++ {
		if len(rows)%period == 0 && isPeriod(rows, period) {
			break
		}
	}
	if period > len(rows)/2 {
		return runs, 0
	}
	for _, row := range rows[:period] {
		last := len(first) - 1
		if last >= 0 && row == first[last].From+first[last].N {
			first[last].N++
			continue
		}
		first = append(first, relate.Run{Source: runs[0].Source, From: row, N: 1})
	}
	return first, period
}

func isPeriod(rows []int, period int) bool {
	for k := period; k < len(rows); k++ {
		if rows[k] != rows[k-period]+period {
			return false
		}
	}
	return true
}

// nestOf names the rows of a block's loops: all rows from one on, or some of every so many, each several times, in another order. It is not plain
// if they are none of these.
func nestOf(b relate.Block, all int) (rows string, plain bool) {
	repeats := ""
	var loops []relate.Advance // innermost first
	for k, l := range b.Loops {
		if l.From != 0 {
			loops = append(loops, l)
			continue
		}
		switch k {
		case 0:
			repeats = fmt.Sprintf(", each %d times", l.N)
		case len(b.Loops) - 1:
			repeats += fmt.Sprintf(", all of it %d times", l.N)
		default:
			return "", false
		}
	}
	rising := slices.Clone(loops)
	sorting.By(rising, func(x, y relate.Advance) int { return x.From - y.From })
	span := 1 // rows that the loops so far fill
	every := 0
	for k, l := range rising {
		if l.From == span {
			span *= l.N
			continue
		}
		isOutermost := k == len(rising)-1 && l == loops[k]
		if !isOutermost || l.From < span {
			return "", false
		}
		every = l.From
		loops = loops[:k]
	}
	rows = rangeOf(b.From, span, all)
	if every > 0 {
		rows = fmt.Sprintf("%d:%d of every %d", b.From%every, b.From%every+span, every)
	}
	rows += repeats
	if !slices.IsSortedFunc(loops, func(x, y relate.Advance) int { return x.From - y.From }) {
		rows += ", in order " + orderOfRows(loops, span)
	}
	return strings.TrimPrefix(rows, ", "), every == 0 || b.From < every
}

// orderOfRows says in which order loops have rows: row//8 row%2 row//2%4, outermost first, as a memory order does.
func orderOfRows(loops []relate.Advance, total int) string {
	var digits []string
	for _, l := range slices.Backward(loops) {
		digit := "row"
		if l.From > 1 {
			digit += "//" + strconv.Itoa(l.From)
		}
		if l.From*l.N < total {
			digit += "%" + strconv.Itoa(l.N)
		}
		digits = append(digits, digit)
	}
	return strings.Join(digits, " ")
}

// pattern is what recurs in the runs of sources: period runs, turns times. unit is the number of rows of which all runs are multiples.
type pattern struct{ period, turns, unit int }

func patternOf(runs []relate.Run) (p pattern) {
	for _, r := range runs {
		p.unit = ints.GCD(p.unit, r.N)
		p.unit = ints.GCD(p.unit, r.From)
	}
	for p.period = 1; p.period < len(runs); p.period++ {
		if len(runs)%p.period == 0 && recurs(runs, p.period) {
			break
		}
	}
	p.turns = len(runs) / p.period
	return p
}

// recurs reports whether each run goes on where the one before it ended that is a period earlier.
func recurs(runs []relate.Run, period int) bool {
	ends := map[int]int{}
	for k, r := range runs {
		like := runs[k%period]
		if r.Source != like.Source || r.N != like.N {
			return false
		}
		end, known := ends[r.Source]
		if known && r.From != end {
			return false
		}
		ends[r.Source] = r.From + r.N
	}
	return len(ends) == period
}

// isPermutation reports whether all rows of one source are there, once each.
func (p pattern) isPermutation(a pairing.Arrangement) bool {
	const maxBlocks = 16
	total := 0
	for _, r := range a.Runs {
		if r.Source != a.Runs[0].Source {
			return false
		}
		total += r.N
	}
	blocks := p.blocks(a.Runs)
	sorted := slices.Sorted(slices.Values(blocks))
	return total == a.Sources[a.Runs[0].Source].N && len(blocks) <= maxBlocks && slices.Equal(sorted, ints.Range(len(blocks)))
}

// blocks returns the blocks of unit rows that the runs are.
func (p pattern) blocks(runs []relate.Run) (blocks []int) {
	for _, r := range runs {
		for k := range r.N / p.unit {
			blocks = append(blocks, r.From/p.unit+k)
		}
	}
	return blocks
}
