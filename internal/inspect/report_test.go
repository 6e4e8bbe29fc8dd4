package inspect

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// described is a tensor without a file, as tests write it.
type described struct {
	shape, strides []int
	dims           []string
	offset         int
	layout         string
	dtype          string
}

func (d described) report(t *testing.T) *Report {
	t.Helper()
	y := source.Typed{Shape: d.shape, Dims: d.dims, Strides: d.strides, Offset: d.offset}
	if d.layout != "" {
		layout, err := notation.Parse(d.layout)
		if err != nil {
			t.Fatal(err)
		}
		y.Layout = &layout
	}
	if d.dtype == "" {
		d.dtype = "float32"
	}
	return New(describe(t, y, d.dtype))
}

// TestHeadline: the size, the order and the character of tensors that documents describe.
func TestHeadline(t *testing.T) {
	for _, c := range []struct {
		source string
		tensor described
		want   string
	}{
		{"docs/sources.md, 1: x of (1, 64, 5, 4)", described{shape: []int{1, 64, 5, 4}}, "NCHW (assumed), C-contiguous"},
		{"docs/sources.md, 1: x in channels_last", described{shape: []int{1, 64, 5, 4}, strides: []int{1280, 1, 256, 64}},
			"NHWC, channels_last contiguous"},
		{"PyTorch, tutorial on memory formats: torch.empty(10, 3, 32, 32) in channels_last",
			described{shape: []int{10, 3, 32, 32}, strides: []int{3072, 1, 96, 3}}, "NHWC, channels_last contiguous"},
		{"PyTorch, the same tutorial: C of size 1", described{shape: []int{4, 1, 6, 5}, strides: []int{30, 30, 5, 1}},
			"NCHW or NHWC (ambiguous strides), C- and channels_last contiguous"},
		{"NumPy, ndarray.T of (2, 3)", described{shape: []int{3, 2}, strides: []int{1, 3}}, "WH, F-contiguous"},
		{"NumPy, ndarray.flags: one dim is both", described{shape: []int{5}}, "(5,), 20 B, C- and F-contiguous"},
		{"NumPy, broadcast_to([1, 2, 3], (3, 3))", described{shape: []int{3, 3}, strides: []int{0, 1}}, "broadcast"},
		{"NumPy, sliding_window_view(arange(6), 3)", described{shape: []int{4, 3}, strides: []int{1, 1}}, "overlapping"},
		{"docs/sources.md, 2: rows padded to 5", described{shape: []int{1, 1, 2, 3}, strides: []int{10, 10, 5, 1}}, "padded"},
		{"docs/sources.md, 5: NCHW4", described{shape: []int{2, 64, 3, 3}, layout: "NCHW4"}, "NCHW4c, dense"},
		{"PyTorch, is_non_overlapping_and_dense", described{shape: []int{4, 5, 6}, strides: []int{6, 24, 1}}, "HCW, dense, not contiguous"},
		{"NumPy, flip of (4, 3) along axis 0", described{shape: []int{4, 3}, strides: []int{-3, 1}, offset: 9}, "dense, not contiguous, negative strides"},
		{"NumPy, empty((0, 3))", described{shape: []int{0, 3}}, "empty"},
	} {
		if got := c.tensor.report(t).Headline(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, expected %q", c.source, got, c.want)
		}
	}
}

