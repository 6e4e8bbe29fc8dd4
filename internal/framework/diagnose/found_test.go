package diagnose

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// TestFound: what unknown messages of public threads, and texts without tensors, are said to hold; and never what they are not.
func TestFound(t *testing.T) {
	for _, c := range []struct {
		text, fact, command string // fact is empty if nothing is found
	}{
		{"add got incompatible shapes for broadcasting: (3, 224, 224), (224, 224, 3).", "(3, 224, 224).permute(1, 2, 0) has shape (224, 224, 3); dims of equal", "tlayout trace --shape 3,224,224 'permute(1,2,0)'"},
		{"Tensor 0 - stride mismatch: expected [150528, 50176, 224, 1], got [3, 1, 672, 3]", "strides (3, 1, 672, 3) without sizes", ""},
		{"Weight expects shape (3, 3, 32, 32). Received saved weight with shape (32, 3, 3, 3)", "9216 elements, (32, 3, 3, 3) has 864: no permutation", "tlayout inspect --shape 3,3,32,32"},
		{`torch.ones([1, 3, 10210, 8641], dtype=torch.float16, device="cuda") CUDA out of memory.`, "264673830 elements of float16, 529347660 bytes", "--dtype float16"},
		{"OOM when allocating tensor with shape[1,64,288,800] and type float", "(1, 64, 288, 800): 14745600 elements", ""},
		{"`Tensor[(2, 2, 64, 128), float32]` does not match `Tensor[(2, 2, 128, 64), float32]`", "(2, 2, 64, 128).permute(0, 1, 3, 2)", ""},
		{"expected quantized shape of: (18432, 3072), but received shape: torch.Size([18432, 6144])", "a ratio of 2: no permutation", ""},
		{"MIN=1x3x240x320 OPT=1x3x240x320", "(1, 3, 240, 320) as a shape: 230400 elements", ""},
		{"Shapes (28, 28) and (28, 28, 1) must have the same rank", "both have 784 elements: a reshape fits, no permutation does", "'view(28,28,1)'"},
		{"value shape (1, 16, 2048, 128), strides (4194304, 128, 2048, 1) torch.float16", "permuted, dense with dims 0, 2, 1, 3 from the outermost", "--strides 4194304,128,2048,1 --dtype float16"},
		{"a.shape=(3, 4, 5) a.strides=(160, 40, 8)", "NumPy's strides are bytes: divide them", ""},
		{"memref<2x3xf32, strided<[5, 1], offset: 2>>", "(2, 3): 6 elements of float32, 24 bytes\n  strides (5, 1): strided; not contiguous: the stride of dim 0 is 5, expected 3; spans 8 elements of storage", "tlayout inspect 'memref<2x3xf32, strided<[5, 1], offset: 2>>'"},
		{"dot: bf16[128,250]{1,0:T(8,128)(2,1)}", "(128, 250): 32000 elements of bfloat16", "tlayout inspect 'bf16[128,250]{1,0:T(8,128)(2,1)}'"},
		{"memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>> fails", "(4, 8): 32 elements", "tlayout inspect 'memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>'"},
		{"f32[8,64], memref<2x3xf32, garbage>", "(2, 3): 6 elements", "tlayout inspect --shape 2,3 --dtype float32"},
		{"Layout(major_to_minor=(1, 0), tiling=((8, 128),))", "a layout of 2 dims without sizes",
			"tlayout inspect --shape 8,128 --from 'Layout(major_to_minor=(1, 0), tiling=((8, 128),))'"},
		{"f32[16,256] in Layout(major_to_minor=(1, 0), tiling=None)", "(16, 256): 4096 elements", "tlayout inspect --shape 16,256 --from 'Layout("},
		{"x.shape, x.stride() = (torch.Size([2, 4, 3]), (12, 1, 4))", "(2, 4, 3): 24 elements\n  strides (12, 1, 4)", ""},
		{"input of size[1, 3, 224, 224]", "(1, 3, 224, 224): 150528 elements", ""},
		{"Out of memory allocating 602112 bytes, shape (3, 224, 224)", "602112 bytes: the 150528 elements of (3, 224, 224), 4 bytes each", ""},
		{"RESOURCE_EXHAUSTED: Out of memory allocating 4398046511104 bytes.", "", ""},
		{"Out of memory allocating 602113 bytes, shape (3, 224, 224)", "602113 bytes, 588 KiB", ""},
		{"shape (2, 2), strides (3, 1)", "spans 5 elements of storage", ""},
		{"[1, 2] of [3, 4] at (1, 8)", "", ""},
		{"The input tensor cannot be reshaped. Input shape:{1,128,768}, requested shape:{1,128,12,63}", "(1, 128, 768) has 98304 elements, (1, 128, 12, 63) has 96768", ""},
		{"not contiguous: strides: (24, 8) shape (4, 3)", "(4, 3): 12 elements\n  strides (24, 8)", "--shape 4,3 --strides 24,8"},
		{"{1, 16, 20}, {12, 13}", "", ""},
		{"strides (9223372036854775807, 1), shape (4, 3)", "strides (9223372036854775807, 1) without sizes", "tlayout inspect --shape 4,3"},
		{"Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2), padding=(33, 33), bias=False) failed", "", ""},
		{"x.permute(0, 2, 33, 1) failed at x[16, 16], axes=(16, 17), tensor([16, 32, 64]), dim (32)", "", ""},
		{"at 0x7ffe, line 12, torch 2.1, shape (99999999999999999999, 3), sizes (-1, 4)", "", ""},
	} {
		if strconv.IntSize == 32 && (strings.Contains(c.text, "10210") || strings.Contains(c.text, "9223372036854775807")) {
			continue // more bytes than an address can count
		}
		a := Found(c.text)
		facts := strings.Join(a.Facts, "\n")
		if (c.fact == "") != (a.What == "") || !strings.Contains(facts, c.fact) || !strings.Contains(strings.Join(a.Commands, "\n"), c.command) {
			t.Errorf("%s:\n%s\n%q", c.text, facts, a.Commands)
		}
	}
	for text, want := range map[string]string{
		"shape (2, 3), size [4, 3], grid (16, 16)":                                           "(2, 3): 6 elements\n(4, 3): 12 elements\n(2, 3) has 6 elements, (4, 3) has 12, a ratio of 2: no permutation or reshape fits",
		"shape (3, 224, 224), later (3, 224, 224), float16 and torch.half":                   "(3, 224, 224): 150528 elements of float16, 301056 bytes, 294 KiB",
		"shape (64, 256), stride (1792, 1); again shape (64, 256)":                           "(64, 256): 16384 elements\n  strides (1792, 1): strided; not contiguous: the stride of dim 0 is 1792, expected 256; spans 113152 elements of storage",
		"shape (3, 224, 224), float16 and float32":                                           "(3, 224, 224): 150528 elements",
		"shape (64, 256), and of another tensor after it on the same line: stride (1792, 1)": "(64, 256): 16384 elements\nstrides (1792, 1) without sizes: paste x.shape too",
	} {
		if got := strings.Join(Found(text).Facts, "\n"); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if a := Found("Tensor 0 - stride mismatch: expected [150528, 50176, 224, 1], got [3, 1, 672, 3]"); len(a.Facts) != 2 || len(a.Commands) != 0 {
		t.Errorf("strides are taken for sizes: %q %q", a.Facts, a.Commands)
	}
}

// TestFoundStrided: a tensor's contiguity and gaps are said as they are.
func TestFoundStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		shape, strides := make([]int, 2+r.IntN(4)), []int{}
		for d := range shape {
			shape[d] = 1 + r.IntN(40)
			strides = append(strides, r.IntN(5000))
		}
		s := tensor.Strided{Shape: shape, Strides: strides}
		if r.IntN(2) == 0 {
			s, _ = tensor.Packed(shape)
		}
		message := fmt.Sprintf("x.shape torch.Size([%s]), x.stride() (%s)", text.Ints(s.Shape, ", "), text.Ints(s.Strides, ", "))
		if fact := Found(message).Facts[1]; strings.Contains(fact, "not contiguous") == s.CContiguous().OK || strings.Contains(fact, "spans") != (s.StorageElems() > ints.Product(shape)) {
			t.Fatalf("%s: %s", message, fact)
		}
	}
}

