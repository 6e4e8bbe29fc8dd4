package diagnose

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// TestExamples: each message of the table is recognized as itself, also where a terminal wrapped it or a traceback is around it, and
// its answer has every part.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Known() {
		if seen[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		seen[m.ID] = true
		for _, text := range []string{m.Text, strings.ReplaceAll(m.Text, " ", "\n   "), "Traceback (most recent call last):\n  File \"m.py\", line 3\nRuntimeError: " + m.Text + "\n"} {
			a, ok := Read(text)
			if !ok || a.Message.ID != m.ID {
				t.Errorf("%s: %q is %s, %v", m.ID, text, a.Message.ID, ok)
				continue
			}
			if a.What == "" || a.Cost == "" || a.Same == "" || len(a.Fixes)+len(a.Facts) == 0 || len(a.Commands) == 0 || m.Reference == "" {
				t.Errorf("%s: %+v", m.ID, a)
			}
		}
	}
}

// TestLive and TestLivePillow: the messages that PyTorch, NumPy and Python, and Pillow, print here are, word for word, those of the table.
func TestLive(t *testing.T) { compareLive(t, oracle.Torch(t, "messages.py", "torch"), false) }

func TestLivePillow(t *testing.T) { compareLive(t, oracle.Pillow(t, "messages.py", "PIL"), true) }

