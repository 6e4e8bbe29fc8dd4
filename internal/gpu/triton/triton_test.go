package triton

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// witness is a layout as Triton 3.9 prints it, with its bases; see testdata/layouts.py.
type witness struct {
	Type, Gluon string
	Shape       []int
	Pads        [][]int
	Bases       [][][]int
}

func witnesses(t *testing.T) []witness {
	t.Helper()
	name := os.Getenv("TLAYOUT_TEST_TRITON") // more of them
	if name == "" {
		name = "testdata/layouts.txt.gz"
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	var all []witness
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		var w witness
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			t.Fatal(err)
		}
		all = append(all, w)
	}
	return all
}

var kindName = regexp.MustCompile(`#tt[n]?g\.(\w+)`)

// Both spellings of a layout have the bases that Triton computes, and a layout of shared memory puts its elements where they say.
func TestTriton(t *testing.T) {
	cases, wrong := map[string]int{}, map[string]int{}
	for _, w := range witnesses(t) {
		name := kindName.FindStringSubmatch(w.Type)[1]
		cases[name]++
		printed, err := Parse(w.Type)
		if err != nil {
			t.Fatal(err)
		}
		called, err := Parse(w.Gluon)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(printed.Shape, w.Shape) || printed.Element != "f16" && printed.Element != "i8" || !Is(w.Type) || !Is(w.Gluon) ||
			printed.IsShared() != (len(w.Bases) == 1) {
			t.Fatalf("%s: %+v", w.Type, printed)
		}
		got, want := basesOf(t, printed, w)
		again, _ := basesOf(t, called, w)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, want) {
			if wrong[name]++; wrong[name] < 3 {
				t.Errorf("%s over %v:\n%v\n%v\n%v", w.Type, w.Shape, got, again, want)
			}
		}
	}
	t.Logf("cases %v, wrong %v", cases, wrong)
}

// basesOf returns the bases of a layout, or the offsets of its elements, and what Triton says.
func basesOf(t *testing.T, a Attribute, w witness) (got, want any) {
	t.Helper()
	if !a.IsShared() {
		l, err := a.Linear(w.Shape)
		if err != nil {
			t.Fatalf("%s: %v", w.Type, err)
		}
		for i := range l.bases[:offset] {
			if a.InTensorMemory() && i != warp {
				l.bases[i] = spread(l.bases[i], l.held[i], len(w.Bases[i]))
			}
			if l.bases[i] == nil {
				l.bases[i] = [][]int{}
			}
		}
		return l.bases[:offset], w.Bases
	}
	l, err := a.Layout(w.Shape)
	if err != nil {
		t.Fatalf("%s: %v", w.Type, err)
	}
	ours, theirs := make([]int, l.Numel()), make([]int, l.Numel())
	coord := make([]int, len(w.Shape))
	for o := range l.Numel() {
		clear(coord)
		for k, basis := range w.Bases[0] {
			for d := range coord {
				coord[d] ^= basis[d] * (o >> k & 1)
			}
		}
		ours[o], theirs[o] = l.At(coord...), o
		for _, pair := range w.Pads {
			theirs[o] += o / pair[0] * pair[1]
		}
	}
	return ours, theirs
}

// spread puts bases at the bits of a mask, and zeros at the other bits.
func spread(bases [][]int, mask, bits int) [][]int {
	all := slices.Repeat([][]int{{0, 0}}, bits)
	for k := range bits {
		if mask>>k&1 != 0 {
			all[k] = bases[0]
			bases = bases[1:]
		}
	}
	return all
}

