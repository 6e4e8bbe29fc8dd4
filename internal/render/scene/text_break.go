package scene

// part is a plane, or columns of one that is wider than the terminal; its frame begins behind a margin, at least.
type part struct {
	Plane
	margin int
}

// parts breaks planes that are wider than the terminal.
func (t *sceneText) parts(planes []Plane) []part {
	var all []part
	for _, p := range planes {
		margin := t.plane(part{Plane: p}, true).margin
		for _, name := range p.Columns { // any of them may be the first of a part
			margin = max(margin, t.overhang(name))
		}
		columns := p.widest()
		fit := equalParts(columns, (t.Width-margin-1)/(t.cell.width(t.cell.inGrid)+1))
		if fit >= columns {
			all = append(all, part{Plane: p})
			continue
		}
		for i := 0; i < columns; i += fit {
			all = append(all, part{p.columns(i, i+fit), margin})
		}
	}
	return all
}

// columns are those of a plane from one to before another.
func (p Plane) columns(from, to int) Plane {
	some := Plane{Name: p.Name, Columns: within(p.Columns, from, to)}
	if from > 0 {
		some.Name = ""
	}
	for _, row := range p.Rows {
		some.Rows = append(some.Rows, Row{row.Name, within(row.Cells, from, to)})
	}
	return some
}
