package tensorrt

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// The samples are written by hand, for there is no TensorRT here: in the form of NVIDIA's documentation of the engine inspector and of the files
// in issues 3679, 3876 and 4020 of NVIDIA/TensorRT. int8.json has what issue 4039 reports: NC/32HW32 to NC/4HW4 and back around an
// elementwise layer of a quantized YOLO.

// Reformats that change the order of elements are changes; one that only casts or pads channels, and a NoOp, are not. Names are by dims N, C, H, W.
func TestTensorRT(t *testing.T) {
	bound := map[string][2]string{"net.json": {"x", "y"}, "int8.json": {"images", "cv2"}}
	for name, want := range map[string]string{
		"net.json": `
Reformat 4,3,64,64 NCHW NHWC
Reformat 4,32,64,64 NHWC NCHW
Reformat 4,32,64,64 NCHW NHWC`,
		"int8.json": `
Reformat 1,64,80,80 NCHW32c NCHW4c cancels 1
Reformat 1,64,80,80 NCHW4c NCHW32c cancels 0`,
	} {
		p, err := Read(bytes.NewReader(graphtest.Sample(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { graphtest.WantLines(t, graphtest.NamedChanges(p), want) })
		if len(p.Inputs) != 1 || p.Values[p.Inputs[0]].Name != bound[name][0] || len(p.Outputs) != 1 || p.Values[p.Outputs[0]].Name != bound[name][1] {
			t.Errorf("%s: inputs %v, outputs %v", name, p.Inputs, p.Outputs)
		}
		if p.Timed || !p.ListsCopies || len(p.Notes) > 0 {
			t.Errorf("%s: timed %t, lists copies %t, notes %v", name, p.Timed, p.ListsCopies, p.Notes)
		}
	}
}

// layer returns layer information of one layer, with one input and one output.
func layer(kind, more, in, inDims, out, outDims string) string {
	return fmt.Sprintf(`{"Layers":[{"Name":"l","LayerType":%q%s,"Inputs":[{"Name":"a","Dimensions":%s,"Format/Datatype":%q}],`+
		`"Outputs":[{"Name":"b","Dimensions":%s,"Format/Datatype":%q}]}],"Bindings":["a","b"]}`, kind, more, inDims, in, outDims, out)
}

// Each sentence gives a layout and a type; sentences of dynamic shapes, and types alone as kgen's kernels have, are noted.
func TestTensorRTFormats(t *testing.T) {
	const linear = "Row major linear FP32"
	for sentence, want := range map[string]string{
		"Row major linear FP16 format":                              "float16[2,32,4,4][512,16,4,1]",
		"Row major Int8 format":                                     "int8[2,32,4,4][512,16,4,1]",
		"Row major linear BOOL":                                     "bool[2,32,4,4][512,16,4,1]",
		"Row major linear FP8 format":                               "float8_e4m3fn[2,32,4,4][512,16,4,1]",
		"Row major linear BFloat16 format":                          "bfloat16[2,32,4,4][512,16,4,1]",
		"Channel major FP32 format":                                 "float32[2,32,4,4][512,1,128,32]",
		"Channel major FP16 format where channel % 8 == 0":          "float16[2,32,4,4][512,1,128,32]",
		"Thirty-two wide channel vectorized row major Int8 format.": "int8[2,32,4,4][512,1,128,32]",
		"Four wide channel vectorized row major Int8 format":        "int8[2,32,4,4]",
		"N/A due to dynamic shapes":                                 "?",
		"Half":                                                      "?",
	} {
		p, err := Read(strings.NewReader(layer("Reformat", "", linear, "[2,32,4,4]", sentence, "[2,32,4,4]")))
		if err != nil {
			t.Fatal(err)
		}
		if got := graphtest.Operands(p, &p.Operators[0]); got != "float32[2,32,4,4][512,16,4,1] -> "+want {
			t.Errorf("%s: %s, want %s", sentence, got, want)
		}
		if unknown := want == "?"; unknown != (len(p.Notes) == 1) {
			t.Errorf("%s: notes %v", sentence, p.Notes)
		}
	}
	p, err := Read(strings.NewReader(layer("Reformat", "", linear, "[-1,3]", linear, fmt.Sprintf("[%d,9]", math.MaxInt))))
	if err != nil || graphtest.Operands(p, &p.Operators[0]) != "? -> ?" {
		t.Errorf("sizes that are not known, or overflow: %v", err)
	}
}

// A Shuffle is a copy if it permutes dims, a view if it only reshapes, and neither if it does both.
func TestTensorRTShuffle(t *testing.T) {
	const linear = "Row major linear FP32"
	for _, c := range []struct {
		more, dims string
		kind       graph.Kind
		changes    int
	}{
		{"", "[8,3]", graph.Views, 0},
		{`,"FirstTranspose":[0,1,2],"SecondTranspose":[0,1,2]`, "[8,3]", graph.Views, 0},
		{`,"FirstTranspose":[0,2,1]`, "[2,3,4]", graph.Copies, 1},
		{`,"FirstTranspose":[0,2,1],"SecondTranspose":[1,0,2]`, "[3,2,4]", graph.Copies, 1},
		{`,"FirstTranspose":[0,2,1],"SecondTranspose":[0,2,1]`, "[2,4,3]", graph.Copies, 0},
		{`,"FirstTranspose":[0,2,1]`, "[6,4]", graph.Computes, 0},
		{`,"FirstTranspose":[0,7,-1]`, "[2,3,4]", graph.Computes, 0},
	} {
		p, err := Read(strings.NewReader(layer("Shuffle", c.more, linear, "[2,4,3]", linear, c.dims)))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Operators[0].Kind; got != c.kind || len(p.Changes()) != c.changes {
			t.Errorf("%s to %s: kind %d with %d changes, want %d with %d", c.more, c.dims, got, len(p.Changes()), c.kind, c.changes)
		}
	}
}

// A tensor of four dims is an image only if a layer of images has it. A name with other sizes is another tensor: layers write a concatenation
// in parts.
func TestTensorRTNames(t *testing.T) {
	const linear = "Row major linear FP32"
	p, err := Read(strings.NewReader(layer("Reformat", "", linear, "[2,8,4,16]", "Channel major FP32 format", "[2,8,4,16]")))
	if err != nil {
		t.Fatal(err)
	}
	graphtest.WantLines(t, graphtest.NamedChanges(p), "Reformat 2,8,4,16 0,1,2,3 0,2,3,1")
	parts := strings.Replace(layer("Reformat", "", linear, "[2,4]", linear, "[2,4]"), `],"Bindings"`,
		`,{"Name":"m","LayerType":"ElementWise","Inputs":[{"Name":"b","Dimensions":[2,8],"Format/Datatype":"Row major linear FP32"}],"Outputs":[]}],"Bindings"`, 1)
	p, err = Read(strings.NewReader(parts))
	if err != nil || graphtest.Operands(p, &p.Operators[1]) != "float32[2,8][8,1]" {
		t.Errorf("%v: %s", err, graphtest.Operands(p, &p.Operators[1]))
	}
}

// Constants are weights, as in issue 4535: a Constant and its Reformat before a convolution.
func TestTensorRTConstant(t *testing.T) {
	text := strings.Replace(layer("Reformat", "", "Row major linear FP32", "[8,4,3,3]", "Channel major FP32 format", "[8,4,3,3]"), `[{"Name":"l"`,
		`[{"Name":"onnx::Conv_1","LayerType":"Constant","Inputs":[],"Outputs":[{"Name":"a","Dimensions":[8,4,3,3],`+
			`"Format/Datatype":"Row major linear FP32"}]},{"Name":"l"`, 1)
	p, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	graphtest.WantLines(t, graphtest.Changes(p), "Reformat 8,4,3,3 (8,4,3,3):(36,9,3,1) (8,4,3,3):(36,1,12,4) weight")
}

// The times of a profile are the layers' of the same names, in seconds; a layer that did not run has none.
func TestTensorRTProfile(t *testing.T) {
	p, err := Read(bytes.NewReader(graphtest.Sample(t, "net.json")))
	if err != nil {
		t.Fatal(err)
	}
	seconds, err := ReadTimes(bytes.NewReader(graphtest.Sample(t, "net_profile.json")))
	if err != nil || len(seconds) != 8 {
		t.Fatalf("%v, %v", seconds, err)
	}
	err = AddTimes(p, seconds)
	if err != nil || !p.Timed || math.Abs(p.Seconds()-0.36e-3) > 1e-12 || math.Abs(p.Operators[4].Seconds-0.05e-3) > 1e-12 {
		t.Errorf("%g s, the fifth layer %g s, %v", p.Seconds(), p.Operators[4].Seconds, err)
	}
	graphtest.WantLines(t, p.Notes, "1 layer without a time in the profile")
	err = AddTimes(p, map[string]float64{"other": 1})
	if fault.ClassOf(err) != fault.Malformed {
		t.Errorf("the profile of another engine: %v", err)
	}
	p.Operators = append(p.Operators, p.Operators[1]) // two layers of one name share its time
	err = AddTimes(p, seconds)
	if err != nil || math.Abs(p.Seconds()-0.36e-3) > 1e-12 {
		t.Errorf("with a layer twice: %g s, %v", p.Seconds(), err)
	}
}

// Layers without details are refused with the option to set, as the files in issues 4020 and 4048; other documents as malformed.
func TestTensorRTRefuses(t *testing.T) {
	for text, want := range map[string]fault.Class{
		`{"Layers":["Conv__25 + Relu","MaxPool2d"],"Bindings":["x:0"]}`: fault.Unsupported,
		`{"Layers":[]}`:                           fault.Unsupported,
		`{"Layers":[{"Name":"a"}]}`:               fault.Unsupported,
		`{"Layers":[{"Name":"a","LayerType":7}]}`: fault.Unsupported,
		`[]`:                                  fault.Malformed,
		``:                                    fault.Malformed,
		strings.Repeat(`{"Layers":[`, 20_000): fault.Malformed,
	} {
		_, err := Read(strings.NewReader(text))
		if err == nil || fault.ClassOf(err) != want {
			t.Errorf("%.40q: %v, want %v", text, err, want)
		}
	}
	for _, text := range []string{``, `{}`, `[]`, `[{"count":5}]`, `[{"name":"a","averageMs":"x"}]`, `[{"name":"a","averageMs":-1}]`} {
		_, err := ReadTimes(strings.NewReader(text))
		if err == nil || fault.ClassOf(err) != fault.Malformed {
			t.Errorf("profile %q: %v", text, err)
		}
	}
	mixed := strings.Replace(layer("Reformat", "", "Half", "[2]", "Half", "[2]"), `[{"Name":"l"`, `["other",{"Name":"l"`, 1)
	p, err := Read(strings.NewReader(mixed))
	if err != nil || p.Notes[0] != "1 layer without details: not read" {
		t.Errorf("%v, %v", p, err)
	}
}

// A file that ends anywhere is malformed.
func TestTensorRTTruncated(t *testing.T) {
	text := bytes.TrimSpace(graphtest.Sample(t, "net.json"))
	for end := 0; end < len(text); end += 17 {
		_, err := Read(bytes.NewReader(text[:end]))
		if fault.ClassOf(err) != fault.Malformed || err == nil {
			t.Errorf("%d bytes: %v", end, err)
		}
	}
}

func FuzzTensorRT(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, name := range files {
		f.Add(graphtest.Sample(f, filepath.Base(name)))
	}
	f.Fuzz(func(_ *testing.T, text []byte) {
		p, err := Read(bytes.NewReader(text))
		seconds, bad := ReadTimes(bytes.NewReader(text))
		if err == nil {
			p.Changes()
		}
		if err == nil && bad == nil {
			AddTimes(p, seconds) //nolint:errcheck // any answer will do
		}
	})
}
