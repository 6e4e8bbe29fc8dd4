package vector

// rect draws what of a rectangle lies on the page: what fills it, the stripes over that, its border.
func (c *canvas) rect(r Rect) {
	x, y := c.across(r.X), c.down(r.Y)
	w, h := c.across(length(r.X)+length(r.W))-x, c.down(length(r.Y)+length(r.H))-y
	if w <= 0 || h <= 0 {
		return
	}
	if radius := min(or(r.Radius, 0)*c.scale, w/2, h/2); radius > 0 {
		c.DrawRoundedRectangle(x, y, w, h, radius)
	} else {
		c.DrawRectangle(x, y, w, h)
	}
	if r.Fill != None {
		c.SetColor(c.color(r.Fill))
		c.FillPreserve()
	}
	if r.Hatch != None {
		c.SetFillStyle(stripes{c.color(r.Hatch), c.scale})
		c.FillPreserve()
	}
	if r.Stroke != None {
		c.pen(r.Stroke, r.strokeWidth(), false)
	}
	c.ClearPath()
}

// pen draws along the path.
func (c *canvas) pen(p Paint, width float64, dashed bool) {
	c.SetColor(c.color(p))
	c.SetLineWidth(min(width*c.scale, float64(c.Width()+c.Height())))
	c.SetDash()
	if dashed {
		c.SetDash(dash*c.scale, gap*c.scale)
	}
	c.StrokePreserve()
}

func (c *canvas) line(l Line) {
	points, head := l.path()
	if len(points) < 2 || l.Stroke == None {
		return
	}
	c.through(points)
	c.pen(l.Stroke, l.width(), l.Dashed)
	c.ClearPath()
	if head != nil {
		c.through(head)
		c.Fill()
	}
}

func (c *canvas) through(points []Point) {
	for _, p := range points {
		c.LineTo(c.across(p.X), c.down(p.Y))
	}
}

// across and down are places in pixels of the file. What lies far off the page is brought nearer.
func (c *canvas) across(x float64) float64 { return near(length(x)*c.scale, c.Width()) }
func (c *canvas) down(y float64) float64   { return near(length(y)*c.scale, c.Height()) }

func near(v float64, page int) float64 { return min(max(v, -float64(page)-100), 2*float64(page)+100) }
