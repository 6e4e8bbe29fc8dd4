package dump

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// picture holds three planes of values from 0 to 1.
type picture struct {
	w, h  int
	value [3][]float64
}

// newPicture makes smooth waves, rectangles with sharp edges, and noise.
func newPicture(r *rand.Rand, w, h int) picture {
	p := picture{w: w, h: h}
	type wave struct{ x, y, phase, weight float64 }
	type box struct{ x, y, w, h int }
	var waves [5]wave
	var boxes [6]box
	for i := range waves {
		waves[i] = wave{r.NormFloat64() * 2, r.NormFloat64() * 2, r.Float64() * 6, r.Float64()}
	}
	for i := range boxes {
		boxes[i] = box{r.IntN(w), r.IntN(h), 1 + r.IntN(w), 1 + r.IntN(h)}
	}
	for c := range p.value {
		p.value[c] = make([]float64, w*h)
		tone, noise := r.Float64(), 0.02*r.Float64()
		for i := range p.value[c] {
			x, y, sum := float64(i%w)/float64(w), float64(i/w)/float64(h), tone
			for _, a := range waves {
				sum += 0.3 * a.weight * math.Sin(6*(a.x*x+a.y*y)+a.phase+float64(c)*0.4*a.weight)
			}
			for j, b := range boxes {
				if i%w >= b.x && i%w < b.x+b.w && i/w >= b.y && i/w < b.y+b.h {
					sum += 0.15 * float64(j-2) * (1 + 0.3*float64(c))
				}
			}
			p.value[c][i] = min(max(0.25+sum/2+noise*r.NormFloat64(), 0), 1)
		}
	}
	return p
}

// readPicture reads a photograph.
func readPicture(t *testing.T, name string) picture {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	p := picture{w: m.Bounds().Dx(), h: m.Bounds().Dy()}
	for c := range p.value {
		p.value[c] = make([]float64, p.w*p.h)
	}
	random := rand.New(rand.NewPCG(5, 5)) // below the last of 8 bits
	for i := range p.value[0] {
		r, g, b, _ := m.At(i%p.w, i/p.w).RGBA()
		p.value[0][i], p.value[1][i], p.value[2][i] = (float64(r>>8)+random.Float64())/256, (float64(g>>8)+random.Float64())/256, (float64(b>>8)+random.Float64())/256
	}
	return p
}

// crop returns a part of the picture.
func (p picture) crop(x, y, w, h int) picture {
	q := picture{w: w, h: h}
	for c := range q.value {
		for row := range h {
			q.value[c] = append(q.value[c], p.value[c][(y+row)*p.w+x:][:w]...)
		}
	}
	return q
}

// element appends a value as an element of the type.
func element(b []byte, dtype string, x float64) []byte {
	switch dtype {
	case "uint8":
		return append(b, byte(x*255))
	case "int8":
		return append(b, byte(int(x*255)-128))
	case "uint16":
		return binary.LittleEndian.AppendUint16(b, uint16(x*65535))
	case "12 bits":
		return binary.LittleEndian.AppendUint16(b, uint16(x*4095))
	case ">u2":
		return binary.BigEndian.AppendUint16(b, uint16(x*65535))
	case "int16":
		return binary.LittleEndian.AppendUint16(b, uint16(int(x*8000)-4000))
	case "float16":
		return binary.LittleEndian.AppendUint16(b, half(x))
	case "bfloat16":
		return binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(x*4-2))>>16))
	}
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32((x-0.45)/0.225)))
}

// half returns a float16 of a number from 0 to 1, without rounding.
func half(x float64) uint16 {
	if x < 1.0/16384 {
		return uint16(x * (1 << 24))
	}
	fraction, e := math.Frexp(x)
	return uint16(e+14)<<10 + uint16((fraction*2-1)*1024)
}

// pack appends pictures, interleaved or plane by plane, with rows padded to a multiple of align bytes.
func pack(b []byte, dtype string, channels int, planar bool, align int, all ...picture) []byte {
	for _, p := range all {
		planes := 1
		if planar {
			planes = channels
		}
		for plane := range planes {
			for y := range p.h {
				row := []byte{}
				for x := range p.w {
					for c := plane; c < plane+channels/planes; c++ {
						if c == 3 {
							row = element(row, dtype, 1)
						} else {
							row = element(row, dtype, p.value[c][y*p.w+x])
						}
					}
				}
				b = append(b, append(row, make([]byte, (align-len(row)%align)%align)...)...)
			}
		}
	}
	return b
}

