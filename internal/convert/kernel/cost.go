package kernel

import "slices"

// newProgram compiles a program for a block: a period along its columns or its rows, whichever is cheaper, or all of a short block. It
// returns nil if no program costs less than limit.
func newProgram(b *Block, limit int) (best *program) {
	width := b.kernels.width
	rows := len(b.srcRows)
	cols := len(b.dstRows)
	if width == 0 {
		return nil
	}
	try := func(r, c int) {
		if leastCost(b, width, r, c) >= limit {
			return
		}
		if p := compile(b, width, r, c, limit); p != nil {
			best = p
			limit = p.cost
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

// Costs, measured on Zen 4: termCost of a term, loopStore of a destination vector whose kernel loops over its terms.
const termCost, loopStore = 3 * shuffle / 2, 6 * shuffle

// leastCost returns a lower bound of the cost of a program of rows x cols, without compiling it: the source has at least as many vectors as
// the destination, and a destination vector has a term for each row with elements in it.
func leastCost(b *Block, width, rows, cols int) int {
	terms := min(rows, width/b.size) * min(cols*b.size, width) / width
	inputs := (rows*cols*b.size + width - 1) / width
	if b.padded {
		inputs = 1
	}
	if inputs <= maxDense && width >= denseFrom {
		return termCost * terms
	}
	if width < cacheLine {
		return narrowCost(terms, 1)
	}
	return termCost*terms + loopStore
}

// narrowCost returns the cost of terms of 16 bytes for outs destination vectors. A kernel that moves one period at a time needs twice the
// instructions of one that moves two.
func narrowCost(terms, outs int) int { return termCost * terms * 4 * 2 / (outs * periods16) }

// costs returns the cost for all columns or rows, including those that the last period moves again.
func (p *program) costs(all, period int) int {
	return p.lineCost() * (all + overlap(all, period)) / all
}

// lineCost returns the cost of a destination line.
func (p *program) lineCost() int {
	terms := 0
	for _, o := range p.outs {
		terms += o.terms
	}
	if p.width < cacheLine {
		if p.dense > 0 {
			return termCost * p.dense // its kernel runs the empty terms too
		}
		return narrowCost(terms, len(p.outs))
	}
	if p.dense > 0 {
		return termCost * terms / len(p.outs)
	}
	return 2*termCost*terms/len(p.outs) + loopStore // each term is a pair
}

// evenly reports whether the table repeats its first period at constant distances, up to a last period that ends with the table.
func evenly(table []int, period int) bool {
	whole := len(table) / period * period
	return moved(table[period:whole], table) && (whole == len(table) || moved(table[len(table)-period:], table))
}

// moved reports whether table[i] = from[i] + c for all i and one c, with NoRow at the same indices.
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

// movedBy returns table[from+i] - table[i], which is the same for all i.
func movedBy(table []int, from int) int {
	for i, at := range table[:len(table)-from] {
		if at != NoRow {
			return table[from+i] - at
		}
	}
	return 0
}
