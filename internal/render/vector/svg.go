package vector

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strconv"
)

// SVG writes the drawing as one SVG file that needs nothing else: light, or dark where the reader's system is, with
// the fonts of that system. The same drawing is always the same bytes. All that its style names lies under an id of
// its own, so that several can stand in one page. Lengths that are no numbers count as 0, those beyond a million pixels
// as a million.
func (d Drawing) SVG(w io.Writer) error {
	s := svg{names: map[class]string{}}
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

// svg is a file that is written, and the classes of its marks.
type svg struct {
	bytes.Buffer
	id      string
	classes []class
	names   map[class]string
}

// id is a name that no other drawing has.
func (d Drawing) id(body []byte) string {
	h := fnv.New32a()
	fmt.Fprint(h, d.Width, d.Height, d.Title, d.Desc, d.Tints)
	h.Write(body)
	return "d" + strconv.FormatUint(uint64(h.Sum32()), 36)
}

// head is the file's beginning, with what it says to those who do not see it.
func (s *svg) head(d Drawing) {
	w, h := decimal(size(d.Width)), decimal(size(d.Height))
	fmt.Fprintf(s, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"%[1]s\" width=\"%[2]s\" height=\"%[3]s\" "+
		"viewBox=\"0 0 %[2]s %[3]s\"\n  role=\"img\" aria-labelledby=\"%[1]s-title %[1]s-desc\">\n", s.id, w, h)
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
	s.WriteString("<g>")
	if g.Title != "" {
		s.WriteString("<title>")
		s.words(g.Title)
		s.WriteString("</title>")
	}
	s.marks(g.Marks)
	s.WriteString("</g>\n")
}

// words writes text as XML has it; what XML cannot hold becomes U+FFFD.
func (s *svg) words(words string) { xml.EscapeText(s, []byte(words)) }

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

// appendDecimal writes a length with two decimals at most.
func appendDecimal(b []byte, v float64) []byte {
	n := int64(math.Round(length(v) * 100))
	if n < 0 {
		b, n = append(b, '-'), -n
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
