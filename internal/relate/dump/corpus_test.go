package dump

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// class is a class of dumps: what each holds, and its shape; nil if it has none.
type class struct {
	name string
	make func(r *rand.Rand, p picture) ([]byte, *Shape)
}

// wholes returns a class of pictures whose values from 0 to 255 are stored as numbers of a type.
func wholes(name, dtype string, size, channels int, planar bool, number func(b []byte, v int) []byte) class {
	return class{name, func(_ *rand.Rand, p picture) ([]byte, *Shape) {
		s := &Shape{DType: dtype, ItemSize: size, Frames: 1, Planes: 1, Height: p.h, Width: p.w, Channels: channels, Pitch: p.w * channels * size}
		bytes := pack(nil, "uint8", channels, planar, 1, p)
		if planar {
			s.Planes, s.Channels, s.Pitch = channels, 1, p.w*size
		}
		var data []byte
		for _, v := range bytes {
			data = number(data, int(v))
		}
		return data, s
	}}
}

// counts returns a class of dumps of integers that are no picture.
func counts(name string, size int, next func(r *rand.Rand, i, last int64) int64) class {
	return class{name, func(r *rand.Rand, _ picture) (data []byte, _ *Shape) {
		last := int64(0)
		for i := range 4000 + r.IntN(60000) {
			last = next(r, int64(i), last)
			if size == 4 {
				data = binary.LittleEndian.AppendUint32(data, uint32(last))
			} else {
				data = binary.LittleEndian.AppendUint64(data, uint64(last))
			}
		}
		return data, nil
	}}
}

// sounds returns a class of sounds: notes of some harmonics that swell and fade, and noise.
func sounds(name string, channels int, sample func(b []byte, v float64) []byte) class {
	return class{name, func(r *rand.Rand, _ picture) (data []byte, _ *Shape) {
		pitch, phase, loud := 0.0, make([]float64, 5), 0.0
		weights := [5]float64{1, r.Float64(), r.Float64() / 2, r.Float64() / 3, r.Float64() / 4}
		noise := 0.02 * r.Float64()
		for i := range 30000 + r.IntN(60000) {
			if i%6000 == 0 {
				pitch, loud = 2*math.Pi*(80+r.Float64()*800)/22050, 0.1+r.Float64()/3
			}
			v := 0.0
			for k := range phase {
				phase[k] += pitch * float64(k+1)
				v += weights[k] * math.Sin(phase[k])
			}
			swell := math.Exp(-float64(i%6000) / 3000)
			for c := range channels {
				data = sample(data, loud*swell*v*(1-0.3*float64(c))/2+noise*r.NormFloat64())
			}
		}
		return data, nil
	}}
}

func int32s(b []byte, v int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) }
func int64s(b []byte, v int) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }
func shorts(b []byte, v int) []byte { return binary.LittleEndian.AppendUint16(b, uint16(v)) }
func floats(b []byte, v int) []byte { return int32s(b, int(math.Float32bits(float32(v)))) }
func doubles(b []byte, v int) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)))
}

