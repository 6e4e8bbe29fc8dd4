package render

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/text"
)

// Chart is a horizontal bar chart in groups, with an interval for each value. All bars start at 0 and share one scale, which ends at the
// largest value, interval end or limit.
//
// A value that is not finite and positive has a label and text, but no bar.
type Chart struct {
	Title     string // one line
	Subtitle  string // what the bars mean; may be empty
	Unit      string // of the scale
	Groups    []Group
	Limit     float64 // a line at this value, if finite and positive
	LimitName string  // beside the line
	BestName  string  // meaning of a star: "fastest"; not explained if empty
}

// Group is a named group of bars.
type Group struct {
	Name string
	Bars []Bar
}

// Bar is one value. Its interval is drawn if 0 ≤ Low ≤ Value ≤ High, Low < High and both are finite.
type Bar struct {
	Label            string
	Value, Low, High float64
	Text             string // the value as text, after the bar
	Best             bool   // highlighted
}

// solid reports whether a value can be drawn.
func solid(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

func (b Bar) hasInterval() bool {
	if b.Low < 0 || !solid(b.High) {
		return false
	}
	return b.Low < b.High && b.Low <= b.Value && b.Value <= b.High
}

// largest returns the largest number drawn, or 0.
func (c Chart) largest() float64 {
	end := 0.0
	if solid(c.Limit) {
		end = c.Limit
	}
	for _, b := range c.bars() {
		if solid(b.Value) {
			end = max(end, b.Value)
		}
		if b.hasInterval() {
			end = max(end, b.High)
		}
	}
	return end
}

// bars returns the bars of all groups.
func (c Chart) bars() []Bar {
	var all []Bar
	for _, g := range c.Groups {
		all = append(all, g.Bars...)
	}
	return all
}

// clean returns the chart with printable texts and without empty groups.
func (c Chart) clean() Chart {
	groups := []Group{}
	for _, g := range c.Groups {
		if clean := g.clean(); clean.Name != "" || len(clean.Bars) > 0 {
			groups = append(groups, clean)
		}
	}
	c.Title = text.Printable(c.Title)
	c.Subtitle = text.Printable(c.Subtitle)
	c.Groups = groups
	c.Unit = text.Printable(c.Unit)
	c.LimitName = text.Printable(c.LimitName)
	c.BestName = text.Printable(c.BestName)
	if !slices.ContainsFunc(c.bars(), func(b Bar) bool { return b.Best }) {
		c.BestName = ""
	}
	return c
}

func (g Group) clean() Group {
	bars := make([]Bar, len(g.Bars))
	for i, b := range g.Bars {
		b.Label = text.Printable(b.Label)
		b.Text = text.Printable(b.Text)
		bars[i] = b
	}
	return Group{text.Printable(g.Name), bars}
}

// scale maps values of 0 to end to lengths of 0 to length, in columns or pixels.
type scale struct{ end, length float64 }

// at returns the length of a value. The conversion prevents fused multiply-add, whose rounding differs between processors.
func (s scale) at(v float64) float64 {
	if s.end == 0 {
		return 0
	}
	return float64(v / s.end * s.length)
}

// tick is a round number on a scale.
type tick struct {
	value float64
	label string
}

// ticks returns the multiples of a step up to the scale's end. The step is 1, 2 or 5 times a power of ten, the smallest that keeps ticks at
// least apart.
func (s scale) ticks(gap float64) []tick {
	digit, exponent := roundStep(s.end * min(1, gap/s.length))
	var ticks []tick
	for k := 0; ; k++ {
		v, err := strconv.ParseFloat(strconv.Itoa(k*digit)+"e"+strconv.Itoa(exponent), 64)
		if err != nil || v > s.end {
			return ticks
		}
		ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', -1, 64)})
		if digit == 0 {
			return ticks
		}
	}
}

// roundStep returns the smallest digit·10^exponent ≥ step with a digit of 1, 2, 5 or 10; 0 for 0. It compares the step's digits as text:
// logarithms differ between machines.
func roundStep(step float64) (digit, exponent int) {
	if step == 0 {
		return 0, 0
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(step, 'e', -1, 64), "e")
	m, _ := strconv.ParseFloat(mantissa, 64)
	exponent, _ = strconv.Atoi(power)
	for _, digit := range []int{1, 2, 5} {
		if m <= float64(digit) {
			return digit, exponent
		}
	}
	return 1, exponent + 1
}
