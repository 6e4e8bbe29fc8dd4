package shared

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// parse returns the layout of a text.
func parse(t *testing.T, s string) tensor.Layout {
	t.Helper()
	l, err := notation.Parse(s)
	if err != nil || l.Exact == nil {
		t.Fatalf("%s: %v", s, err)
	}
	return *l.Exact
}

// TestPublished: bank conflicts that others publish.
func TestPublished(t *testing.T) {
	const (
		oxide   = "NVlabs/cuda-oxide pull request 544, worst conflict"
		guide   = "CUDA C++ Programming Guide 12, strided shared memory accesses"
		hgemm   = "Bruce-Lee-LY/cuda_hgemm issue 4: ldmatrix.x2.trans has 2 conflicts"
		vulkan  = "halo-box/llama.cpp pull request 14: the conflict is gcd(stride, 32)"
		imp     = "kekzl/imp pull request 484: rows of 128 bytes up to 8-way, of 144 bytes conflict-free"
		cutlass = "NVIDIA/cutlass issue 3172: Sw<3,3,4> on an M-major (128,8)"
		forum   = "forums.developer.nvidia.com/t/278716: 8 rows of ldmatrix in banks 0 to 3"
		column  = "dcbaslani.xyz/blog/05_swizzling: columns 0 and 4 on the same bank"
		bank32  = "Yinghan-Li/YHs_Sample issue 1: 132 floats instead of 128 avoid conflicts"
	)
	for _, c := range []struct {
		layout  string
		size    int
		pattern string
		degree  int
		source  string
	}{
		{"(32,32):(32,1)", 4, "columns", 32, oxide}, {"(32,64):(64,1)", 4, "columns", 32, oxide}, {"(32,16):(16,1)", 4, "columns", 16, oxide},
		{"(32,32):(33,1)", 4, "columns", 1, oxide}, {"Sw<5,0,5> o (32,32):(32,1)", 4, "columns", 1, oxide},
		{"Sw<3,0,5> o (32,32):(32,1)", 4, "columns", 4, oxide}, {"Sw<2,0,5> o (32,32):(32,1)", 4, "columns", 8, oxide},
		{"(32):(1)", 4, "rows", 1, guide}, {"(32):(2)", 4, "rows", 2, guide}, {"(32):(3)", 4, "rows", 1, guide},
		{"(16,8):(16,1)", 2, "ldmatrix.x2.trans", 2, hgemm},
		{"(32,16):(20,1)", 4, "columns", 4, vulkan}, {"(32,16):(18,1)", 4, "columns", 2, vulkan},
		{"(8,128):(128,1)", 1, "((4,8),4):((32,1),8)", 8, imp}, {"(8,128):(144,1)", 1, "((4,8),4):((32,1),8)", 1, imp},
		{"Sw<3,3,4> o (128,8):(1,128)", 2, "ldmatrix.x4.trans", 1, cutlass},
		{"(8,64):(64,1)", 2, "ldmatrix.x4", 8, forum}, {"(8,8):(1,8)", 4, "rows", 2, column},
		{"(8,128):(132,1)", 4, "columns:16", 1, bank32}, {"(8,128):(128,1)", 4, "columns:16", 8, bank32},
	} {
		cost, err := Simulate(c.pattern, parse(t, c.layout), c.size)
		if err != nil || cost.Degree != c.degree {
			t.Errorf("%s of %d bytes, %s: %d-way, %v; %s has %d", c.layout, c.size, c.pattern, cost.Degree, err, c.source, c.degree)
		}
	}
}

// TestTensorLayouts: per_group_bank_conflicts of tensor-layouts 0.3.2 counts the same in random layouts. Each line of the file has a
// layout, the bytes of an element, a pattern, and its accesses, transactions and degree.
func TestTensorLayouts(t *testing.T) {
	lines, err := os.ReadFile("testdata/tensor_layouts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		cost, err := Simulate(cells[2], parse(t, cells[0]), int(cells[1][0]-'0'))
		got := fmt.Sprint(cost.Accesses, cost.Transactions, cost.Degree)
		if want := strings.Join(cells[3:], " "); err != nil || got != want {
			t.Errorf("%s of %s bytes, %s: %s, %v, want %s", cells[0], cells[1], cells[2], got, err, want)
		}
	}
}