// yuv appends frames in 4:2:0.
func yuv(b []byte, pairs bool, all ...picture) []byte {
	for _, p := range all {
		var u, v []byte
		for y := range p.h {
			for x := range p.w {
				i := y*p.w + x
				luma := 0.3*p.value[0][i] + 0.59*p.value[1][i] + 0.11*p.value[2][i]
				b = append(b, byte(luma*255))
				if x%2 == 0 && y%2 == 0 {
					u = append(u, byte(128+(p.value[2][i]-luma)*127*0.56*2))
					v = append(v, byte(128+(p.value[0][i]-luma)*127*0.71*2))
				}
			}
		}
		if !pairs {
			b = append(append(b, u...), v...)
			continue
		}
		for i := range u {
			b = append(b, u[i], v[i])
		}
	}
	return b
}

// kind is a way to store pictures.
type kind struct {
	name     string
	dtype    string
	channels int
	planar   bool
	align    int // of rows, in bytes
	header   bool
	frames   int
	chroma   string
}

var kinds = []kind{
	{"gray", "uint8", 1, false, 1, false, 1, ""},
	{"HWC", "uint8", 3, false, 1, false, 1, ""},
	{"CHW", "uint8", 3, true, 1, false, 1, ""},
	{"RGBA", "uint8", 4, false, 1, false, 1, ""},
	{"RGBA pitch 256", "uint8", 4, false, 256, false, 1, ""},
	{"HWC pitch 64", "uint8", 3, false, 64, false, 1, ""},
	{"int8 CHW", "int8", 3, true, 1, false, 1, ""},
	{"16 bits", "uint16", 1, false, 1, false, 1, ""},
	{"12 bits", "12 bits", 1, false, 1, false, 1, ""},
	{"16 bits HWC big-endian", ">u2", 3, false, 1, false, 1, ""},
	{"int16", "int16", 1, false, 1, false, 1, ""},
	{"float32 CHW", "float32", 3, true, 1, false, 1, ""},
	{"float32 HWC", "float32", 3, false, 1, false, 1, ""},
	{"float16 CHW", "float16", 3, true, 1, false, 1, ""},
	{"bfloat16 HWC", "bfloat16", 3, false, 1, false, 1, ""},
	{"float32 NCHW", "float32", 3, true, 1, false, 2, ""},
	{"HWC header", "uint8", 3, false, 1, true, 1, ""},
	{"CHW header", "uint8", 3, true, 1, true, 1, ""},
	{"float32 header", "float32", 1, false, 1, true, 1, ""},
	{"frames HWC", "uint8", 3, false, 1, false, 4, ""},
	{"frames gray", "uint8", 1, false, 1, false, 5, ""},
	{"NV12", "uint8", 1, false, 1, false, 1, "nv12"},
	{"I420", "uint8", 1, false, 1, false, 1, "i420"},
	{"NV12 frames", "uint8", 1, false, 1, false, 3, "nv12"},
}

// dump returns parts of a picture as a dump, and its shape.
func (k kind) dump(r *rand.Rand, p picture) (data []byte, want Shape) {
	w, h := p.w, p.h
	if k.frames > 1 {
		w, h = max(p.w/2, 32), max(p.h/2, 32)
	}
	if k.chroma != "" {
		w, h = w&^1, h&^1
	}
	var frames []picture
	for range k.frames {
		frames = append(frames, p.crop(r.IntN(p.w-w+1), r.IntN(p.h-h+1), w, h))
	}
	if k.header { // half of it zeros
		data = make([]byte, 16*(1+r.IntN(64)))
		for i := range data[:len(data)/2] {
			data[i] = byte(r.IntN(256))
		}
	}
	want = Shape{DType: strings.Replace(k.dtype, "12 bits", "uint16", 1), ItemSize: len(element(nil, k.dtype, 0)), Skip: len(data), Frames: k.frames,
		Planes: 1, Height: h, Width: w, Channels: k.channels, Chroma: k.chroma}
	if k.planar {
		want.Planes, want.Channels = k.channels, 1
	}
	want.Pitch = (w*want.Channels*want.ItemSize + k.align - 1) / k.align * k.align
	if k.chroma != "" {
		return yuv(data, k.chroma == "nv12", frames...), want
	}
	return pack(data, k.dtype, k.channels, k.planar, k.align, frames...), want
}

