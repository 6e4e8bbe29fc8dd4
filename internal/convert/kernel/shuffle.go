package kernel

// shuffle is what a shuffling kernel works on. _asm knows the order of the fields, which are words. Blocks of count
// vectors in become count vectors out: vector v of a block lies at src + srcAt[v].
type shuffle struct {
	dst              *byte
	dstAt            *int
	src              *byte
	srcAt            *int
	index            *byte // for every vector out: for every vector in: which of its bytes come where
	count            int   // at least 2
	blocks           int
	dstStep, srcStep int // bytes from block to block, or from lane to lane where lanes lie apart
}

// shuffle moves blocks of width bytes of each row. What is left over is done together with the end of what is done
// already, which gives the same bytes again.
func (p pixels) shuffle(width int, stream bool) {
	var packed [maxShuffled]int
	count, step := len(p.rows), 1
	for i := range count {
		packed[i] = i * width
	}
	s := shuffle{index: &program(count, p.size, width, p.join)[0], count: count}
	s.dstAt, s.srcAt, s.dstStep, s.srcStep = &p.rows[0], &packed[0], width, width*count
	if p.join {
		s.dstAt, s.srcAt, s.dstStep, s.srcStep = s.srcAt, s.dstAt, s.srcStep, s.dstStep
	}
	if width == 16 {
		step = 2
	}
	p.cut(s, width/p.size, step, stream)
}

// cut runs s, which does step times items of each row at once.
func (p pixels) cut(s shuffle, items, step int, stream bool) {
	whole := p.n / (items * step)
	p.place(s, 0, whole, stream, step)
	if rest := p.n - whole*items*step; rest > 0 && whole > 0 {
		p.place(s, p.n-items*step, 1, false, step)
	} else if rest > 0 { // fewer than two lanes: both the same one, twice
		s.dstStep, s.srcStep = 0, 0
		p.place(s, 0, 1, false, step)
		p.place(s, p.n-items, 1, false, step)
	}
}

// place runs blocks from a pixel on.
func (p pixels) place(s shuffle, first, blocks int, stream bool, step int) {
	if blocks == 0 {
		return
	}
	packed, planar := &p.packed[first*len(p.rows)*p.size], &p.planar[first*p.size]
	s.dst, s.src, s.blocks = planar, packed, blocks
	if p.join {
		s.dst, s.src = packed, planar
	}
	s.run(step == 2, stream)
}
