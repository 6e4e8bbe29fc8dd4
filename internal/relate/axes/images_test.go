package axes

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
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

func (x dense) images() Images {
	return ReadImages(x.shape, len(x.shape)-1, func(start []int, row []float64) bool {
		copy(row, x.data[x.at(start):])
		return true
	})
}

// inOrder copies an array of the axes NCHW into another order of them, or of three of them: the first image, or the first channel of each.
func (x dense) inOrder(order string) dense {
	axes, from := "NCHW", x
	for len(order) < len(axes) { // rank 3
		if strings.Contains(order, "C") {
			from, axes = dense{x.shape[1:], x.data[:len(x.data)/x.shape[0]]}, "CHW"
			break
		}
		all := x.permuted(1, 0, 2, 3)
		from, axes = dense{all.shape[1:], all.data[:len(all.data)/all.shape[0]]}, "NHW"
	}
	by := make([]int, len(order))
	for i := range order {
		by[i] = strings.IndexByte(axes, order[i])
	}
	return from.permuted(by...)
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
			eachPlace(x, n, c, func(h, w float64) float64 {
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
			eachPlace(x, n, c, func(h, w float64) float64 {
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

func eachPlace(x dense, n, c int, value func(h, w float64) float64) {
	height, width := x.shape[2], x.shape[3]
	for h := range height {
		for w := range width {
			x.data[x.at([]int{n, c, h, w})] = value(float64(h)/float64(height), float64(w)/float64(width))
		}
	}
}

// mix is N,C,H,W of channels that are linear combinations of an image's three colors, as of a convolution of 1 by 1.
func mix(d *rand.Rand) dense {
	x := newDense(1+d.IntN(6), []int{3, 8, 16, 32}[d.IntN(4)], size(d), size(d))
	weights := make([][3]float64, x.shape[1])
	for c := range weights {
		weights[c] = [3]float64{d.NormFloat64(), d.NormFloat64(), d.NormFloat64()}
	}
	for n := range x.shape[0] {
		light := field(d)
		tints := [3]float64{0.5 + d.Float64(), 0.5 + d.Float64(), 0.5 + d.Float64()}
		pixels := map[[2]float64][3]float64{}
		for c := range x.shape[1] {
			eachPlace(x, n, c, func(h, w float64) float64 {
				pixel, seen := pixels[[2]float64{h, w}]
				if !seen {
					v := light(h, w) + 3
					pixel = [3]float64{tints[0] * v, tints[1] * v * v / 3, tints[2] * math.Sqrt(math.Abs(v))}
					pixels[[2]float64{h, w}] = pixel
				}
				return weights[c][0]*pixel[0] + weights[c][1]*pixel[1] + weights[c][2]*pixel[2]
			})
		}
	}
	return x
}

// frames are N,C,H,W of one scene, gray or in color, that moves by less than a pixel from frame to frame, and is noisy.
func frames(d *rand.Rand) dense {
	x, speed, noise := image(d), d.Float64(), 0.1*d.Float64()
	x = newDense(2+d.IntN(5), x.shape[1], x.shape[2], x.shape[3])
	for c := range x.shape[1] {
		scene := field(d)
		for n := range x.shape[0] {
			eachPlace(x, n, c, func(h, w float64) float64 {
				return scene(h, w+speed*float64(n)/float64(x.shape[3])) + noise*d.NormFloat64()
			})
		}
	}
	return x
}

// exposures is N,C,H,W of one mix, brighter or darker in each image: its planes are alike along N and C.
func exposures(d *rand.Rand) dense {
	one := mix(d)
	x := newDense(2+d.IntN(6), one.shape[1], one.shape[2], one.shape[3])
	gains := make([]float64, x.shape[0])
	for n := range gains {
		gains[n] = math.Exp(2 * d.NormFloat64())
	}
	return x.fill(func(c []int) float64 { return gains[c[0]] * one.data[one.at([]int{0, c[1], c[2], c[3]})] })
}

var pictures = map[string]func(*rand.Rand) dense{"images": image, "activations": activation, "frames": frames, "mixes": mix, "exposures": exposures}

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

// TestReadImages: of images, activations and frames in every order with H before W, many are found: alone, or with the order that values do not
// tell from it. Of all else, none is. Chance makes two answers of 80,000 wrong.
func TestReadImages(t *testing.T) {
	const variable = "TLAYOUT_TEST_VALUES"
	d, n := random.New(t), random.Cases(t, variable, 1000)
	if os.Getenv(variable) == "" && !random.Thorough() {
		n /= 16
	}
	type count struct{ made, alone, both, wrong int }
	counts := map[string]*count{}
	ask := func(kind, want string, x dense) {
		if counts[kind] == nil {
			counts[kind] = &count{}
		}
		c, images := counts[kind], x.images()
		c.made++
		switch has := slices.Contains(images.Orders, want); {
		case len(images.Orders) == 0:
		case !has:
			c.wrong++
			t.Logf("wrong: %s %v: %v, expected %q, of %v", kind, x.shape, images.Orders, want, images)
		case len(images.Orders) == 1:
			c.alone++
		default:
			c.both++
		}
	}
	all := strings.Fields("NCHW CNHW NHWC CHWN HWNC HWCN NHCW HNCW CHNW HCNW HCWN HNWC CHW HWC HCW NHW HWN HNW")
	for _, kind := range slices.Sorted(maps.Keys(pictures)) {
		for range n {
			x := pictures[kind](d)
			for _, order := range all {
				if kind == "exposures" && len(order) == 3 {
					continue // they are channels, of which each is brighter or darker
				}
				ask(kind+" "+order, order, x.inOrder(order))
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(others)) {
		for range 6 * n {
			ask(kind, "", others[kind](d))
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c := counts[kind]
		t.Logf("%-16s %4d: alone %4d, with another %4d, wrong %d", kind, c.made, c.alone, c.both, c.wrong)
		if c.wrong > 1+c.made/500 {
			t.Errorf("%s: %d of %d answers are wrong", kind, c.wrong, c.made)
		}
		picture, order, _ := strings.Cut(kind, " ")
		if slices.Contains([]string{"NCHW", "NHWC"}, order) && picture != "frames" && picture != "exposures" && c.alone+c.both < c.made/2 {
			t.Errorf("%s: %d of %d found", kind, c.alone+c.both, c.made)
		}
	}
	for _, order := range []string{"NCHW", "NHWC", "CHW", "HWC"} {
		if c := counts["mixes "+order]; c.alone < c.made/4 {
			t.Errorf("%s of mixes is found alone in %d of %d", order, c.alone, c.made)
		}
	}
}

// TestPlanes: channels share edges and have levels of their own, other images share no edges, and frames share both.
func TestPlanes(t *testing.T) {
	for _, c := range []struct {
		p        Planes
		channels bool
	}{
		{Planes{0.3, 1, 24}, true}, {Planes{0.29, 2, 24}, false}, {Planes{0.9, 0.99, 24}, false}, {Planes{math.NaN(), math.NaN(), 0}, false},
		{Planes{0.63, 1, 3}, false}, {Planes{0.64, 1, 3}, true}, {Planes{1, 2, 1}, false},
	} {
		if c.p.AreChannels() != c.channels {
			t.Errorf("%v: %t", c.p, !c.channels)
		}
	}
	if r := correlation([]float64{1, 2, 4}, []float64{2, 4, 8}); math.Abs(r-1) > 1e-12 {
		t.Errorf("correlation %v", r)
	}
	if r := correlation([]float64{1, 2, 4}, []float64{5, 5, 5}); !math.IsNaN(r) {
		t.Errorf("correlation with a constant %v", r)
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
