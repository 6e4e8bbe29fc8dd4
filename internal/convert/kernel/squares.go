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
func (p pixels) squares(k *Kernels, o Options) { p.transpose(k, p.rows, 0, 0, o) }

// transpose hands the pixels from one on to Transpose, a chunk at a time, with rows in place of p.rows; the packed side
// begins rest bytes before the pixel.
func (p pixels) transpose(k *Kernels, rows []int, from, rest int, o Options) {
	var offsets [chunk]int
	table(&offsets, len(p.rows)*p.size)
	for first := from; first < p.n; first += chunk {
		many := min(p.n-first, chunk)
		if many*p.size < 16 { // too few for a square: some once more
			first, many = p.n-16/p.size, 16/p.size
		}
		planar, packed := p.planar[first*p.size:], p.packed[first*len(p.rows)*p.size-rest:]
		if p.join {
			k.Transpose(packed, offsets[:many], planar, rows, p.size, o)
		} else {
			k.Transpose(planar, rows, packed, offsets[:many], p.size, o)
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
		p.part(0, p.n-edge).transpose(k, rows[:16/p.size], 0, 0, Options{})
		p.part(p.n-edge, edge).generic()
		return
	}
	copy(rows[rest/p.size:], p.rows)
	p.part(0, edge).generic()
	p.transpose(k, rows[:16/p.size], edge, rest, Options{})
}