func compareLive(t *testing.T, o *oracle.Oracle, pillow bool) {
	t.Helper()
	printed := map[string]string{}
	for {
		var m struct{ Name, Text string }
		err := o.Read(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		printed[m.Name] = m.Text
		name, _, _ := strings.Cut(m.Name, " ")
		if a, ok := Read(m.Text); !ok || a.Message.ID+a.Kind.ID != name {
			t.Errorf("%s: %q is %s, %v", m.Name, m.Text, a.Message.ID+a.Kind.ID, ok)
		}
	}
	for _, m := range Known() {
		text, live := printed[m.ID]
		if want := m.Live && strings.HasPrefix(m.ID, "pillow") == pillow; live != want || live && text != m.Text {
			t.Errorf("%s: the table has %q, live %v; the framework prints %q", m.ID, m.Text, want, text)
		}
	}
}

// TestNumbers: answers that are computed from the numbers of a message.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		text, what, fact, fix string
		same                  tensor.Answer
	}{
		{"Grad strides do not match bucket view strides. x\ngrad.sizes() = [64, 32, 3, 3], strides() = [288, 1, 96, 32]\nbucket_view.sizes() = [64, 32, 3, 3], strides() = [288, 9, 3, 1]",
			"different memory", "strides of dims 1, 2 and 3 differ: elements have different offsets", "memory_format=torch.channels_last", tensor.No},
		{"Grad strides do not match bucket view strides. x\ngrad.sizes() = [1, 64], strides() = [1, 1]\nbucket_view.sizes() = [1, 64], strides() = [64, 1] (Triggered",
			"same memory", "the strides of dim 0 differ", "filterwarnings", tensor.Yes},
		{"expected size 64==64, stride 1==49 at dim=1; expected size 7==7, stride 448==7 at dim=2",
			"got a channels_last tensor", "dim 2: size 7, expected 7; stride 448, expected 7", "x.contiguous()", tensor.No},
		{"assert_size_stride(buf0, (8, 64, 7, 7), (3136, 1, 448, 64))\nAssertionError: expected size 64==64, stride 49==1 at dim=1",
			"expects channels_last", "expected: sizes (8, 64, 7, 7), strides (3136, 1, 448, 64), channels_last", "torch.channels_last", tensor.No},
		{"expected size 8==16, stride 4==4 at dim=0", "sizes differ", "size 8, expected 16", "mark_dynamic", tensor.No},
		{"Expected tensor to have default or channels last dim order, but got dim_order(0): 0 dim_order(1): 2 dim_order(2): 1 dim_order(3): 3",
			"may be channels_last with a size of 1", "if the size is 1 for dim 1, or for dim 3", "contiguous", tensor.Unknown},
		{"Cannot view a tensor with shape torch.Size([16, 6]) and strides (1, 16) as a tensor with shape (4, 24)!",
			"dims 0 and 1 cannot be merged", "= 6·16 = 96, got 1", "reshape", tensor.No},
		{"x.shape, x.stride() = (torch.Size([2, 4, 3]), (12, 1, 4))\n x.view(8, 3)\nview size is not compatible with input tensor's size and stride",
			"dims 0 and 1 cannot be merged", "= 4·1 = 4, got 12", "reshape", tensor.No},
		{"x.shape, x.stride() = (torch.Size([2, 4, 3]), (12, 1, -4))\n x.view(8, 3)\nview size is not compatible with input tensor's size and stride",
			"not consecutive in memory", "PyTorch has no negative strides: (12, 1, -4)", "reshape", tensor.No},
		{"shape '[5, 2]' is invalid for input of size 12", "a different number of elements", "5·2 = 10 elements, the tensor has 12", "x.reshape(-1, 2)  # the -1 becomes 6", tensor.Unknown},
		{"shape '[-1, 5]' is invalid for input of size 12", "-1 cannot be inferred", "12 elements are not a multiple of 5", "", tensor.Unknown},
		{"setStorage: sizes [2, 3], strides [3, 1], storage offset 2, and itemsize 4 requiring a storage size of 32 are out of bounds for storage of size 16",
			"ends at byte 32", "(2 + 1·3 + 2·1 + 1)·4 = 32 bytes", "", tensor.No},
		{"expected input[8, 100, 3] to have 3 channels, but got 100 channels instead", "channels last, (8, 100, 3)", "", "x.permute(0, 2, 1)", tensor.Yes},
		{"expected input[8, 5, 9, 9] to have 3 channels, but got 5 channels instead", "expects size 3 in dim 1, which has size 5", "no dim of (8, 5, 9, 9) has size 3", "", tensor.Unknown},
		{"Set dimensions are [1,3,224,320]. Expected dimensions are [1,224,320,3].", "channels first, (1, 3, 224, 320)", "", "x.permute(0, 2, 3, 1)", tensor.No},
		{"the model input (shape=[?,3,1024,768]) and the tensor (shape=(2.1024.768.3)) are incompatible", "channels last, (2, 1024, 768, 3)", "", "np.ascontiguousarray(x.transpose(0, 3, 1, 2))", tensor.No},
		{"the model input (shape=[?,3,1024,1024]) and the tensor (shape=(1.3.768.768)) are incompatible", "expects (any, 3, 1024, 1024)", "not a layout problem", "", tensor.Unknown},
		{"Got invalid dimensions for input: x for the following indices index: 1 Got: 480 Expected: 3 index: 2 Got: 640 Expected: 480 index: 3 Got: 3 Expected: 640",
			"channels last, (any, 480, 640, 3)", "axis 1: 480, expected 3", "transpose(0, 3, 1, 2)", tensor.No},
		{"Got invalid dimensions for input: x for the following indices index: 1 Got: 640 Expected: 3 index: 2 Got: 3 Expected: 480 index: 3 Got: 480 Expected: 640",
			"channels first, (any, 640, 3, 480)", "axis 1: 640, expected 3", "transpose(0, 2, 3, 1)", tensor.No},
		{"Got invalid dimensions for input: x for the following indices index: 2 Got: 960 Expected: 736", "sizes are not the model's", "not a layout problem", "", tensor.Unknown},
		{"Error(s) in loading state_dict for Net: size mismatch for a.weight: copying a param with shape torch.Size([768, 2304]) from checkpoint, the shape in current model is " +
			"torch.Size([2304, 768]). size mismatch for b.weight: copying a param with shape torch.Size([1000, 64]) from checkpoint, the shape in current model is torch.Size([10, 64]).",
			"2 parameters have other sizes in the checkpoint than in the model; 1 would fit permuted", "b.weight: (1000, 64) has 64000 elements, (10, 64) has 640, a ratio of 100: no permutation",
			"state['a.weight'] = state['a.weight'].permute(1, 0)", tensor.Unknown},
		{"size mismatch for w: copying a param with shape torch.Size([1572864, 1]) from checkpoint, the shape in current model is torch.Size([8, 3072, 128]).",
			"1 parameter has other sizes in the checkpoint than in the model", "a ratio of 2: no permutation or reshape fits", "", tensor.Unknown},
		{"expected axis -1 of input shape to have value 3 but received input with shape [None, 3, 224, 224]", "channels first, (any, 3, 224, 224)", "", "keras.ops.transpose(x, (0, 2, 3, 1))", tensor.No},
		{"expected axis 1 of input shape to have value 3, but received input with shape (8, 224, 224, 3)", "channels last, (8, 224, 224, 3)", "", "(0, 3, 1, 2)", tensor.No},
		{"expected axis 2 of input shape to have value 3, but received input with shape (8, 3, 224, 224)", "has shape (8, 3, 224, 224); the layer expects (8, 224, 3, 224)", "", "(0, 2, 1, 3)", tensor.No},
		{"expected axis -1 of input shape to have value 8 but received input with shape (None, 7, 169)", "expects size 8", "has size 8: not a layout problem", "", tensor.Unknown},
		{"operands could not be broadcast together with shapes (3,224,224) (224,224,3)", "permuting one makes them equal", "dims of equal sizes can be exchanged as well", "a.transpose(1, 2, 0)", tensor.No},
		{"MatMulUnexpectedStriding { lhs_l: Layout { shape: [1, 8, 128, 64], stride: [819200, 102400, 64, 1] }, rhs_l: Layout { shape: [1, 8, 64, 1600], stride: [819200, 64, 1, 512] }",
			"candle multiplies", "the stride of dim 1 is 102400, expected 8192", "contiguous()", tensor.No},
		{"=== Tensor Operation Error === Operation: 'Matmul' Reason: 1. The inner dimension of matmul should be the same, but got 75 and 25. Lhs shape [1, 75], rhs shape [25, 5].", "do not fit",
			"(1, 75) has 75 elements, (25, 5) has 125: no permutation", "", tensor.Unknown},
		{"RuntimeError: (*bias): last dimension must be contiguous; shape (2, 8, 1, 64), strides (512, 64, 64, 8)", "last dim of attn_mask", "dim 3 has stride 8, expected 1", "attn_mask.clone(", tensor.No},
		{"Given normalized_shape=[64], expected input with shape [*, 64], but got input of size[1, 64, 7, 7]", "(1, 64, 7, 7); the norm expects channels last, (1, 7, 7, 64)", "",
			"norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)", tensor.No},
		{"Given normalized_shape=[64, 9], expected input with shape [*, 64, 9], but got input of size[8, 64, 7, 9]", "the norm expects (8, 7, 64, 9)", "",
			"norm(x.permute(0, 2, 1, 3)).permute(0, 2, 1, 3)", tensor.No},
		{"Given normalized_shape=[65], expected input with shape [*65], but got input of size[1, 64, 7, 7]", "expects size 65", "no dim of (1, 64, 7, 7) has size 65", "", tensor.Unknown},
		{"x.shape torch.Size([2, 9, 7, 64]); running_mean should contain 9 elements not 64", "channels last, (2, 9, 7, 64)", "", "x.permute(0, 3, 1, 2)", tensor.Yes},
		{"running_mean should contain 9 elements not 64", "expects size 64 in dim 1 of its input, which has size 9", "paste x.shape", "x.movedim(-1, 1)  # if x.shape[-1] is 64", tensor.Unknown},
		{"input of shape [1, 7, 9, 96] and num_groups=32, channels in input to be divisible by num_groups, but got input of shape [1, 7, 9, 96] and num_groups=32", "channels last", "", "x.permute(0, 3, 1, 2)", tensor.Yes},
		{"expected input[8, 7, 64, 64] to have 64 channels, but got 7 channels instead", "channels last", "dim 2 has size 64 too", "x.permute(0, 3, 1, 2)", tensor.Yes},
		{"expected input[64, 2, 7] to have 64 channels, but got 2 channels instead", "the input has shape (64, 2, 7); the convolution expects (2, 64, 7)", "", "x.permute(1, 0, 2)", tensor.No},
		{"mat1 and mat2 shapes cannot be multiplied (448x7 and 64x10) for x.shape torch.Size([1, 64, 7, 7])", "channels first", "", "x.permute(0, 2, 3, 1)", tensor.No},
		{"cannot reshape array of size 1179648 into shape (768,1024,3)", "a different number", "1.5 samples per pixel of 768 x 1024: 4:2:0 (NV12, I420)", "x.reshape(1152, 1024)", tensor.Unknown},
		{"cannot reshape array of size 1572864 into shape (3,768,1024)", "a different number", "2 samples per pixel of 768 x 1024: 4:2:2", "x.reshape(768, 1024, 2)", tensor.Unknown},
		{"shape '[768, 1024, 3]' is invalid for input of size 3145728", "a different number", "4 samples per pixel of 768 x 1024: RGBA", "x.reshape(768, 1024, 4)", tensor.Unknown},
		{"cannot reshape array of size 786432 into shape (768,1024,3)", "a different number", "1 sample per pixel of 768 x 1024: gray, or a Bayer", "x.reshape(768, 1024)", tensor.Unknown},
		{"cannot reshape array of size 983040 into shape (768,1024,1)", "a different number", "1.25 samples per pixel of 768 x 1024: packed 10-bit", "x.reshape(768, 256, 5)", tensor.Unknown},
		{"cannot reshape array of size 155268 into shape (227,227,3)", "a different number", "227 rows of 684 elements: 3 more than 227·3", "x.reshape(227, 684)[:, :681].reshape(227, 227, 3)", tensor.Unknown},
		{"[reshape] Cannot reshape array of size 24 into shape (6,2).", "a different number", "2 times the elements", "x.reshape(-1, 6, 2)  # the -1 becomes 2", tensor.Unknown},
		{"cannot reshape array of shape (12,) (size 12) into shape (5, 2) (size 10)", "a different number", "5·2 = 10 elements", "x.reshape(-1, 2)", tensor.Unknown},
		{"self.storage_offset() must be divisible by 2 to view Half as Float (different element sizes), but got 1", "begins at element 1", "", "clone(", tensor.No},
		{"AssertionError: Last dimension must be contiguous", "a tensor descriptor of Triton", "", "pad(x.contiguous()", tensor.No},
		{"File flash_attn_interface.py\nRuntimeError: Input tensor must have contiguous last dimension", "FlashAttention requires stride 1 in the last dim", "", "clone(", tensor.No},
		{"AssertionError: last dim must be contiguous", "the call requires stride 1 in the last dim", "contiguous() does not help where only dims of size 1", "clone(", tensor.No},
		{"CopyAtom, src / dst layout doesn't vectorize into registers", "not provably consecutive", "8 of half_t", "", tensor.Unknown},
	} {
		a, ok := Read(c.text)
		if c.fix == "" && len(a.Fixes) > 0 && (a.Message.ID == "state-dict-size" || a.Message.ID == "keras-axis") {
			t.Errorf("%s: %q", c.text, a.Fixes)
		}
		if !ok || !strings.Contains(a.What, c.what) || !strings.Contains(strings.Join(a.Facts, "\n"), c.fact) || !strings.Contains(strings.Join(a.Fixes, "\n"), c.fix) || a.Same != c.same {
			t.Errorf("%s:\n%+v", c.text, a)
		}
	}
}

