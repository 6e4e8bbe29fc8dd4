package render

import (
	"math"

	"github.com/tlayout/tlayout/internal/words"
)

// cells draws a bar. Column p begins where at(v) = p, so that a mark for v in column p stands just behind a bar of v.
func (t *textChart) cells(b Bar) string {
	row := []rune(words.Blanks(t.plot + 1))
	low, high := t.column(b.Low), t.column(b.High)
	whisker := b.hasInterval() && high-low >= 2
	if whisker {
		fill(row[:low], t.full)
	} else if solid(b.Value) {
		t.fillTo(row, b.Value)
	}
	if solid(t.Limit) {
		row[t.column(t.Limit)] = t.limit
	}
	if whisker {
		fill(row[low:high], t.between)
		if high-low > 2 {
			row[min(max(int(t.at(b.Value)), low+1), high-2)] = t.value
		}
		row[low], row[high-1] = t.low, t.high
	}
	return string(row)
}

// fillTo draws a bar in parts of columns, at least one for the smallest value.
func (t *textChart) fillTo(row []rune, v float64) {
	steps := len(t.parts) + 1
	n := max(1, int(math.Round(t.at(v)*float64(steps))))
	fill(row[:n/steps], t.full)
	if rest := n % steps; rest > 0 {
		row[n/steps] = t.parts[rest-1]
	}
}

// column is the one that a value's mark stands in. It is for values on the scale; of others it is 0.
func (t *textChart) column(v float64) int {
	if v >= 0 && v <= t.end {
		return int(math.Round(t.at(v)))
	}
	return 0
}

func fill(row []rune, r rune) {
	for i := range row {
		row[i] = r
	}
}
