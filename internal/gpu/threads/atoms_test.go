package threads

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

//go:embed testdata/atoms.txt
var expectedAtoms string

// differ are atoms of tensor-layouts 0.3.2 whose layout is not CUTLASS's, and not a layout: elements that two threads hold.
var differ = []string{"SM80_16x8x32_S32S4S4S32_TN B"}

// Atoms are as tensor-layouts 0.3.2 has them for NVIDIA, and AMD's matrix instruction calculator for AMD: testdata/atoms.py.
func TestAtomsAsOthers(t *testing.T) {
	parts := 0
	for line := range strings.Lines(expectedAtoms) {
		words := strings.Fields(line)
		for _, word := range words[1:] {
			part, want, _ := strings.Cut(word, "=")
			parts++
			l, err := Parse(words[0]+":"+part, nil)
			if got := digest(l); err != nil || (got != want) != slices.Contains(differ, words[0]+" "+part) {
				t.Errorf("%s of %s: %s, want %s; %v", part, words[0], got, want, err)
			}
		}
	}
	if parts < 440 {
		t.Errorf("compared %d parts", parts)
	}
}

// digest hashes the coordinates by thread, then value.
func digest(l Layout) string {
	var all []string
	for thread := range l.Threads {
		for value := range l.Values {
			all = append(all, text.Ints(l.At(thread, value), ","))
		}
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(all, ";"))))[:8]
}

// Each row covers its tile, and holds all elements equally often: once, except for what lanes share.
func TestAtomsCover(t *testing.T) {
	seen := map[string]bool{}
	for _, named := range Atoms() {
		name := named.Name
		a, err := FindAtom(name)
		if err != nil || a.Name != name || a.Source == "" {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		for k, part := range a.Parts {
			layout := a.fill(a.layouts[k])
			if seen[layout] || layout[0] == '@' {
				continue
			}
			seen[layout] = true
			l, err := a.Layout(part)
			if err != nil {
				t.Errorf("%s of %s: %v", part, name, err)
				continue
			}
			shared := strings.Contains(layout, ",0") && l.Values > 1 || strings.Contains(layout, "(0,")
			if least, most := l.Holders(); least < 1 || least != most || most > 1 != shared && l.Threads > 1 {
				t.Errorf("%s of %s: %d to %d values hold an element", part, name, least, most)
			}
		}
	}
}

// Cells by hand, from the formulas of the PTX ISA ("Matrix Fragments for mma.m16n8k16 with floating point type", …) for lane T and
// value i, and from AMD's calculator; bits and warps, too.
func TestAtomCells(t *testing.T) {
	for _, c := range []struct {
		name          string
		thread, value int
		at            []int
		bits, warp    int
	}{
		// a0,a1: row T/4; a2,a3: row T/4 + 8; a4 to a7: those with column 8 more. Columns T%4·2 + i%2.
		{"mma.m16n8k16.f32.f16.f16.f32:A", 5, 0, []int{1, 2}, 16, 32},
		{"mma.m16n8k16.f32.f16.f16.f32:A", 5, 7, []int{9, 11}, 16, 32},
		{"SM80_16x8x16_F32F16F16F32_TN:A", 31, 4, []int{7, 14}, 16, 32},
		// b0,b1: rows (K) T%4·2 + i; b2,b3: 8 more; column (N) T/4.
		{"SM80_16x8x16_F32F16F16F32_TN:B", 6, 3, []int{1, 13}, 16, 32},
		// c0,c1: row T/4; c2,c3: row T/4 + 8.
		{"SM80_16x8x16_F32F16F16F32_TN", 5, 3, []int{9, 3}, 32, 32},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 31, 2, []int{15, 6}, 16, 32},
		// m8n8k4 .f64: row T/4, column T%4; c: row T/4, column T%4·2 + i.
		{"mma.m8n8k4.f64.f64.f64.f64:A", 13, 0, []int{3, 1}, 64, 32},
		{"mma.m8n8k4.f64.f64.f64.f64:C", 13, 1, []int{3, 3}, 64, 32},
		// m8n8k4 .f16, C of .f32: row X + (i & 2), X = T&1 (+ 4 from lane 16 on); column (i & 4) + (T & 2) + (i & 1).
		{"mma.m8n8k4.f32.f16.f16.f32:C", 3, 7, []int{3, 7}, 32, 32},
		{"mma.m8n8k4.f32.f16.f16.f32:C", 4, 0, []int{4, 0}, 32, 32},
		{"wgmma.m64n128k16.f32.f16.f16:A", 127, 7, []int{63, 15}, 16, 32},
		{"SM90::GMMA::MMA_64x128x16_F32BF16BF16_SS<SM90::GMMA::Major::K, SM90::GMMA::Major::K>", 127, 63, []int{63, 127}, 32, 32},
		// ldmatrix: T/4 is the row, T%4·2 + i the column; .trans exchanges both.
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 5, 7, []int{25, 3}, 16, 32},
		{"ldmatrix.x4.trans", 5, 7, []int{27, 1}, 16, 32},
		{"SM75_U32x4_LDSM_N:src", 9, 3, []int{9, 3}, 16, 32},
		// A[3][5] is v0{35}.[31:16], D[14][3] is v6{35}.
		{"v_mfma_f32_32x32x8_f16:A", 35, 1, []int{3, 5}, 16, 64},
		{"mfma_f32_32x32x8f16", 35, 6, []int{14, 3}, 32, 64},
		{"mfma_f32_32x32x16_f16:A", 33, 7, []int{1, 15}, 16, 64},
		{"mfma_i32_16x16x64_i8:B", 63, 15, []int{15, 63}, 8, 64},
		{"v_mfma_scale_f32_16x16x128_f8f6f4.f8:A", 17, 16, []int{1, 80}, 8, 64},
		{"mfma_scale_f32_16x16x128_f8f6f4.f6:B", 17, 16, []int{1, 48}, 6, 64},
		{"SM80_8x8x4_C64C64C64C64_TN", 0, 1, []int{0, 1}, 128, 32},
		{"SM89_16x8x32_F32E4M3E5M2F32_TN:B", 0, 0, []int{0, 0}, 8, 32},
		{"SM80_16x8x4:B", 9, 0, []int{2, 1}, 32, 32},
		{"mma.m16n8k16.s32:A", 0, 3, []int{0, 3}, 0, 32},
		{"mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e2m1.e4m3.f32:A", 0, 4, []int{8, 0}, 8, 32},
		{"mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3:B", 4, 0, []int{1, 0}, 4, 32},
	} {
		l, err := Parse(c.name, nil)
		if err != nil || !slices.Equal(l.At(c.thread, c.value), c.at) || l.Bits != c.bits || l.Warp != c.warp {
			t.Errorf("%s: %v; T%d V%d of %d bits in warps of %d, want %+v", c.name, err, c.thread, c.value, l.Bits, l.Warp, c)
		}
	}
}