// TestOverflow: sizes whose product overflows are not computed with.
func TestOverflow(t *testing.T) {
	if a, ok := Read("shape '[4294967296, 4294967296]' is invalid for input of size 12"); !ok || len(a.Facts)+len(a.Fixes) != 0 || len(a.Commands) == 0 {
		t.Errorf("%+v, %v", a, ok)
	}
}

// TestSameMemory: gradient and bucket have the same memory if and only if every index has the same offset in both.
func TestSameMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	answers := map[tensor.Answer]int{}
	for range 3000 {
		shape, a, b := make([]int, r.IntN(5)), []int{}, []int{}
		for d := range shape {
			shape[d] = r.IntN(4)
			a = append(a, r.IntN(3))
			b = append(b, a[d])
			if shape[d] < 2 || r.IntN(8) == 0 {
				b[d] = r.IntN(3)
			}
		}
		list := func(xs []int) string { return "[" + text.Ints(xs, ", ") + "]" }
		text := fmt.Sprintf("Grad strides do not match bucket view strides.\ngrad.sizes() = %s, strides() = %s\nbucket_view.sizes() = %s, strides() = %s",
			list(shape), list(a), list(shape), list(b))
		got, _ := Read(text)
		if want := sameOffsets(t, shape, a, b); got.Same != want {
			t.Fatalf("%s\n%s, expected %s", text, got.Same, want)
		}
		answers[got.Same]++
	}
	if answers[tensor.Yes] < 100 || answers[tensor.No] < 100 {
		t.Errorf("one-sided: %v", answers)
	}
}

