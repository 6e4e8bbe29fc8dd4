package render

import "fmt"

// palette is the colours of a chart in one scheme, as #rrggbb. Text has a contrast of at least 4.5 to its ground, bars
// and intervals one of 3 to what they lie on, as WCAG 2.2 defines contrast and asks for it (1.4.3 and 1.4.11).
type palette struct {
	ground string
	text   string
	quiet  string // text beside the point
	accent string // text of the best
	grid   string
	bar    string
	best   string
	limit  string
}

var (
	lightPalette = palette{"#ffffff", "#1c2430", "#566273", "#1d4fd7", "#e3e8ee", "#8494a8", "#2b63e8", "#a8480a"}
	darkPalette  = palette{"#12161c", "#e6ebf2", "#9aa7b8", "#82b1ff", "#29313c", "#66768c", "#3b7cf0", "#f0b060"}
)

// style is the style sheet of a chart: light, and dark where the reader's system is.
func style() string {
	dark := "  @media (prefers-color-scheme: dark) {\n" + darkPalette.rules("    ") + "  }\n"
	return fixedStyle + lightPalette.rules("  ") + dark
}

const fixedStyle = `  text { font: 13px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
  .title { font-size: 16px; font-weight: 600; }
  .name, .best { font-weight: 600; }
  .value { font-weight: 400; }
  .tick, .limit-name { font-size: 12px; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .grid, .limit, .rim, .whisker { fill: none; }
  .grid { stroke-width: 1; }
  .limit { stroke-width: 1.5; stroke-dasharray: 4 3; }
  .rim { stroke-width: 3.5; }
  .whisker { stroke-width: 1.5; }
`

// rules are the colours of everything that has one.
func (p palette) rules(indent string) string {
	rules := ""
	for _, r := range []struct{ selector, property, color string }{
		{".ground", "fill", p.ground},
		{"text", "fill", p.text},
		{"text.quiet", "fill", p.quiet},
		{"text.best", "fill", p.accent},
		{"text.limit-name", "fill", p.limit},
		{"rect.bar", "fill", p.bar},
		{"rect.bar.best", "fill", p.best},
		{".grid", "stroke", p.grid},
		{".whisker", "stroke", p.text},
		{".rim", "stroke", p.ground},
		{".limit", "stroke", p.limit},
	} {
		rules += fmt.Sprintf("%s%s { %s: %s; }\n", indent, r.selector, r.property, r.color)
	}
	return rules
}
