package descriptor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// parsed returns a layout.
func parsed(t *testing.T, s string) tensor.Layout {
	t.Helper()
	l, err := notation.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return *l.Exact
}

// line is an operand in one line.
func line(o Operand) string {
	if !o.OK {
		return o.Why
	}
	s := fmt.Sprintf("LBO %d SBO %d", o.LBOUnits, o.SBOUnits)
	for _, v := range []*Value{o.SM90, o.SM100} {
		if v == nil {
			s += ", -"
		} else {
			s += fmt.Sprintf(", %d %s %s", v.Code, v.Name, v.Bits)
		}
	}
	return s
}

// TestExamples has the examples of the PTX ISA's "Canonical Layouts", with their encodings of LBO and SBO.
func TestExamples(t *testing.T) {
	for _, c := range []struct {
		layout         string
		bits, operand  int
		lbo, sbo, sm90 int
	}{
		{"((8,2),(4,4)):((4,32),(1,64))", 32, 0, 16, 8, 0},
		{"Sw<1,2,3> o ((8,2),(4,4)):((8,64),(1,4))", 32, 0, 1, 16, 3},
		{"((8,1,2),(8,2)):((1,8,64),(8,128))", 16, 1, 16, 8, 0},
		{"Sw<1,3,3> o ((8,2,2),(8,2)):((1,8,128),(16,256))", 16, 1, 16, 32, 3},
		{"Sw<2,3,3> o ((8,4,2),(8,2)):((1,8,256),(32,512))", 16, 1, 32, 64, 2},
	} {
		both, err := Of(parsed(t, c.layout), c.bits)
		if err != nil {
			t.Fatal(err)
		}
		if o := both[c.operand]; !o.OK || o.LBOUnits != c.lbo || o.SBOUnits != c.sbo || o.SM90.Code != c.sm90 {
			t.Errorf("%s of %d bits: %+v", c.layout, c.bits, o)
		}
	}
}

// TestPublished has numbers of public code and threads, as a K-major and as an MN-major operand.
//
//	Sw<3,3,3>  type 1, LBO 1, SBO 64: KnowingNothing/MatmulTutorial, issue 10; SBO 1024 bytes: rchardx/hopper-gemm, issue 2
//	Sw<1,3,3>  the layout of NVIDIA/cutlass, issue 1396
//	Sw<2,3,2>  NVIDIA/cutlass, issue 3089: the stride along K is 8 units of 16 bytes
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		layout string
		bits   int
		k, mn  string
	}{
		{"Sw<3,3,3> o (128,64):(64,1)", 16, "LBO 1 SBO 64, 1 B128 0x4000004000010000, 2 SWIZZLE_128B 0x4000404000010000",
			"LBO 0 SBO 64, 1 B128 0x4000004000000000, 2 SWIZZLE_128B 0x4000404000000000"},
		{"Sw<2,3,3> o (128,32):(32,1)", 16, "LBO 1 SBO 32, 2 B64 0x8000002000010000, 4 SWIZZLE_64B 0x8000402000010000",
			"LBO 0 SBO 32, 2 B64 0x8000002000000000, 4 SWIZZLE_64B 0x8000402000000000"},
		{"Sw<1,3,3> o (64,16):(16,1)", 16, "LBO 1 SBO 16, 3 B32 0xc000001000010000, 6 SWIZZLE_32B 0xc000401000010000",
			"LBO 0 SBO 16, 3 B32 0xc000001000000000, 6 SWIZZLE_32B 0xc000401000000000"},
		{"((8,8),(8,8)):((8,64),(1,512))", 16, "LBO 64 SBO 8, 0 INTERLEAVE 0x0000000800400000, 0 SWIZZLE_NONE 0x0000400800400000",
			"LBO 8 SBO 64, 0 INTERLEAVE 0x0000004000080000, 0 SWIZZLE_NONE 0x0000404000080000"},
		{"Sw<3,3,3> o ((64,2),64):((1,4096),64)", 16, "LBO 1 SBO 64, 1 B128 0x4000004000010000, 2 SWIZZLE_128B 0x4000404000010000",
			"LBO 512 SBO 64, 1 B128 0x4000004002000000, 2 SWIZZLE_128B 0x4000404002000000"},
		{"Sw<2,3,2> o ((32,2),(4,8)):((1,1024),(32,128))", 32, "SWIZZLE_128B_BASE32B is for MN-major operands only; its strides are those of SWIZZLE_128B, with Sw<3,2,3>",
			"LBO 256 SBO 32, -, 1 SWIZZLE_128B_BASE32B 0x2000402001000000"},
		{"Sw<3,4,3> o (64,128):(128,1)", 8, "LBO 1 SBO 64, 1 B128 0x4000004000010000, 2 SWIZZLE_128B 0x4000404000010000",
			"LBO 0 SBO 64, -, 2 SWIZZLE_128B 0x4000404000000000"},
		{"Sw<3,5,3> o (64,256):(256,1)", 4, "LBO 1 SBO 64, -, 2 SWIZZLE_128B 0x4000404000010000", "operands of 4 bits are K-major"},
	} {
		both, err := Of(parsed(t, c.layout), c.bits)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{c.k, c.mn} {
			if got := line(both[i]); got != want {
				t.Errorf("%s as %s-major of %d bits: %s, expected %s", c.layout, both[i].Major, c.bits, got, want)
			}
		}
	}
}