// TestGuessShape guesses dumps of generated pictures, or of the PNG files in the folder $TLAYOUT_PICTURES: the first answer is right of nine in ten.
func TestGuessShape(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("TLAYOUT_PICTURES"), "*.png"))
	r := rand.New(rand.NewPCG(1, 1))
	pictures, right, total := 1, 0, 0
	if random.Thorough() || len(files) > 0 { // 15 of each kind were tried once
		pictures = 5
	}
	for _, k := range kinds {
		good, tried, low := 0, 0, 1.0
		for i := range pictures {
			var p picture
			if len(files) > 0 {
				p = readPicture(t, files[i*len(files)/pictures])
			} else {
				p = newPicture(r, 40+r.IntN(200), 40+r.IntN(200))
			}
			data, want := k.dump(r, p)
			found := Shapes(data)
			tried++
			got := Shape{}
			if len(found) > 0 {
				got = found[0]
			}
			score := got.Score
			got.Score = 0
			if got == want {
				good++
				low = min(low, score)
				continue
			}
			rank := slices.IndexFunc(found, func(g Shape) bool { g.Score = 0; return g == want })
			t.Logf("%s %d: want %v, got %v; the right one is number %d of %d", k.name, i, want, got, rank+1, len(found))
		}
		t.Logf("%-24s %d of %d, scores from %.2f", k.name, good, tried, low)
		right += good
		total += tried
	}
	t.Logf("%d of %d", right, total)
	if right*10 < total*9 {
		t.Errorf("%d of %d first answers are right, expected 90 %%", right, total)
	}
}

// TestThreeFrames: three frames of RGB pixels are frames, not the three planes of one picture.
func TestThreeFrames(t *testing.T) {
	mostlyRight(t, kind{"3 frames HWC", "uint8", 3, false, 1, false, 3, ""}, func(data []byte, want Shape) ([]byte, Shape) { return data, want })
}

// TestOddHeader: elements of two bytes begin at an odd byte, behind a header of three.
func TestOddHeader(t *testing.T) {
	mostlyRight(t, kind{"16 bits", "uint16", 1, false, 1, false, 1, ""}, func(data []byte, want Shape) ([]byte, Shape) {
		want.Skip = 3
		return append([]byte{0, 0, 0}, data...), want
	})
}

// TestWidePadding: the alignment of rows counts bytes: floats padded to 512 bytes, by more than 128.
func TestWidePadding(t *testing.T) {
	mostlyRight(t, kind{"float32 in rows of 512 bytes", "float32", 1, false, 512, false, 1, ""}, func(data []byte, want Shape) ([]byte, Shape) { return data, want })
}

// TestRectified: floats of which most are zero, as behind a ReLU, are floats.
func TestRectified(t *testing.T) {
	mostlyRight(t, kind{"float32 after ReLU", "float32", 1, false, 1, false, 1, ""}, func(data []byte, want Shape) ([]byte, Shape) {
		var values []float32
		for b := range slices.Chunk(data, 4) {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		sorted := slices.Sorted(slices.Values(values))
		threshold := sorted[len(sorted)*6/10]
		for i, v := range values {
			binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(max(v-threshold, 0)))
		}
		return data, want
	})
}

// mostlyRight fails unless the first guess of four of five pictures of a kind is right, after change.
func mostlyRight(t *testing.T, k kind, change func([]byte, Shape) ([]byte, Shape)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	right, first := 0, Shape{}
	for range 5 {
		data, want := change(k.dump(r, newPicture(r, 84+r.IntN(12), 80+r.IntN(80))))
		if found := Shapes(data); len(found) > 0 {
			first = found[0]
			first.Score = 0
		}
		if first == want {
			right++
		} else {
			t.Logf("want %v, got %v", want, first)
		}
	}
	if right < 4 {
		t.Errorf("%s: %d of 5 first answers are right", k.name, right)
	}
}

