package main

import (
	"bytes"
	"github.com/spf13/cobra"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// TestFlags: what is typed becomes these values.
func TestFlags(t *testing.T) {
	a := &app{streams: &streams{in: new(bytes.Buffer)}}
	for _, c := range []struct {
		command string
		args    string
		want    map[string]string
	}{
		{"inspect", "", map[string]string{"limit": "64", "offsets": "false", "storage": "false", "shape": "", "channels": "0"}},
		{"inspect", "--shape (1,64,5,4) --strides [1280,1,256,64] --offset 3", map[string]string{
			"shape": "1, 64, 5, 4", "strides": "1280, 1, 256, 64", "offset": "3"}},
		{"inspect", "--layout NHWC --dtype f4 --max-header 64MiB", map[string]string{"layout": "NHWC", "dtype": "float32", "max-header": "64 MiB"}},
		{"convert", "", map[string]string{"memory": "64 MiB", "pad-value": "0", "force": "false", "durable": "false", "verify": "false"}},
		{"convert", "--from nhwc --to nchw4 -o y.npy", map[string]string{"from": "nhwc", "layout": "nhwc", "to": "nchw4", "out": "y.npy"}},
		{"convert", "--layout nhwc", map[string]string{"from": "nhwc"}},
		{"convert", "--pitch W=64B,H=4 --pitch N=2", map[string]string{"pitch": "[W=64B,H=4,N=2]"}},
	} {
		cmd := must2(newChild(a, c.command))
		if err := cmd.ParseFlags(strings.Fields(c.args)); err != nil {
			t.Errorf("%s %s: %v", c.command, c.args, err)
			continue
		}
		for name, want := range c.want {
			if got := cmd.Flags().Lookup(name).Value.String(); got != want {
				t.Errorf("%s %s: --%s is %q, expected %q", c.command, c.args, name, got, want)
			}
		}
	}
}

// newChild is a command of a new tree.
func newChild(a *app, name string) (*cobra.Command, error) {
	cmd, _, err := newRootCmd(a).Find([]string{name})
	return cmd, err
}

func TestIntsFlag(t *testing.T) {
	for text, want := range map[string][]int{
		"1,64,5,4": {1, 64, 5, 4}, "(1, 64)": {1, 64}, "[2,3]": {2, 3}, "(5,)": {5}, "()": {}, "": {}, " 7 ": {7}, "-1,+2": {-1, 2},
	} {
		var f intsFlag
		if err := f.Set(text); err != nil || !cmp.Equal(f.values, want) || !f.set {
			t.Errorf("Set(%q) = %v, %v; expected %v", text, f.values, err, want)
		}
	}
	for _, text := range []string{"a", "1,,2", "1;2", "1.5", "(1,2", "((1))", ",", "99999999999999999999", "0x10", "1 2"} {
		if err := new(intsFlag).Set(text); err == nil {
			t.Errorf("Set(%q) succeeds", text)
		}
	}
}

func TestBytesFlag(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4096": 4096, "7B": 7, "64MiB": 64 << 20, "1.5GB": 15e8, "2k": -1, "2K": 2048, "3 MiB": 3 << 20, "1TiB": 1 << 40, "1kB": 1000,
	} {
		var f bytesFlag
		err := f.Set(text)
		if (err != nil) != (want < 0) || want >= 0 && f.n != want {
			t.Errorf("Set(%q) = %d, %v; expected %d", text, f.n, err, want)
		}
	}
	for _, text := range []string{"", "-1", "many", "nan", "inf", "1e300GiB", "1 2", "MiB"} {
		if err := new(bytesFlag).Set(text); err == nil {
			t.Errorf("Set(%q) succeeds", text)
		}
	}
}

func TestFormats(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 5120: "5120 bytes", 10239: "10239 bytes", 10240: "10 KiB", 64 << 20: "64 MiB", 3 << 29: "1.5 GiB", 1 << 62: "4 EiB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, expected %q", n, got, want)
		}
	}
	for s, want := range map[float64]string{0: "0 s", 1.25: "1.25 s", 0.0295: "29.5 ms", 29.5e-6: "29.5 µs", 3e-9: "3 ns", 90: "90 s"} {
		if got := formatSeconds(s); got != want {
			t.Errorf("formatSeconds(%g) = %q, expected %q", s, got, want)
		}
	}
}

func TestParsePitches(t *testing.T) {
	got, err := parsePitches([]string{"W=64B", "h=3"}, 4)
	if want := []convert.Pitch{{Dim: "W", Align: 16}, {Dim: "H", Align: 3}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("parsePitches = %v, %v", got, err)
	}
	for _, text := range []string{"W", "=4", "W=", "W=0", "W=-1", "W=6B", "W=4KB", "W=1.5", "W=1073741825"} {
		if _, err := parsePitches([]string{text}, 4); fault.ClassOf(err) != fault.Usage {
			t.Errorf("parsePitches(%q): %v", text, err)
		}
	}
	if _, err := parsePitches([]string{"W=4B"}, 0); err == nil {
		t.Error("a pitch in bytes of items without bytes succeeds")
	}
}

func TestEnum(t *testing.T) {
	var f format
	e := newEnum(&f, formatTable, formatJSON)
	if f != formatTable || e.Type() != "table|json" || e.String() != "table" {
		t.Errorf("%q, %q, %q", f, e.Type(), e.String())
	}
	if err := e.Set("json"); err != nil || f != formatJSON {
		t.Errorf("Set: %v, %q", err, f)
	}
	if err := e.Set("xml"); err == nil || f != formatJSON {
		t.Errorf("Set of a word that is not there: %v, %q", err, f)
	}
}

// TestOffered: every layout and dtype that the shell is offered is one that the program reads.
func TestOffered(t *testing.T) {
	layouts, _ := completeLayouts(nil, nil, "")
	for _, word := range layouts {
		if err := new(layoutFlag).Set(word); err != nil {
			t.Errorf("--layout %s: %v", word, err)
		}
	}
	dtypes, _ := completeDTypes(nil, nil, "")
	for _, word := range dtypes {
		if err := new(dtypeFlag).Set(word); err != nil {
			t.Errorf("--dtype %s: %v", word, err)
		}
	}
	if len(layouts) < 20 || len(dtypes) < 15 {
		t.Errorf("%d layouts and %d dtypes", len(layouts), len(dtypes))
	}
}

// TestVerifyNegative: a result that differs in one bit is an answer of "no", exit code 1.
func TestVerifyNegative(t *testing.T) {
	in := npyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false)
	out := filepath.Join(t.TempDir(), "y.npy")
	a := &app{streams: &streams{err: new(bytes.Buffer)}}
	o := &convertOptions{memory: bytesFlag{64 << 20}, padValue: "0", out: out}
	o.source = in
	must(o.to.Set("nhwc"))
	tensor, err := source.Open(in, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tensor.Close()
	job, err := newConvertJob(a, o, tensor)
	if err != nil {
		t.Fatal(err)
	}
	if err := job.write(a); err != nil {
		t.Fatal(err)
	}
	if err := job.verify(); err != nil {
		t.Fatalf("a right result: %v", err)
	}
	content := must2(os.ReadFile(out))
	content[len(content)-1] ^= 1
	must(os.WriteFile(out, content, 0o644))
	if err := job.verify(); fault.ClassOf(err) != fault.Negative {
		t.Errorf("a wrong result: %v", err)
	}
	if code := a.report(job.verify()); code != 1 {
		t.Errorf("exit code %d, expected 1", code)
	}
}