// TestRefused: the reason names the first stride that differs, and the layout type that has these strides.
func TestRefused(t *testing.T) {
	for layout, want := range map[string][2]string{
		"(64,64):(72,1)":                         {"d0%8 has stride 72, SWIZZLE_NONE needs 8", "Sw<3,4,3> o ((8,m)"},
		"(64,64):(64,1)":                         {"d0%8 has stride 64, SWIZZLE_NONE needs 8; its strides are those of SWIZZLE_128B, with Sw<3,3,3>", "Sw<3,4,3>"},
		"Sw<3,3,4> o (64,64):(64,1)":             {"no layout type has Sw<3,3,4>, Sw<3,4,4> of bytes; its strides", "Sw<3,4,3>"},
		"Sw<2,3,3> o (64,64):(64,1)":             {"d0%8 has stride 64, SWIZZLE_64B needs 32; its strides", "Sw<3,4,3>"},
		"Sw<3,3,3> o (60,64):(64,1)":             {"d0 is 60, not a multiple of 8", "Sw<3,4,3>"},
		"Sw<3,3,3> o 4 o (64,64):(64,1)":         {"it does not start at a multiple of 16 bytes", "Sw<3,4,3>"},
		"Sw<3,3,3> o ((4,16),64):((64,512),1)":   {"d0%8 has no single stride", "Sw<3,4,3>"},
		"Sw<3,3,3> o ((8,8),64):((64,131072),1)": {"SBO is 131072 elements, not a multiple of 8 that fits 14 bits", "Sw<3,4,3>"},
		"((8,8),(8,8)):((8,64),(1,0))":           {"d1//8%2 has stride 0", "Sw<0,4,3>"},
		"(64,64):(65,2)":                         {"d0%8 has stride 65, SWIZZLE_NONE needs 8", "Sw<3,4,3>"},
		"(0,64):(64,1)":                          {"d0 is 0, not a multiple of 8", "Sw<"},
	} {
		both, err := Of(parsed(t, layout), 16)
		if err != nil {
			t.Fatal(err)
		}
		if k := both[0]; k.OK || !strings.HasPrefix(k.Why, want[0]) || !strings.HasPrefix(k.Canonical, want[1]) {
			t.Errorf("%s: %q, nearest %s; expected %q, nearest %s", layout, k.Why, k.Canonical, want[0], want[1])
		}
	}
	for layout, bits := range map[string]int{"64:1": 16, "(8,64,64):(64,512,1)": 16, "(64,64,2,2):(64,1,4096,8192)": 16, "(64,64):(64,1)": 64} {
		if _, err := Of(parsed(t, layout), bits); fault.ClassOf(err) != fault.Unsupported {
			t.Errorf("%s of %d bits: %v", layout, bits, err)
		}
	}
}