func TestAtomRefusals(t *testing.T) {
	for s, want := range map[string]string{
		"SM80_16x8x16_F32F16F16F23_TN":   "usage: did you mean SM80_16x8x16_F32F16F16F32_TN?",
		"mma.m16n8k16":                   "usage: for example mma.m16n8k16.f16.f16.f16.f16 and mma.m16n8k16.s32.s8.s8.s32",
		"wmma_f32_16x16x16_f16":          "usage: for example wmma_f32_16x16x16_f16.gfx11 and wmma_f32_16x16x16_f16.gfx12",
		"mfma_scale_f32_32x32x64_f8f6f4": "usage: for example mfma_scale_f32_32x32x64_f8f6f4.f8 and mfma_scale_f32_32x32x64_f8f6f4.f6",
		"SM80_8x8x4_F64F64F64F64_TN:D":   "usage: its parts are A, B and C",
		"SM90_64x12x16_F16F16F16_SS":     "usage: did you mean SM90_64x16x16_F16F16F16_SS?",
		"SM90_64x128x16_F16F16F16_SS:B":  "unsupported: ",
		"SM100_MMA_F16BF16_SS<half_t>:C": "unsupported: ",
		"": "usage: write ((4,8),(2,2)):((32,1),(16,8)) with --tile 16,8, or an atom: " +
			"SM80_16x8x16_F32F16F16F32_TN:A, ldmatrix.x4, mfma_f32_32x32x8f16, tmem.D.n64",
	} {
		_, err := Parse(s, nil)
		if r := fault.RecordOf(err); r == nil || fmt.Sprintf("%v: %s", fault.ClassOf(err), r.Hint) != want {
			t.Errorf("%q: %v, %+v, want %s", s, err, r, want)
		}
	}
	if _, err := Parse("ldmatrix.x1", []int{8, 16}); fault.ClassOf(err) != fault.Usage {
		t.Errorf("ldmatrix.x1 over another tile: %v", err)
	}
	if _, err := Parse("ldmatrix.x1", []int{8, 8}); err != nil {
		t.Error(err)
	}
}
