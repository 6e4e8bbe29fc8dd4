package vector

import (
	"fmt"
	"strings"
)

// class is all that style says of a mark. Marks that have it in common share its name.
type class struct {
	kind         kind
	fill, stroke Paint
	width        float64 // of the stroke; of letters the size of their font
	dashed       bool
	anchor       Anchor
	bold, mono   bool
}

type kind byte

const (
	box     kind = iota // filled, with a border or without
	striped             // filled with stripes
	pen                 // a line
	letters
)

// class is the name of a class in the file: a, b, …, z, aa, ab, …
func (s *svg) class(c class) string {
	if name, known := s.names[c]; known {
		return name
	}
	name := ""
	for n := len(s.classes) + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	s.names[c], s.classes = name, append(s.classes, c)
	return name
}

// style is the style sheet: forms and light colours, then dark colours.
func (s *svg) style(d Drawing) {
	s.WriteString("<style>\n")
	fmt.Fprintf(s, "#%s{font:%dpx system-ui,sans-serif;font-variant-numeric:tabular-nums}\n", s.id, usualFont)
	for _, c := range s.classes {
		s.rule(c, append(c.form(s.id), c.colours(d, false)...))
	}
	s.WriteString("@media (prefers-color-scheme:dark){\n")
	for _, c := range s.classes {
		s.rule(c, c.colours(d, true))
	}
	s.WriteString("}\n</style>\n")
}

func (s *svg) rule(c class, declarations []string) {
	if len(declarations) > 0 {
		fmt.Fprintf(s, "#%s .%s{%s}\n", s.id, s.names[c], strings.Join(declarations, ";"))
	}
}

var anchors = map[Anchor]string{Middle: "middle", End: "end"}

// form is all but the colours.
func (c class) form(id string) []string {
	var f []string
	add := func(wanted bool, format string, args ...any) {
		if wanted {
			f = append(f, fmt.Sprintf(format, args...))
		}
	}
	add(c.kind == striped, "fill:url(#%s-%d)", id, c.fill)
	add(c.kind == pen || c.kind == box && c.fill == None, "fill:none")
	add(c.stroke != None && c.width != 1, "stroke-width:%s", decimal(c.width))
	add(c.kind == pen, "stroke-linejoin:round")
	add(c.dashed, "stroke-dasharray:%d %d", dash, gap)
	add(c.kind == letters && c.width != usualFont, "font-size:%spx", decimal(c.width))
	add(c.bold, "font-weight:600")
	add(c.mono, "font-family:ui-monospace,Menlo,Consolas,monospace")
	add(anchors[c.anchor] != "", "text-anchor:%s", anchors[c.anchor])
	return f
}

// colours are those of a scheme.
func (c class) colours(d Drawing, dark bool) []string {
	var f []string
	if c.fill != None && c.kind != striped {
		f = append(f, "fill:"+d.hex(c.fill, dark))
	}
	if c.stroke != None {
		f = append(f, "stroke:"+d.hex(c.stroke, dark))
	}
	return f
}

// hex is a colour as #rrggbb.
func (d Drawing) hex(p Paint, dark bool) string {
	r, g, b := d.rgb(p, dark)
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}
