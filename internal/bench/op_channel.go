package bench

// pixels is a Channel operation: what reduce makes of every pixel's channels.
type pixels[F float] struct {
	moves
	load     gather[F]
	channels []F // of one pixel
	width    int // results of a pixel
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

// sum adds in four chains, so that an addition need not wait for the one before.
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

// conv1x1 has, for every channel, its weight in each filter.
type conv1x1[F float] [][Filters]F

func newConv1x1[F float](channels int) conv1x1[F] {
	weights := make(conv1x1[F], channels)
	for c := range weights {
		for k := range Filters {
			weights[c][k] = F(weight(k*channels + c))
		}
	}
	return weights
}

// pixel has a sum for each filter in a register of its own, which an array would not be.
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
	*(*[Filters]F)(out) = [...]F{a, b, c, d, e, f, g, h}
}
