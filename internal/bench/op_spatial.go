package bench

// meanVar has the sums of every channel so far. Whole numbers have exact ones in float64.
type meanVar[F float] struct {
	moves
	load gather[F]
	row  []F
	sums []moments // of each channel
}

// moments are Σ x and Σ x².
type moments struct{ sum, squares float64 }

func newMeanVar[F float](m moves, load gather[F]) *meanVar[F] {
	return &meanVar[F]{m, load, make([]F, len(m.w)), make([]moments, len(m.c))}
}

func (v *meanVar[F]) run(out []F, src []byte) {
	clear(v.sums)
	for _, n := range v.n {
		for i, c := range v.c {
			for _, d := range v.d {
				for _, h := range v.h {
					v.load(v.row, src, n+c+d+h, v.w)
					addRow(&v.sums[i], v.row)
				}
			}
		}
	}
	count := float64(len(v.n) * len(v.d) * len(v.h) * len(v.w))
	for i, s := range v.sums {
		mean, square := s.sum/count, s.squares/count
		out[2*i], out[2*i+1] = F(mean), F(square-float64(mean*mean)) // the conversion forbids to fuse both
	}
}

// addRow adds in two chains each, so that an addition need not wait for the one before.
func addRow[F float](m *moments, row []F) {
	var a, aa, b, bb float64
	for ; len(row) >= 2; row = row[2:] {
		x, y := float64(row[0]), float64(row[1])
		a += x
		aa += x * x
		b += y
		bb += y * y
	}
	for _, r := range row {
		x := float64(r)
		a += x
		aa += x * x
	}
	m.sum += a + b
	m.squares += aa + bb
}

// maxPool has the two rows that make one row of results.
type maxPool[F float] struct {
	moves
	load        gather[F]
	top, bottom []F
}

// newMaxPool leaves the last column out where there is no second one for it, and run does the last row.
func newMaxPool[F float](m moves, load gather[F]) *maxPool[F] {
	width := len(m.w) &^ 1
	m.w = m.w[:width]
	return &maxPool[F]{m, load, make([]F, width), make([]F, width)}
}

func (p *maxPool[F]) run(out []F, src []byte) {
	for _, n := range p.n {
		for _, c := range p.c {
			for _, d := range p.d {
				for h := 0; h+1 < len(p.h); h += 2 {
					p.load(p.top, src, n+c+d+p.h[h], p.w)
					p.load(p.bottom, src, n+c+d+p.h[h+1], p.w)
					poolRow(out, p.top, p.bottom)
					out = out[len(p.w)/2:]
				}
			}
		}
	}
}

func poolRow[F float](out, top, bottom []F) {
	for len(out) > 0 && len(top) >= 2 && len(bottom) >= 2 {
		out[0] = max(top[0], top[1], bottom[0], bottom[1])
		out, top, bottom = out[1:], top[2:], bottom[2:]
	}
}
