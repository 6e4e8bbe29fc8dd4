package vector

// rect writes a rectangle; where it has stripes, they are a second one, which has the border.
func (s *svg) rect(r Rect) {
	c := class{kind: box, fill: r.Fill, stroke: r.Stroke, width: r.strokeWidth()}
	if r.Hatch == None {
		s.box(r, c)
		return
	}
	s.box(r, class{kind: box, fill: r.Fill})
	s.class(stripePen(r.Hatch))
	c.kind, c.fill = striped, r.Hatch
	s.box(r, c)
}

// box writes nothing where there is nothing to see.
func (s *svg) box(r Rect, c class) {
	if length(r.W) <= 0 || length(r.H) <= 0 || c.fill == None && c.stroke == None {
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

// line writes a path, and a second one for the head of an arrow.
func (s *svg) line(l Line) {
	points, head := l.path()
	if len(points) < 2 || l.Stroke == None {
		return
	}
	s.path(points, "", class{kind: pen, stroke: l.Stroke, width: l.width(), dashed: l.Dashed})
	if head != nil {
		s.path(head, "Z", class{kind: box, fill: l.Stroke})
	}
}

// path goes from point to point, with H and V where it goes straight.
func (s *svg) path(points []Point, end string, c class) {
	s.open("path", c)
	s.WriteString(` d="M`)
	s.point(points[0])
	for i, p := range points[1:] {
		switch from := points[i]; {
		case p.Y == from.Y:
			s.WriteByte('H')
			s.number(p.X)
		case p.X == from.X:
			s.WriteByte('V')
			s.number(p.Y)
		default:
			s.WriteByte('L')
			s.point(p)
		}
	}
	s.WriteString(end + "\"/>\n")
}

func (s *svg) point(p Point) {
	s.number(p.X)
	s.WriteByte(' ')
	s.number(p.Y)
}

// text writes nothing for no words.
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
