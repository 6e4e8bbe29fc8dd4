package scene

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of the legend.
const (
	swatch     = 14
	legendLine = 24
	legendGap  = 24  // between entries
	minLegend  = 420 // width at which entries wrap, if nothing is wider
	stripWidth = 160
	stepGap    = 4 // between badges
)

// legend explains the tints and signs in use.
func (d *drawing) legend() {
	d.y += 22
	d.scale()
	keys := d.keys()
	x := float64(margin)
	end := min(max(d.right, minLegend), fold+margin)
	for _, key := range keys {
		width := swatch + key.wider + 8 + ceil(key.words, quietSize)
		if x > margin && x+width > end {
			x = margin
			d.y += legendLine
		}
		d.put(vector.Group{Marks: key.sign(x, d.y+2)})
		x = legendGap + d.write(vector.Text{X: x + swatch + key.wider + 8, Y: d.y + 9, Words: key.words, Paint: vector.Quiet,
			Size: quietSize})
	}
	if len(keys) > 0 {
		d.y += 18
	}
}

// scale draws the tints.
func (d *drawing) scale() {
	if d.Scale.Name == "" || d.Scale.N < 1 {
		return
	}
	words := fitTo(d.Scale.Name, fold/2, quietSize)
	x := 10 + d.write(vector.Text{X: margin, Y: d.y + 9, Words: words, Paint: vector.Quiet, Size: quietSize})
	if names := d.Scale.names(); names != nil {
		for i, name := range names {
			d.put(vector.Rect{X: x, Y: d.y + 2, W: swatch, H: swatch, Radius: 3, Fill: vector.Tint(i),
				Stroke: vector.Grid})
			x = 14 + d.write(vector.Text{X: x + swatch + 6, Y: d.y + 9, Words: name, Paint: vector.Quiet, Size: quietSize})
		}
	} else {
		d.strip(x)
	}
	d.y += legendLine
}

// strip draws the scale from low to high, with as many tints as are distinguishable.
func (d *drawing) strip(x float64) {
	x = 8 + d.write(vector.Text{X: x, Y: d.y + 9, Words: name(d.Scale.Low), Paint: vector.Quiet, Size: quietSize})
	n := min(d.Scale.N, stripWidth/5)
	for i := range n {
		from, to := i*stripWidth/n, (i+1)*stripWidth/n
		tint := i
		if n > 1 {
			tint = i * (d.Scale.N - 1) / (n - 1)
		}
		d.put(vector.Rect{X: x + float64(from), Y: d.y + 2, W: float64(to - from), H: swatch, Fill: vector.Tint(tint)})
	}
	d.write(vector.Text{X: x + stripWidth + 8, Y: d.y + 9, Words: name(d.Scale.High), Paint: vector.Quiet, Size: quietSize})
}

// names returns the names of all tints if they are few: those of the ends for one or two, and of all between for "c=0" to "c=3".
func (s Scale) names() []string {
	low, high := name(s.Low), name(s.High)
	if s.N == 1 {
		return []string{low}
	}
	if s.N == 2 {
		return []string{low, high}
	}
	if s.N > vector.FewHues || s.Kind != vector.Hues {
		return nil
	}
	dim, first, ok := numbered(low)
	_, last, _ := numbered(high)
	if !ok || last != first+s.N-1 || high != dim+strconv.Itoa(last) {
		return nil
	}
	names := make([]string, s.N)
	for i := range names {
		names[i] = dim + strconv.Itoa(first+i)
	}
	return names
}

// numbered splits "c=3" into "c=" and 3.
func numbered(name string) (dim string, n int, ok bool) {
	dim = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(dim):])
	return dim, n, err == nil && n < 1<<30
}

// key is a sign and its meaning.
type key struct {
	words string
	wider float64 // than a swatch
	sign  func(x, y float64) []vector.Mark
}

