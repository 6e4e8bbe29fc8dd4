package scene

// cacheLines reports whether there are several, and whether one begins with each row and nowhere else.
func cacheLines(m Memory) (several, rows bool) {
	line, known := NoLine, false
	rows = true
	for _, row := range m.Rows {
		for i := range row.Cells {
			begins := row.Cells[i].Line != line
			rows = rows && (!known || begins == (i == 0))
			several = several || known && begins
			line, known = row.Cells[i].Line, true
		}
	}
	return several, rows
}

// signs stand before cells: where axes start over, and cache lines. That all axes begin with the first element needs no
// key where none starts over.
func (r *memoryText) signs(cells []Cell) []string {
	signs := make([]string, len(cells))
	for i := range cells {
		edge, line := max(0, min(cells[i].Edge, 2)), cells[i].Line
		kind, seen := &r.edges, &r.seen.edges
		switch {
		case r.ticks && (line != r.line && r.known || !r.known && line == 0):
			kind, seen = &r.lines, &r.seen.lines
		case !r.begun:
			seen = &r.seen.first
		}
		signs[i], seen[edge] = kind[edge], true
		r.line, r.known, r.begun = line, true, r.begun || cells[i].Kind == Element
	}
	return signs
}
