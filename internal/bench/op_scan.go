package bench

// pixels is a Channel operation: it reduces every pixel's channels.
type pixels[F float] struct {
	moves
	load     gather[F]
	channels []F // of one pixel
	width    int // results per pixel
	reduce   func(out, channels []F)
}

func newPixels[F float](m moves, load gather[F], width int, reduce func(out, channels []F)) *pixels[F] {
	return &pixels[F]{m, load, make([]F, len(m.c)), width, reduce}
}

func (p *pixels[F]) run(out []F, src []byte) {
	for _, n := range p.n {
		for _, d := range p.d {
			for _, h := range p.h {
				for _, w := range p.w {
					p.load(p.channels, src, n+d+h+w, p.c)
					p.reduce(out[:p.width], p.channels)
					out = out[p.width:]
				}
			}
		}
	}
}

// sum adds in four chains, so that additions do not wait for each other.
func sum[F float](out, channels []F) {
	var a, b, c, d F
	for ; len(channels) >= 4; channels = channels[4:] {
		a += channels[0]
		b += channels[1]
		c += channels[2]
		d += channels[3]
	}
	for _, x := range channels {
		a += x
	}
	out[0] = a + b + c + d
}

func argMax[F float](out, channels []F) {
	best, at := channels[0], 0
	for c, x := range channels {
		if x > best {
			best, at = x, c
		}
	}
	out[0] = F(at)
}

// conv1x1 holds, for every channel, its weight in each filter.
type conv1x1[F float] [][filters]F

func newConv1x1[F float](channels int) conv1x1[F] {
	weights := make(conv1x1[F], channels)
	for c := range weights {
		for k := range filters {
			weights[c][k] = F(weight(k*channels + c))
		}
	}
	return weights
}

// pixel keeps the sum of each filter in a register; an array would be in memory.
func (weights conv1x1[F]) pixel(out, channels []F) {
	var a, b, c, d, e, f, g, h F
	weights = weights[:len(channels)]
	for i, x := range channels {
		w := &weights[i]
		a += w[0] * x
		b += w[1] * x
		c += w[2] * x
		d += w[3] * x
		e += w[4] * x
		f += w[5] * x
		g += w[6] * x
		h += w[7] * x
	}
	*(*[filters]F)(out) = [...]F{a, b, c, d, e, f, g, h}
}

// meanVar accumulates the sums of every channel: of integers, so they are exact in float64.
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
		out[2*i], out[2*i+1] = F(mean), F(square-float64(mean*mean)) // the conversion prevents fusing
	}
}

// addRow adds in two chains each, so that additions do not wait for each other.
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

// maxPool holds the two rows of one row of results.
type maxPool[F float] struct {
	moves
	load        gather[F]
	top, bottom []F
}

// newMaxPool drops an odd last column; run drops an odd last row.
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

// depthwise holds the three rows around a row of results, with a zero before and after each.
type depthwise[F float] struct {
	moves
	load               gather[F]
	weights            []window[F] // of each channel
	above, here, below []F
}

// window has weight i, j at 3·i + j.
type window[F float] [9]F

func newDepthwise[F float](m moves, load gather[F]) *depthwise[F] {
	width := len(m.w) + 2
	k := &depthwise[F]{m, load, make([]window[F], len(m.c)), make([]F, width), make([]F, width), make([]F, width)}
	for c := range k.weights {
		for i := range k.weights[c] {
			k.weights[c][i] = F(weight(9*c + i))
		}
	}
	return k
}

func (k *depthwise[F]) run(out []F, src []byte) {
	for _, n := range k.n {
		for i, c := range k.c {
			for _, d := range k.d {
				k.plane(out, src, n+c+d, &k.weights[i])
				out = out[len(k.h)*len(k.w):]
			}
		}
	}
}

// plane loads each row once and keeps it for the three rows of results that use it.
func (k *depthwise[F]) plane(out []F, src []byte, at int, weights *window[F]) {
	clear(k.here)
	k.loadRow(src, at, 0)
	for h := range k.h {
		k.above, k.here, k.below = k.here, k.below, k.above
		k.loadRow(src, at, h+1)
		weights.row(out[:len(k.w)], k.above, k.here, k.below)
		out = out[len(k.w):]
	}
}

// loadRow loads row h of the plane into below, zeros past the last row.
func (k *depthwise[F]) loadRow(src []byte, at, h int) {
	if h < len(k.h) {
		k.load(k.below[1:], src, at+k.h[h], k.w)
	} else {
		clear(k.below)
	}
}

// row: out[x] = Σ over j of w[j]·above[x+j] + w[3+j]·here[x+j] + w[6+j]·below[x+j]. Rows are longer than out by two.
func (w *window[F]) row(out, above, here, below []F) {
	n := len(out)
	a0, a1, a2 := above[:n], above[1:][:n], above[2:][:n]
	h0, h1, h2 := here[:n], here[1:][:n], here[2:][:n]
	b0, b1, b2 := below[:n], below[1:][:n], below[2:][:n]
	for x := range out {
		above := w[0]*a0[x] + w[1]*a1[x] + w[2]*a2[x]
		here := w[3]*h0[x] + w[4]*h1[x] + w[5]*h2[x]
		below := w[6]*b0[x] + w[7]*b1[x] + w[8]*b2[x]
		out[x] = above + here + below
	}
}