// Swizzles and digits of layouts in shared memory; phases that exceed a row or the rows are cut, as by toLinearLayout.
func TestSwizzle(t *testing.T) {
	for spelled, want := range map[string]string{
		"8 32 gl.SwizzledSharedLayout(1, 1, 4, [1, 0])":                                    "Sw<2,0,5> o 0 o (8,32):(32,1)",
		"8 32 gl.SwizzledSharedLayout(1, 2, 4, order=[1, 0])":                              "Sw<2,0,6> o 0 o (8,32):(32,1)",
		"8 32 #triton_gpu.shared<{vec=2, perPhase=2, maxPhase=4, order=[1,0]}>":            "Sw<2,1,5> o 0 o (8,32):(32,1)",
		"32 8 #ttg.swizzled_shared<{vec=2, perPhase=1, maxPhase=4, order=[1, 0]}>":         "Sw<2,1,2> o 0 o (32,8):(8,1)",
		"8 32 #ttg.swizzled_shared<{vec=2, perPhase=1, maxPhase=4, order=[0, 1]}>":         "Sw<2,1,2> o 0 o (8,32):(1,8)",
		"8 64 ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>":           "Sw<3,3,3> o 0 o (8,64):(64,1)",
		"3 8 64 ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>":         "Sw<3,3,3> o 0 o (3,8,64):(512,64,1)",
		"8 32 ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>":           "Sw<2,3,2> o 0 o (8,32):(32,1)",
		"2 64 ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>":           "Sw<1,3,3> o 0 o (2,64):(64,1)",
		"16 ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[0]}>":               "(16):(1)",
		"8 256 gl.NVMMASharedLayout(128, 16)":                                              "Sw<3,3,3> o 0 o (8,(64,4)):(64,(1,512))",
		"2 16 32 #ttg.padded_shared<[32:+4, 64:+8] {order=[1,0], shape=[16, 32]}>":         "(2,(2,8),32):(640,(36,80),1)",
		"4 256 #ttg.padded_shared<[256:+256] {order=[1,0], shape=[4,256]}>":                "(4,256):(512,1)", // the largest padding
		"8 4 gl.PaddedSharedLayout([[8, 1]], [[0,1],[0,2],[2,0],[4,0],[1,0]], [], [8, 4])": "((2,2,2),4):((18,4,9),1)",
	} {
		sizes, spelled := sized(spelled)
		a, err := Parse(spelled)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := a.Layout(sizes); err != nil || l.String() != want {
			t.Errorf("%s over %v is %s, want %s: %v", spelled, sizes, l, want, err)
		}
	}
}