// sameOffsets visits every element.
func sameOffsets(t *testing.T, shape, a, b []int) tensor.Answer {
	t.Helper()
	var offsets [2][]int
	for i, strides := range [][]int{a, b} {
		s, err := tensor.NewStrided(shape, strides, 0)
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Layout(nil, tensor.Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		for _, off := range l.Logical() {
			offsets[i] = append(offsets[i], off)
		}
	}
	if slices.Equal(offsets[0], offsets[1]) {
		return tensor.Yes
	}
	return tensor.No
}

var number = regexp.MustCompile(`-?\d+`)

// isPrintable reports whether the lines of a text show nothing that a terminal obeys.
func isPrintable(lines string) bool {
	for line := range strings.SplitSeq(lines, "\n") {
		if text.Quote(line) != line {
			return false
		}
	}
	return true
}

// TestDamaged: messages whose numbers are others, too large, negative or missing are answered, without a panic.
func TestDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	known := Known()
	pieces := []string{"", "0", "-1", "1", "9223372036854775807", "9223372036854775808", "[", ")", "3, 3", ",", "[]", "\x1b[31m", "\xff", "s0", "4294967296", "1e9"}
	for range 4000 {
		s := known[r.IntN(len(known))].Text
		for range 1 + r.IntN(4) {
			if numbers := number.FindAllStringIndex(s, -1); len(numbers) > 0 {
				at := numbers[r.IntN(len(numbers))]
				s = s[:at[0]] + pieces[r.IntN(len(pieces))] + s[at[1]:]
			}
		}
		a, ok := Read(s)
		if ok && (a.What == "" || a.Cost == "") {
			t.Fatalf("%q: %+v", s, a)
		}
		for _, line := range slices.Concat([]string{a.What, a.Cost}, a.Facts, a.Fixes, a.Commands) {
			if !isPrintable(line) {
				t.Fatalf("%q: %q is not printable", s, line)
			}
		}
	}
}

