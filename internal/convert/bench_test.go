package convert_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// BenchmarkConvert measures conversions in memory, on one thread, beside the fastest copy of as many bytes. In each of the b.N rounds every
// program runs once: of_copy is the median of the rounds' copy/conversion, and threads is the speedup by a second thread; a copy's time is
// that of the way in its unit. The last line of each set of rows, median, has the median of of_copy and the number of rows under 0.4.
//
//	go test -run '^$' -bench Convert/peers -benchtime 5x ./internal/convert
func BenchmarkConvert(b *testing.B) {
	var mem buffers
	for _, set := range []struct {
		name string
		rows []row
	}{{"peers", peerRows()}, {"all", markRows()}, {"odd", oddRows()}, {"growth", growthRows()}} {
		b.Run(set.name, func(b *testing.B) {
			ofCopy := map[row]float64{}
			for _, r := range set.rows {
				var m *measurement
				b.Run(r.String(), func(b *testing.B) {
					if b.N == 1 || m == nil {
						m = mem.measurement(b, r)
					}
					ofCopy[r] = m.run(b, "threads")
				})
			}
			if len(ofCopy) > 0 {
				b.Run("median", func(b *testing.B) { summarize(b, ofCopy) })
			}
		})
	}
}

// summarize reports the median of some rows as a benchmark.
func summarize(b *testing.B, ofCopy map[row]float64) {
	var all []float64
	low := 0
	for _, x := range ofCopy {
		if all = append(all, x); x < 0.4 {
			low++
		}
	}
	median, _ := bench.Median(all)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median, "of_copy")
	b.ReportMetric(float64(len(all)), "rows")
	b.ReportMetric(float64(low), "under-0.4")
}

// BenchmarkSmall measures conversions of 4 KiB, which are dominated by planning: a plan and its first run in ns/op, and in of_run as a
// multiple of a run by an existing plan.
func BenchmarkSmall(b *testing.B) {
	var mem buffers
	for _, r := range smallRows() {
		var m *measurement
		b.Run(r.String(), func(b *testing.B) {
			if b.N == 1 || m == nil {
				m = mem.measurement(b, r)
				_, to, from := r.plan(b)
				dst, src, pad := mem.dst[:to.Alloc()*r.size], mem.src[:from.Alloc()*r.size], make([]byte, r.size)
				m.programs[1].pass = m.programs[0].pass
				m.programs[0].pass = func() {
					plan, _ := convert.NewPlan(to, from, r.size)         // it succeeded before
					plan.Run(dst, src, pad, convert.Options{Threads: 1}) //nolint:errcheck // in memory nothing fails
				}
			}
			m.run(b, "of_run")
			b.ReportMetric(testing.AllocsPerRun(100, m.programs[0].pass), "allocs")
		})
	}
}

// measurement holds the programs of a row: the conversion, another to compare with, and the ways to copy.
type measurement struct {
	bytes    int // read and written
	programs []*program
}

// program has a sample per round, in nanoseconds. Slow ways to copy run in the first round only.
type program struct {
	name    string // of a way to copy
	pass    func()
	slow    bool
	samples []float64
}

const copies = 2 // index of the first way to copy

// measurement prepares a row, runs the conversion, and checks its result.
func (mem *buffers) measurement(b *testing.B, r row) *measurement {
	plan, to, from := r.plan(b)
	dstBytes, srcBytes := to.Alloc()*r.size, from.Alloc()*r.size
	mem.grow(max(dstBytes, srcBytes))
	dst, src, pad := mem.dst[:dstBytes], mem.src[:srcBytes], make([]byte, r.size)
	m := &measurement{bytes: dstBytes + srcBytes}
	for threads := range copies {
		m.programs = append(m.programs, &program{pass: func() {
			plan.Run(dst, src, pad, convert.Options{Threads: threads + 1}) //nolint:errcheck // in memory nothing fails
		}})
	}
	for _, p := range m.programs {
		clear(dst)
		p.pass()
		if err := r.check(dst, src, to, from); err != nil {
			b.Fatal(err)
		}
	}
	half := m.bytes / 2
	for _, c := range bench.Copies(mem.dst[:half], mem.src[:half], kernel.Best()) {
		m.programs = append(m.programs, &program{name: c.Name, pass: c.Run})
	}
	return m
}

