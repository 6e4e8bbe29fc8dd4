package scene

import (
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a frame.
const (
	frameGap  = 3 // from cells to the frame of their line
	frameRest = 9 // of a line that goes on behind the storage
)

// frames draws one around all neighbours of a row that are in the same cache line; a line of several whole rows has one
// around them, drawn with the first. Where a line goes on in the row before or behind otherwise, or behind the end of the
// storage, its frame is open. Of cells wider than a line only those are framed that the path fetches.
func (d *drawing) frames(m Memory, i int, left float64) {
	if first, n := m.block(i); n > 1 {
		if i == first {
			bottom := d.y + d.cell.h*float64(n) + d.rowGap*float64(n-1) + frameGap
			right := left + d.cell.w*float64(len(m.Rows[i].Cells)) + frameGap
			hit := Memory{Rows: m.Rows[i : i+n]}.any(isHit)
			ends := !m.Open || first+n < len(m.Rows)
			if !ends {
				right += frameRest
			}
			d.frame(left-frameGap, d.y-frameGap, right, bottom, true, ends, hit)
		}
		return
	}
	cells := m.Rows[i].Cells
	for k := 0; k < len(cells); {
		end, hit := k, false
		for ; end < len(cells) && cells[end].Line == cells[k].Line; end++ {
			hit = hit || cells[end].Hit
		}
		if m.wide() && !hit {
			k = end
			continue
		}
		x := left + d.cell.w*float64(k) + m.gap(m.Rows[i], k) - frameGap
		right := left + d.cell.w*float64(end) - m.gap(m.Rows[i], end) + frameGap
		opens := k == 0 && m.line(i-1, true) == cells[k].Line
		ends := end < len(cells) || m.line(i+1, false) != cells[k].Line
		if m.Open && end == len(cells) && i == len(m.Rows)-1 {
			ends = false
			right += frameRest
		}
		d.frame(x, d.y-frameGap, right, d.y+d.cell.h+frameGap, !opens, ends, hit)
		k = end
	}
}

// block is the rows around the i-th that are one cache line: the first, and how many. It is no rows where the line
// begins or ends within a row, or where rows are not equally long.
func (m Memory) block(i int) (first, n int) {
	line, first := m.line(i, true), i
	for first > 0 && m.line(first-1, true) == line {
		first--
	}
	for first+n < len(m.Rows) && m.line(first+n, false) == line {
		cells := m.Rows[first+n].Cells
		if len(cells) == 0 || len(cells) != len(m.Rows[i].Cells) || cells[0].Line != line || cells[len(cells)-1].Line != line {
			return first, 0
		}
		n++
	}
	return first, n
}

// line is the cache line of a row's last or first cell, or NoLine if there is no such row.
func (m Memory) line(row int, last bool) Line {
	if row < 0 || row >= len(m.Rows) || len(m.Rows[row].Cells) == 0 {
		return NoLine
	}
	if cells := m.Rows[row].Cells; last {
		return cells[len(cells)-1].Line
	}
	return m.Rows[row].Cells[0].Line
}

// frame draws a cache line's frame, with or without its ends.
func (d *drawing) frame(x, y, right, bottom float64, begins, ends, hit bool) {
	stroke, width := vector.Frame, 1.0
	if hit {
		stroke, width = vector.Accent, 2
	}
	d.right = max(d.right, right+1)
	corner := func(x, inward, y, down float64) []vector.Point {
		return []vector.Point{{X: x + inward*5, Y: y}, {X: x + inward*1.5, Y: y + down*1.5}, {X: x, Y: y + down*5}}
	}
	switch {
	case begins && ends:
		d.put(vector.Rect{X: x, Y: y, W: right - x, H: bottom - y, Radius: 5, Stroke: stroke, StrokeWidth: width})
	case begins:
		points := append([]vector.Point{{X: right, Y: y}}, corner(x, 1, y, 1)...)
		points = append(points, reversed(corner(x, 1, bottom, -1))...)
		d.put(vector.Line{Points: append(points, vector.Point{X: right, Y: bottom}), Stroke: stroke, Width: width})
	case ends:
		points := append([]vector.Point{{X: x, Y: y}}, corner(right, -1, y, 1)...)
		points = append(points, reversed(corner(right, -1, bottom, -1))...)
		d.put(vector.Line{Points: append(points, vector.Point{X: x, Y: bottom}), Stroke: stroke, Width: width})
	default:
		d.put(vector.Line{Points: []vector.Point{{X: x, Y: y}, {X: right, Y: y}}, Stroke: stroke, Width: width})
		d.put(vector.Line{Points: []vector.Point{{X: x, Y: bottom}, {X: right, Y: bottom}}, Stroke: stroke, Width: width})
	}
}

func reversed(p []vector.Point) []vector.Point { return []vector.Point{p[2], p[1], p[0]} }
