package hlo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/graphtest"
)

// placesOf returns where each change is.
func placesOf(p *graph.Program) []string {
	var all []string
	for _, c := range p.Changes() {
		all = append(all, p.Operators[c.Operator].Place.String())
	}
	return all
}

// A network of two convolutions that JAX compiles for a CPU has four copies that change layouts: the input to NHWC, both weights, and the result
// back to NCHW. The transposes before them are bitcasts. The module is JAX 0.10's compiled.as_text().
func TestHLONet(t *testing.T) {
	p, err := Read(bytes.NewReader(graphtest.Sample(t, "net.txt")))
	if err != nil {
		t.Fatal(err)
	}
	graphtest.WantLines(t, graphtest.Changes(p), `
copy 4,64,64,3 (4,64,64,3):(12288,64,1,4096) (4,64,64,3):(12288,192,3,1)
copy 3,3,3,32 (3,3,3,32):(3,1,9,27) (3,3,3,32):(288,96,32,1) weight
copy 3,3,32,64 (3,3,32,64):(3,1,9,288) (3,3,32,64):(6144,2048,64,1) weight
copy 4,64,32,32 (4,64,32,32):(65536,1,2048,64) (4,64,32,32):(65536,1024,32,1)`)
	graphtest.WantLines(t, placesOf(p), "copy.6\ncopy.5\ncopy.7\ngen.py:30")
	if len(p.Inputs) != 1 || p.Values[p.Inputs[0]].Name != "x.1" || len(p.Outputs) != 1 || !p.ListsCopies || p.Timed {
		t.Errorf("inputs %v, outputs %v", p.Inputs, p.Outputs)
	}
	at := slices.IndexFunc(p.Operators, func(op graph.Operator) bool { return op.Name == "convolution" })
	if dims := p.Operators[at].Dims; strings.Join(dims, " ") != "NHWC HWIO NHWC" {
		t.Errorf("the operand of b01f_01io->b01f has dims %q", dims)
	}
}

// hloCounts are the copies and transposes of modules whose source and target orders differ, as a script in Python counts them in the text, in
// each computation as often as it is called: attention, a U-Net, a perceptron, a scan, a branch and the gradient of a convolution, compiled by JAX
// 0.10 for a CPU.
var hloCounts = map[string]int{"net": 4, "attention": 4, "unet": 11, "mlp": 1, "scan": 4, "cond": 2, "grad": 5}

// All copies that change an order are found, and no others.
func TestHLOCounts(t *testing.T) {
	for name, want := range hloCounts {
		p, err := Read(bytes.NewReader(graphtest.Sample(t, name+".txt")))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := graphtest.Changes(p); len(got) != want || len(p.UnknownOperators()) > 0 {
			t.Errorf("%s: %d changes, want %d; unknown %v\n%s", name, len(got), want, p.UnknownOperators(), strings.Join(got, "\n"))
		}
	}
}

// A module without %, and one whose operands have types, as old versions and the short form print them, have the same changes.
func TestHLOForms(t *testing.T) {
	for name := range hloCounts {
		text := graphtest.Sample(t, name+".txt")
		want := readText(t, string(text))
		bare := strings.ReplaceAll(string(text), "%", "")
		tiled := regexp.MustCompile(`\{3,2,1,0\}`).ReplaceAllString(string(text), "{3,2,1,0:T(8,128)S(1)}")
		typed := regexp.MustCompile(`(copy|transpose|fusion)\(%`).ReplaceAllString(string(text), "$1(/*index=0*/f32[2,3]{1,0} %")
		for _, form := range []string{bare, tiled, typed, strings.ReplaceAll(string(text), "\n", "\r\n")} {
			if got := readText(t, form); !slices.Equal(graphtest.Changes(got), graphtest.Changes(want)) || !slices.Equal(placesOf(got), placesOf(want)) {
				t.Errorf("%s:\n%v\nwant\n%v", name, graphtest.Changes(got), graphtest.Changes(want))
			}
		}
		if notes := readText(t, tiled).Notes; strings.Contains(tiled, "T(8,128)") && !slices.Contains(notes, "tiles of layouts, as T(8,128), are left out") {
			t.Errorf("%s: no note of tiles in %v", name, notes)
		}
	}
}

