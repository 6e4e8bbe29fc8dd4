package bench

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// TestCopies: every way to copy copies everything and nothing else, at sizes around those where a way starts to apply; Go's is the first.
func TestCopies(t *testing.T) {
	for _, k := range kernel.Available() {
		for _, n := range []int{64, 1000, kernel.CopyPiece, kernel.CopyPiece + 1, 3*kernel.CopyPiece - 1, 4 * kernel.CopyPiece} {
			src := make([]byte, n)
			noise(src, 1)
			copies := Copies(make([]byte, n), src, k)
			if copies[0].Name != "go" || (len(copies) > 1 && copies[1].Name == "pieces") != (n > kernel.CopyPiece) {
				t.Errorf("%d bytes: %v", n, copies)
			}
			for i := range copies {
				whole := make([]byte, n+128)
				Copies(whole[64:][:n:n], src, k)[i].Run()
				if want := slices.Concat(make([]byte, 64), src, make([]byte, 64)); !bytes.Equal(whole, want) {
					t.Errorf("%s by %s, %d bytes: wrong", k.Name(), copies[i].Name, n)
				}
			}
		}
	}
}

// TestLevelRoofs: the roofs of a machine are half of each cache, and four times the last one for memory; a last-level cache that claims too
// much of the machine's memory, or less than L2, is not trusted. Sizes are whole cache lines.
func TestLevelRoofs(t *testing.T) {
	const kib, mib, gib = 1 << 10, 1 << 20, 1 << 30
	for _, c := range []struct {
		m    Machine
		want [4]int
	}{
		{Machine{L1: 48 * kib, L2: 2 * mib, L3: 32 * mib, Memory: 64 * gib}, [4]int{24 * kib, mib, 16 * mib, 128 * mib}},
		{Machine{}, [4]int{16 * kib, 512 * kib, 4 * mib, 32 * mib}},
		{Machine{L1: 32 * kib, L2: mib, L3: 512 * mib, Memory: 64 * gib}, [4]int{16 * kib, 512 * kib, 16 * mib, 256 * mib}},
		{Machine{L1: 32 * kib, L2: 4 * mib, L3: mib, Memory: 64 * gib}, [4]int{16 * kib, 2 * mib, 4 * mib, 4 * mib}},
		{Machine{L1: 32 * kib, L2: mib, L3: 32 * mib, Memory: 8*mib + 100}, [4]int{16 * kib, 512 * kib, mib, mib}},
	} {
		var got [4]int
		for i, roof := range levelRoofs(c.m) {
			if got[i] = roof.Bytes; roof.Level != []string{"l1", "l2", "l3", "memory"}[i] {
				t.Errorf("roof %d is %s", i, roof.Level)
			}
		}
		if got != c.want {
			t.Errorf("%+v: %v, expected %v", c.m, got, c.want)
		}
	}
}

// TestRoofPrograms: a roof has every way to read and to copy its bytes.
func TestRoofPrograms(t *testing.T) {
	k := kernel.Best()
	roofs := newRoofs(1 << 20)
	programs := roofPrograms(roofs, reader.For(k), k)
	for i, roof := range roofs {
		var got, want []string
		for _, p := range programs {
			if p.roof == &roofs[i] {
				got = append(got, p.way)
				p.pass()
			}
		}
		for _, way := range reader.For(k).Ways(roof.Bytes) {
			want = append(want, way.Name)
		}
		for _, c := range Copies(make([]byte, roof.Bytes/2), make([]byte, roof.Bytes/2), k) {
			want = append(want, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", roof.Level, got, want)
		}
	}
}

// TestRoofSet: a roof has its fastest way of each kind, by name.
func TestRoofSet(t *testing.T) {
	var roof Roof
	roof.set(reading, "load", 3)
	roof.set(reading, "xor", 3)
	roof.set(reading, "pages", 2)
	roof.set(copying, "go", 1)
	roof.set(copying, "stream", 4)
	if want := (Roof{ReadGBps: 3, ReadBy: "load", CopyGBps: 4, CopyBy: "stream"}); roof != want {
		t.Errorf("%+v", roof)
	}
}

// TestFastest: the fastest are at most two, within a fifth of the fastest, and the first of equal ones.
func TestFastest(t *testing.T) {
	for _, c := range []struct {
		times []float64
		want  []int
	}{
		{nil, nil}, {[]float64{5}, []int{0}}, {[]float64{5, 4}, []int{1}}, {[]float64{5, 4.6}, []int{1, 0}},
		{[]float64{2, 2, 2}, []int{0, 1}}, {[]float64{9, 1.05, 1.01, 1}, []int{3, 2}}, {[]float64{math.Inf(1), 3}, []int{1}},
	} {
		if got := Fastest(c.times); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.times, got, c.want)
		}
	}
}

// TestMeasuredWays: slow ways are tried but not measured; only a roof's fastest ways are. A way that was slow in prepare, but not by far,
// gets another chance.
func TestMeasuredWays(t *testing.T) {
	var w watch
	roofs := []Roof{{Level: "l1"}, {Level: "l2"}}
	passes := map[*program]int{}
	way := func(roof *Roof, kind roofKind, name string, first, then time.Duration) *program {
		p := &program{roof: roof, kind: kind, way: name}
		p.pass = func() {
			d := then
			if passes[p]++; passes[p] <= 2 {
				d = first
			}
			w.now += d
		}
		return p
	}
	const ms = time.Millisecond
	all := []*program{
		way(&roofs[0], reading, "load", 20*ms, 20*ms), way(&roofs[0], reading, "xor", 26*ms, 10*ms), way(&roofs[0], reading, "pages", 90*ms, 5*ms),
		way(&roofs[0], copying, "go", 50*ms, 50*ms), way(&roofs[0], copying, "stream", 51*ms, 51*ms), way(&roofs[0], copying, "pages", 52*ms, 52*ms),
		way(&roofs[1], copying, "go", 9*ms, 9*ms), w.takes(40*ms, "nhwc", new(int)),
	}
	var got []string
	kept, _, err := measurer{w.read, sampleTime, func(int, int) {}}.measure(all, ten)
	for _, p := range kept {
		if len(p.samples) != 10 {
			t.Errorf("%s: %d samples", p.way, len(p.samples))
		}
		if p.roof != nil {
			got = append(got, p.roof.Level+" "+p.way)
		}
	}
	if want := []string{"l1 xor", "l1 go", "l1 stream", "l2 go"}; err != nil || !slices.Equal(got, want) || len(kept) != 5 {
		t.Errorf("%v, %v", got, err)
	}
}
