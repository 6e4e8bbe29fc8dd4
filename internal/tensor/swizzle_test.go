package tensor

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// checkSwizzleVector evaluates a swizzle on offsets.
func checkSwizzleVector(v *vector) {
	n := input[[]int](v, "swizzle")
	z, err := NewSwizzle(n[0], n[1], n[2])
	if err != nil {
		v.t.Fatal(err)
	}
	var got []int
	for _, off := range input[[]int](v, "input") {
		got = append(got, z.Apply(off))
	}
	v.want("output", true, got)
}

// TestSwizzleAgainstPycute proves that At is CuTe's: 3000 random composed layouts, and some of their coordinates, were
// evaluated by the Python of CUTLASS (testdata/pycute.py).
func TestSwizzleAgainstPycute(t *testing.T) {
	file, err := os.Open("testdata/pycute.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	layouts, coords, moved := 0, 0, 0
	for lines := bufio.NewScanner(text); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if fields[0] == "layout" {
			layouts++
		}
		n := readPycute(t, fields)
		coords, moved = coords+n.coords, moved+n.moved
	}
	if layouts != 3000 || coords != 12000 || moved < 3000 {
		t.Errorf("%d layouts, %d coordinates, %d of them moved by the swizzle", layouts, coords, moved)
	}
}

type pycuteCount struct{ coords, moved int }

// readPycute evaluates a line: "layout B M S OFFSET DIMS COORD=ADDRESS…", where a dim is EXTENT:STRIDE+EXTENT:STRIDE….
func readPycute(t *testing.T, fields []string) (n pycuteCount) {
	t.Helper()
	var b, m, s, offset int
	if _, err := fmt.Sscan(strings.Join(fields[1:5], " "), &b, &m, &s, &offset); err != nil {
		t.Fatal(fields, err)
	}
	z, err := NewSwizzle(b, m, s)
	if err != nil {
		t.Fatal(fields, err)
	}
	var dims []Dim
	for i, modes := range strings.Split(fields[5], ",") {
		d := Dim{Name: fmt.Sprint("d", i), Size: 1}
		for mode := range strings.SplitSeq(modes, "+") {
			g := Digit{Div: d.Size}
			if _, err := fmt.Sscanf(mode, "%d:%d", &g.Extent, &g.Stride); err != nil {
				t.Fatal(mode, err)
			}
			d.Digits, d.Size = append(d.Digits, g), d.Size*g.Extent
		}
		dims = append(dims, d)
	}
	l, err := mustNew(t, dims, offset, Unbounded).Swizzled(z, Unbounded)
	if err != nil {
		t.Fatal(fields, err)
	}
	for _, f := range fields[6:] {
		at, address, _ := strings.Cut(f, "=")
		coord := make([]int, len(dims))
		for i, text := range strings.Split(at, ",") {
			if _, err := fmt.Sscan(text, &coord[i]); err != nil {
				t.Fatal(f, err)
			}
		}
		if got := fmt.Sprint(l.At(coord...)); got != address {
			t.Fatalf("%s%v is %s, pycute says %s", l, coord, got, address)
		}
		n.coords++
		if l.At(coord...) != l.Plain().At(coord...) {
			n.moved++
		}
	}
	return n
}

// TestSwizzleIsPermutation proves that a swizzle is what its bits say, is undone by Inverse, permutes within its blocks and
// repeats after its period; of negative offsets too.
func TestSwizzleIsPermutation(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := rapidDice{t}
		z := someSwizzle(d)
		for range 50 {
			off := between(d, -5000, 5000)
			got := z.Apply(off)
			same(t, "Apply", z, got, swizzled(z, off))
			same(t, "Inverse", z, z.Inverse(got), off)
			same(t, "block", z, got&^(z.block()-1), off&^(z.block()-1))
			same(t, "period", z, z.Apply(off+z.Period()), got+z.Period())
		}
		seen := map[int]bool{}
		for off := range z.block() {
			seen[z.Apply(off)] = true
		}
		same(t, "distinct offsets of a block", z, len(seen), z.block())
	})
}

