package render

import (
	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

func (t *textChart) axisLine() {
	row := []rune(words.Blanks(t.plot + 1))
	fill(row, t.axis)
	for _, tick := range t.textTicks() {
		row[t.column(tick.value)] = t.tick
	}
	row[0] = t.zero
	t.line(t.margin() + string(row))
}

// tickLine writes the numbers below their ticks as far as there is room, and the unit below the texts.
func (t *textChart) tickLine() {
	line := t.margin()
	for i, tick := range t.textTicks() {
		column := t.label + 3 + t.column(tick.value) - (len(tick.label)-1)/2
		if gap := column - len(line); gap > 0 || i == 0 {
			line += words.Blanks(gap) + tick.label
		}
	}
	right := textFixed + t.label + t.plot + t.text
	if gap := right - len(line) - displaywidth.String(t.Unit); gap > 0 {
		line += words.Blanks(gap) + t.Unit
	}
	t.line(words.Truncate(line, t.width, ""))
}

// textTicks are so far apart that their numbers are, and on the narrowest terminals still two.
func (t *textChart) textTicks() []tick { return t.ticks(min(tickApart, t.length/2)) }

// limitLine writes the limit's name beside its mark; where it is too long, below the chart.
func (t *textChart) limitLine() {
	if !solid(t.Limit) {
		return
	}
	name := words.Truncate(t.LimitName, t.width-2, t.tail)
	columns, mark := displaywidth.String(name), t.label+3+t.column(t.Limit)
	if columns > t.width-mark-2 && columns < mark {
		t.line(words.Blanks(mark-1-columns) + name + " " + string(t.limit))
		return
	}
	t.line(words.Blanks(min(mark, t.width-2-columns)) + string(t.limit) + " " + name)
}
