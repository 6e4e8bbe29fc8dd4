package reader

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// eachLevel runs a test for every level of this machine and this build.
func eachLevel(t *testing.T, test func(*testing.T, Reader)) {
	for _, k := range kernel.Available() {
		t.Run(k.Level.String(), func(t *testing.T) { test(t, For(k)) })
	}
}

// noise returns bytes of all values, from the start of a cache line.
func noise(size int) []byte {
	mem := make([]byte, size+64)
	mem = mem[-uintptr(unsafe.Pointer(&mem[0]))%64:][:size]
	state := uint32(1)
	for i := range mem {
		state = state*1664525 + 1013904223 // Numerical Recipes, section 7.1
		mem[i] = byte(state >> 24)
	}
	return mem
}

// want is the loop in the comment of Add.
func (g Grid) want(lanes Lanes, mem []byte) Lanes {
	for i := range g.N1 {
		for j := range g.N0 {
			for k := range g.Row {
				lanes[k] ^= mem[g.At+i*g.Step1+j*g.Step0+k]
			}
		}
	}
	return lanes
}

// end is where the last row ends.
func (g Grid) end() int { return g.At + max(0, g.N1-1)*g.Step1 + max(0, g.N0-1)*g.Step0 + g.Row }

const maxInt = int(^uint(0) >> 1)

// grids calls f with rows of every length, in every number past two iterations of the longest loop: overlapping, adjacent and
// separate, at all kinds of addresses, and with unused steps.
func grids(f func(Grid)) {
	for row := 1; row <= 64; row *= 2 {
		f(Grid{At: 3, N1: 1, Step1: maxInt, N0: 1, Step0: maxInt, Row: row})
		for _, n1 := range []int{0, 1, 2, 5} {
			for n0 := range 20 {
				for _, step0 := range []int{0, 1, row, 2*row + 1, 192} {
					for _, step1 := range []int{0, row, n0 * step0, 77} {
						f(Grid{At: (n0 + n1) % 5 * 13, N1: n1, Step1: step1, N0: n0, Step0: step0, Row: row})
					}
				}
			}
		}
	}
}

// TestAdd: every level xors exactly the bytes of the rows into their lanes, and changes no other lane.
func TestAdd(t *testing.T) {
	mem, start := noise(1<<17), Lanes(noise(64))
	eachLevel(t, func(t *testing.T, r Reader) {
		grids(func(g Grid) {
			lanes, want := start, g.want(start, mem)
			if r.Add(&lanes, mem, g); lanes != want {
				t.Fatalf("%+v:\n%v, want\n%v", g, lanes, want)
			}
		})
	})
}

// TestAddPanics: invalid grids panic, and rows outside the memory, even if their offset overflows.
func TestAddPanics(t *testing.T) {
	mem := noise(1000)
	for _, g := range []Grid{
		{At: 997, N1: 1, N0: 1, Row: 4}, {At: -1, N1: 1, N0: 1, Row: 4}, {At: maxInt, N1: 1, N0: 1, Row: 64},
		{N1: 1, N0: 251, Step0: 4, Row: 4}, {N1: 251, Step1: 4, N0: 1, Row: 4},
		{N1: 3, Step1: 250, N0: 126, Step0: 4, Row: 4},
		{N1: maxInt, Step1: maxInt, N0: 1, Row: 1}, {N1: 1, N0: maxInt, Step0: maxInt, Row: 1},
		{N1: 1, N0: 5, Step0: maxInt/2 + 1, Row: 1}, {N1: 5, Step1: maxInt/2 + 1, N0: 1, Row: 1},
		{At: 8, N1: 3, Step1: maxInt, N0: 1, Row: 4}, {At: 8, N1: 1, N0: 3, Step0: maxInt, Row: 4},
		{N1: 2, Step1: -4, N0: 1, At: 8, Row: 4}, {N1: 1, N0: 2, Step0: -4, At: 8, Row: 4}, {N1: -1, N0: 1, Row: 4},
		{N1: 1, N0: -1, Row: 4}, {N1: 1, N0: 1}, {N1: 1, N0: 1, Row: 3}, {N1: 1, N0: 1, Row: 128},
		{N1: 1, N0: 1, Row: -4},
	} {
		eachLevel(t, func(t *testing.T, r Reader) {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "reader: ") {
					t.Errorf("%+v: %v", g, said)
				}
			}()
			r.Add(new(Lanes), mem, g)
		})
	}
}

// TestSum: the lanes fold to the bytes of an element, whatever the length of the rows.
func TestSum(t *testing.T) {
	mem := noise(64 * 9)
	for _, elem := range []int{1, 2, 4, 8, 16, 32, 64, 3, 12, 20, 24, 96, 128} {
		size := min(elem&-elem, 64)
		want := make([]byte, size)
		for i, b := range mem {
			want[i%size] ^= b
		}
		eachLevel(t, func(t *testing.T, r Reader) {
			for row := size; row <= 64; row *= 2 {
				var lanes Lanes
				r.Add(&lanes, mem, Grid{N1: 1, N0: len(mem) / row, Step0: row, Row: row})
				if got := lanes.Sum(elem); !slices.Equal(got, want) {
					t.Errorf("elements of %d bytes in rows of %d: %v, want %v", elem, row, got, want)
				}
			}
		})
	}
}

// TestNoAllocation: neither lanes nor the arguments of kernels escape to the heap.
func TestNoAllocation(t *testing.T) {
	mem := noise(1 << 12)
	eachLevel(t, func(t *testing.T, r Reader) {
		for row := 1; row <= 64; row *= 2 {
			allocated := testing.AllocsPerRun(2, func() {
				var lanes Lanes
				r.Add(&lanes, mem, Grid{N1: 2, Step1: 64, N0: 9, Step0: 64, Row: row})
				r.Load(mem)
			})
			if allocated != 0 {
				t.Errorf("rows of %d: %v allocations", row, allocated)
			}
		}
	})
}

// TestRequired: with TLAYOUT_TEST_REQUIRE, a list of levels, the tests of this package ran for each of them.
func TestRequired(t *testing.T) {
	required := os.Getenv("TLAYOUT_TEST_REQUIRE")
	if required == "" {
		t.Skip("TLAYOUT_TEST_REQUIRE is not set")
	}
	for name := range strings.SplitSeq(required, ",") {
		if !slices.ContainsFunc(kernel.Available(), func(k *kernel.Kernels) bool { return k.Level.String() == name }) {
			t.Errorf("this machine or this build has no %s", name)
		}
	}
}