func readText(t *testing.T, text string) *graph.Program {
	t.Helper()
	p, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

// module returns an HLO module with a fusion of a transpose, and the lines of its entry computation.
func module(entry string) string {
	return `HloModule m

%fused (p: f32[4,8]) -> f32[8,4] {
  %p = f32[4,8]{1,0} parameter(0)
  ROOT %t = f32[8,4]{1,0} transpose(%p), dimensions={1,0}
}

ENTRY %main {
` + entry + "\n}\n"
}

// Instructions that move elements, or only seem to: each line is a case with the changes in it.
func TestHLOInstructions(t *testing.T) {
	for entry, want := range map[string]string{
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[4,8]{0,1} copy(%x)":                                                                                                                "copy",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[4,8]{1,0} copy(%x)":                                                                                                                "",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[8,4]{0,1} transpose(%x), dimensions={1,0}":                                                                                         "",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[8,4]{1,0} transpose(%x), dimensions={1,0}":                                                                                         "transpose",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[8,4]{0,1} bitcast(%x)":                                                                                                             "",
		"%x = f32[4,8] parameter(0)\n%y = f32[8,4] transpose(%x), dimensions={1,0}":                                                                                                   "transpose",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[8,4]{1,0} fusion(%x), kind=kLoop, calls=%fused":                                                                                    "transpose",
		"%x = f32[4,8]{1,0} parameter(0)\n%y = f32[8,4]{1,0} call(%x), to_apply=%fused":                                                                                               "transpose",
		"%x = f32[1,8]{1,0} parameter(0)\n%y = f32[1,8]{0,1} copy(%x)":                                                                                                                "",
		"%x = f32[<=4,8]{1,0} parameter(0)\n%y = f32[<=4,8]{0,1} copy(%x)":                                                                                                            "",
		"%x = bf16[4,8]{1,0:T(8,128)(2,1)} parameter(0)\n%y = bf16[4,8]{0,1:T(8,128)(2,1)S(1)} copy(%x)":                                                                              "copy",
		"%x = (f32[4,8]{1,0}, s32[]) parameter(0)\n%e = f32[4,8]{1,0} get-tuple-element(%x), index=0\n%y = f32[4,8]{0,1} copy(%e)":                                                    "copy",
		"%x = f32[4,8]{1,0} parameter(0)\n%t = (f32[4,8]{1,0}) tuple(%x)\n%e = f32[4,8]{1,0} get-tuple-element(%t), index=0\n%y = f32[4,8]{0,1} copy(%e)":                             "copy",
		"%x = f32[4,8]{1,0} parameter(0)\n%s = (f32[4,8]{0,1}, f32[4,8]{1,0}, u32[]) copy-start(%x)\n%y = f32[4,8]{0,1} copy-done(%s)":                                                "copy-start",
		"%x = f32[4,8]{1,0} parameter(0)\n%a = f32[8,4]{1,0} fusion(%x), kind=kLoop, calls=%fused\n%y = f32[8,4]{1,0} fusion(%x), kind=kLoop, calls=%fused":                           "transpose transpose",
		"%x = f32[4,8]{1,0} parameter(0)\n%a = ((f32[4,8]{1,0}), f32[8,4]{1,0}, u32[]) async-start(%x), calls=%fused\n%y = f32[8,4]{1,0} async-done(%a)\n%z = f32[8,4]{0,1} copy(%y)": "transpose copy",
	} {
		p := readText(t, module(entry))
		var got []string
		for _, c := range p.Changes() {
			got = append(got, p.Operators[c.Operator].Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\n%v, want %s", entry, got, want)
		}
	}
}

// Only parameters that become the kernel of a convolution are weights, by dim_labels of XLA or as cuDNN's call has it.
func TestHLOWeights(t *testing.T) {
	const conv = "%x = f32[1,8,8,3]{3,2,1,0} parameter(0)\n%w = f32[4,3,3,3]{3,2,1,0} parameter(1)\n%h = bf16[4,3,3,3]{3,2,1,0} convert(%w)\n" +
		"%c = bf16[4,3,3,3]{1,3,2,0} copy(%h)\n"
	for _, line := range []string{
		"%y = f32[1,6,6,4]{3,2,1,0} convolution(%x, %c), window={size=3x3}, dim_labels=b01f_oi01->b01f",
		`%y = (f32[1,6,6,4]{3,2,1,0}, u8[0]{0}) custom-call(%x, %c), custom_call_target="__cudnn$convForward"`,
	} {
		p := readText(t, module(conv+line))
		graphtest.WantLines(t, graphtest.Changes(p), "copy 4,3,3,3 (4,3,3,3):(27,9,3,1) (4,3,3,3):(27,1,9,3) weight")
		if len(p.Inputs) != 1 || p.Values[p.Inputs[0]].Name != "x" {
			t.Errorf("inputs %v", p.Inputs)
		}
	}
	p := readText(t, module(conv+"%n = bf16[4,3,3,3]{1,3,2,0} add(%c, %c)\n%y = f32[1,6,6,4]{3,2,1,0} convolution(%x, %n), dim_labels=b01f_oi01->b01f"))
	if len(p.Inputs) != 2 {
		t.Errorf("a computed kernel is a weight: inputs %v", p.Inputs)
	}
}

// An instruction's place is the innermost line that is not a library's, by the tables of the head, or by the metadata of old versions; else that
// of the fusion.
func TestHLOPlaces(t *testing.T) {
	const tables = `FileNames
1 "/usr/lib/python3/site-packages/flax/linen.py"
2 "/home/me/net.py"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}
2 {file_name_id=2 function_name_id=1 line=42 end_line=42 column=1 end_column=2}

StackFrames
1 {file_location_id=2 parent_frame_id=%d}
2 {file_location_id=1 parent_frame_id=%d}

`
	const entry = "%x = f32[4,8]{1,0} parameter(0)\n%y = f32[4,8]{0,1} copy(%x), "
	withTables := func(first, second int) string {
		return strings.Replace(module(entry+`metadata={op_name="jit(f)/copy" stack_frame_id=2}, backend_config={"a":"b"}`), "HloModule m\n",
			"HloModule m\n\n"+fmt.Sprintf(tables, first, second), 1)
	}
	for text, want := range map[string]string{
		withTables(0, 1): "net.py:42",
		withTables(1, 2): "net.py:42",
		withTables(2, 2): "linen.py:7", // frame 2 calls itself
		module(entry + `metadata={op_type="copy" op_name="jit(f)/copy" source_file="C:\home\net.py" source_line=8}`): "net.py:8",
		module(entry + `metadata={op_name="jit(f)/copy"}`):                                                           "jit(f)/copy",
		module(entry + "x=1"): "y",
		module("%x = f32[4,8]{1,0} parameter(0)\n" + `%y = f32[8,4]{1,0} fusion(%x), calls=%fused, metadata={source_file="a.py" source_line=3}`): "a.py:3",
	} {
		graphtest.WantLines(t, placesOf(readText(t, text)), want)
	}
}

// What is not read is noted: lines that are no instructions, tuples nested too deep, and a second module. The root may be any instruction, and a
// parameter that no call passes is no input of the program.
func TestHLONotes(t *testing.T) {
	const x = "%x = f32[4,8]{1,0} parameter(0)\n"
	for text, want := range map[string]string{
		module(x): "",
		module(x + "what is this\n%z = " + strings.Repeat("(", 40) + "f32[4]{0}" + strings.Repeat(")", 40) + " parameter(1)"): "2 lines not read",
		module(x) + module(x):                "only the first module is read",
		module("%x = f32[4,8] parameter(0)"): "types without a layout are read as row-major",
	} {
		if got := strings.Join(readText(t, text).Notes, "; "); got != want {
			t.Errorf("notes %q, want %q of\n%s", got, want, text)
		}
	}
	p := readText(t, module("ROOT "+x+"%y = f32[4,8]{0,1} copy(%x)\n%z = f32[8,4]{1,0} fusion(), calls=%fused"))
	if len(p.Outputs) != 1 || p.Values[p.Outputs[0]].Name != "x" || len(p.Inputs) != 1 {
		t.Errorf("inputs %v, outputs %v", p.Inputs, p.Outputs)
	}
	p = readText(t, module(x+"%s = (f32[4,8]{0,1}, f32[4,8]{1,0}, u32[]) copy-start(%x)"))
	if outputs := p.Operators[0].Outputs; len(outputs) != 1 {
		t.Errorf("copy-start writes %v", outputs)
	}
}

// Each branch of a conditional has its own operand: one of the two is already in the order of the copy.
func TestHLOBranches(t *testing.T) {
	p := readText(t, strings.Replace(module("%p = pred[] parameter(0)\n%x = f32[4,8]{1,0} parameter(1)\n%y = f32[4,8]{0,1} parameter(2)\n"+
		"%z = f32[4,8]{0,1} conditional(%p, %x, %y), true_computation=%one, false_computation=%other"), "ENTRY",
		"%one {\n%a = f32[4,8]{1,0} parameter(0)\nROOT %b = f32[4,8]{0,1} copy(%a)\n}\n"+
			"%other {\n%c = f32[4,8]{0,1} parameter(0)\nROOT %d = f32[4,8]{0,1} copy(%c)\n}\nENTRY", 1))
	graphtest.WantLines(t, placesOf(p), "b")
	if !slices.Contains(p.Notes, "each branch of a conditional is counted once") {
		t.Errorf("notes %v", p.Notes)
	}
}

// Texts that are no module, end in a computation, call themselves or grow without bound are refused.
func TestHLORefuses(t *testing.T) {
	nested := "HloModule m\n" + strings.Repeat("%a {\n%x = f32[] parameter(0)\n}\n", 1)
	for i := range 40 {
		nested += fmt.Sprintf("%%f%d {\n%%x = f32[] parameter(0)\n%%y = f32[] fusion(%%x), calls=%%f%d\nROOT %%z = f32[] fusion(%%y), calls=%%f%d\n}\n", i, i-1, i-1)
	}
	nested = strings.ReplaceAll(nested, "%f-1", "%a")
	tuples := "%t0 = f32[] parameter(0)\n"
	deep := "HloModule m\n%f0 {\nROOT %x = f32[] parameter(0)\n}\n"
	for i := range 70 {
		tuples += fmt.Sprintf("%%t%d = () tuple(%%t%d, %%t%d)\n", i+1, i, i)
		deep += fmt.Sprintf("%%f%d {\n%%x = f32[] parameter(0)\nROOT %%y = f32[] call(%%x), to_apply=%%f%d\n}\n", i+1, i)
	}
	for text, want := range map[string]fault.Class{
		"":                          fault.Malformed,
		"HloModule m\n":             fault.Malformed,
		"HloModule m\nENTRY %e {\n": fault.Malformed,
		"HloModule m\nENTRY %e {\n%x = f32[] parameter(0)\n%y = f32[] call(%x), to_apply=%e\n}\n": fault.Malformed,
		nested + "ENTRY %e {\n%x = f32[] parameter(0)\n%y = f32[] call(%x), to_apply=%f39\n}\n":   fault.Resource,
		module(tuples): fault.Resource,
		deep + "ENTRY %e {\n%x = f32[] parameter(0)\n%y = f32[] call(%x), to_apply=%f70\n}\n": fault.Unsupported,
	} {
		_, err := Read(strings.NewReader(text))
		if fault.ClassOf(err) != want || err == nil {
			t.Errorf("%.80q: %v, want %v", text, err, want)
		}
	}
	if _, err := Read(iotest.ErrReader(os.ErrPermission)); fault.ClassOf(err) != fault.Resource {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// A module that ends at any line is refused, but for the last one.
func TestHLOTruncated(t *testing.T) {
	text := bytes.TrimSpace(graphtest.Sample(t, "scan.txt"))
	for end := range text {
		if text[end] != '\n' {
			continue
		}
		if _, err := Read(bytes.NewReader(text[:end])); err == nil {
			t.Errorf("%d bytes of %d are read as a module", end, len(text))
		}
	}
}

func FuzzHLO(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txt")
	for _, name := range files {
		f.Add(graphtest.Sample(f, filepath.Base(name)))
	}
	f.Add([]byte(module("%x = (f32[4,8]{1,0}, s32[]) parameter(0)\n%e = f32[4,8]{1,0} get-tuple-element(%x), index=0\n%y = f32[4,8]{0,1} copy(%e)")))
	f.Fuzz(func(_ *testing.T, text []byte) {
		p, err := Read(bytes.NewReader(text))
		if err == nil {
			p.Changes()
		}
	})
}
