package framework

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// tmaTypes are types of half a byte, and of 1, 2, 4 and 8 bytes.
var tmaTypes = []string{"int4", "int8", "float16", "float32", "float64"}

// offerStrided is a strided tensor, with room for it.
func offerStrided(t *testing.T, s tensor.Strided, typ string) Offer {
	t.Helper()
	o := readOffer(t, "(1):(1)@0", typ)
	l, err := s.Layout(nil, s.Offset+s.StorageElems())
	if err != nil {
		t.Fatal(err)
	}
	o.Layout, o.Stored, o.Overlapping = l, l, l.Occupancy().Overlapping
	return o
}

// encodes is what cuda.h requires of the dims and strides, in elements, for one order of the dims, innermost first.
func encodes(s tensor.Strided, order []int, bits int) bool {
	extent := 1
	for k, d := range order {
		stride := int64(s.Strides[d]) * int64(bits)
		switch {
		case k == 0 && bits == 4 && s.Shape[d]%2 != 0:
			return false
		case k == 0 && s.Strides[d] != 1 && s.Shape[d] > 1:
			return false
		case k > 0 && (stride%128 != 0 || stride >= 1<<43 || stride <= 0):
			return false
		case s.Shape[d] > 1 && s.Strides[d] < extent:
			return false
		case s.Shape[d] > 1:
			extent = s.Strides[d] * s.Shape[d]
		}
	}
	return s.Offset*bits%128 == 0
}

// TestTMA: TMA accepts random tensors if and only if the dims in some order are what cuda.h requires. The strides of a refusal are
// accepted, and the named one is the next multiple of 16 bytes.
func TestTMA(t *testing.T) {
	d, seen := rand.New(rand.NewPCG(9, 0)), map[string]int{}
	for range 3000 {
		rank, run, typ := 1+d.IntN(4), 1, tmaTypes[d.IntN(len(tmaTypes))]
		s := tensor.Strided{Shape: make([]int, rank), Strides: make([]int, rank), Offset: d.IntN(5) / 3 * d.IntN(17)}
		for _, i := range d.Perm(rank) {
			s.Shape[i] = []int{1, 2, 3, 8, 16, 32}[d.IntN(6)]
			s.Strides[i] = run + d.IntN(8)/7*d.IntN(16)
			if d.IntN(20) == 0 {
				s.Strides[i] = 0
			}
			run = max(run, s.Strides[i]*s.Shape[i])
		}
		o := offerStrided(t, s, typ)
		bits, a := o.DType.Bits(), TMA.Accepts(o)
		want := slices.ContainsFunc(ints.Permutations(rank), func(order []int) bool { return encodes(s, order, bits) })
		if a.OK != want {
			t.Fatalf("%s of %d bits: %+v, cuda.h says %v", o.Layout, bits, a, want)
		}
		why, _, pitched := strings.Cut(a.Why, " bytes, not a multiple of 16; a stride of ")
		if seen[strconv.FormatBool(a.OK)]++; a.OK || !pitched {
			continue
		}
		seen["pitch"]++
		named := rising(s, TMA.innermost(s, o.DType))[0] // rows
		if name, _, outer := strings.Cut(why, "-stride"); outer {
			named = slices.Index(o.Layout.Names(), name)
		}
		padded := tensor.Strided{Shape: s.Shape}
		for _, stride := range TMA.padded(s, TMA.innermost(s, o.DType), o.DType) {
			padded.Strides = append(padded.Strides, int(stride))
		}
		if inner := TMA.innermost(s, o.DType); padded.Strides[named]*bits != ints.CeilDiv(s.Strides[named]*bits, 128)*128 || padded.Strides[inner] != s.Strides[inner] {
			t.Fatalf("%s of %d bits: %s; padded to %v", o.Layout, bits, a.Why, padded.Strides)
		}
		if p := TMA.Accepts(offerStrided(t, padded, typ)); !p.OK && !slices.Contains(s.Strides, 0) {
			t.Fatalf("%s of %d bits: %s; padded to %v: %+v", o.Layout, bits, a.Why, padded.Strides, p)
		}
	}
	if seen["true"] < 300 || seen["false"] < 300 || seen["pitch"] < 100 {
		t.Errorf("answers: %v", seen)
	}
}

