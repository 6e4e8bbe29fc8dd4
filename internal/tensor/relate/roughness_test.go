package relate

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// dense is an array in C order.
type dense struct {
	shape []int
	data  []float64
}

func newDense(shape ...int) dense {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return dense{shape, make([]float64, n)}
}

// fill sets each element to value(coord).
func (x dense) fill(value func(c []int) float64) dense {
	c := make([]int, len(x.shape))
	for i := range x.data {
		x.data[i] = value(c)
		for d := len(c) - 1; d >= 0; d-- {
			if c[d]++; c[d] < x.shape[d] {
				break
			}
			c[d] = 0
		}
	}
	return x
}

func (x dense) at(c []int) int {
	at := 0
	for d, i := range c {
		at = at*x.shape[d] + i
	}
	return at
}

// permuted copies the axes in another order.
func (x dense) permuted(order ...int) dense {
	shape, from := make([]int, len(order)), make([]int, len(order))
	for d, o := range order {
		shape[d] = x.shape[o]
	}
	return newDense(shape...).fill(func(c []int) float64 {
		for d, o := range order {
			from[o] = c[d]
		}
		return x.data[x.at(from)]
	})
}

func (x dense) roughness() []Roughness {
	return Roughnesses(x.shape, len(x.shape)-1, func(start []int, row []float64) bool {
		copy(row, x.data[x.at(start):])
		return true
	})
}

// field is a smooth function of h and w in 0 to 1: waves of up to three periods, or edges of half-planes, and noise.
func field(d *rand.Rand) func(h, w float64) float64 {
	var parts []func(h, w float64) float64
	edges, noise := d.IntN(3) == 0, 0.2*d.Float64()*d.Float64()
	for range 2 + d.IntN(3) {
		amplitude, fh, fw, phase := d.NormFloat64(), 6*d.Float64()-3, 6*d.Float64()-3, 2*math.Pi*d.Float64()
		parts = append(parts, func(h, w float64) float64 {
			x := math.Sin(2*math.Pi*(fh*h+fw*w)/2 + phase)
			if edges {
				x = math.Copysign(1, x)
			}
			return amplitude * x
		})
	}
	return func(h, w float64) float64 {
		sum := noise * d.NormFloat64()
		for _, part := range parts {
			sum += part(h, w)
		}
		return sum
	}
}

// sizes of images and activations.
func size(d *rand.Rand) int { return []int{8, 9, 12, 14, 16, 28, 32, 40}[d.IntN(8)] }

// image is N,C,H,W of 1, 3 or 4 channels that share most of their light.
func image(d *rand.Rand) dense {
	x := newDense(1+d.IntN(4), []int{1, 3, 4}[d.IntN(3)], size(d), size(d))
	bytes, color := d.IntN(2) == 0, 0.5*d.Float64()
	for n := range x.shape[0] {
		light := field(d)
		for c := range x.shape[1] {
			own := field(d)
			plane(x, n, c, func(h, w float64) float64 {
				v := light(h, w) + color*own(h, w)
				if bytes {
					v = math.Round(max(0, min(255, 128+40*v)))
				}
				return v
			})
		}
	}
	return x
}

// activation is N,C,H,W of channels that are filters of a common image and of their own, with a scale and a bias each, after a ReLU or not.
func activation(d *rand.Rand) dense {
	x := newDense(1+d.IntN(3), []int{8, 16, 24, 32, 64}[d.IntN(5)], size(d), size(d))
	rectified := d.IntN(3) > 0
	for n := range x.shape[0] {
		common := field(d)
		for c := range x.shape[1] {
			own, share, scale, bias := field(d), d.Float64()-0.5, math.Exp(d.NormFloat64()), d.NormFloat64()
			plane(x, n, c, func(h, w float64) float64 {
				v := scale * (share*common(h, w) + own(h, w) + bias)
				if rectified {
					v = max(0, v)
				}
				return v
			})
		}
	}
	return x
}