// TestUnrelated: what is no complaint about a layout has no answer, though it has words of layouts.
func TestUnrelated(t *testing.T) {
	for _, text := range []string{
		`PermissionError: [Errno 30] Read-only file system: '/x'`,
		`sqlite3.OperationalError: attempt to write a readonly database`,
		`UnicodeError: UTF-16 stream does not start with BOM, endian unknown`,
		`ValueError: columns overlap but no suffix specified: Index(['a'], dtype='object')`,
		`TypeError: __init__(): incompatible function arguments. The following argument types are supported: 1. (arg0: int) Invoked with: 'a'`,
		`pymongo.errors.OperationFailure: collection is sharded; cannot rename`,
		`Error: channel closed: expected 200 but got 503`,
		`AssertionError: expected depth 3 but got 5`,
		`ValueError: X has 3 features, but LinearRegression is expecting 4 features as input`,
		`mmap error: Page size 4096 must be a power of 2`,
		`Buffer size 12 must be a multiple of 16`,
		`ValidationError: order quantity 7 must be divisible by 12`,
		`runtime error: load of misaligned address 0x7f for type 'int', which requires 4 byte alignment`,
		`Error: Cannot resize volume 30 to 20`,
		`struct.error: unpack requires a buffer of 8 bytes`,
		`TypeError: f() takes 3 positional arguments but 2 were given`,
		`django.urls.exceptions.NoReverseMatch: Reverse for 'view' not found`,
		`kafka.errors.OffsetOutOfRangeError: offset 17 out of range`,
		`git: merge conflict in layout.css`,
		`KeyError: 'stride'`,
		`IndexError: list index out of range`,
		`ValueError: could not convert string to float: 'shape'`,
		`RuntimeError: CUDA error: device-side assert triggered`,
		`RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!`,
		`RuntimeError: expected scalar type Half but found Float`,
		`ImportError: cannot import name 'view' from 'x'`,
		`torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB`,
	} {
		if a, ok := Read(text); ok || Found(text).What != "" {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

// hostile are texts of a MiB that are long to read: of words that every table has, of messages that begin and do not end, of one line, of
// many lines, and of lists.
func hostile() map[string]string {
	all := map[string]string{}
	for name, piece := range map[string]string{
		"lists": "[1, 2, 3], (4, 5), ", "open lists": "[1, ", "numbers": "1234 ", "errors": "RuntimeError: stride\n", "frames": "  File \"a.py\", line 1\n    x.view(6)\n",
		"short lines": "x\n", "blanks": "    ", "letters": strings.Repeat("a", 99) + "_", "layouts": "layout shape stride contiguous multiple of ", "escapes": "\x1b[31m",
		"words": "expected 3 channels but got ", "guards": "stride mismatch at index 1. expected 6, actual ", "fragments": "Fragment([64, 64] -> [32] ",
		"mismatches": "size mismatch for a.b: copying a param with shape torch.Size([2, 3]) from checkpoint, the shape in current model is torch.Size([3, 2]).\n",
	} {
		all[name] = strings.Repeat(piece, MaxText/len(piece))
	}
	everything := ""
	for _, m := range Known() {
		everything += m.Text[:len(m.Text)/2] + " "
	}
	all["halves"] = strings.Repeat(everything, MaxText/len(everything))
	return all
}

// TestHostile: any text is answered with bounded memory, in which nothing is proportional to the square of its length.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Read(text)
		Found(text)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 20<<20 && !isRace {
			t.Errorf("%s: %d MiB were allocated", name, n>>20)
		}
	}
}

// TestLog: what complains is found anywhere in a long log: a known message, and of other complaints those of the last lines.
func TestLog(t *testing.T) {
	noise := strings.Repeat("2026-11-29 10:00:00 INFO step 1 of 1000\n", MaxText/41-200)
	for name, c := range map[string]struct{ text, want string }{
		"first": {"RuntimeError: required rank 4 tensor to use channels_last format\n" + noise, "channels-last-rank"}, "middle": {noise[:1<<18] + "RuntimeError: required rank 4 tensor to use channels_last format\n" + noise[1<<18:], "channels-last-rank"},
		"last": {noise + "RuntimeError: w must be col_major\n", "major"}, "before the last": {noise + "RuntimeError: w must be col_major\n" + noise[:1000] + "SystemExit: 1\n", "major"},
		"color": {noise + "\x1b[31mRuntimeError: w must \x1b[1mbe col_major\x1b[0m\n", "major"}, "pytest": {">       f(w)\nE       RuntimeError: w must be col_major\n\ntest_f.py:3: RuntimeError\n", "major"},
		"a caught one": {"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g(x)\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n" +
			"Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    h(w)\nRuntimeError: w must be col_major\n", "major"},
	} {
		if a, ok := Read(c.text); !ok || a.Message.ID+a.Kind.ID != c.want {
			t.Errorf("%s: %v %q", name, ok, a.Message.ID+a.Kind.ID)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Read(text)
				Found(text)
			}
		})
	}
}

