package tensor

import "slices"

// someReshape returns a shape of n elements: n's factors dealt out at random, sometimes with a -1, sometimes wrong.
func someReshape(d dice, n int) []int {
	shape := slices.Repeat([]int{1}, between(d, 0, 4))
	for factor := 2; n > 1 && len(shape) > 0; factor++ {
		for ; n%factor == 0; n /= factor {
			shape[d.IntN(len(shape))] *= factor
		}
	}
	if n == 0 && len(shape) > 0 {
		shape[d.IntN(len(shape))] = 0
		shape[d.IntN(len(shape))] *= 3
	}
	if len(shape) > 0 && d.IntN(4) == 0 {
		shape[d.IntN(len(shape))] = pick(d, -1, -1, -1, -1, -1, 0, 5, -2)
	}
	if len(shape) > 0 && d.IntN(12) == 0 {
		shape[d.IntN(len(shape))] = -1
	}
	return shape
}

// someTarget returns sizes to expand to. Left out is what PyTorch 1.13 refuses with an unrelated message, "numel:
// integer multiplication overflow": -1 for a rank of 0, and negative sizes other than -1.
func someTarget(d dice, s Strided) []int {
	target := slices.Clone(s.Shape)
	for i, size := range target {
		if size == 1 {
			target[i] = pick(d, 0, 1, 2, 3)
		}
		switch d.IntN(12) {
		case 0, 1:
			target[i] = -1
		case 2:
			target[i] = d.IntN(4)
		}
	}
	for range d.IntN(3) {
		lead := pick(d, 0, 1, 1, 2, 3, -1)
		if s.Rank() == 0 {
			lead = max(lead, 0)
		}
		target = append([]int{lead}, target...)
	}
	if len(target) > 0 && d.IntN(12) == 0 {
		target = target[1:]
	}
	return target
}

// someBounds returns a tensor at the edge of a small storage, sometimes with parts that PyTorch refuses.
func someBounds(d dice) boundsCase {
	s := someStrided(d, 60, 0)
	b := boundsCase{max(0, s.StorageElems()+pick(d, -1, 0, 0, 1, 9)), s.Shape, s.Strides, s.Offset}
	switch d.IntN(10) {
	case 0:
		b.Offset = -between(d, 1, 4)
	case 1:
		for i := range b.Strides {
			b.Strides[i] -= d.IntN(3)
		}
	case 2:
		b.Strides = append(b.Strides, 1)
	}
	return b
}