// What is not a layout of one CTA is an error, never a panic or a guess.
func TestRefused(t *testing.T) {
	const (
		blocked = "#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[4,1], order=[1,0]}>"
		v2      = "gl.NVMMADistributedLayout([2,0], [4,1], [16,8])"
		linear  = "4 4 !ttg.memdesc<4x4xf16, #ttg.shared_linear<{offset=[[0,1],[0,2],[1,0],[2,0]]}, alignment=16>, #smem, mutable"
	)
	other := func(a, b string) string { return "4 4 " + strings.Replace(blocked, a, b, 1) }
	for spelled, want := range map[string]string{
		"": "not a supported kind", "4 4 #blocked": "alias", "4 4 #ttg.blocked": "expected (", "4 4 #ttg.blocked<": "a number",
		"4 4 {{{{": "not a supported kind", "4 4 #ttg.blocked<{{{{": "a number", "4 4 gl.BlockedLayout()": "lacks its field order",
		"4 4 tensor<4x4xf16>": "not a supported kind", "4 4 tensor<4x4f16, " + blocked + ">": "not sizes, elements",
		"4 4 #ttg.amd_rotating_shared<{vec = 2}>": "not a supported kind", "4 4 " + blocked + "x": "expected the end",
		"4 " + blocked: "blocked has 2 dims, the tensor 1", "4 3 " + blocked: "powers of two", "4 4 4 " + blocked: "blocked has 2 dims, the tensor 3",
		other("4,1]", "4,1;"): "a comma or ]", other("[4,1]", "[3,1]"): "has 3 elements",
		other("[4,1]", "[0,1]"): "has 0 elements", other("[1,0]", "[1,1]"): "lacks dim 0",
		other("[1,0]", "[9,0]"): "lacks dim 1", other("[4,1]", "[1048576,1048576]"): "2^",
		other("[4,1]", "[99999999999999999999,1]"): "a number from 0", other("[4,1]", "[-4,1]"): "a number from 0",
		other("order", "CGALayout=[[1,0]], order"): "several CTAs", other("order", "CTAsPerCGA=[2,1], order"): "several CTAs",
		other("order", "foo=1, order"): "no field", other("order=[1,0]", "order"): "a number",
		"4 4 #ttg.slice<{dim=9, parent=" + blocked + "}>": "drops dim 9", "4 #ttg.slice<{dim=0}>": "lacks its field parent",
		"4 4 #ttg.linear<{register=[[3,0]], lane=[[1]], warp=[], block=[]}>":   "1 numbers in a row",
		"4 4 #ttg.linear<{register=[[5,0]], lane=[], warp=[], block=[]}>":      "cannot wrap",
		"4 4 #ttg.linear<{register=[[1,0]], lane=[], warp=[], block=[[2,0]]}>": "several CTAs", "4 " + v2: "layout of matrices",
		"4 4 gl.NVMMADistributedLayout([5,0], [4,1], [16,8])":                                  "version 5",
		"4 4 gl.NVMMADistributedLayout([2,0], [4,1], [])":                                      "not a list of 2",
		"4 4 gl.NVMMADistributedLayout([3,0], [4,1], [16,24,16])":                              "power of two",
		"4 4 gl.DotOperandLayout(2, " + v2 + ", 2)":                                            "opIdx",
		"4 4 gl.DotOperandLayout(0, " + blocked + ", 1)":                                       "dot_op of blocked",
		"4 4 gl.DotOperandLayout(1, gl.NVMMADistributedLayout([3,0], [4,1], [16,8,16]), 2)":    "in shared memory",
		"4 4 gl.AMDMFMALayout(3, [4,4,4], False, [1,1])":                                       "not supported",
		"4 4 gl.AMDMFMALayout(3, [64,4,4], False, [1,1])":                                      "transposed",
		"16 64 gl.NVMMASharedLayout(128, 16, fp4_padded=True)":                                 "fp4Padded",
		"16 64 gl.NVMMASharedLayout(128, 0)":                                                   "not supported",
		"4 64 gl.NVMMASharedLayout(128, 16)":                                                   "at least 8 rows",
		"8 32 gl.NVMMASharedLayout(128, 16)":                                                   "rows of 64 elements",
		"4 4 4 gl.NVMMASharedLayout(0, 16, 3, True)":                                           "transposed",
		"4 4 gl.SharedLinearLayout([[0,1],[0,2],[1,1],[2,0]])":                                 "along one dim",
		"4 4 #ttg.padded_shared<[4:+512] {order=[1,0], shape=[4,4]}>":                          "at most 256",
		"1024 2048 gl.SwizzledSharedLayout(1, 1, 1, [1,0])":                                    "the limit is 2^20",
		"4 4 gl.SharedLinearLayout([[0,0],[2,0]])":                                             "along one dim",
		"4 4 gl.SharedLinearLayout([[0,1],[0,1],[1,0],[2,0]])":                                 "two bases of shared_linear have 1 in dim 1",
		"4 4 gl.SharedLinearLayout([[0,1],[1,0],[2,0]])":                                       "no basis of shared_linear has 2 in dim 1, of size 4",
		"4 4 gl.SwizzledSharedLayout(0, 1, 1, [1,0])":                                          "powers of two",
		"4 4 #ttg.shared<{vec=1, perPhase=1, maxPhase=4, order=[1,0], hasLeadingOffset=true}>": "hasLeadingOffset",
		"4 4 #ttg.padded_shared<[0:+4] {order=[1,0], shape=[4,4]}>":                            "after 0 elements",
		linear + ", 3x8x4>": "a part of", other("order", "order=[0,1], order"): "two fields", other("[4,1]", "[[4,1]]"): "a number from 0",
		"4 4 gl.NVMMADistributedLayout([2,0], [2,2], [4,8])":                "instrShape of nvidia_mma begins with 4, 8",
		"4 4 gl.NVMMADistributedLayout([2,0], [2,2], [16,64])":              "16, 8 for version 2",
		"64 64 gl.NVMMASharedLayout(128, 16, 0)":                            "has 0 dims, the tensor 2",
		"4 4 #ttg.padded_shared<[32:+4, 32:+8] {order=[1,0], shape=[4,4]}>": "two paddings after 32",
		"64 64 gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)":  "get_default_for\" is not a supported kind",
		"4 4 #ttg.padded_shared<[32] {order=[1,0], shape=[4,4]}>":           "1 numbers in a row",
		"4 4 #ttg.padded_shared<[32:+4] {order=[1,0], shape=[8,4]}>":        "of shape",
		"4 4 #ttg.padded_shared<[32:+4] {shape=[4,4]}>":                     "lacks its field order",
		"16 16 gl.AMDWMMALayout(4, False, [])":                              "version 4 has no instruction of 16×16×16",
		"16 16 gl.AMDWMMALayout(3, False, [])":                              "version 3 has no instruction of 16×16×16",
		"16 16 gl.AMDWMMALayout(1, False, [], [], [32, 16, 16])":            "no instruction of 32×16×16",
		"16 16 gl.AMDWMMALayout(1, False, [[1,0]], [[1,0]])":                "two bases of amd_wmma have 1 in dim 0",
		"16 16 gl.AMDWMMALayout(1, False, [[3,0]])":                         "no basis of amd_wmma has 1 in dim 0",
		"16 16 gl.AMDWMMALayout(1, False, [[2,0]])":                         "no basis of amd_wmma has 1 in dim 0",
		"16 16 gl.AMDWMMALayout(1, False, [[1]])":                           "1 numbers in a row",
		"16 16 gl.AMDWMMALayout(1, False, [], rank=3)":                      "has 3 dims, the tensor 2",
		"16 16 gl.AMDWMMALayout(1, False, [], cga_layout=[[1,0]])":          "several CTAs",
		"16 16 gl.DotOperandLayout(0, gl.AMDWMMALayout(3, False, []), 8)":   "no instruction",
		"16 16 gl.DotOperandLayout(0, gl.AMDWMMALayout(1, False, []), 0)":   "has 0 elements",
		"16 16 #ttg.amd_wmma<{version = 1, ctaLayout = [[1,0]]}>":           "expected {",
		"16 16 #ttg.amd_wmma<{version = 1, tilesPerWarp = [2, 1]}>":         "tilesPerWarp of amd_wmma",
		"128 64 gl.TensorMemoryLayout((32, 64), 1)":                         "has 32 rows: want 64 or 128",
		"128 64 gl.TensorMemoryLayout((128, 48), 1)":                        "of 48 columns",
		"128 64 gl.TensorMemoryLayout((128, 64), 8)":                        "colStride 8: want",
		"128 64 gl.TensorMemoryLayout((128,))":                              "1 numbers in a row",
		"64 64 gl.TensorMemoryLayout((128, 64), 1)":                         "128 rows exceeds the matrix of a CTA, (64, 64)",
		"128 64 gl.TensorMemoryLayout((64, 64), 1, two_ctas=True)":          "needs a CGALayout that begins with [1, 0]",
		"128 64 gl.TensorMemoryLayout((64, 64), 1, [[0, 1]], True)":         "needs a CGALayout that begins with [1, 0]",
		"128 1 gl.TensorMemoryLayout((64, 64), 1, [[1, 0]], True)":          "no second half",
		"128 64 gl.TensorMemoryLayout((128, 64), 1, [[2, 0]])":              "want 1, then twice that, in a dim of 128",
		"128 64 gl.TensorMemoryScalesLayout([[1, 0, 0]])":                   "3 numbers in a row",
		"128 8 gl.TensorMemoryScalesLayout([[1, 1]])":                       "want one that splits one dim",
	} {
		sizes, text := sized(spelled)
		a, err := Parse(text)
		if err == nil && a.IsShared() {
			_, err = a.Layout(sizes)
		} else if err == nil {
			_, err = a.Linear(sizes)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %s", spelled, err, want)
		}
	}
	if a, err := Parse(linear[4:] + ", 3x4x4>"); err != nil || !slices.Equal(a.Shape, []int{4, 4}) {
		t.Error(err, a.Shape)
	}
}