// TestPitch: threads about TMA, and the words of each refusal.
func TestPitch(t *testing.T) {
	for _, c := range []struct{ layout, typ, why string }{
		// triton #10927
		{"(64,511):(511,1)@0", "bfloat16", "rows are 1022 bytes, not a multiple of 16; a stride of 512 elements, 1024 bytes, takes 0.2% more memory"},
		// FlagGems #2489 and #4471: a view with gaps, an odd offset, one row, a transposed matrix
		{"(64,64):(65,1)@0", "float16", "rows are 130 bytes, not a multiple of 16; a stride of 72 elements, 144 bytes, takes 10.6% more memory; " +
			".contiguous() copies some bytes and would do"},
		{"(64,64):(64,1)@1", "float16", "it starts at byte 2 of its storage, not at a multiple of 16"},
		{"(1,511):(511,1)@0", "float16", "rows are 1022 bytes, not a multiple of 16; a stride of 512 elements, 1024 bytes, takes no more memory"},
		{"(1,64):(1,1)@0", "float16", "rows are 2 bytes, not a multiple of 16; a stride of 8 elements, 16 bytes, takes no more memory"},
		{"(64,30):(1,62)@0", "float16", "a stride is smaller than the extent of the dims inside it"},
		{"(62,30):(1,62)@0", "float16", "d1-stride is 124 bytes, not a multiple of 16; a stride of 64 elements, 128 bytes, takes 3.1% more memory"},
		{"(64,30):(1,64)@0", "float16", "its first dim is d0; Triton's TensorDescriptor needs stride 1 in the last one; " +
			"boxes of at most 256 per dim; of d0, a multiple of 8, at most 16, 32 or 64 with SWIZZLE_32B, _64B or _128B"},
		// a box of (64,128) float16 with SWIZZLE_128B does not fit
		{"(64,128):(128,1)@0", "float16", "boxes of at most 256 per dim; of d1, a multiple of 8, at most 16, 32 or 64 with SWIZZLE_32B, _64B or _128B"},
		{"(64,128):(128,1)@0", "int8", "boxes of at most 256 per dim; of d1, a multiple of 16, at most 32, 64 or 128 with SWIZZLE_32B, _64B or _128B"},
		{"(64,255):(255,1)@0", "uint4", "d1 is 255: its elements must fill whole bytes"},
		{"(64,254):(255,1)@0", "uint4", "rows are 127.5 bytes, not a multiple of 16; a stride of 256 elements, 128 bytes, takes 0.4% more memory"},
		{"(64,256):(256,1)@1", "uint4", "it starts at byte 0 high of its storage, not at a multiple of 16"},
		{"(64,64):(0,1)@0", "float16", "d0-stride is 0: broadcast; .contiguous() copies some bytes and would do"},
		{"(64,64):(128,2)@0", "float16", "no dim has stride 1; .contiguous() copies some bytes and would do"},
		{"(4,64):(-64,1)@192", "float16", "strides are unsigned"},
		{"(2,2,2,2,2,16):(256,128,64,32,16,1)@0", "float32", "it accepts 1 to 5 dims"},
		{"(2,0):(16,1)@0", "float32", "sizes must be at least 1"},
		{"(2,16):(16,1)@0", "complex128", "unsupported type complex128"},
	} {
		if a := TMA.Accepts(readOffer(t, c.layout, c.typ)); a.Why != c.why {
			t.Errorf("%s of %s: %q, expected %q", c.layout, c.typ, a.Why, c.why)
		}
	}
	if strconv.IntSize == 32 {
		return
	}
	for text, why := range map[string]string{
		"(2,16):(137438953472,1)": "d0-stride is 1099511627776 bytes: they must be less than 2^40", "(2,16):(137438953470,1)": boxes64("d1"),
		"(4294967312):(1)": "d0 is 4294967312: sizes are at most 2^32", "(4294967296):(1)": boxes64("d0"),
	} {
		o := offerOf(t, text)
		o.DType = readOffer(t, "(1):(1)@0", "float64").DType
		if a := TMA.Accepts(o); a.Why != why {
			t.Errorf("%s: %q, expected %q", text, a.Why, why)
		}
	}
}

// boxes64 is the condition of a yes for elements of 8 bytes.
func boxes64(dim string) string {
	return "boxes of at most 256 per dim; of " + dim + ", a multiple of 2, at most 4, 8 or 16 with SWIZZLE_32B, _64B or _128B"
}

// TestAxesOfBlocks: of a blocked tensor, a framework is given the axes of memory, which must be what it accepts.
func TestAxesOfBlocks(t *testing.T) {
	for layout, want := range map[string]string{
		"(2,(16,2),3):(96,(1,48),16)":  "JAX TMA ONNX Runtime TensorFlow",
		"(2,(4,2),3):(24,(1,12),4)":    "JAX TMA ONNX Runtime TensorFlow",
		"(2,(2,2),3):(12,(1,6),2)":     "JAX ONNX Runtime TensorFlow",
		"(2,(16,2),3):(160,(1,64),16)": "TMA",
	} {
		var got []string
		for _, f := range []*Framework{JAX, TMA, ONNXRuntime, TensorFlow} {
			if a := f.Accepts(offerOf(t, layout)); a.OK && strings.HasPrefix(a.Why, "as an array of shape ") {
				got = append(got, f.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s is accepted by %v, expected %s", layout, got, want)
		}
	}
}