func plane(x dense, n, c int, value func(h, w float64) float64) {
	height, width := x.shape[2], x.shape[3]
	for h := range height {
		for w := range width {
			x.data[x.at([]int{n, c, h, w})] = value(float64(h)/float64(height), float64(w)/float64(width))
		}
	}
}

var pictures = map[string]func(*rand.Rand) dense{"images": image, "activations": activation}

// others are tensors that are no images, of rank 3 and 4.
var others = map[string]func(d *rand.Rand) dense{
	"weights": func(d *rand.Rand) dense {
		k := []int{1, 3, 3, 5, 7, 11}[d.IntN(6)]
		x := newDense(8+d.IntN(57), 1+d.IntN(64), k, k)
		uniform := d.IntN(2) == 0
		return x.fill(func([]int) float64 {
			if uniform {
				return d.Float64() - 0.5
			}
			return d.NormFloat64()
		})
	},
	"low rank": func(d *rand.Rand) dense {
		x, rank := newDense(1+d.IntN(8), 8+d.IntN(57), 8+d.IntN(57)), 1+d.IntN(4)
		if d.IntN(2) == 0 {
			x = newDense(8+d.IntN(25), 8+d.IntN(25), 8+d.IntN(9), 8+d.IntN(9))
		}
		factors := make([][][]float64, len(x.shape))
		for a, n := range x.shape {
			for range n {
				row := make([]float64, rank)
				for r := range row {
					row[r] = math.Exp(d.NormFloat64()) * d.NormFloat64()
				}
				factors[a] = append(factors[a], row)
			}
		}
		noise := 0.3 * d.Float64()
		return x.fill(func(c []int) float64 {
			sum := noise * d.NormFloat64()
			for r := range rank {
				product := 1.0
				for a, i := range c {
					product *= factors[a][i][r]
				}
				sum += product
			}
			return sum
		})
	},
	"noise": func(d *rand.Rand) dense {
		x := newDense(1+d.IntN(4), 1+d.IntN(32), 8+d.IntN(25), 8+d.IntN(25))
		if d.IntN(2) == 0 {
			x = newDense(1+d.IntN(32), 8+d.IntN(25), 8+d.IntN(25))
		}
		bytes := d.IntN(2) == 0
		return x.fill(func([]int) float64 {
			if bytes {
				return float64(d.IntN(256))
			}
			return d.NormFloat64() * math.Exp(2*d.NormFloat64())
		})
	},
	"embeddings": func(d *rand.Rand) dense { // features with an offset each, walks along T, or sines of the position, and noise
		x := newDense(1+d.IntN(12), 8+d.IntN(57), 8+d.IntN(57))
		offset, walk, position, noise := 3*d.Float64()*d.Float64(), d.Float64(), d.Float64(), 0.1+d.Float64()
		features, state := make([]float64, x.shape[2]), make([]float64, x.shape[2])
		for i := range features {
			features[i] = offset * d.NormFloat64() * math.Exp(d.NormFloat64())
		}
		return x.fill(func(c []int) float64 {
			i := c[2]
			if c[1] == 0 {
				state[i] = 0
			}
			state[i] += walk * d.NormFloat64()
			angle := float64(c[1]) / math.Pow(10000, float64(i/2*2)/float64(x.shape[2]))
			return features[i] + state[i] + position*math.Sin(angle+math.Pi/2*float64(i%2)) + noise*d.NormFloat64()
		})
	},
	"tokens": func(d *rand.Rand) dense {
		vocabulary := 2 + d.IntN(50000)
		return newDense(1+d.IntN(8), 8+d.IntN(57), 1+d.IntN(12)).fill(func([]int) float64 { return float64(d.IntN(1 + d.IntN(vocabulary))) })
	},
	"counted": func(d *rand.Rand) dense {
		x, next := newDense(1+d.IntN(4), 1+d.IntN(16), 8+d.IntN(25), 1+d.IntN(25)), 0.0
		if d.IntN(2) == 0 {
			x.shape = []int{x.shape[0] * x.shape[1], x.shape[2], x.shape[3]}
		}
		return x.fill(func([]int) float64 { next++; return next })
	},
	"volumes": func(d *rand.Rand) dense { // waves along all three axes, and noise
		x := newDense(8+d.IntN(9), 8+d.IntN(9), 8+d.IntN(9))
		if d.IntN(2) == 0 {
			x = newDense(1+d.IntN(3), 8+d.IntN(9), 8+d.IntN(9), 8+d.IntN(9))
		}
		waves, noise := make([][4]float64, 3), 0.1*d.Float64()
		for i := range waves {
			waves[i] = [4]float64{0.3 + d.Float64(), 0.3 + d.Float64(), 0.3 + d.Float64(), 7 * d.Float64()}
		}
		return x.fill(func(c []int) float64 {
			sum := noise * d.NormFloat64()
			for _, f := range waves {
				angle := f[3]
				for a, i := range c[len(c)-3:] {
					angle += 2 * math.Pi * f[a] * float64(i) / 16
				}
				sum += math.Sin(angle)
			}
			return sum
		})
	},
	"offsets": func(d *rand.Rand) dense { // a level of each index: all lines are alike
		x, levels := newDense(1+d.IntN(3), 8+d.IntN(2), 8+d.IntN(2), 8+d.IntN(2)), make([]float64, 40)
		for i := range levels {
			levels[i] = d.NormFloat64()
		}
		return x.fill(func(c []int) float64 { return levels[c[1]] + levels[10+c[2]] + levels[20+c[3]] })
	},
	"constant": func(d *rand.Rand) dense {
		x := newDense(1+d.IntN(4), 1+d.IntN(16), 8+d.IntN(25), 8+d.IntN(25))
		one := d.IntN(len(x.data))
		x.data[one] = float64(d.IntN(2))
		return x
	},
}