// TestOccupancyText: how elements and storage differ, counted in docs/sources.md, 2, and by NumPy.
func TestOccupancyText(t *testing.T) {
	for _, c := range []struct {
		source                   string
		tensor                   described
		padding, unused, overlap string
	}{
		{"packed rows", described{shape: []int{2, 3}}, "no", "", "no"},
		// docs/sources.md, 2: DMLCalcBufferTensorSize counts 8 elements for the 6 of two rows of 3, padded to 5.
		{"padded rows", described{shape: []int{2, 3}, strides: []int{5, 1}}, "H-stride 5, dense 3; 8 B of 32 B hold no element",
			"H-stride 5, dense 3; 8 B of 32 B hold no element", "no"},
		// np.shares_memory(a[0], a[1]) is true for a = broadcast_to([1, 2, 3], (3, 3)): 9 elements, 3 addresses.
		{"broadcast rows", described{shape: []int{3, 3}, strides: []int{0, 1}}, "no", "", ""},
		// sliding_window_view(arange(6), 3) has 4 windows over 6 elements.
		{"windows", described{shape: []int{4, 3}, strides: []int{1, 1}}, "no", "", "12 elements share 6 addresses"},
		// PyTorch: torch.arange(10)[3:8] has storage_offset 3, and 8 elements of storage up to its last.
		{"a slice", described{shape: []int{5}, strides: []int{1}, offset: 3}, "no", "12 B before the first element", "no"},
		// oneDNN: 17 channels in nChw8c take 3 blocks of 8, the last with 7 padding channels; times 5 · 4 positions.
		{"blocks", described{shape: []int{1, 17, 5, 4}, layout: "nChw8c"}, "C is padded from 17 to 24; 560 B of 1920 B hold no element",
			"C is padded from 17 to 24; 560 B of 1920 B hold no element", "no"},
		// 600·600·60 elements are fewer than the addresses from the first to the last: some of these are free, whatever overlaps.
		{"too many", described{shape: []int{600, 600, 60}, strides: []int{1, 599, 720007}}, "amount not counted: too many elements",
			"amount not counted: too many elements", "unknown: more than 16777216 elements to compare"},
	} {
		r := c.tensor.report(t)
		for _, text := range [][2]string{{strings.Join(texts(factsOf(r, "padding")), ""), c.padding}, {r.WasteText(), c.unused},
			{strings.Join(texts(factsOf(r, "overlap")), ""), c.overlap}} {
			if text[0] != text[1] {
				t.Errorf("%s: %q, expected %q", c.source, text[0], text[1])
			}
		}
	}
}

// TestSuggestionText: why suggest_memory_format and is_contiguous(channels_last) disagree (PyTorch #24090, #68430).
func TestSuggestionText(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		want           string
	}{
		{[]int{2, 3, 4, 4}, []int{48, 16, 4, 1}, ""},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 3}, ""},
		{[]int{2, 1, 4, 4}, []int{16, 16, 4, 1}, "size-1 dims decide"},
		{[]int{2, 1, 4, 4}, []int{16, 1, 4, 1}, "size-1 dims decide"},
		{[]int{1, 3, 4, 4}, []int{3, 1, 12, 3}, "is_contiguous ignores them"},
		{[]int{2, 3, 4, 3}, []int{72, 1, 18, 6}, "with gaps"},
	} {
		got := described{shape: c.shape, strides: c.strides}.report(t).SuggestionText()
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v with strides %v: %q, expected %q", c.shape, c.strides, got, c.want)
		}
	}
}

// TestNames: the spellings of one layout in each framework's own documentation.
func TestNames(t *testing.T) {
	n := described{shape: []int{2, 8, 3, 5}, layout: "nhwc"}.report(t).Names
	for _, c := range []struct{ source, of, want string }{
		{"torch.channels_last", "pytorch", "channels_last"},
		{"oneDNN, dnnl_format_tag_t", "onednn", "nhwc acdb"},
		{"XLA, minor_to_major of NHWC memory for NCHW dims", "xla", "{1,3,2,0}"},
		{"TensorRT, TensorFormat", "tensorrt", "kHWC"},
		{"cuDNN, CUDNN_TENSOR_NHWC", "cudnn", "NHWC"},
		{"CuTe, shape:stride", "cute", "(2,8,3,5):(120,1,40,8)"},
	} {
		if got := strings.Join(n[c.of], " "); got != c.want {
			t.Errorf("%s: %q, expected %q", c.source, got, c.want)
		}
	}
}

// TestHeaderLimit: NumPy does not accept a file whose header np.load refuses, and a warning says how to open it; the others do
// not read headers. A header of Python 2 has a note.
func TestHeaderLimit(t *testing.T) {
	for _, c := range []struct {
		shape         string
		spaces        int
		refused, note bool
	}{{"(2, 3)", 0, false, false}, {"(2, 3)", framework.NumPy.MaxHeader, true, false}, {"(2L, 3L)", 0, false, true}} {
		text := "{'descr': '<f4', 'fortran_order': False, 'shape': " + c.shape + ", }" + strings.Repeat(" ", c.spaces) + "\n"
		file := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text))), text...)
		path := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(path, append(file, make([]byte, 24)...), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := source.OpenOnly(name.Parse(path), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := New(x)
		a := r.AcceptedBy["numpy"]
		way := fmt.Sprintf("np.load(f, max_header_size=%d)", len(text))
		if a.OK == c.refused || c.refused != strings.Contains(a.Why, way) || c.refused != strings.Contains(strings.Join(r.Warnings, " "), way) {
			t.Errorf("%d characters: %+v, warnings %q", len(text), a, r.Warnings)
		}
		if c.note != strings.Contains(strings.Join(r.Notes, " "), "Python 2") || !r.AcceptedBy["pytorch"].OK || !r.AcceptedBy["safetensors"].OK {
			t.Errorf("shape %s: notes %q, %+v", c.shape, r.Notes, r.AcceptedBy)
		}
		x.Close()
	}
}

