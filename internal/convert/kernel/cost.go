package kernel

import "slices"

// newProgram compiles the cheaper program for a block, along its columns or its rows, or of all of it if it is short; nil if
// there is none that costs less than limit.
func newProgram(b *Block, limit int) (best *program) {
	width, rows, cols := b.kernels.width, len(b.srcRows), len(b.dstRows)
	if width == 0 {
		return nil
	}
	try := func(r, c int) {
		if leastCost(b, width, r, c) >= limit {
			return
		}
		if p := compile(b, width, r, c, limit); p != nil {
			best, limit = p, p.cost
		}
	}
	along := width / b.size
	if along < cols && evenly(b.dstRows, along) {
		try(rows, along)
	}
	if along < rows && evenly(b.srcRows, along) {
		try(along, cols)
	}
	if best == nil && rows*cols*b.size <= maxWhole {
		try(rows, cols)
	}
	if best != nil && best.width == cacheLine {
		lines := sourceLines(b)
		best.ahead = inTurn(lines, (len(lines)+best.reps-1)/best.reps*best.reps)
	}
	return best
}

// Costs, measured on Zen 4: of a term, and of a vector of the destination whose kernel loops over terms.
const termCost, loopStore = 3 * shuffle / 2, 6 * shuffle

// leastCost is less than a program of so many rows and columns costs, or as much: its source has at least as many vectors as its destination,
// and each of these has elements of so many rows, as long rows share no vector.
func leastCost(b *Block, width, rows, cols int) int {
	terms, inputs := min(rows, width/b.size)*min(cols*b.size, width)/width, (rows*cols*b.size+width-1)/width
	if b.padded {
		inputs = 1
	}
	switch {
	case width < cacheLine:
		return narrowCost(terms, 1)
	case inputs <= maxDense:
		return termCost * terms
	}
	return termCost*terms + loopStore
}

// narrowCost is what so many terms of so many vectors of 16 bytes cost. Kernels that move one period at once, not two, take twice the
// instructions.
func narrowCost(terms, outs int) int { return termCost * terms * 4 * 2 / (outs * periods16) }

// costs is what the program costs for so many columns or rows: its terms and its stores, for all that the last period moves twice as well.
func (p *program) costs(all, period int) int {
	return p.lineCost() * (all + overlap(all, period)) / all
}

// lineCost is what a line of a period costs.
func (p *program) lineCost() int {
	terms := 0
	for _, o := range p.outs {
		terms += o.terms
	}
	switch {
	case p.width < cacheLine:
		return narrowCost(terms, len(p.outs))
	case p.dense > 0:
		return termCost * terms / len(p.outs)
	}
	return 2*termCost*terms/len(p.outs) + loopStore // each is a pair
}

// evenly reports whether every period of a table, and one that ends with it, is the first one moved.
func evenly(table []int, period int) bool {
	whole := len(table) / period * period
	return moved(table[period:whole], table) && (whole == len(table) || moved(table[len(table)-period:], table))
}

// moved reports whether the entries are those that another table begins with, plus the same; NoRow is in the same places.
func moved(table, from []int) bool {
	if len(table) == 0 {
		return true
	}
	by := 0
	if i := slices.IndexFunc(table, func(at int) bool { return at != NoRow }); i >= 0 {
		by = table[i] - from[i]
	}
	for i, at := range table {
		if d := at - from[i]; d != by && (d != 0 || at != NoRow) {
			return false
		}
	}
	return true
}

// movedBy is by how much the entries of a table from one on are those that it begins with moved.
func movedBy(table []int, from int) int {
	for i, at := range table[:len(table)-from] {
		if at != NoRow {
			return table[from+i] - at
		}
	}
	return 0
}
