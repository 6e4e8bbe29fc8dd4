package tensor

// DivStep is one step of a Reading: the rest before it is Value·Stride + Rest, with 0 ≤ Rest < Stride.
type DivStep struct {
	Dim, Digit int // the digit that Value is of
	Stride     int
	Value      int // it may run past the digit's extent: then no element lies there
	Rest       int
}

// Reading is a storage offset read as a number whose places are the strides.
type Reading struct {
	Steps []DivStep // by falling stride; digits that cannot move, or have a stride of 0, have none
	Coord []int     // the indices that the values make, also those past a size; 0 for dims without a step
	Rest  int       // what the smallest stride leaves over
}

// Divide reads an offset by successive division: the largest stride goes into it so many times, the next one into the
// rest, and so on. ok is false where that does not find what lies there: the tensor is empty, a stride is negative, off
// lies before Offset, or the strides do not nest (see Occupancy).
//
//	rest = off − Offset; for each stride s, falling: value = rest div s; rest = rest mod s
//
// Post: off = Offset + Σ Value·Stride + Rest. An element lies at off if and only if Rest is 0, each Value is less than
// its digit's extent, and Coord lies inside the shape; it is the one at Coord then, along with those that differ from
// it in digits of stride 0.
func (l Layout) Divide(off int) (r Reading, ok bool) {
	var moving []place
	for _, p := range l.places() {
		switch {
		case p.Extent <= 1 || p.Stride == 0:
		case p.Stride < 0:
			return Reading{}, false
		default:
			moving = append(moving, p)
		}
	}
	if l.numel == 0 || off < l.offset || !nested(moving) {
		return Reading{}, false
	}
	r.Coord, r.Rest = make([]int, len(l.dims)), off-l.offset
	for k := len(moving) - 1; k >= 0; k-- { // nested sorts them by rising stride
		p := moving[k]
		v := r.Rest / p.Stride
		r.Rest %= p.Stride
		r.Steps = append(r.Steps, DivStep{p.dim, p.digit(l), p.Stride, v, r.Rest})
		r.Coord[p.dim] += v * p.Div
	}
	return r, true
}

// digit is the place's number among the digits of its dim. Digits of extent 1 share their Div with the one above.
func (p place) digit(l Layout) int {
	for k, g := range l.dims[p.dim].Digits {
		if g == p.Digit {
			return k
		}
	}
	panic("tensor: a place without a digit")
}

// Sharing returns how many elements lie at each offset in use, where that is one number that the strides tell: they
// nest, but for those of broadcast dims. ok is false elsewhere.
//
//	(1000,1000,3):(0,0,1)    10⁶ elements at each of 3 offsets
func (l Layout) Sharing() (n int, ok bool) {
	if o := l.occupancy(0); o.Unique > 0 {
		return l.numel / o.Unique, true
	}
	return 0, false
}