// keys returns the signs in use.
func (d *drawing) keys() []key {
	line := d.cacheLine()
	block := d.wraps(1, 1)
	outer := d.wraps(2, math.MaxInt)
	hatched := vector.Rect{Stroke: vector.Grid, Hatch: vector.Hatch}
	framed := vector.Rect{Stroke: vector.Frame, Radius: 4}
	fetched := vector.Rect{Stroke: vector.Accent, Radius: 4, StrokeWidth: 2}
	var keys []key
	for _, k := range []struct {
		occurs bool
		key    key
	}{
		{d.any(isPadding), key{"padding", 0, boxSign(hatched)}},
		{d.any(isOutside), key{outsideWords, 0, boxSign(vector.Rect{Stroke: vector.Grid})}},
		{d.any(isShared), key{"elements at one address", 4, sharedSign}},
		{block != unwrapped, key{"the innermost axis wraps", block.wider(), block.sign(1)}},
		{outer != unwrapped && block != unwrapped, key{"outer axes too", outer.wider(), outer.sign(2)}},
		{outer != unwrapped && block == unwrapped, key{"several axes wrap", outer.wider(), outer.sign(2)}},
		{line > 0, key{"a cache line, " + strconv.Itoa(line) + " B", 0, boxSign(framed)}},
		{line > 0 && d.past(), key{"past the storage", 0, pastSign}},
		{d.inMemory(isHit), key{"a line fetched by the path", 0, boxSign(fetched)}},
		{d.any(isStep), key{"access order", 2*badgeWidth(1) + stepGap - swatch, stepSign}},
	} {
		if k.occurs {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// wraps says how memories show that axes wrap.
type wraps struct{ gap, notch bool }

var unwrapped = wraps{}

// wraps returns how the scene shows that from low to high axes wrap: by a gap within a row, or by a notch at its start. The first element
// has neither.
func (s Scene) wraps(low, high int) (w wraps) {
	for _, m := range s.Memories {
		for i, r := range m.Rows {
			for k, c := range r.Cells {
				if c.Edge < low || c.Edge > high {
					continue
				}
				if k > 0 {
					w.gap = w.gap || r.Cells[k-1].Kind != Outside
				} else if i > 0 {
					w.notch = true
				}
			}
		}
	}
	return w
}

const notchSign = 8 // pixels

// wider returns how much wider than a swatch the sign is.
func (w wraps) wider() float64 {
	if w.gap && w.notch {
		return notchSign
	}
	return 0
}

// sign draws two cells with a gap between them, a notch, or both.
func (w wraps) sign(edge int) func(x, y float64) []vector.Mark {
	return func(x, y float64) (marks []vector.Mark) {
		if w.gap {
			cell := vector.Rect{X: x, Y: y, W: 7.5 - gaps[edge], H: swatch, Fill: vector.Grid, Stroke: vector.Quiet}
			other := cell
			other.X += swatch - other.W
			marks = []vector.Mark{cell, other}
			x += swatch
		}
		if w.notch {
			marks = append(marks, notch(edge, x+notchSign-2, y+swatch/2))
		}
		return marks
	}
}

// past reports whether the last line of a memory continues past the storage.
func (s Scene) past() bool {
	return slices.ContainsFunc(s.Memories, func(m Memory) bool { return m.Open && len(m.Rows) > 0 && !m.wide() })
}

func pastSign(x, y float64) []vector.Mark {
	f := frame{y: y, bottom: y + swatch}
	return []vector.Mark{vector.Line{Points: f.bracket(x, x+swatch), Stroke: vector.Frame, Dashed: true}}
}

// cacheLine returns the size of the framed cache lines, in bytes; 0 for none.
func (s Scene) cacheLine() int {
	for _, m := range s.Memories {
		if m.Line > 0 && len(m.Rows) > 0 && !m.wide() {
			return m.Line
		}
	}
	return 0
}

// boxSign draws a square like r.
func boxSign(r vector.Rect) func(x, y float64) []vector.Mark {
	return func(x, y float64) []vector.Mark {
		r.X = x
		r.Y = y
		r.W = swatch
		r.H = swatch
		return []vector.Mark{r}
	}
}

func sharedSign(x, y float64) []vector.Mark {
	return []vector.Mark{vector.Text{X: x, Y: y + 7, Words: "×2", Paint: vector.Ink, Size: belowSize, Mono: true}}
}

// stepSign draws the badges of steps 1 and 2.
func stepSign(x, y float64) []vector.Mark {
	y += (swatch - badgeHeight) / 2
	return append(badge(1, x, y), badge(2, x+badgeWidth(1)+stepGap, y)...)
}