var corpus = []class{
	wholes("uint8 gray", "uint8", 1, 1, false, func(b []byte, v int) []byte { return append(b, byte(v)) }),
	wholes("uint8 HWC", "uint8", 1, 3, false, func(b []byte, v int) []byte { return append(b, byte(v)) }),
	wholes("8 bits in uint16", "uint16", 2, 1, false, shorts),
	wholes("8 bits in uint16 HWC", "uint16", 2, 3, false, shorts),
	wholes("int32 gray", "int32", 4, 1, false, int32s),
	wholes("int32 HWC", "int32", 4, 3, false, int32s),
	wholes("int32 CHW", "int32", 4, 3, true, int32s),
	wholes("int32 signed", "int32", 4, 1, false, func(b []byte, v int) []byte { return int32s(b, v-128) }),
	wholes("int64 gray", "int64", 8, 1, false, int64s),
	wholes("int64 HWC", "int64", 8, 3, false, int64s),
	wholes("int64 labels", "int64", 8, 1, false, func(b []byte, v int) []byte { return int64s(b, v/32) }),
	wholes("float32 whole", "float32", 4, 1, false, floats),
	wholes("float32 whole HWC", "float32", 4, 3, false, floats),
	wholes("float64 whole HWC", "float64", 8, 3, false, doubles),
	wholes("float64", "float64", 8, 1, false, func(b []byte, v int) []byte {
		return binary.LittleEndian.AppendUint64(b, math.Float64bits((float64(v)/255-0.45)/0.225))
	}),
	wholes("mask", "uint8", 1, 1, false, func(b []byte, v int) []byte { return append(b, byte(v/128)) }),
	counts("token ids int32", 4, func(r *rand.Rand, _, _ int64) int64 { return int64(50000 * math.Pow(r.Float64(), 3)) }),
	counts("token ids int64", 8, func(r *rand.Rand, _, _ int64) int64 { return int64(50000 * math.Pow(r.Float64(), 3)) }),
	counts("index int32", 4, func(_ *rand.Rand, i, _ int64) int64 { return i }),
	counts("offsets int64", 8, func(r *rand.Rand, _, last int64) int64 { return last + 1 + int64(r.IntN(700)) }),
	counts("offsets int32", 4, func(r *rand.Rand, _, last int64) int64 { return last + int64(r.IntN(5000)) }),
	counts("sorted ids int32", 4, func(r *rand.Rand, _, last int64) int64 { return last + int64(r.IntN(3)/2*r.IntN(4)) }),
	counts("times int64", 8, func(r *rand.Rand, _, last int64) int64 { return max(last, 1700000000000) + 1 + int64(r.IntN(1000)) }),
	counts("times int64 ns", 8, func(r *rand.Rand, _, last int64) int64 { return max(last, 1700000000e9) + 1 + int64(r.IntN(2e6)) }),
	{"times float64", func(r *rand.Rand, _ picture) (data []byte, _ *Shape) {
		at := 1.7e9
		for range 4000 + r.IntN(20000) {
			at += r.ExpFloat64()
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(at))
		}
		return data, nil
	}},
	sounds("sound int16", 1, func(b []byte, v float64) []byte { return shorts(b, int(32767*min(max(v, -1), 1))) }),
	sounds("sound int16 stereo", 2, func(b []byte, v float64) []byte { return shorts(b, int(32767*min(max(v, -1), 1))) }),
	sounds("sound float32", 1, func(b []byte, v float64) []byte { return int32s(b, int(math.Float32bits(float32(v)))) }),
	sounds("sound uint8", 1, func(b []byte, v float64) []byte { return append(b, byte(128+127*min(max(v, -1), 1))) }),
}

// TestCorpus guesses dumps of numbers of all kinds that programs write: pictures as whole numbers of every type, tokens, tables of indices and times,
// and sounds. The first answer is right of nine in ten pictures, and none is given of nine in ten others.
// With TLAYOUT_PICTURES=FOLDER of photographs as .png, or thoroughly, more are tried: of 16 classes of 10 photographs in color 158 are right, of 13 other
// classes 128 of 130.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("TLAYOUT_PICTURES"), "*.png"))
	r := rand.New(rand.NewPCG(8, 8))
	each := 1
	if random.Thorough() || len(files) > 0 {
		each = max(10, len(files))
	}
	var right, tried [2]int // of pictures, and others
	for _, c := range corpus {
		good, kind := 0, 0
		for i := range each {
			p := newPicture(r, 40+r.IntN(200), 40+r.IntN(200))
			if len(files) > 0 {
				p = readPicture(t, files[i%len(files)])
			}
			data, want := c.make(r, p)
			found := Shapes(data)
			got := Shape{}
			if len(found) > 0 {
				got = found[0]
			}
			score := got.Score
			got.Score = 0
			if want == nil {
				want, kind = &Shape{}, 1
			}
			if got == *want {
				good++
				continue
			}
			t.Logf("%s %d: got %v, score %.2f, expected %v", c.name, i, got, score, *want)
		}
		t.Logf("%-24s %d of %d", c.name, good, each)
		right[kind] += good
		tried[kind] += each
	}
	t.Logf("right: %d of %d pictures, %d of %d others", right[0], tried[0], right[1], tried[1])
	if right[0]*10 < tried[0]*9 || right[1]*10 < tried[1]*9 {
		t.Error("too few are right")
	}
}