// canonical draws an operand by the comments of make_gmma_desc and make_umma_desc: the digits of MN and of K with their strides, in elements.
func canonical(rng *rand.Rand, m mode, major string, unit int) (mn, k []tensor.Digit, lbo, sbo int) {
	lbo, sbo = unit*(1+rng.IntN(1<<14-1)), unit*(1+rng.IntN(1<<14-1))
	repeats, more := 1+rng.IntN(4), 1+rng.IntN(3)
	digit := func(extent, stride int) tensor.Digit { return tensor.Digit{Extent: extent, Stride: stride} }
	w := m.width * unit
	switch {
	case major == "K" && m.plain():
		return []tensor.Digit{digit(8, w), digit(repeats, sbo)}, []tensor.Digit{digit(unit, 1), digit(2, lbo), digit(more, 1<<20)}, lbo, sbo
	case major == "K":
		return []tensor.Digit{digit(8, w), digit(repeats, sbo)}, []tensor.Digit{digit(unit, 1), digit(2, unit), digit(more, 1<<20)}, unit, sbo
	case m.plain():
		return []tensor.Digit{digit(unit, 1), digit(repeats, sbo)}, []tensor.Digit{digit(8, unit), digit(more*2*unit/8, lbo)}, lbo, sbo
	}
	return []tensor.Digit{digit(unit, 1), digit(m.width, unit), digit(repeats, lbo)},
		[]tensor.Digit{digit(m.rows, w), digit(more*2*unit/m.rows, sbo)}, lbo, sbo
}

// dim is a dim of these digits.
func dim(name string, digits []tensor.Digit) tensor.Dim {
	d := tensor.Dim{Name: name, Size: 1}
	for _, g := range digits {
		g.Div = d.Size
		d.Digits, d.Size = append(d.Digits, g), d.Size*g.Extent
	}
	return d
}

// dimOf returns the dim of this name.
func dimOf(l tensor.Layout, name string) tensor.Dim {
	if d := l.Dim(0); d.Name == name {
		return d
	}
	return l.Dim(1)
}

// describes reports whether every element that instructions of 256 indices of mn and 32 bytes of K read is where the descriptor says, by the
// layouts of the PTX ISA: at mn%8·row + mn/8·SBO + k%T + k/T·LBO if it is K-major, without a swizzle.
func describes(m mode, o Operand, l tensor.Layout, unit int, mnFirst bool) bool {
	lbo, sbo := o.LBO/16*unit, o.SBO/16*unit
	extent := o.Extent
	if extent == 0 {
		extent = min(maxMN, dimOf(l, "MN").Size)
	}
	for mn := range extent {
		for k := range 2 * unit {
			var want int
			switch w := m.width * unit; {
			case o.Major == "K":
				want = mn%8*w + mn/8*sbo + k%unit + k/unit*lbo
			case m.plain():
				want = mn%unit + mn/unit*sbo + k%8*unit + k/8*lbo
			default:
				want = mn%w + mn/w*lbo + k%m.rows*w + k/m.rows*sbo
			}
			coord := []int{mn, k}
			if !mnFirst {
				coord = []int{k, mn}
			}
			if l.Plain().At(coord...) != want {
				return false
			}
		}
	}
	return true
}

