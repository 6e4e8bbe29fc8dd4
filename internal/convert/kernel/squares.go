package kernel

// chunk is how many pixels squares and padded hand to Transpose at once, which needs a table of them.
const chunk = 256

// table fills the offsets of pixels that lie side by side.
func table(offsets *[chunk]int, each int) {
	for i := range offsets {
		offsets[i] = i * each
	}
}

// squares uses Transpose: a pixel is a row of the packed side. There are at least 16 bytes of pixel and of row.
func (p pixels) squares(k *Kernels, o Options) {
	var offsets [chunk]int
	table(&offsets, len(p.rows)*p.size)
	many := min(p.n, chunk)
	for first := 0; first < p.n; first += many {
		part := p.part(min(first, p.n-many), many) // the last one covers some of the one before once more
		if p.join {
			k.Transpose(part.packed, offsets[:many], part.planar, p.rows, p.size, o)
		} else {
			k.Transpose(part.planar, p.rows, part.packed, offsets[:many], p.size, o)
		}
	}
}

// padded uses Transpose for pixels of less than 16 bytes as if they had 16: what is too much is written first and
// then overwritten by what belongs there, because kernels write in the order of destination rows.
//
//	join:   [pixel 0|rest]                split:   rest of pixel 0 | pixel 1
//	                [pixel 1|rest]                  → row 0           → row 0, row 1 …
//
// The last pixels of a join and the first of a split, beyond which there is nothing, are done one by one.
func (p pixels) padded(k *Kernels) {
	each := len(p.rows) * p.size
	rest := 16 - each
	edge := (rest + each - 1) / each
	var rows [16]int
	for i := range rows {
		rows[i] = p.rows[0]
	}
	if p.join {
		copy(rows[:], p.rows)
		p.part(0, p.n-edge).paddedJoin(k, rows[:16/p.size])
		p.part(p.n-edge, edge).generic()
		return
	}
	copy(rows[rest/p.size:], p.rows)
	p.part(0, edge).generic()
	p.paddedSplit(k, rows[:16/p.size], edge, rest)
}

func (p pixels) paddedJoin(k *Kernels, rows []int) {
	var offsets [chunk]int
	table(&offsets, len(p.rows)*p.size)
	for first := 0; first < p.n; first += chunk {
		many := min(p.n-first, chunk)
		if many*p.size < 16 { // too few for a square
			first, many = p.n-16/p.size, 16/p.size
		}
		part := p.part(first, many)
		k.Transpose(part.packed, offsets[:many], part.planar, rows, p.size, Options{})
	}
}

func (p pixels) paddedSplit(k *Kernels, rows []int, edge, rest int) {
	var offsets [chunk]int
	table(&offsets, len(p.rows)*p.size)
	for first := edge; first < p.n; first += chunk {
		many := min(p.n-first, chunk)
		if many*p.size < 16 {
			first, many = p.n-16/p.size, 16/p.size
		}
		packed := p.packed[first*len(p.rows)*p.size-rest:]
		k.Transpose(p.planar[first*p.size:], rows, packed, offsets[:many], p.size, Options{})
	}
}