// sized splits sizes before a layout from it.
func sized(s string) (sizes []int, rest string) {
	for {
		number, rest, _ := strings.Cut(s, " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return sizes, s
		}
		sizes, s = append(sizes, n), rest
	}
}

// FuzzParse: any text is refused, or a layout that can be evaluated at any sizes.
func FuzzParse(f *testing.F) {
	f.Add("#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[4,1], order=[1,0]}>}>", 16, 16)
	f.Add("gl.DotOperandLayout(0, gl.NVMMADistributedLayout([2,0],[4,1],[16,8]), 2)", 16, 16)
	f.Add("gl.DotOperandLayout(1, gl.AMDMFMALayout(3, [16,16,16], True, [2,2], 64, [1,2]), 8)", 64, 64)
	f.Add("gl.DotOperandLayout(0, gl.AMDWMMALayout(3, True, [[0,1],[1,0]], [[0,2]], [32,16,64]), 8)", 64, 64)
	f.Add("#ttng.tensor_memory_encoding<blockM = 64, blockN = 16, colStride = 2, CGALayout = [[1, 0]], twoCTAs = true>", 128, 32)
	f.Add("#ttng.tensor_memory_scales_encoding<CGALayout = [[0, 1]]>", 128, 8)
	f.Add("#ttg.linear<{register=[[0,1]], lane=[[8,0]], warp=[], block=[]}>", 8, 8)
	f.Add("!ttg.memdesc<8x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16}>, #smem, mutable>", 8, 64)
	f.Add("#ttg.padded_shared<[32:+4] {order=[1,0], shape=[16, 32]}>", 16, 32)
	f.Fuzz(func(t *testing.T, s string, m, n int) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		for _, shape := range [][]int{{m}, {m, n}, {2, m, n}} {
			if l, err := a.Linear(shape); err == nil {
				wantHeld(t, l, shape, !strings.Contains(fold(s), "linear"))
			}
			if l, err := a.Layout(shape); err == nil {
				wantApart(t, l)
			}
		}
	})
}