// run makes the missing rounds and reports the medians; of is the unit of the second program's time.
func (m *measurement) run(b *testing.B, of string) (ofCopy float64) {
	take := func(i int) error {
		if p := m.programs[i]; !p.slow {
			p.samples = append(p.samples, nanoseconds(p.pass))
		}
		return nil
	}
	one := m.programs[0]
	if len(one.samples) == 0 {
		bench.Rounds(len(m.programs), 1, take) //nolint:errcheck // take returns none
	}
	if b.N > 1 {
		m.dropSlow()
		bench.Rounds(len(m.programs), b.N-len(one.samples), take) //nolint:errcheck // take returns none
	}
	ways := slices.DeleteFunc(slices.Clone(m.programs[copies:]), func(p *program) bool { return p.slow })
	for _, p := range ways {
		b.ReportMetric(p.median(), p.name+"-ns/op")
	}
	b.ReportMetric(one.median(), "ns/op")
	b.ReportMetric(float64(m.bytes)/one.median()*1e3, "MB/s")
	ofCopy = slices.MinFunc(ways, func(x, y *program) int { return cmp.Compare(x.median(), y.median()) }).over(one)
	b.ReportMetric(ofCopy, "of_copy")
	b.ReportMetric(one.over(m.programs[1]), of)
	return ofCopy
}

// dropSlow drops the slow ways to copy.
func (m *measurement) dropSlow() {
	var times []float64
	for _, p := range m.programs[copies:] {
		p.slow = true
		times = append(times, p.samples[0])
	}
	for _, i := range bench.Fastest(times) {
		m.programs[copies+i].slow = false
	}
}

func (p *program) median() float64 {
	median, _ := bench.Median(p.samples)
	return median
}

// over returns the median of the rounds' ratios p/other.
func (p *program) over(other *program) float64 {
	ratio, _ := bench.Timing{SamplesNS: p.samples}.Over(bench.Timing{SamplesNS: other.samples})
	return ratio
}

// A sample is a single pass, or, if that is short and so depends on cache contents, the mean of enough passes to fill some time. The peers
// use the same rule.
const (
	shortRun    = 20 * time.Millisecond
	repeatedFor = 40 * time.Millisecond
)

// nanoseconds returns a sample. It ends early if passes turn out much longer than the first one, as may happen on two threads beside other
// programs.
func nanoseconds(pass func()) float64 {
	start := time.Now()
	pass()
	once := time.Since(start)
	if once >= shortRun {
		return float64(once)
	}
	passes := int(repeatedFor/max(once, 100)) + 1
	done, piece := 0, passes/16+1
	start = time.Now()
	for done == 0 || done < passes && time.Since(start) < 2*repeatedFor {
		for range piece {
			pass()
		}
		done += piece
	}
	return float64(time.Since(start)) / float64(done)
}

// buffers are memory shared by all rows.
type buffers struct{ dst, src []byte }

// grow provides at least n bytes each, with every page written: the source with noise, because some processors copy lines of zeros, or
// equal lines, faster.
func (mem *buffers) grow(n int) {
	if len(mem.dst) >= n {
		return
	}
	*mem = buffers{} // frees the smaller ones first
	runtime.GC()
	*mem = buffers{bytes.Repeat([]byte{0xEE}, n), make([]byte, n)}
	rand.NewChaCha8([32]byte{}).Read(mem.src) //nolint:errcheck // it never fails
}

// row is one conversion.
type row struct {
	shape    [4]int // N, C, H, W
	size     int    // bytes of an element
	from, to string
}

