package vector

import "math"

// path is a line's points as they can be drawn, and the corners of its arrow's head, tip first, of which there are none
// where it has no arrow. The line ends where the head begins.
func (l Line) path() (points []Point, head []Point) {
	for _, p := range l.Points {
		points = append(points, Point{length(p.X), length(p.Y)})
	}
	if !l.Arrow || len(points) < 2 {
		return points, nil
	}
	from, tip := points[len(points)-2], points[len(points)-1]
	run := math.Hypot(tip.X-from.X, tip.Y-from.Y)
	if run == 0 {
		return points, nil
	}
	long := min(4+float64(2.5*l.width()), run)
	dx, dy := (tip.X-from.X)/run*long, (tip.Y-from.Y)/run*long
	base := Point{tip.X - dx, tip.Y - dy}
	points[len(points)-1] = base
	return points, []Point{tip, {base.X - float64(0.4*dy), base.Y + float64(0.4*dx)},
		{base.X + float64(0.4*dy), base.Y - float64(0.4*dx)}}
}

// Lengths of a dashed line, in pixels.
const dash, gap = 4, 3

func (l Line) width() float64 { return or(l.Width, 1) }