// TestCanonical: every canonical layout gives its offsets back, however its dims are ordered; one with another stride, size or swizzle is
// refused, or its new offsets describe each element.
func TestCanonical(t *testing.T) {
	rng, refused, accepted := random.New(t), 0, 0
	for range random.Cases(t, "TLAYOUT_TEST_DESCRIPTORS", 20_000) {
		bits, major := []int{4, 8, 16, 32}[rng.IntN(4)], []string{"K", "MN"}[rng.IntN(2)]
		m, unit := modes[rng.IntN(len(modes))], 128/bits
		if major == "K" && m.k == "" || major == "MN" && (bits == 4 || bits == 32 && m.rows == 8) {
			continue
		}
		mn, k, lbo, sbo := canonical(rng, m, major, unit)
		if rng.IntN(2) == 0 { // a fault
			digits := [][]tensor.Digit{mn, k}[rng.IntN(2)]
			g := &digits[rng.IntN(len(digits))]
			switch rng.IntN(4) {
			case 0:
				g.Stride += []int{-1, 1, unit, -unit}[rng.IntN(4)]
			case 1:
				g.Stride *= 2
			case 2:
				g.Extent = max(1, g.Extent/2)
			case 3:
				g.Extent++
			}
			checkChanged(t, m, major, bits, dim("MN", mn), dim("K", k), &accepted, &refused)
			continue
		}
		first, second, i := dim("MN", mn), dim("K", k), 0
		if rng.IntN(2) == 0 {
			first, second = second, first
		}
		if major == "MN" {
			i = 1
		}
		l := swizzled(t, m, bits, first, second)
		both, err := Of(l, bits)
		if err != nil {
			t.Fatal(err)
		}
		o := both[i]
		if last := mn[len(mn)-1]; last.Extent == 1 && (major == "K" || m.plain()) {
			sbo = 0
		} else if last.Extent == 1 {
			lbo = 0
		}
		if major == "MN" && 2*unit/m.rows == 1 && m.plain() {
			lbo = 0
		} else if major == "MN" && 2*unit/m.rows == 1 {
			sbo = 0
		}
		if !o.OK || o.MN != "MN" || o.LBOUnits*unit != lbo || o.SBOUnits*unit != sbo || !describes(m, o, l, unit, l.Dim(0).Name == "MN") {
			t.Fatalf("%s of %d bits as %s-major: %+v, expected LBO %d, SBO %d elements", l, bits, major, o, lbo, sbo)
		}
	}
	if refused < 500 || accepted < 100 {
		t.Errorf("of the changed layouts, %d refused, %d accepted", refused, accepted)
	}
}

// swizzled is a layout with the swizzle of a mode.
func swizzled(t *testing.T, m mode, bits int, dims ...tensor.Dim) tensor.Layout {
	t.Helper()
	l, err := tensor.New(dims, 0, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	if l, err = l.Swizzled(m.swizzle.Recast(8, bits), tensor.Unbounded); err != nil {
		t.Fatal(err)
	}
	return l
}

// checkChanged: a descriptor of a changed layout describes its elements; a layout without one has a reason.
func checkChanged(t *testing.T, m mode, major string, bits int, mn, k tensor.Dim, accepted, refused *int) {
	t.Helper()
	l, i := swizzled(t, m, bits, mn, k), 0
	if major == "MN" {
		i = 1
	}
	both, err := Of(l, bits)
	if err != nil {
		t.Fatal(err)
	}
	switch o := both[i]; {
	case o.MN != "MN":
	case o.OK && !describes(m, o, l, 128/bits, true):
		t.Fatalf("%s of %d bits: %+v does not describe it", l, bits, o)
	case o.OK:
		*accepted++
	case o.Why == "" || o.Canonical == "" || o.SM100 != nil:
		t.Fatalf("%s of %d bits: %+v", l, bits, o)
	default:
		*refused++
	}
}

// Of three dims, the one that walks from tile to tile counts them.
func TestTiles(t *testing.T) {
	for layout, want := range map[string]string{
		"Sw<3,3,3> o (3,128,64):(8192,64,1)": "d1 d2", "Sw<3,3,3> o (128,64,3):(64,1,8192)": "d0 d1", "Sw<3,3,3> o (1,128,64):(0,64,1)": "d1 d2",
	} {
		both, err := Of(parsed(t, layout), 16)
		if err != nil {
			t.Fatal(err)
		}
		if k := both[0]; !k.OK || k.MN+" "+k.K != want || k.SBOUnits != 64 {
			t.Errorf("%s: %+v, want the tile %s", layout, k, want)
		}
	}
}