// TestImageOrder: of images and activations in every order, the order is never wrong, and often found; of all else, none is found.
func TestImageOrder(t *testing.T) {
	d, n := random.New(t), cases(t, "TLAYOUT_TEST_VALUES", 400)
	made, right, wrong := map[string]int{}, map[string]int{}, map[string]int{}
	ask := func(kind, want string, x dense) {
		made[kind]++
		axes := x.roughness()
		switch got := ImageOrder(axes); got {
		case "":
		case want:
			right[kind]++
		default:
			wrong[kind]++
			t.Errorf("%s %v: %q, expected %q, of %v", kind, x.shape, got, want, axes)
		}
	}
	for _, kind := range []string{"images", "activations"} {
		for range n {
			x := pictures[kind](d)
			ask(kind+" NCHW", "NCHW", x)
			ask(kind+" NHWC", "NHWC", x.permuted(0, 2, 3, 1))
			one := dense{x.shape[1:], x.data[:len(x.data)/x.shape[0]]}
			ask(kind+" CHW", "CHW", one)
			ask(kind+" HWC", "HWC", one.permuted(1, 2, 0))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		for range 2 * n {
			ask(kind, "", others[kind](d))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(made)) {
		t.Logf("%-16s %4d: right %4d, wrong %d", kind, made[kind], right[kind], wrong[kind])
		if _, other := others[kind]; !other && right[kind] < made[kind]*6/10 {
			t.Errorf("%s: %d of %d found", kind, right[kind], made[kind])
		}
	}
}

// TestSmooth: an axis is smooth up to a bound, if no shuffled order is as smooth, and if it is long enough; the orders name H and W.
func TestSmooth(t *testing.T) {
	for _, c := range []struct {
		r             Roughness
		smooth, rough bool
	}{
		{Roughness{8, 0.7, 0.83}, true, false}, {Roughness{8, 0.71, 0.9}, false, false}, {Roughness{8, 0.6, 0.7}, false, false},
		{Roughness{7, 0.2, 0.6}, false, true}, {Roughness{8, 0.9, 0.9}, false, true}, {Roughness{8, 0.8, 0.9}, false, false}, {Roughness{8, math.NaN(), math.NaN()}, false, false},
	} {
		if c.r.Smooth() != c.smooth || c.r.Rough() != c.rough {
			t.Errorf("%v: smooth %v, rough %v", c.r, c.r.Smooth(), c.r.Rough())
		}
	}
}