// String returns a row's benchmark name, which testdata/peers/marks.py reads.
func (r row) String() string {
	s := r.shape
	return fmt.Sprintf("%dx%dx%dx%d_%dB_%s_%s", s[0], s[1], s[2], s[3], r.size, r.from, r.to)
}

func (r row) plan(t testing.TB) (p *convert.Plan, to, from tensor.Layout) {
	bind := func(name string) tensor.Layout {
		l, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		bound, err := l.Format.Bind(r.shape[:])
		if err != nil {
			t.Fatal(err)
		}
		return bound
	}
	to, from = bind(r.to), bind(r.from)
	p, err := convert.NewPlan(to, from, r.size)
	if err != nil {
		t.Fatal(err)
	}
	return p, to, from
}

// check compares random elements of the destination with the source, so that omitted work is not measured.
func (r row) check(dst, src []byte, to, from tensor.Layout) error {
	draw := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		var c [4]int
		for d, n := range r.shape {
			c[d] = draw.IntN(n)
		}
		s, d := from.At(c[:]...)*r.size, to.At(c[:]...)*r.size
		if !bytes.Equal(src[s:s+r.size], dst[d:d+r.size]) {
			return fmt.Errorf("element %v is wrong", c)
		}
	}
	return nil
}

var (
	markShapes = [][4]int{{32, 3, 224, 224}, {32, 64, 56, 56}, {32, 256, 14, 14}, {32, 2048, 7, 7}, {64, 64, 112, 112}}
	sizes      = []int{1, 2, 4, 8, 16}
)

// bothWays returns NCHW to each layout and back, for each shape and element size.
func bothWays(shapes [][4]int, sizes []int, layouts ...string) (rows []row) {
	for _, shape := range shapes {
		for _, size := range sizes {
			for _, layout := range layouts {
				rows = append(rows, row{shape, size, "nchw", layout}, row{shape, size, layout, "nchw"})
			}
		}
	}
	return rows
}

// peerRows returns the rows with known results of the peers.
func peerRows() []row {
	return slices.Concat(bothWays(markShapes, []int{4}, "nhwc", "nchw16"), bothWays(markShapes[:1], []int{1}, "nhwc", "nchw16"),
		bothWays(markShapes[1:2], []int{2}, "nhwc", "nchw16"))
}

// markRows returns all shapes in all layouts and element sizes.
func markRows() []row {
	return bothWays(markShapes, sizes, "nhwc", "nchw4", "nchw8", "nchw16", "nchw32", "chwn", "chwn4")
}

// oddRows have sizes that are not multiples of a vector, and strides that conflict in one set of the cache.
func oddRows() []row {
	shapes := [][4]int{{7, 13, 127, 131}, {1, 31, 509, 127}, {17, 33, 65, 129}, {1, 1, 1021, 1031}, {509, 127, 31, 1},
		{32, 64, 32, 32}, {16, 64, 64, 64}, {4, 1024, 32, 32}, {1, 257, 257, 65}, {1024, 5, 3, 1}, {65537, 3, 5, 1}, {4096, 17, 7, 3}}
	for c := 1; c <= 17; c++ {
		shapes = append(shapes, [4]int{8, c, 223, 227})
	}
	return bothWays(shapes, sizes, "nhwc", "nchw4", "nchw16", "chwn", "chwn4")
}

// growthRows returns rows of about 1 MiB to 1 GiB.
func growthRows() (rows []row) {
	const image = 64 * 56 * 56 * 4 // bytes
	for mib := 1; mib <= 1024; mib *= 4 {
		n := max(1, (mib<<20+image/2)/image)
		rows = append(rows, bothWays([][4]int{{n, 64, 56, 56}}, []int{4}, "nhwc", "nchw16", "chwn")...)
	}
	return rows
}

// smallRows returns rows of 4 KiB.
func smallRows() (rows []row) {
	for _, size := range sizes {
		rows = append(rows, bothWays([][4]int{{4, 16, 4, 16 / size}}, []int{size}, "nhwc", "nchw4", "nchw16", "chwn")...)
	}
	return rows
}
