package framework

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// exactly is the layout of shape:strides@offset.
func exactly(t *testing.T, text string) tensor.Layout {
	t.Helper()
	l, err := notation.Parse(text)
	if err != nil || l.Exact == nil {
		t.Fatalf("%s: %v", text, err)
	}
	return *l.Exact
}

// offerOf is a layout of float32, with its order if it has one.
func offerOf(t *testing.T, layout string) Offer {
	t.Helper()
	l := exactly(t, layout)
	typ, err := dtype.Parse("float32")
	if err != nil {
		t.Fatal(err)
	}
	o := Offer{Layout: l, Stored: l, Overlapping: l.Occupancy().Overlapping, DType: typ, Copy: "some bytes"}
	if f, ok := notation.Of(l); ok {
		if o.Order = &f; f.Packs(l) {
			o.Orders = []notation.Format{f}
		}
	}
	return o
}

// TestFrameworkRows: every row has a source, and a reason wherever a name is needed; every framework is listed.
func TestFrameworkRows(t *testing.T) {
	for _, f := range frameworks {
		if f.Source == "" || f.Read == "" || (f.Order == ByName || f.namesBlocks() || f.Message != "") != (f.Nameless != "") || f.Unit == "" && f.Order == ByStrides {
			t.Errorf("%+v", f)
		}
	}
	if len(Accepting()) != 13 || len(All()) != len(frameworks)-10 {
		t.Errorf("%d frameworks are asked, %d have names", len(Accepting()), len(All()))
	}
	if got := strings.Join(WithoutNegative(), " "); got != "PyTorch DirectML oneDNN cuDNN TMA" {
		t.Errorf("negative strides are refused by %s", got)
	}
}

// TestAccepts: what each convention can express, and what it cannot.
func TestAccepts(t *testing.T) {
	const (
		blocked = "(2,(4,2),3):(24,(1,12),4)"
	)
	for _, c := range []struct {
		framework   *Framework
		layout, why string
	}{
		{PyTorch, "(2,3):(5,1)", ""}, {PyTorch, "(3):(-1)@2", "no: negative strides are not supported; x.copy() copies some bytes"},
		{PyTorch, blocked, "as an array of shape (2, 2, 3, 4), the axes of memory"}, {PyTorch, "(2,(2,2)):(1,(1,1))", "no: its blocks have no order"},
		{NumPy, "(3):(-1)@2", "np.save writes a row-major copy of some bytes: the layout is lost"},
		{DirectML, "(3):(-1)@2", "no: strides are unsigned"}, {DirectML, "(0,3):(3,1)", "no: sizes must be at least 1"},
		{DirectML, blocked, "as dims (2, 2, 4, 3), one per digit, for elementwise operators"},
		{OneDNN, "(2,3):(5,2)", "no: a stride is smaller than the extent of the dims inside it"}, {OneDNN, blocked, ""},
		{MegEngine, "(2,3):(-5,1)@5", ""}, {MegEngine, blocked, "no: no MegEngine format has these blocks"},
		{TensorRT, "(2,3):(3,1)", ""}, {TensorRT, "(2,3):(3,1)@7", ""}, {TensorRT, "(2,3):(4,1)", "no: no TensorRT format has this layout"},
		{CuDNN, "(2,3,4):(0,4,1)", "as an input only: outputs must not overlap; by the graph API; cudnnSetTensorNdDescriptor refuses it"}, {CuDNN, "(2,3,4):(13,4,1)", ""},
		{CuDNN, blocked, "no: NCHW_VECT_C has 4 or 32 innermost channels"}, {CuTe, "(3):(-1)@2", ""},
		{OneDNN, "(3):(-1)@2", "no: negative strides are not supported"}, {OneDNN, "(1,8):(-8,1)", ""}, {OneDNN, "(0,8):(-8,1)", ""},
		{PyTorch, "(1,8):(-8,1)", "by from_dlpack: from_numpy refuses negative strides, even of size-1 dims"},
		{DLPack, "(1,8):(-8,1)", ""}, {CuDNN, "(1,8):(-8,1)", "no: negative strides are not supported"}, {CuDNN, "(128,64):(64,1)", ""}, {OneDNN, "(2,(2,2)):(1,(1,1))", "no: no format tag has this order of blocks"},
		{CuDNN, "(2,3,4):(-12,4,1)@12", "no: negative strides are not supported"}, {GGML, "(3):(-1)@2", "no: strides (nb) are unsigned"},
		{TVM, "(2,3):(4,1)", "no: no name for this order"}, {XLA, "(2,3):(4,1)", "no: no name for this order"},
		{TensorFlow, "(2,3):(4,1)", `no: its tensors have no strides ("Invalid strides array from DLPack"); .contiguous() copies some bytes and makes it row-major`}, {MNN, "(2,3):(4,1)", "no: no name for this order"},
		{ExecuTorch, "(2,3):(4,1)", "no: no dim_order: it has an order of the dims, without gaps or blocks"}, {ExecuTorch, "(2,3):(1,2)", ""},
		{Safetensors, "(2,3):(3,1)", ""}, {Safetensors, blocked, "no: its shapes cannot express blocks; it can store this memory as an array of shape (2, 2, 3, 4)"},
	} {
		a := c.framework.Accepts(offerOf(t, c.layout))
		if got := map[bool]string{true: "", false: "no: "}[a.OK] + a.Why; got != c.why {
			t.Errorf("%s, %s: %q, expected %q", c.framework.Name, c.layout, got, c.why)
		}
	}
}

