package cachesim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// program is a sequence of reads.
type program struct {
	name string
	run  func(s *cachesim.Sim)
}

func (w walk) program(t testing.TB) program {
	return program{fmt.Sprint(w), func(s *cachesim.Sim) { w.counts(t, s) }}
}

// rows reads many rows of bytes bytes, pitch bytes apart, repeatedly.
func rows(bytes, pitch, many, times int) program {
	name := fmt.Sprintf("%d times %d rows of %d bytes, %d apart", times, many, bytes, pitch)
	return program{name, func(s *cachesim.Sim) {
		for range times {
			for row := range many {
				s.Read(row*pitch, bytes)
			}
		}
	}}
}

// anywhere reads elements at random; skewed, more of them near the start.
func anywhere(size, many int, skewed bool) program {
	return program{fmt.Sprintf("%d elements in %d bytes, skewed %v", many, size, skewed), func(s *cachesim.Sim) {
		dice := rand.New(rand.NewPCG(5, 6))
		for range many {
			at := dice.Float64()
			if skewed {
				at = math.Pow(at, 4)
			}
			s.Read(int(at*float64(size/4))*4, 4)
		}
	}}
}

func samplePrograms(t testing.TB) []program {
	programs := []program{
		rows(200, 4096+64, 600, 3), rows(1000, 4096, 600, 3), rows(700, 12544, 400, 3), rows(3000, 50176, 64, 3),
		rows(2600, 4096, 1000, 2), rows(68, 68, 5000, 2), rows(100, 1<<17, 64, 5),
		anywhere(1<<16, 50000, false), anywhere(1<<20, 50000, false),
		anywhere(1<<18, 50000, true), anywhere(1<<24, 50000, true),
	}
	for _, layout := range []string{"nchw", "nhwc", "nchw8", "chwn4"} {
		for _, shape := range [][4]int{{1, 62, 31, 29}, {2, 128, 14, 14}, {8, 3, 57, 59}, {33, 17, 13, 7}} {
			for _, order := range []string{"channel", "spatial"} {
				programs = append(programs, walk{layout, shape, 4, order}.program(t))
			}
		}
	}
	return programs
}

// TestSample: the exact figures are within a sample's stated error for nearly all programs: it is a 95 % error. Counts other than misses
// are exact. -v lists all of them.
func TestSample(t *testing.T) {
	outside, all, inexact := 0, 0, 0
	for _, cache := range []string{"", "l1=8K,2,64 l2=64K,4,64 l3=256K,8,64", "l1=16K,4,64 l2=96K,6,64 l3=none"} {
		g := geometry(t, cache)
		for _, p := range samplePrograms(t) {
			exact, sampled := cachesim.New(g), cachesim.NewSample(g, 8)
			p.run(exact)
			p.run(sampled)
			want, got := exact.Counts(), sampled.Counts()
			if got.Touches != want.Touches || got.Bytes != want.Bytes || got.Pages != want.Pages || want.Error != 0 {
				t.Errorf("%s: %+v, exact %+v", p.name, got, want)
			}
			off := distance(got.Misses, want.Misses)
			t.Logf("%-60s exact %v, sampled %v, off by %.4f, stated %.4f", p.name, want.Misses, got.Misses, off, got.Error)
			if all++; off > 0 {
				inexact++
			}
			if off > got.Error+1e-4 { // Misses are rounded
				outside++
				t.Log("^ is outside")
			}
		}
	}
	t.Logf("%d of %d are outside, %d exact", outside, all, all-inexact)
	if outside > all/20 || inexact < 50 {
		t.Errorf("%d of %d programs are outside the stated error, %d are off at all", outside, all, inexact)
	}
}

// distance returns the maximum relative difference of estimates and figures.
func distance(estimates, figures []int) (most float64) {
	for i, e := range estimates {
		most = max(most, math.Abs(float64(figures[i]-e))/float64(e))
	}
	return most
}

// A sample of all classes is exact, and so is one of caches with an odd number of sets, which have one class.
func TestSampleOfAll(t *testing.T) {
	for cache, part := range map[string]int{
		"":                                    1,
		"l1=8K,2,64 l2=64K,4,64 l3=256K,8,64": 1,
		"l1=36K,12,64 l2=3M,16,64 l3=none":    8,  // 48 and 3072 sets: 16 classes, 8 simulated
		"l1=9K,16,64 l2=2M,16,64 l3=none":     8,  // 9 sets
		"l1=8K,16,64 l2=2M,16,64 l3=none":     99, // 8 sets
	} {
		g := geometry(t, cache)
		exact, sampled := cachesim.New(g), cachesim.NewSample(g, part)
		for range 2 {
			anywhere(1<<17, 20000, true).run(exact)
			anywhere(1<<17, 20000, true).run(sampled)
		}
		got, want := sampled.Counts(), exact.Counts()
		if equal := reflect.DeepEqual(got, want); equal == (g.Levels[0].Sets() == 48) {
			t.Errorf("%q: one class in %d has %+v, all have %+v", cache, part, got, want)
		}
	}
}