// TestNamesOfAccepted: a framework that refuses a tensor has no name for it, for every type and layout here.
func TestNamesOfAccepted(t *testing.T) {
	none := 0
	for _, typ := range strings.Fields("float32 float16 int8 uint8 int64 bool complex64 float128 bfloat16 float8_e4m3fn S3 U3 M8[s] V2 i4,f8 >f4") {
		for _, layout := range strings.Fields("nchw nhwc nchw4 nChw16c kHWC8 chwn kDHWC c") {
			d := described{shape: []int{2, 64, 3, 5}, layout: layout, dtype: typ}
			if layout == "kDHWC" {
				d.shape = []int{2, 64, 2, 3, 5}
			}
			r := d.report(t)
			named := map[string]bool{"directml": r.DirectML != nil}
			for key, names := range r.Names {
				_, asked := r.AcceptedBy[key]
				if asked {
					named[key] = len(names) > 0
				}
			}
			for key, has := range named {
				if has && !r.AcceptedBy[key].OK {
					t.Errorf("%s %s: %s refuses it, and has a name: %+v", typ, layout, key, r.Names)
				}
				if !has {
					none++
				}
			}
		}
	}
	if none < 300 {
		t.Errorf("only %d names are missing", none)
	}
}

// TestAcceptance: safetensors refuses tensors that are not contiguous (its #308), PyTorch and oneDNN negative strides.
func TestAcceptance(t *testing.T) {
	last := described{shape: []int{1, 64, 5, 4}, layout: "nhwc"}.report(t)
	flipped := described{shape: []int{2, 3}, strides: []int{3, -1}, offset: 2}.report(t)
	for _, c := range []struct {
		r    *Report
		by   string
		want bool
	}{
		{last, "pytorch", true}, {last, "safetensors", false}, {flipped, "numpy", true}, {flipped, "pytorch", false}, {flipped, "onednn", false},
	} {
		a, listed := c.r.AcceptedBy[c.by]
		if !listed || a.OK != c.want || !a.OK && a.Why == "" {
			t.Errorf("%s, %s: %v", c.r.Notation, c.by, a)
		}
	}
	if len(last.AcceptedBy) != len(Consumers) {
		t.Errorf("%d answers of %d frameworks", len(last.AcceptedBy), len(Consumers))
	}
}