// TestAcceptsCount: DirectML addresses 2^32-1 elements from the first to the last, and no more; the others have no limit. A
// 32-bit int has no such tensor.
func TestAcceptsCount(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("no layout reaches so far")
	}
	for layout, want := range map[string]string{"(2,2):(4294967293,1)": "", "(2,2):(4294967294,1)": "it addresses at most 4294967295 elements"} {
		for _, f := range []*Framework{DirectML, PyTorch} {
			a := f.Accepts(offerOf(t, layout))
			if refused := f == DirectML && want != ""; a.OK == refused || refused && a.Why != want {
				t.Errorf("%s, %s: %+v", f.Name, layout, a)
			}
		}
	}
}

// TestPermutedIsRefused: TensorFlow and ONNX Runtime, which read no strides, refuse a tensor in another memory order alike, and name the view that
// they accept. As a layout, TensorFlow has it: NHWC, whose shape is that of memory.
func TestPermutedIsRefused(t *testing.T) {
	o := offer(t, exactly(t, "(2,3,4,5):(60,1,15,3)"), orderNamed(t, "nhwc"), "float32")
	for _, f := range []*Framework{TensorFlow, ONNXRuntime, Safetensors} {
		a := f.Accepts(o)
		if a.OK || !slices.Equal(a.Brief, []string{noStrides}) || !strings.Contains(a.Why, "; x.permute(0, 2, 3, 1), a view of shape (2, 4, 5, 3), is row-major; ") {
			t.Errorf("%s: %+v", f.Name, a)
		}
	}
	if a := TensorFlow.Expresses(o); !a.OK || a.As != Physical {
		t.Errorf("TensorFlow expresses it: %+v", a)
	}
}

// TestRowMajorSpelled: kLINEAR is row-major whatever the dims are called, in every listing of names, and nothing else.
func TestRowMajorSpelled(t *testing.T) {
	for layout, want := range map[string]string{"abcdef": "kLINEAR", "wh": "", "nhwc": "kHWC", "oihw": "kLINEAR", "hw": "kLINEAR", "ba": ""} {
		l, err := notation.Parse(layout)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(TensorRT.NamesOf(l.Format), " "); got != want {
			t.Errorf("%s is %q in TensorRT, expected %q", layout, got, want)
		}
	}
}

// TestNarrow: a type below a byte that a framework has by its header is accepted, refused for how its values are packed, or not checked, which is
// neither a yes nor a no; one that it lacks is unsupported.
func TestNarrow(t *testing.T) {
	h, count := readHeaders(t), map[tensor.Answer]int{}
	for _, f := range frameworks {
		if h.types[f.Name] == nil {
			continue
		}
		for _, typ := range []string{"int1", "int2", "int4", "uint1", "uint2", "uint4", "float4_e2m1fn"} {
			o := readOffer(t, "(2,16):(16,1)@0", typ)
			has, a := h.has(f.Name, typ, h.types[f.Name]), f.Accepts(o)
			unsupported := strings.HasPrefix(a.Why, "unsupported type")
			if order, ok := notation.Of(o.Layout); ok && f.Order == ByName {
				o.Order, o.Orders = &order, []notation.Format{order}
				a = f.Accepts(o)
				unsupported = strings.HasPrefix(a.Why, "unsupported type")
			}
			count[a.Result()]++
			if has == unsupported || a.Unchecked && (a.OK || a.Why != typ+" is not checked") {
				t.Errorf("%s of %s: %+v, the header has the type: %v", typ, f.Name, a, has)
			}
		}
	}
	if count[tensor.Yes] < 10 || count[tensor.No] < 10 || count[tensor.Unknown] < 4 {
		t.Errorf("answers: %v", count)
	}
}

