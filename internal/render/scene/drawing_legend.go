package scene

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of the legend.
const (
	swatch      = 14
	legendLine  = 24
	legendGap   = 24  // between entries
	legendLeast = 420 // where entries go on below, if nothing reaches further
	stripWidth  = 160
)

// legend says what tints and signs mean, of those that occur.
func (d *drawing) legend() {
	d.y += 22
	d.scale()
	keys, x, end := d.keys(), float64(margin), min(max(d.right, legendLeast), fold+margin)
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

// strip is the scale from low to high, with as many tints as can be told apart.
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

// names are those of all tints where there are few: of one or two they are the ends', of "c=0" to "c=3" all between.
func (s Scale) names() []string {
	low, high := name(s.Low), name(s.High)
	switch {
	case s.N == 1:
		return []string{low}
	case s.N == 2:
		return []string{low, high}
	case s.N > vector.FewHues || s.Kind != vector.Hues:
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

// numbered parts "c=3" into "c=" and 3.
func numbered(name string) (dim string, n int, ok bool) {
	dim = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(dim):])
	return dim, n, err == nil && n < 1<<30
}