// TestNothing finds no shape in noise, weights, compressed bytes, text and records, and in few parts of programs: a table of a program is rows.
func TestNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("shape_test.go")
	if err != nil {
		t.Fatal(err)
	}
	makers := map[string]func(n int) []byte{
		"noise": func(n int) []byte {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.IntN(256))
			}
			return b
		},
		"gzip": func(n int) []byte {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			at := r.IntN(len(program) - n)
			_, _ = w.Write(program[at : at+n])
			_ = w.Close()
			return b.Bytes()
		},
		"records": func(n int) (b []byte) { // symbols and relocations, as in programs
			for at := uint64(r.IntN(1 << 20)); len(b) < n; at += 8 {
				b = binary.LittleEndian.AppendUint64(b, at)
				b = binary.LittleEndian.AppendUint64(b, uint64(r.IntN(900))<<32+6)
				b = binary.LittleEndian.AppendUint64(b, 0)
			}
			for k := range n / 2 {
				b = append(b, byte(r.IntN(256)*(k%3/2)))
			}
			return b
		},
		"text": func(n int) []byte { return text[:min(n, len(text))] },
	}
	for _, dtype := range []string{"int8", "bfloat16", "float16", "float32"} {
		makers["weights "+dtype] = func(n int) (b []byte) {
			for len(b) < n {
				x := r.NormFloat64() * 0.02
				switch dtype {
				case "int8":
					b = append(b, byte(int8(min(max(x*2000, -127), 127))))
				case "float32":
					b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
				case "bfloat16":
					b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(float32(x))>>16))
				default:
					b = binary.LittleEndian.AppendUint16(b, half(math.Abs(x))|uint16(r.IntN(2))<<15)
				}
			}
			return b
		}
	}
	spoke, total := 0, 0
	each := 4
	if random.Thorough() {
		each = 15
	}
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		for range each {
			total++
			if found := Shapes(makers[name](500 + r.IntN(300000))); len(found) > 0 {
				spoke++
				t.Logf("%s: %+v", name, found[0])
			}
		}
	}
	if spoke*100 > total {
		t.Errorf("%d of %d dumps without a shape have a guess", spoke, total)
	}
	// The program is another one on every machine. Of 2,000 parts of Debian's programs 47 have a guess: six of 30 are one in 20,000 runs at that rate.
	spoke = 0
	for range 30 {
		n := 500 + r.IntN(60000)
		at := r.IntN(len(program) - n)
		if found := Shapes(program[at : at+n]); len(found) > 0 {
			spoke++
			t.Logf("%d bytes of the program: %+v", n, found[0])
		}
	}
	if spoke > 5 {
		t.Errorf("%d of 30 parts of this program have a guess", spoke)
	}
}

// TestSmall: dumps of any size are read within their bounds, and constant ones have no shape.
func TestSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 0; n < 4000; n += 1 + n/6 {
		constant, ramp, rows := make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range n {
			ramp[i], rows[i] = byte(i/9), byte(40+i%40+i/40+r.IntN(2))
		}
		if found := Shapes(constant); len(found) > 0 {
			t.Errorf("%d zeros: %v", n, found)
		}
		for _, g := range append(Shapes(ramp), Shapes(rows)...) {
			if size := g.Skip + g.Frames*g.Planes*g.Height*g.Pitch; size > n || !(g.Score > 0 && g.Score <= 1) {
				t.Errorf("%d bytes: %v takes %d", n, g, size)
			}
		}
	}
}

// TestFits: a row has room for its pixels, and the dump for all rows, whatever the values are.
func TestFits(t *testing.T) {
	r := random.New(t)
	for range 8 {
		var data []byte
		step := 0.002 + 0.05*r.Float64()
		for i := range 1<<15 + r.IntN(1<<17) {
			data = binary.LittleEndian.AppendUint16(data, uint16(int16(100*math.Sin(step*float64(i)))))
		}
		for _, g := range Shapes(data) {
			if g.Width*g.Channels*g.ItemSize > g.Pitch || g.Skip+g.Frames*g.Planes*g.Height*g.Pitch > len(data) {
				t.Errorf("%+v of %d bytes", g, len(data))
			}
		}
	}
}