// TestParts: values that share a byte with other memory are refused where a pointer is given, and an odd number of them by safetensors, which counts
// bytes (validate of safetensors/src/tensor.rs). Values with a byte each are not the packed types of frameworks.
func TestParts(t *testing.T) {
	const whole, inside = "(3,4):(4,1)@", "it starts inside a byte, at 0 high: no pointer expresses that"
	const viewed = "from_numpy(x.view('uint8')).view(torch.float4_e2m1fn_x2) since PyTorch 2.8"
	for _, c := range []struct {
		of               *Framework
		layout, typ, why string
	}{
		{DLPack, whole + "1", "int4", inside}, {ONNXRuntime, whole + "1", "float4_e2m1fn", inside}, {Safetensors, whole + "1", "float4_e2m1fn", inside},
		{DLPack, whole + "1", "uint2", "it starts inside a byte, at 0 bits 2-3: no pointer expresses that"},
		{ONNXRuntime, whole + "2", "int4", ""}, {DLPack, whole + "1", "int8", ""}, {ONNXRuntime, "(3,5):(5,1)@0", "int4", ""},
		{Safetensors, whole + "0", "float4_e2m1fn", ""}, {Safetensors, "(3,5):(5,1)@0", "float4_e2m1fn", "15 values of 4 bits do not fill whole bytes"},
		{Safetensors, whole + "0", "int4", "unsupported type int4"},
		{DLPack, whole + "0", "float4_e2m1fn_x2", ""}, {PyTorch, whole + "0", "float4_e2m1fn_x2", "yes: " + viewed},
		{PyTorch, whole + "0", "float4_e2m1fn", "yes: as float4_e2m1fn_x2, shape (3, 2), a byte of two values; " + viewed},
		{PyTorch, "(4,3):(1,4)@0", "float4_e2m1fn", "yes: as float4_e2m1fn_x2, shape (2, 3), a byte of two values; " + viewed},
		{PyTorch, "(4,3):(3,1)@0", "float4_e2m1fn", "float4_e2m1fn_x2 is a byte of two values, d0-stride 3 values"},
		{PyTorch, whole + "1", "float4_e2m1fn", "float4_e2m1fn_x2 is a byte of two values: no dim of stride 1 has whole bytes"},
		{PyTorch, whole + "0", "int4", "packed int4; its int4 has a byte for each value"},
		{OneDNN, "(3,5):(5,1)@0", "int4", "d0-stride is 5 values of 4 bits: rows must start at a byte"}, {OneDNN, "(3,5):(6,1)@0", "int4", ""},
		{CuDNN, "(3,5):(5,1)@0", "int4", "yes: by the graph API; cudnnSetTensorNdDescriptor refuses it"},
	} {
		a, why := c.of.Accepts(readOffer(t, c.layout, c.typ)), ""
		if a.OK && a.Why != "" {
			why = "yes: "
		}
		if why += a.Why; a.OK != (c.why == "" || strings.HasPrefix(c.why, "yes: ")) || why != c.why {
			t.Errorf("%s of %s %s: %+v, expected %q", c.layout, c.typ, c.of.Name, a, c.why)
		}
	}
	for _, f := range []*Framework{DLPack, ONNXRuntime, TMA, NumPy} {
		o := readOffer(t, "(4,32):(32,1)@0", "int4")
		o.DType, _ = readOffer(t, whole+"0", "V1").DType.Opaque(o.DType)
		if a := f.Accepts(o); a.OK != (f == NumPy) || !a.OK && a.Why != "int4 with a byte for each value; its int4 is packed" {
			t.Errorf("%s: %+v", f.Name, a)
		}
	}
}