// TestCompare: fewer transactions are cheaper, then fewer bytes.
func TestCompare(t *testing.T) {
	few, many := Choice{BankCounts: BankCounts{Transactions: 8}, Bytes: 9}, Choice{BankCounts: BankCounts{Transactions: 9}, Bytes: 8}
	large := Choice{BankCounts: BankCounts{Transactions: 8}, Bytes: 10}
	if few.Compare(many) >= 0 || few.Compare(large) >= 0 || few.Compare(few) != 0 || large.Compare(few) <= 0 {
		t.Error("choices are in another order")
	}
}

// TestKnownSwizzles: the cheapest swizzle and pad of common tiles.
func TestKnownSwizzles(t *testing.T) {
	for _, c := range []struct {
		layout, pattern string
		size            int
		swizzle, pad    string
		span            int    // of the mode of TMA that writes the swizzle; 0 without one
		counts          [3]int // transactions: plain, with the swizzle, with the pad
	}{
		{"(8,64):(64,1)", "columns:16", 2, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(72,1)", 128, [3]int{64, 8, 8}},
		{"(32,32):(32,1)", "columns", 4, "Sw<5,0,5> o 0 o (32,32):(32,1)", "(32,32):(33,1)", 0, [3]int{1024, 32, 32}},
		{"(64,32):(32,1)", "ldmatrix", 2, "Sw<2,3,3> o 0 o (64,32):(32,1)", "(64,32):(40,1)", 64, [3]int{128, 32, 32}},
		{"(128,64):(64,1)", "columns:16", 1, "Sw<2,4,3> o 0 o (128,64):(64,1)", "(128,64):(80,1)", 64, [3]int{256, 64, 64}},
		{"(64,128):(128,1)", "ldmatrix.x4", 2, "Sw<3,3,4> o 0 o (64,128):(128,1)", "(64,128):(136,1)", 0, [3]int{1024, 128, 128}},
		{"(128,8):(1,128)", "ldmatrix.trans", 2, "Sw<3,3,4> o 0 o (128,8):(1,128)", "(128,8):(1,136)", 0, [3]int{128, 16, 16}},
		{"(2,32):(32,1)", "columns", 4, "Sw<1,4,1> o 0 o (2,32):(32,1)", "(2,32):(48,1)", 0, [3]int{4, 2, 2}},
		{"(2,8,64):(512,64,1)", "ldmatrix", 2, "Sw<3,3,3> o 0 o (2,8,64):(512,64,1)", "(2,8,64):(576,72,1)", 128, [3]int{128, 16, 16}},
		{"(64,16):(16,1)", "stmatrix", 2, "Sw<1,3,3> o 0 o (64,16):(16,1)", "(64,16):(24,1)", 32, [3]int{32, 16, 16}},
	} {
		s, err := NewSearch(parse(t, c.layout), c.size, []string{c.pattern})
		if err != nil {
			t.Fatal(err)
		}
		z, _ := s.Swizzle()
		p, _ := s.Pad()
		got := [3]int{s.Given.Transactions, z.Transactions, p.Transactions}
		if got != c.counts || z.Text != c.swizzle || p.Text != c.pad {
			t.Errorf("%s, %s: %v with %s and %s; want %v with %s and %s", c.layout, c.pattern, got, z.Text, p.Text, c.counts, c.swizzle, c.pad)
		}
		if mode := s.Mode(z.Layout); spans[mode] != c.span {
			t.Errorf("%s, %s: %q writes it, want %d bytes", c.layout, c.pattern, mode, c.span)
		}
	}
}

// spans are the rows of modes of TMA, in bytes.
var spans = map[string]int{"SWIZZLE_128B": 128, "SWIZZLE_64B": 64, "SWIZZLE_32B": 32}

// TestTMA: element (r, c) of a tile is in row R = k·rows + r of its box k = ⌊c/n⌋, in the chunk of 16 bytes that is its own XOR R mod 8 for a
// span of 128 bytes, ⌊R/2⌋ mod 4 for 64, ⌊R/4⌋ mod 2 for 32: the bits of CUTLASS' swizzles, counted in rows.
func TestTMA(t *testing.T) {
	d, seen := rand.New(rand.NewPCG(7, 7)), map[int]int{}
	for range 200 {
		shape, size := []int{4 + 4*d.IntN(8), 16 * (1 + d.IntN(8))}, 1<<d.IntN(4)
		pattern := []string{"columns", "columns:16", "rows:16", "columns:8"}[d.IntN(4)]
		s, err := NewSearch(strided(t, shape, []int{shape[1], 1}), size, []string{pattern})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := s.TMA()
		span := spans[c.Mode]
		if !ok {
			if shape[1]*size%32 == 0 {
				t.Errorf("%s of %d bytes has no mode", s.plain.Text, size)
			}
			continue
		}
		seen[span]++
		for r := range shape[0] {
			for x := range shape[1] {
				box, at := x*size/span, x*size%span
				row := box*shape[0] + r
				chunk := at/16 ^ map[int]int{128: row % 8, 64: row / 2 % 4, 32: row / 4 % 2}[span]
				if got, want := c.Layout.At(r, x)*size, row*span+chunk*16+at%16; got != want {
					t.Fatalf("%s of %d bytes, span %d: (%d,%d) is at byte %d of %s, want %d", s.plain.Text, size, span, r, x, got, c.Text, want)
				}
			}
		}
	}
	if seen[32] < 10 || seen[64] < 10 || seen[128] < 10 {
		t.Errorf("spans %v", seen)
	}
	for _, c := range []struct {
		layout string
		span   int
		text   string
	}{
		{"(64,128):(128,1)", 128, "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))"}, {"(8,64):(96,1)", 0, ""}, {"(8,12):(12,1)", 0, ""},
		{"(4,64):(64,1)", 32, "Sw<1,3,3> o 0 o (4,(16,4)):(16,(1,64))"},
	} {
		s, err := NewSearch(parse(t, c.layout), 2, []string{"columns:8"})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := s.TMA(); spans[got.Mode] != c.span || got.Text != c.text || s.Mode(s.plain.Layout) != "" {
			t.Errorf("%s: %s, %s; want %d, %s", c.layout, got.Mode, got.Text, c.span, c.text)
		}
	}
	s, err := NewSearch(parse(t, "(4,64):(64,1)"), 2, []string{"columns:16", "rows:16"})
	if err != nil {
		t.Fatal(err)
	}
	for z, want := range map[tensor.Swizzle]string{
		{Bits: 2, Base: 3, Shift: 3}: "SWIZZLE_128B", // of 4 rows, two bits are all
		{Bits: 2, Base: 4, Shift: 2}: "SWIZZLE_128B_ATOM_32B", {Bits: 1, Base: 3, Shift: 3}: "", {}: "",
	} {
		if mode := s.Mode(swizzled(t, parse(t, "(4,64):(64,1)"), z)); mode != want {
			t.Errorf("%q writes %s, want %q", mode, z, want)
		}
	}
}

// TestSearch: the swizzle and the pad of random tiles and patterns are the cheapest of all swizzles and pads whose vectors are whole.
func TestSearch(t *testing.T) {
	d := rand.New(rand.NewPCG(6, 5))
	found := map[string]int{}
	for range 40 {
		shape, size := []int{[]int{2, 8, 20, 24, 32}[d.IntN(5)], []int{4, 8, 16, 32, 48, 64}[d.IntN(6)]}, 1<<d.IntN(4)
		l := strided(t, shape, [][]int{{shape[1], 1}, {1, shape[0]}, {shape[1] + 8, 1}}[d.IntN(3)])
		var patterns []string
		for range 1 + d.IntN(2) {
			patterns = append(patterns, random(d, l, size))
		}
		s, err := NewSearch(l, size, patterns)
		if err != nil {
			continue
		}
		row := max(l.Dim(0).Digits[0].Stride, l.Dim(1).Digits[0].Stride)
		var swizzle, pad Choice
		for b := 1; b <= 5; b++ {
			for m := range 8 {
				for shift := b; shift <= 12; shift++ {
					cheapest(&swizzle, s, swizzled(t, l, tensor.Swizzle{Bits: b, Base: m, Shift: shift}), row)
				}
			}
		}
		for extra := 1; extra <= 160; extra++ {
			strides := []int{row + extra, 1}
			if l.Dim(0).Digits[0].Stride == 1 {
				strides = []int{1, row + extra}
			}
			cheapest(&pad, s, strided(t, shape, strides), row+extra)
		}
		for _, c := range []struct {
			want Choice
			find func() (Choice, bool)
		}{{swizzle, s.Swizzle}, {pad, s.Pad}} {
			got, ok := c.find()
			better := c.want.Accesses > 0 && c.want.Transactions < s.plain.Transactions
			if ok != better || ok && (got.Transactions != c.want.Transactions || got.Bytes != c.want.Bytes) {
				t.Fatalf("%s of %d bytes, %v: %+v, want %+v", l, size, patterns, got, c.want)
			} else if ok {
				found[got.Kind]++
			}
		}
	}
	if found["swizzle"] < 8 || found["pad"] < 8 {
		t.Errorf("found %v", found)
	}
}

// cheapest keeps the cheaper of a choice and a layout whose rows have row elements, unless that breaks a vector.
func cheapest(best *Choice, s *Search, l tensor.Layout, row int) {
	c := Choice{Text: l.String(), Bytes: (l.Alloc() + row - 1) / row * row * s.size}
	var offsets []int
	for _, off := range l.Logical() {
		offsets = append(offsets, off)
	}
	for k := range s.Patterns {
		p := &s.Patterns[k]
		for _, access := range p.accesses {
			words, banks := map[int]bool{}, [32]int{}
			for i, e := range access {
				if at := offsets[access[i-i%p.n]]; at%p.n != 0 || offsets[e] != at+i%p.n {
					return
				}
				for b := 0; b < s.size; b += min(s.size, 4) {
					if word := (offsets[e]*s.size + b) / 4; !words[word] {
						words[word] = true
						banks[word%32]++
					}
				}
			}
			c.Accesses, c.Transactions = c.Accesses+1, c.Transactions+slices.Max(banks[:])
		}
	}
	if best.Accesses == 0 || cmp.Or(c.Transactions-best.Transactions, c.Bytes-best.Bytes) < 0 {
		*best = c
	}
}

// TestChoicesHoldAll: the swizzle, the pad and the box that are proposed for a tile, also of negative strides, keep each element in a place of
// its own, within the bytes that the choice has. Tiles with negative strides have no rows to pad.
func TestChoicesHoldAll(t *testing.T) {
	found := map[string]int{}
	for _, text := range []string{
		"(32,32):(32,1)", "(32,32):(1,32)", "(2,32,32):(1024,32,1)", "(2,32,32):(-1024,32,1)@1024", "(32,2,32):(32,-1024,1)@1024",
		"(32,32):(-32,1)@992", "(32,32):(32,-1)@31", "(32,32):(33,-1)@31", "(32,(4,8)):(32,(1,4))", "(2,32,32):(-1024,-32,1)@2016",
	} {
		for _, size := range []int{2, 4} {
			s, err := NewSearch(parse(t, text), size, []string{"columns"})
			if err != nil {
				t.Fatal(err)
			}
			for _, find := range []func() (Choice, bool){s.Swizzle, s.Pad, s.TMA} {
				c, ok := find()
				if !ok {
					continue
				}
				found[c.Kind]++
				if c.Kind != "swizzle" && strings.Contains(text, "-") {
					t.Errorf("%s: %s %s has a negative stride", text, c.Kind, c.Text)
				}
				places := offsetsOf(c.Layout)
				slices.Sort(places)
				if n := len(slices.Compact(places)); n != c.Layout.Numel() || places[0] < 0 || (places[n-1]+1)*size > c.Bytes {
					t.Errorf("%s: %s %s has %d elements in %d places of %d bytes", text, c.Kind, c.Text, c.Layout.Numel(), n, c.Bytes)
				}
			}
		}
	}
	if found["swizzle"] == 0 || found["pad"] == 0 || found["tma"] == 0 {
		t.Errorf("found %v", found)
	}
}