// TestArchiveMember: w of testdata/weights.npz, which NumPy 1.24 wrote without compression, is 24 bytes after two
// headers: the member's, and the 128 bytes of the .npy file's.
func TestArchiveMember(t *testing.T) {
	s, err := source.OpenOnly(name.Parse("../../testdata/weights.npz:w"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := New(s).Container
	if c.Format != "npz" || c.Compressed || c.Members != 2 || c.DataBytes != 24 || c.DataOffset <= 128 || c.Within() != " of the archive" {
		t.Errorf("%+v of %+v", *c.ArchiveMember, *c)
	}
	if c.Mmap == nil || !strings.HasPrefix(*c.Mmap, "np.memmap('../../testdata/weights.npz', dtype='<f4', mode='r', offset=") {
		t.Errorf("mmap: %v", c.Mmap)
	}
}

// TestMmapOfCheckpoint: the call is Python, whose dtype is a string.
func TestMmapOfCheckpoint(t *testing.T) {
	s, err := source.OpenOnly(name.Parse("../../testdata/m.safetensors:a"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if c := New(s).Container; c.Mmap == nil || !strings.HasPrefix(*c.Mmap, "np.memmap('../../testdata/m.safetensors', dtype='<f4', mode='r', offset=") {
		t.Errorf("mmap: %v", *c.Mmap)
	}
}

func TestArchive(t *testing.T) {
	s, _, err := source.Open(name.Parse("../../testdata/weights.npz"), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	listed, err := s.List(source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := NewArchive(listed)
	var names []string
	for m := range r.Members() {
		names = append(names, m.Name)
	}
	if r.Arrays != 2 || r.DataBytes != 24+8 || !slices.Equal(names, []string{"w", "b"}) || r.Err() != nil {
		t.Errorf("%+v", *r)
	}
}

// TestExplainMemory: a (32, 3, 224, 224) tensor of float32 is 18.375 MiB (docs/sources.md, 4), and clone() reads and
// writes that much.
func TestExplainMemory(t *testing.T) {
	r := described{shape: []int{32, 3, 224, 224}}.report(t)
	all := r.Derive()
	text := strings.Join(all[len(all)-1].Lines, "\n")
	for _, want := range []string{"32 · 3 · 224 · 224 = 4816896", "19267584 bytes", "clone() reads 18.4 MiB and writes 18.4 MiB"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestImageNote: the sizes of an image typed in the order of memory, with strides or without, get a note, and with the names that the note gives
// they are a tensor of channels last, without a note. Tensors with few channels where they are assumed, filters, rows without
// padding, other strides and named axes get none.
func TestImageNote(t *testing.T) {
	for _, c := range []struct {
		tensor     described
		note, held string
	}{
		{described{shape: []int{227, 227, 3}, strides: []int{684, 3, 1}, dtype: "uint8"},
			"shape suggests H,W,C: rows of 684 B hold 681 B; use --dims H,W,C", "HWC, padded"},
		{described{shape: []int{2, 20, 30, 4}, strides: []int{2560, 128, 4, 1}},
			"shape suggests N,H,W,C: rows of 512 B hold 480 B; use --dims N,H,W,C", "NHWC, padded"},
		{described{shape: []int{227, 227, 3}, layout: "hwc"},
			"the sizes are read as C,H,W = (227, 227, 3); if they are H,W,C: --shape H=227,W=227,C=3", "HWC, C-contiguous"},
		{tensor: described{shape: []int{227, 227, 3}}},
		{described{shape: []int{1, 224, 224, 3}, layout: "nhwc"},
			"the sizes are read as N,C,H,W = (1, 224, 224, 3); if they are N,H,W,C: --shape N=1,H=224,W=224,C=3", "NHWC, C-contiguous"},
		{tensor: described{shape: []int{1, 224, 224, 3}, layout: "nchw"}},
		{tensor: described{shape: []int{1, 64, 5, 4}, strides: []int{1280, 20, 4, 1}}},
		{tensor: described{shape: []int{3, 227, 4}, strides: []int{912, 4, 1}}},
		{tensor: described{shape: []int{3, 227, 4}}},
		{tensor: described{shape: []int{64, 64, 3, 3}, strides: []int{640, 10, 3, 1}}},
		{tensor: described{shape: []int{64, 64, 3, 3}}},
		{tensor: described{shape: []int{227, 227, 3}, strides: []int{3, 681, 1}}},
		{tensor: described{shape: []int{227, 227, 3}, layout: "chw"}},
	} {
		r := c.tensor.report(t)
		if got := strings.Join(r.Notes, "; "); got != c.note || c.tensor.strides != nil && (c.note != "") != strings.Contains(r.Headline(), "axis order unknown") {
			t.Errorf("%s, note %q, expected %q", r.Headline(), got, c.note)
		}
		if c.note == "" {
			continue
		}
		c.tensor.layout, c.tensor.dims = "", []string{"N", "H", "W", "C"}[4-len(c.tensor.shape):]
		if r = c.tensor.report(t); len(r.Notes) > 0 || !strings.Contains(r.Headline(), c.held) {
			t.Errorf("%s, notes %q, expected %s", r.Headline(), r.Notes, c.held)
		}
	}
}

// TestTracedText: what PyTorch 1.13's Python suggests for two tensors on which it and C++ differ, and nothing where they agree. That
// they differ is a fact of the first screen that outweighs details.
func TestTracedText(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		format, why    string
	}{
		{[]int{2, 1, 3, 1}, []int{3, 1, 1, 1}, "contiguous", "H has stride 1 and spans 1, not 3; the dims inside N span 1, the stride of C"},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 1}, "channels_last", "C has stride 1 and spans 1, not 3; in C++ the stride of W is 1, less than 3"},
		{[]int{2, 3, 4, 4}, []int{48, 1, 12, 3}, "", ""},
		{[]int{2, 3, 4}, []int{12, 4, 1}, "", ""},
	} {
		r := described{shape: c.shape, strides: c.strides}.report(t)
		format, why := r.TracedText()
		if got := slices.ContainsFunc(r.Highlights(), func(f Fact) bool {
			return f.Priority >= Useful && strings.HasSuffix(f.Text, "torch.compile's Python "+c.format+": --explain")
		}); got != (c.format != "") {
			t.Errorf("%v with strides %v: %v", c.shape, c.strides, r.Highlights())
		}
		if format != c.format || !strings.Contains(why, c.why) {
			t.Errorf("%v with strides %v: %q, %q", c.shape, c.strides, format, why)
		}
	}
}
