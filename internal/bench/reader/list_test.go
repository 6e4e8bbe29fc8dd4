package reader

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// want is the loop in the comment of AddAt.
func (p RowList) want(lanes Lanes, mem []byte) Lanes {
	for i := range p.N {
		for _, place := range p.Offsets {
			for k := range p.Row {
				lanes[k] ^= mem[p.At+i*p.Step+place+k]
			}
		}
	}
	return lanes
}

// eachList calls f with lists of every length past two iterations of the loop, unordered and with repetitions.
func eachList(f func(RowList)) {
	for row := 1; row <= 64; row *= 2 {
		var list []int
		for n := range 12 {
			for _, times := range []int{0, 1, 2, 5} {
				for _, step := range []int{0, row, 77} {
					f(RowList{At: n * 13 % 5, N: times, Step: step, Offsets: list, Row: row})
				}
			}
			list = append(list, n*n*37%301)
		}
	}
}

// TestAddAt: every level xors exactly the bytes of the rows into their lanes, and changes no other lane.
func TestAddAt(t *testing.T) {
	mem, start := noise(1<<10), Lanes(noise(64))
	eachLevel(t, func(t *testing.T, r Reader) {
		eachList(func(p RowList) {
			lanes, want := start, p.want(start, mem)
			if r.AddAt(&lanes, mem, p); lanes != want {
				t.Fatalf("%+v:\n%v, want\n%v", p, lanes, want)
			}
		})
	})
}

// TestAddAtPanics: invalid lists panic, and rows outside the memory, even if their offset overflows.
func TestAddAtPanics(t *testing.T) {
	mem := noise(1000)
	for _, p := range []RowList{
		{At: 997, N: 1, Offsets: []int{0}, Row: 4}, {N: 1, Offsets: []int{0, 997, 3}, Row: 4}, {N: 251, Step: 4, Offsets: []int{0}, Row: 4},
		{At: -1, N: 1, Offsets: []int{4}, Row: 4}, {N: -1, Offsets: []int{4}, Row: 4}, {N: 2, Step: -4, Offsets: []int{8}, Row: 4},
		{At: 8, N: 1, Offsets: []int{0, -1}, Row: 4}, {N: 1, Offsets: []int{maxInt}, Row: 1}, {N: maxInt, Step: maxInt, Offsets: []int{0}, Row: 1},
		{N: 1, Offsets: []int{0}, Row: 3}, {N: 1, Offsets: []int{0}}, {N: 1, Offsets: []int{0}, Row: 128},
	} {
		eachLevel(t, func(t *testing.T, r Reader) {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "reader: ") {
					t.Errorf("%+v: %v", p, said)
				}
			}()
			r.AddAt(new(Lanes), mem, p)
		})
	}
}

// TestAddAtAllocates nothing.
func TestAddAtAllocates(t *testing.T) {
	mem, list := noise(1<<12), []int{5, 3, 100}
	eachLevel(t, func(t *testing.T, r Reader) {
		for row := 1; row <= 64; row *= 2 {
			if n := testing.AllocsPerRun(2, func() {
				var lanes Lanes
				r.AddAt(&lanes, mem, RowList{N: 2, Step: 64, Offsets: list, Row: row})
			}); n != 0 {
				t.Errorf("rows of %d: %v allocations", row, n)
			}
		}
	})
}

// BenchmarkAddAt reads the channels of pixels: 62 of them in blocks of 16, each of four bytes.
func BenchmarkAddAt(b *testing.B) {
	mem := noise(64 << 10)
	p := RowList{N: 200, Step: 64, Row: 8}
	for c := range 31 {
		p.Offsets = append(p.Offsets, c/8*12800+c%8*8)
	}
	for _, k := range kernel.Available() {
		b.Run(fmt.Sprint(k.Level), func(b *testing.B) {
			var lanes Lanes
			b.SetBytes(int64(p.N * len(p.Offsets) * p.Row))
			for b.Loop() {
				For(k).AddAt(&lanes, mem, p)
			}
		})
	}
}