// TestRelated: a permutation is found if and only if one of all permutations fits, and it fits; a reshape if and only if the numbers of
// elements are equal.
func TestRelated(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	found := map[string]int{}
	for range 5000 {
		a := make([]int, 1+r.IntN(4))
		for d := range a {
			a[d] = 1 + r.IntN(4)
		}
		b := slices.Clone(a)
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		if r.IntN(2) == 0 {
			b = b[:1+r.IntN(len(b))]
			b[r.IntN(len(b))] = 1 + r.IntN(16)
		}
		if slices.Equal(a, b) {
			continue
		}
		fits := len(a) == len(b) && slices.ContainsFunc(ints.Permutations(len(a)), func(p []int) bool { return slices.Equal(permuteBy(a, p), b) })
		fact, order, command := related(a, b)
		equal := ints.Product(a) == ints.Product(b)
		if fits != (order != nil) || fits && !slices.Equal(permuteBy(a, order), b) || equal != (command != "") || equal != !strings.Contains(fact, "no permutation or reshape") ||
			fits == strings.Contains(fact, "no permutation") {
			t.Fatalf("%v to %v: %s, %v, %s", a, b, fact, order, command)
		}
		found[fmt.Sprint(fits, equal)]++
	}
	if len(found) < 3 {
		t.Errorf("one-sided: %v", found)
	}
}

func permuteBy(a, order []int) []int {
	var b []int
	for _, d := range order {
		b = append(b, a[d])
	}
	return b
}

// TestFoundDamaged: texts of pieces of messages, also of bytes that no terminal should see, are described in printable lines.
func TestFoundDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	pieces := []string{"shape ", "stride", "(", ")", "[", "]", "torch.Size([", "3, 4", "9223372036854775807", "f32[", "{1,0:T(8,128)}", "x", "2x3x", "float16", "\x1b[31m", "\xff", "bytes ", " 64", ", ", "=", "-1",
		"1. Size: ", "Shape: ", "Unpadded size: ", "4.00G ", "size mismatch for ", "E(32)", "\n"}
	for range 3000 {
		message := ""
		for range 1 + r.IntN(16) {
			message += pieces[r.IntN(len(pieces))]
		}
		a, _ := Read(message)
		b := Found(message)
		for _, line := range slices.Concat(a.Facts, a.Fixes, a.Commands, b.Facts, b.Commands) {
			if text.Quote(line) != line {
				t.Fatalf("%q: %q is not printable", message, line)
			}
		}
		if len(b.Facts) > 14 || len(b.Commands) > 3 {
			t.Fatalf("%q: %q %q", message, b.Facts, b.Commands)
		}
	}
}