// FuzzRead: any text has an answer or none, in printable lines, and what is known keeps its answer in the middle of a log.
func FuzzRead(f *testing.F) {
	for _, m := range Known() {
		f.Add(m.Text)
	}
	for _, k := range Kinds() {
		f.Add(k.Example)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, ok := Read(s)
		if ok && (a.What == "" || a.Cost == "" || a.Same == "" || a.Message.ID+a.Kind.ID == "") {
			t.Errorf("%q: %+v", s, a)
		}
		for _, line := range slices.Concat([]string{a.What, a.Cost, a.Code}, a.Facts, a.Fixes, a.Commands) {
			if !isPrintable(line) {
				t.Errorf("%q: %q is not printable", s, line)
			}
		}
	})
}

// fired are texts of the rules that neither an example nor a public thread of whycmd's testdata reaches.
var fired = []string{
	"f(): incompatible function arguments. 1. f(a: ndarray[dtype=float64, order='F'])", "ValueError: assignment destination is read-only, array",
	"Can't export tensors that require gradient", "Unable to avoid copy while creating an array as requested", "mlx: Cannot convert DLPack arrays with negative strides",
	"can't convert np.ndarray of type numpy.object_", "DLPack: unsupported dtype bool", "Got unsupported ScalarType BFloat16", "DLPack only supports integers, float and complex dtypes",
	"triton: Shape element 0 must be a power of 2", "Mosaic: cannot statically prove that index in dimension 0 is a multiple of 512", "tilelang: no available layout found",
	"jax: UnsafeBufferPointer() is supported only for unsharded arrays", "cute: cannot determine the layout: leading dim", "torch: stride_order is not consistent with the layout",
	"XLA: LayoutUtil::IsMonotonicWithDim0Major(operand->shape().layout())", "the array's dim_order is (1, 0), expected (0, 1)",
	"torch: Storage size calculation overflowed with sizes=[3] and strides=[-1]", "array: strides is not compatible with available memory",
	"np.frombuffer: buffer size must be a multiple of element size", "jax: Only copies transferring a number of bytes divisible by the warpgroup size are supported",
	"AssertionError: base must be 16-byte aligned, tensor", "tensor: data_ptr is not aligned to 64 bytes", "OpenCV: '_step' is 4 must be greater than or equal to 'minstep' is 16",
	"array must be in Fortran order", "Expected b.stride(0) == 1 to be true, tensor", "Buffer and memoryview are not contiguous in the same dimension.",
	"First stride needs to be largest to ensure that individual tensor data is contiguous in memory.", "torch: x must be contiguous in channels_last format", "assert is_strictly_contiguous(tensor)",
	"torch: stride 2880==3072 at dim=0", "tensor: strides[0] should be 64 but got 65", "TensorRT: stride mismatch. Expected [-9223372036854775808, 1] but received [0, 0]",
	"lda must be >= 3: lda=2 K=3", "Wrong image width! Expected 224 but got 3!", "torch: Input image tensor permitted channel values are [1, 3], but found 8",
	"keras: expected 3 channels on axis 3, passed an array with shape (80, 3, 224, 224)", "OpenCV: (-15:Bad number of channels)", "cannot reshape tensor of 0 elements because the unspecified dimension size -1 can be any value",
	"mlx: [conv] input channels: input: (1,8,8,3) and weight: (4,3,5,5)", "Expected 4D input, got 3D tensor", "tensor: expected shape [B, T, H] but got [B, H, T]",
	"torch: must be aligned, tensor of 100 rows", "torch: image size must be divisible by 32", "torch: some elements of the input tensor and the written-to tensor refer to a single memory location",
	"CuTe: CUtensorMap must be aligned to 128B", "all tensor blocks: input shape must be >= 16", "torch: block shape must have at least 16 bytes in the last dimension, but got 4 * 2 = 8 bytes",
	"No matching definition for argument type(s) array(float64, 2d, F)", "%copy.3 = f32[8,16]{0,1} copy(f32[8,16]{1,0} %p0)", "The Tensor can not be viewed, please call reshape.",
	"requested buffer length (200 * 4 bytes) after offset (400 bytes) must not be greater than actual buffer length (1000 bytes)",
	"Cannot set tensor: Dimension mismatch. Got 3 but expected 224 for dimension 1 of input 0.", "Cannot set tensor: Dimension mismatch. Got 224 but expected 3 for dimension 1 of input 0.",
	"query and key must have the same stride order, tensors", "AssertionError: weight must be K-major", "memory format channels_last is only supported for 4D tensors",
	"can't convert np.ndarray of type numpy.uint16. The only supported types are: float64", "tensor: the fields must be a multiple of 8", "Mosaic failed to compile TPU kernel: Invalid input layout", "Unable to infer channel dimension format of the image",
	"Pallas: block specs for args[3] have block shape (Blocked(block_size=1), Blocked(block_size=512)), array shape (2, 8192)",
}

