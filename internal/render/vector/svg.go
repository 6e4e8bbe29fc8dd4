package vector

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/tlayout/tlayout/internal/text"
)

// SVG writes the drawing as one self-contained SVG file, in the reader's color scheme and fonts. Equal drawings give equal bytes. Its style
// is scoped by a unique id, so that a page can hold several. NaN lengths count as 0, those beyond a million pixels as a million.
func (d Drawing) SVG(w io.Writer) error { return d.write(w, false) }

// LinkedSVG is SVG with what a page's script and style sheet need: links of groups and names of panels as attributes, and the accent as a
// property.
func (d Drawing) LinkedSVG(w io.Writer) error { return d.write(w, true) }

func (d Drawing) write(w io.Writer, linked bool) error {
	s := svg{names: map[class]string{}, linked: linked}
	s.box(Rect{W: d.Width, H: d.Height, Radius: 8}, class{kind: box, fill: Ground})
	s.marks(d.Marks)
	body := bytes.Clone(s.Bytes())
	s.id = d.id(body)
	s.Reset()
	s.head(d)
	s.style(d)
	s.patterns()
	if _, err := w.Write(s.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(append(body, "</svg>\n"...))
	return err
}

// svg is the file being written, with the classes of its marks.
type svg struct {
	bytes.Buffer
	id      string
	linked  bool
	classes []class
	names   map[class]string
}

// id returns a hash of the drawing.
func (d Drawing) id(body []byte) string {
	h := fnv.New32a()
	fmt.Fprint(h, d.Width, d.Height, d.Title, d.Desc, d.Tints)
	h.Write(body)
	return "d" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// head writes the start of the file, with title and description for screen readers.
func (s *svg) head(d Drawing) {
	w := decimal(size(d.Width))
	h := decimal(size(d.Height))
	fmt.Fprintf(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%[1]s\" width=\"%[2]s\" height=\"%[3]s\" "+
		"viewBox=\"0 0 %[2]s %[3]s\"\n  role=\"img\" aria-labelledby=\"%[1]s-title %[1]s-desc\"", s.id, w, h)
	if s.linked {
		s.WriteString(` data-panels="`)
		s.words(strings.Join(d.Panels, "\n"))
		s.WriteByte('"')
	}
	s.WriteString(">\n")
	fmt.Fprintf(s, "<title id=\"%s-title\">", s.id)
	s.words(d.Title)
	fmt.Fprintf(s, "</title>\n<desc id=\"%s-desc\">", s.id)
	s.words(d.Desc)
	s.WriteString("</desc>\n")
}

func (s *svg) marks(marks []Mark) {
	for _, m := range marks {
		switch m := m.(type) {
		case Rect:
			s.rect(m)
		case Line:
			s.line(m)
		case Text:
			s.text(m)
		case Group:
			s.group(m)
		}
	}
}

func (s *svg) group(g Group) {
	s.WriteString("<g")
	if s.linked && g.Title != "" {
		s.link(g.Link)
	}
	s.WriteByte('>')
	if g.Title != "" {
		s.WriteString("<title>")
		s.words(g.Title)
		s.WriteString("</title>")
	}
	s.marks(g.Marks)
	s.WriteString("</g>\n")
}

// link writes a link as attributes: data-panel="1" data-line="0" data-keys="4 7".
func (s *svg) link(l Link) {
	fmt.Fprintf(s, " data-panel=\"%d\"", l.Panel)
	if l.Line >= 0 {
		fmt.Fprintf(s, " data-line=\"%d\"", l.Line)
	}
	if len(l.Keys) > 0 {
		fmt.Fprintf(s, " data-keys=\"%s\"", text.Ints(l.Keys, " "))
	}
}

// words writes text escaped for XML; invalid characters become U+FFFD. It escapes ##[, which is a command to a CI runner that reads the
// file.
func (s *svg) words(words string) {
	valid := strings.Map(func(r rune) rune {
		if !isXML(r) {
			return unicode.ReplacementChar
		}
		return r
	}, words)
	s.WriteString(strings.ReplaceAll(html.EscapeString(valid), "##", "#&#35;"))
}

// isXML reports whether XML allows a character.
func isXML(r rune) bool {
	if r < ' ' {
		return strings.ContainsRune("\t\n\r", r)
	}
	return r != 0xfffe && r != 0xffff
}

// attr writes an attribute that is a number.
func (s *svg) attr(name string, v float64) {
	s.WriteByte(' ')
	s.WriteString(name)
	s.WriteString(`="`)
	s.number(v)
	s.WriteByte('"')
}

func (s *svg) number(v float64) { s.Write(appendDecimal(s.AvailableBuffer(), v)) }

func decimal(v float64) string { return string(appendDecimal(nil, v)) }

// appendDecimal appends a length with at most two decimals.
func appendDecimal(b []byte, v float64) []byte {
	n := int64(math.Round(length(v) * 100))
	if n < 0 {
		b = append(b, '-')
		n = -n
	}
	b = strconv.AppendInt(b, n/100, 10)
	if n%100 > 0 {
		b = append(b, '.', byte('0'+n%100/10))
	}
	if n%10 > 0 {
		b = append(b, byte('0'+n%10))
	}
	return b
}

// rect writes a rectangle; if striped, a second one with the stripes and the border.
func (s *svg) rect(r Rect) {
	c := class{kind: box, fill: r.Fill, stroke: r.Stroke, width: r.strokeWidth()}
	if r.Hatch == None {
		s.box(r, c)
		return
	}
	s.box(r, class{kind: box, fill: r.Fill})
	s.class(stripePen(r.Hatch))
	c.kind = striped
	c.fill = r.Hatch
	s.box(r, c)
}

// box writes a rectangle, unless invisible.
func (s *svg) box(r Rect, c class) {
	empty := length(r.W) <= 0 || length(r.H) <= 0
	unpainted := c.fill == None && c.stroke == None
	if empty || unpainted {
		return
	}
	s.open("rect", c)
	s.attr("x", r.X)
	s.attr("y", r.Y)
	s.attr("width", r.W)
	s.attr("height", r.H)
	if or(r.Radius, 0) > 0 {
		s.attr("rx", r.Radius)
	}
	s.WriteString("/>\n")
}

// line writes a path, with H and V for straight legs.
func (s *svg) line(l Line) {
	if len(l.Points) < 2 || l.Stroke == None {
		return
	}
	s.open("path", class{kind: pen, stroke: l.Stroke, width: l.width(), dashed: l.Dashed})
	s.WriteString(` d="M`)
	s.point(l.Points[0])
	for i, p := range l.Points[1:] {
		from := l.Points[i]
		if p.Y == from.Y {
			s.WriteByte('H')
			s.number(p.X)
			continue
		}
		if p.X == from.X {
			s.WriteByte('V')
			s.number(p.Y)
			continue
		}
		s.WriteByte('L')
		s.point(p)
	}
	s.WriteString("\"/>\n")
}

func (s *svg) point(p Point) {
	s.number(p.X)
	s.WriteByte(' ')
	s.number(p.Y)
}

// text writes a text, unless empty.
func (s *svg) text(t Text) {
	if t.Words == "" || t.Paint == None {
		return
	}
	s.open("text", class{kind: letters, fill: t.Paint, width: t.size(), anchor: t.Anchor, bold: t.Bold, mono: t.Mono})
	s.attr("x", t.X)
	s.attr("y", t.baseline())
	s.WriteByte('>')
	s.words(spread(t.Words, t.Mono))
	s.WriteString("</text>\n")
}

func (s *svg) open(element string, c class) {
	s.WriteByte('<')
	s.WriteString(element)
	s.WriteString(` class="`)
	s.WriteString(s.class(c))
	s.WriteByte('"')
}

// class is the style of a mark. Marks of one style share a class name.
type class struct {
	kind         kind
	fill, stroke Paint
	width        float64 // of the stroke; of text, the font size
	dashed       bool
	anchor       Anchor
	bold, mono   bool
}

type kind byte

const (
	box     kind = iota // filled, possibly with a border
	striped             // filled with stripes
	pen                 // a line
	letters
)

// class returns the name of a class in the file: a, b, …, z, aa, ab, …
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

// style writes the style sheet: forms and light colors, then dark colors.
func (s *svg) style(d Drawing) {
	s.WriteString("<style>\n")
	fmt.Fprintf(s, "#%s{font:%dpx system-ui,sans-serif;font-variant-numeric:tabular-nums}\n", s.id, defaultFont)
	s.accent(d, false)
	for _, c := range s.classes {
		s.rule(c, append(c.form(s.id), c.colors(d, false)...))
	}
	s.WriteString("@media (prefers-color-scheme:dark){\n")
	s.accent(d, true)
	for _, c := range s.classes {
		s.rule(c, c.colors(d, true))
	}
	s.WriteString("}\n</style>\n")
}

// accent declares a linked drawing's accent for other style sheets.
func (s *svg) accent(d Drawing, dark bool) {
	if s.linked {
		fmt.Fprintf(s, "#%s{--accent:%s}\n", s.id, d.hex(Accent, dark))
	}
}

func (s *svg) rule(c class, declarations []string) {
	if len(declarations) > 0 {
		fmt.Fprintf(s, "#%s .%s{%s}\n", s.id, s.names[c], strings.Join(declarations, ";"))
	}
}

var anchors = map[Anchor]string{Middle: "middle", End: "end"}

// form returns the style without colors.
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
	add(c.kind == letters && c.width != defaultFont, "font-size:%spx", decimal(c.width))
	add(c.bold, "font-weight:600")
	add(c.mono, "font-family:ui-monospace,Menlo,Consolas,monospace")
	add(anchors[c.anchor] != "", "text-anchor:%s", anchors[c.anchor])
	return f
}

// colors returns the colors in a scheme.
func (c class) colors(d Drawing, dark bool) []string {
	var f []string
	if c.fill != None && c.kind != striped {
		f = append(f, "fill:"+d.hex(c.fill, dark))
	}
	if c.stroke != None {
		f = append(f, "stroke:"+d.hex(c.stroke, dark))
	}
	return f
}

// hex returns a color as #rrggbb.
func (d Drawing) hex(p Paint, dark bool) string {
	r, g, b := d.rgb(p, dark)
	return fmt.Sprintf("#%02x%02x%02x", r, g, b)
}