// TestFewestDims: a smooth picture is one picture, not several frames of fewer rows, whatever its waves are.
func TestFewestDims(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	wrong, tried := 0, 24
	for i := range tried {
		want := Shape{DType: "uint8", ItemSize: 1, Frames: 1, Planes: 1, Height: 100 + 10*(i%3), Width: 150, Channels: 1 + i%2*2}
		want.Pitch = want.Width * want.Channels
		down, across, phase := 4+20*r.Float64(), 4+20*r.Float64(), 6*r.Float64()
		var data []byte
		for k := range want.Height * want.Pitch {
			c, x, y := float64(k%want.Channels), float64(k/want.Channels%want.Width), float64(k/want.Pitch)
			data = append(data, byte(128+60*(math.Sin(y/down+c+phase)+math.Cos(x/across))))
		}
		got := Shape{}
		if found := Shapes(data); len(found) > 0 {
			got = found[0]
		}
		got.Score = 0
		if got != want {
			wrong++
			t.Logf("waves of %.1f and %.1f: got %v, expected %v", down, across, got, want)
		}
	}
	if wrong*8 > tried {
		t.Errorf("%d of %d are wrong", wrong, tried)
	}
}

// TestAscending: numbers that only grow, and those that do not.
func TestAscending(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for name, want := range map[string]int{
		"index int32": 4, "offsets int64": 8, "offsets int32": 4, "times int64": 8, "times float64": 8,
		"token ids int32": 0, "token ids int64": 0, "uint8 gray": 0, "int32 gray": 0, "mask": 0,
	} {
		for _, c := range corpus {
			if c.name != name {
				continue
			}
			data, _ := c.make(r, newPicture(r, 90, 70))
			if got := Ascending(data); got != want {
				t.Errorf("%s: %d, expected %d", name, got, want)
			}
		}
	}
	if got := Ascending(make([]byte, 4000)); got != 0 {
		t.Errorf("zeros: %d", got)
	}
}

// TestHollow: bytes and pairs of bytes are parts of wider numbers where half of them or more are empty, also of negative numbers; a byte in four, as in
// RGBX, is not enough, and neither is a dark picture.
func TestHollow(t *testing.T) {
	p := newPicture(rand.New(rand.NewPCG(14, 14)), 90, 70)
	gray := pack(nil, "uint8", 1, false, 1, p)
	convert := func(number func(b []byte, v int) []byte) (data []byte) {
		for _, v := range gray {
			data = number(data, int(v))
		}
		return data
	}
	for _, c := range []struct {
		name   string
		data   []byte
		hollow [4]bool // sizes 1, 2, 4, 8
	}{
		{"uint8", gray, [4]bool{}},
		{"uint16", convert(shorts), [4]bool{true, false, false, false}},
		{"int32", convert(int32s), [4]bool{true, true, false, false}},
		{"negative int32", convert(func(b []byte, v int) []byte { return int32s(b, v/2-128) }), [4]bool{true, true, false, false}},
		{"int64", convert(int64s), [4]bool{true, true, true, false}},
		{"RGBX", convert(func(b []byte, v int) []byte { return append(b, byte(v), byte(v/2), byte(v/3), 0) }), [4]bool{}},
		{"dark", make([]byte, 8000), [4]bool{}},
	} {
		for k, want := range c.hollow {
			if got := emptyBytesOf(c.data).hollow(1 << k); got != want {
				t.Errorf("%s: elements of %d bytes are hollow: %t", c.name, 1<<k, got)
			}
		}
	}
}