// TestRules: each rule of a kind answers some text, so that none is hidden by the rules before it, and each answer has all its parts.
func TestRules(t *testing.T) {
	texts := fired
	for _, k := range Kinds() {
		texts = append(texts, k.Example)
	}
	threads, err := os.ReadFile("../../command/whycmd/testdata/threads.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(threads), "\n") {
		if !strings.HasPrefix(line, "= ") {
			texts = append(texts, line)
		}
	}
	reached := map[string]bool{}
	for _, text := range texts {
		low := strings.ToLower(text)
		c := newComplaint(text, text)
		if !c.isAboutTensors(low) {
			continue
		}
	kinds:
		for _, k := range known().kinds {
			if !containsAny(low, k.words) {
				continue
			}
			for i, r := range k.rules {
				if a, ok := c.answer(r); ok {
					reached[fmt.Sprint(k.ID, i)] = true
					if a.What == "" || a.Cost == "" || a.Same == "" || len(a.Commands) == 0 || len(a.Facts)+len(a.Fixes) == 0 {
						t.Errorf("%s: %+v", text, a)
					}
					break kinds
				}
			}
		}
	}
	for _, k := range known().kinds {
		for i := range k.rules {
			if !reached[fmt.Sprint(k.ID, i)] {
				t.Errorf("no text reaches rule %d of %s: %q", i, k.ID, k.rules[i].field("if"))
			}
		}
	}
	used := map[string]bool{}
	for _, r := range known().messages {
		used[r.field("answer")] = true
	}
	for _, k := range known().kinds {
		for _, r := range k.rules {
			used[r.field("answer")] = true
		}
	}
	for name := range answers {
		if !used[name] {
			t.Errorf("no rule has the answer %s", name)
		}
		delete(used, name)
	}
	if len(used) != 1 || !used[""] {
		t.Errorf("there are no such answers: %v", used)
	}
}
