package tensor

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random/property"
)

// dice is where a generator gets its choices from: a seeded rand.Rand, or rapid, which shrinks failures.
type dice interface{ IntN(n int) int }

type rapidDice struct{ t *rapid.T }

func (d rapidDice) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

// between returns a number from low to high, both included.
func between(d dice, low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, xs ...T) T { return xs[d.IntN(len(xs))] }

// shuffled returns 0 … n−1 in some order.
func shuffled(d dice, n int) []int {
	order := make([]int, 0, n)
	for i := range n {
		at := d.IntN(i + 1)
		order = append(order, i)
		order[i], order[at] = order[at], i
	}
	return order
}

// someShape returns a shape of rank 0 to 6, sizes 0 to 6, and at most most elements; ranks 4 and 5 are the likeliest,
// for they have a channels_last.
func someShape(d dice, most int) []int {
	shape := make([]int, pick(d, 0, 1, 2, 3, 4, 4, 4, 5, 5, 6))
	for i := range shape {
		shape[i] = between(d, min(1, d.IntN(12)), min(6, most))
		most /= max(shape[i], 1)
	}
	return shape
}

// someStrides returns strides for a shape: packed in some order, then perhaps stretched by gaps, with broadcast
// dims, with odd strides on dims of size 1, or anything from low to 40.
func someStrides(d dice, shape []int, low int) []int {
	strides := make([]int, len(shape))
	if d.IntN(4) == 0 {
		for i := range strides {
			strides[i] = between(d, low, 40)
		}
		return strides
	}
	order := shuffled(d, len(shape))
	if f := formatOrders[pick(d, ChannelsLastFormat, ChannelsLast3D)]; len(f) == len(shape) && d.IntN(2) == 0 {
		order = f
	} else if d.IntN(3) == 0 {
		order = Strided{Shape: shape}.firstToLast()
	}
	run, gaps := 1, d.IntN(2)
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		run += gaps * pick(d, 0, 0, 0, 1, 2, 7)
		strides[i] = run
		switch {
		case d.IntN(12) == 0:
			strides[i] = 0
		case shape[i] == 1 && d.IntN(3) == 0:
			strides[i] = d.IntN(41)
		case low < 0 && d.IntN(6) == 0:
			strides[i] = -run
		}
		run *= pick(d, shape[i], shape[i], shape[i], max(shape[i], 1))
	}
	return strides
}

// someStrided returns a tensor whose strides are at least low.
func someStrided(d dice, most, low int) Strided {
	shape := someShape(d, most)
	return Strided{shape, someStrides(d, shape, low), d.IntN(30)}
}

// someDims returns dims of one to three digits, whose last block may be ragged.
func someDims(d dice, most int) []Dim {
	shape := someShape(d, most)
	dims := make([]Dim, len(shape))
	for i, size := range shape {
		var extents, strides []int
		block := 1
		for range d.IntN(3) {
			extent := between(d, 1, 4)
			extents, block = append(extents, extent), block*extent
		}
		extents = append(extents, ints.CeilDiv(size, block))
		for range extents {
			strides = append(strides, pick(d, 0, 1, 2, 3, 4, 8, 24, between(d, -8, 40)))
		}
		dims[i] = digitsOf("abcdef"[i:i+1], size, extents, strides)
	}
	return dims
}

// someSwizzle returns a swizzle of up to 3 bits, shifted either way, among the 10 low ones.
func someSwizzle(d dice) Swizzle {
	b := d.IntN(4)
	z, err := NewSwizzle(b, d.IntN(4), pick(d, 1, -1)*between(d, b, b+1))
	if err != nil {
		panic(err)
	}
	return z
}

// TestRandomLayouts evaluates every definition on layouts that nobody chose, of up to three digits per dim, half of
// them swizzled.
func TestRandomLayouts(t *testing.T) {
	for what, define := range layoutDefinitions {
		t.Run(what, property.MakeCheck(func(t *rapid.T) {
			d := rapidDice{t}
			dims := someDims(d, 200)
			l, err := New(dims, between(d, -5, 30), Unbounded)
			if err != nil {
				t.Fatal(err)
			}
			if d.IntN(3) == 0 {
				if l, err = New(dims, l.Offset(), d.IntN(300)); err != nil {
					t.Fatal(err)
				}
			}
			if d.IntN(2) == 0 {
				if l, err = l.Swizzled(someSwizzle(d), pick(d, Unbounded, d.IntN(300))); err != nil {
					t.Fatal(err)
				}
			}
			define(t, l)
		}))
	}
}

// TestRandomStrided evaluates every definition on strided tensors, some with negative strides.
func TestRandomStrided(t *testing.T) {
	for what, define := range stridedDefinitions {
		t.Run(what, property.MakeCheck(func(t *rapid.T) {
			d := rapidDice{t}
			define(t, someStrided(d, 200, pick(d, 0, 0, -8)))
		}))
	}
}
