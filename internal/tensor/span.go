package tensor

// Span returns the lowest and the highest storage offset in use; ok is false for an empty tensor.
func (l Layout) Span() (low, high int, ok bool) {
	return l.offset + l.low, l.offset + l.high, l.numel > 0
}

// Extent is the number of storage elements from the lowest to the highest in use, both included:
// Σ (size−1)·|stride| + 1 for a strided tensor, 0 for an empty one.
func (l Layout) Extent() int {
	if l.numel == 0 {
		return 0
	}
	return l.high - l.low + 1
}

// InBounds reports whether every element lies inside the storage.
func (l Layout) InBounds() bool {
	return l.numel == 0 || l.offset+l.low >= 0 && l.offset+l.high < l.alloc
}

// Slack returns the storage elements before the lowest and after the highest in use. An empty tensor has all of its
// storage behind it.
func (l Layout) Slack() (leading, trailing int) {
	if l.numel == 0 {
		return 0, l.alloc
	}
	return l.offset + l.low, l.alloc - (l.offset + l.high + 1)
}

// BroadcastDims lists the dims along which the address does not move: size over 1, stride 0. A dim of several digits
// is one where that holds for a digit. An empty tensor has none.
func (l Layout) BroadcastDims() []int {
	dims := []int{}
	for i, d := range l.dims {
		if l.numel > 0 && d.repeats() {
			dims = append(dims, i)
		}
	}
	return dims
}

func (d Dim) repeats() bool {
	for _, g := range d.Digits {
		if g.Extent > 1 && d.Size > g.Div && g.Stride == 0 {
			return true
		}
	}
	return false
}

// PaddedShape returns each dim's size rounded up to the end of its last digit.
func (l Layout) PaddedShape() []int {
	shape := make([]int, len(l.dims))
	for i, d := range l.dims {
		g := d.Digits[len(d.Digits)-1]
		shape[i] = g.Div * g.Extent
	}
	return shape
}