// TestSwizzleRecast proves that a recast swizzle moves whole elements as the original moves their bytes.
func TestSwizzleRecast(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := rapidDice{t}
		z, size := someSwizzle(d), pick(d, 1, 2, 4)
		small := z.Recast(8*size, 8)
		for e := range 300 {
			for within := range size {
				same(t, "byte", z, small.Apply(e*size+within), z.Apply(e)*size+within)
			}
		}
		same(t, "there and back", z, small.Recast(8, 8*size), z)
	})
	bytes, err := NewSwizzle(3, 4, 3)
	if got := bytes.Recast(8, 16).String(); err != nil || got != "Sw<3,3,3>" {
		t.Errorf("%s of bytes is %s of 2-byte elements, %v", bytes, got, err)
	}
	for to, want := range map[int]string{128: "Sw<3,0,3>", 256: "Sw<2,0,3>", 1024: "Sw<0,0,0>", 4: "Sw<3,5,3>"} {
		if got := bytes.Recast(8, to).String(); got != want {
			t.Errorf("%s of bytes is %s of %d-bit elements, want %s", bytes, got, to, want)
		}
	}
}

// TestNewSwizzleRefuses proves which numbers are no swizzle, and that no bits are the zero Swizzle.
func TestNewSwizzleRefuses(t *testing.T) {
	for _, n := range [][3]int{{-1, 0, 0}, {1, -1, 1}, {2, 0, 1}, {3, 4, -2}, {10, 10, 11}, {1, 1, math.MaxInt}, {40, 0, 40}, {0, 99, 0}} {
		if z, err := NewSwizzle(n[0], n[1], n[2]); err == nil {
			t.Errorf("%v is %s", n, z)
		}
	}
	for _, n := range [][3]int{{0, 4, 3}, {0, 0, 0}, {0, 3, -1}} {
		if z, err := NewSwizzle(n[0], n[1], n[2]); err != nil || z != (Swizzle{}) || !z.IsZero() {
			t.Errorf("%v is %s, %v", n, z, err)
		}
	}
}

// TestSwizzleBits proves that bits, base and shift may be 30 together, and not 31.
func TestSwizzleBits(t *testing.T) {
	for _, n := range [][3]int{{1, 28, 1}, {1, 28, -1}, {15, 0, 15}, {14, 2, -14}, {1, 0, 29}, {10, 5, 15}} {
		if _, err := NewSwizzle(n[0], n[1], n[2]); err != nil {
			t.Errorf("%v: %v", n, err)
		}
		n[1]++
		if z, err := NewSwizzle(n[0], n[1], n[2]); err == nil || !strings.Contains(err.Error(), "over the limit of 30") {
			t.Errorf("%v is %s: %v", n, z, err)
		}
	}
}

// TestSwizzledSpan proves that the span of a layout of a large block is a bound, that it costs no time or memory in
// proportion, and that what follows from it is unknown rather than wrong; and that a large layout of small blocks has an
// exact one.
func TestSwizzledSpan(t *testing.T) {
	large := mustLayout(t, []int{1 << 12, 1 << 11}, []int{1 << 11, 1}, 0, Unbounded)
	coarse, err := large.Swizzled(Swizzle{3, 20, 3}, Unbounded)
	if low, high, ok := coarse.Span(); err != nil || !ok || low != 0 || high != 1<<23-1 || coarse.Gaps() != -1 {
		t.Errorf("%s: %d to %d, %d gaps, %v", coarse, low, high, coarse.Gaps(), err)
	}
	fine, err := mustLayout(t, []int{1 << 12, 2047}, []int{2047, 1}, 0, Unbounded).Swizzled(Swizzle{3, 4, 3}, Unbounded)
	if low, high, ok := fine.Span(); err != nil || !ok || low != 0 || high < fine.Numel()-1 || fine.Gaps() < 0 || high >= fine.Numel()+128 {
		t.Errorf("%s: %d to %d, %d gaps, %v", fine, low, high, fine.Gaps(), err)
	}
	if _, err := mustLayout(t, []int{2}, []int{1 << 20}, 0, Unbounded).Swizzled(Swizzle{3, 4, 3}, -2); err == nil {
		t.Error("a storage of -2 elements is accepted")
	}
}

// TestSwizzleString proves that a swizzled layout is printed as CuTe prints it.
func TestSwizzleString(t *testing.T) {
	l := mustLayout(t, []int{8, 64}, []int{64, 1}, 5, Unbounded)
	z, err := l.Swizzled(Swizzle{3, 3, -4}, Unbounded)
	if got := z.String(); err != nil || got != "Sw<3,3,-4> o 5 o (8,64):(64,1)" {
		t.Errorf("%s, %v", got, err)
	}
	if got := z.Plain().String(); got != l.String() {
		t.Errorf("%s without its swizzle is %s", z, got)
	}
}
