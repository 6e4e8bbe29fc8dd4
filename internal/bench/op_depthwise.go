package bench

// depthwise has the three rows around a row of results, with a zero before and behind each.
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

// plane loads each row once, and keeps it for the three rows of results that need it.
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

// loadRow loads row h of the plane into below; zeros where there is none.
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