// mostVisited limits the elements of a tile that fuzzing visits.
const mostVisited = 1 << 12

// wantHeld fails if a thread holds an element outside of the tile, or, of a layout whose bases are not given, none holds some element.
func wantHeld(t *testing.T, l Linear, shape []int, all bool) {
	t.Helper()
	elements, err := tensor.Numel(shape)
	if err != nil || elements > mostVisited || l.Threads() > mostVisited || l.Threads()*l.Values() > 16*mostVisited {
		return
	}
	held, coord := map[string]bool{}, make([]int, len(shape))
	for thread := range l.Threads() {
		for value := range l.Values() {
			l.At(thread, value, coord)
			for d, i := range coord {
				if i < 0 || i >= shape[d] {
					t.Fatalf("value %d of thread %d is at %v of %v", value, thread, coord, shape)
				}
			}
			held[fmt.Sprint(coord)] = true
		}
	}
	if all && len(held) != elements {
		t.Fatalf("%d of %d elements of %v are held", len(held), elements, shape)
	}
}

// wantApart fails if two elements share an offset.
func wantApart(t *testing.T, l tensor.Layout) {
	t.Helper()
	if l.Numel() > mostVisited {
		return
	}
	seen := map[int]bool{}
	for coord, off := range l.Logical() {
		if seen[off] {
			t.Fatalf("%v is at offset %d, as another element", coord, off)
		}
		seen[off] = true
	}
}

// The bases that Triton's unit tests expect.
func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 3 {
			continue
		}
		a, err := Parse(parts[0])
		if err != nil {
			t.Fatal(err)
		}
		l, err := a.Linear(vector(t, parts[1]))
		if err != nil {
			t.Fatal(err)
		}
		for i, list := range strings.Split(parts[2], ";") {
			var want [][]int
			for _, v := range strings.Fields(list) {
				want = append(want, vector(t, v))
			}
			if !slices.EqualFunc(l.bases[i], want, slices.Equal) {
				t.Errorf("%s over %s: bases of input %d are %v, want %v", parts[0], parts[1], i, l.bases[i], want)
			}
		}
	}
}

func vector(t *testing.T, s string) (v []int) {
	t.Helper()
	for _, word := range strings.Split(s, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, n)
	}
	return v
}
