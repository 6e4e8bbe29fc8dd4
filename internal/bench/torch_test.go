package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// answering returns a worker whose process is a function from questions to answers; an empty answer ends it.
func answering(t *testing.T, answer func(question map[string]any) string) *Worker {
	t.Helper()
	questions, to := io.Pipe()
	from, answers := io.Pipe()
	go func() {
		defer answers.Close()
		for lines := bufio.NewScanner(questions); lines.Scan(); {
			var q map[string]any
			if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
				t.Error(err)
			}
			line := answer(q)
			if line == "" {
				return
			}
			io.WriteString(answers, line+"\n") //nolint:errcheck // a worker that ended reads no answer
		}
	}()
	t.Cleanup(func() { to.Close() })
	return &Worker{to: to, from: bufio.NewReader(from), interpreter: "/venv/python", end: func() error { return errors.New("it ended") }}
}

// torchSubject is a tensor in both memory formats, with its conversions.
func torchSubject(t *testing.T, patterns ...Pattern) Subject {
	t.Helper()
	s := Subject{DType: dtypeOf(t, "float32"), Patterns: patterns, Converts: true}
	for _, name := range TorchLayouts {
		s.Layouts = append(s.Layouts, Layout{name, bind(t, name, 2, 3, 4, 5)})
	}
	return s
}

// pass is how long the fake PyTorch takes for a pass of a row, in ns.
var pass = map[string]int{"nchw.conv2d": 4e6, "nhwc.conv2d": 2e6, "nchw.conv2d.bfloat16": 1e6, "nhwc.conv2d.bfloat16": 1e6,
	"nchw.to.nhwc": 5e5, "nhwc.to.nchw": 5e5, "copy": 25e4}

// fakeTorch answers as PyTorch's process does, with the times of pass.
func fakeTorch(setups *[]string) func(map[string]any) string {
	return func(q map[string]any) string {
		answer := map[string]any{"torch_version": "2.9.9", "device": "cuda:0", "device_name": "A GPU", "threads": 3}
		switch {
		case q["check"] != nil:
			answer = map[string]any{"bytes": 960}
		case q["run"] != nil:
			answer = map[string]any{"ns": float64(pass[q["run"].(string)]) * q["passes"].(float64)}
		default:
			line, _ := json.Marshal(q) //nolint:errcheck // it came from JSON
			*setups = append(*setups, string(line))
		}
		line, _ := json.Marshal(answer) //nolint:errcheck // numbers and text
		return string(line)
	}
}

// TestRunTorch: the report has the times that PyTorch measured, against its copy, and the verdict over them.
func TestRunTorch(t *testing.T) {
	var setups []string
	w, s := answering(t, fakeTorch(&setups)), torchSubject(t, Under("bfloat16", []Pattern{Conv2D})...)
	if err := w.setup(s, TorchOptions{"cuda", 7, 5}); err != nil {
		t.Fatal(err)
	}
	r, err := RunTorch(s, w, testOptions(time.Hour)) // this clock does not count
	if err != nil {
		t.Fatal(err)
	}
	if got := *r.Machine.Torch; got != (Torch{"2.9.9", "", TorchOptions{"cuda:0", 7, 5}, "A GPU", 3}) {
		t.Errorf("%+v", got)
	}
	for _, row := range r.Rows {
		if ns := float64(pass[row.Key()]); row.MedianNS != ns || row.Bytes != 960 || row.OfRoof != 25e4/ns {
			t.Errorf("%s: %v ns, %d bytes, %v of the roof", row.Key(), row.MedianNS, row.Bytes, row.OfRoof)
		}
	}
	if got := r.keys(); !slices.Equal(got, s.Keys()) || len(got) != len(pass)-1 {
		t.Errorf("%v", got)
	}
	if b := r.Verdict.BreakEven[0]; b.Pattern != Conv2D || b.Passes == nil || *b.Passes != 0.25 {
		t.Errorf("%+v", b)
	}
	if x := r.Verdict.Slowdowns[0]; x.Layout != "nchw" || x.Ratio != 2 || x.Tied || len(r.Verdict.Best[1].Layouts) != 2 {
		t.Errorf("%+v", r.Verdict)
	}
	const want = `{"autocast":"bfloat16","key":"nhwc.conv2d.bfloat16","layout":"nhwc","operator":"conv2d","twin":"nchw.conv2d.bfloat16"}`
	if !strings.Contains(setups[0], want) || !strings.Contains(setups[0], `"shape":[2,3,4,5]`) {
		t.Errorf("asked %s", setups[0])
	}
}

// TestTorchRefuses: every class that PyTorch's process names is one error with its reason, and so is an answer that is none, or no answer.
func TestTorchRefuses(t *testing.T) {
	for _, c := range []struct {
		answer, text, hint string
		class              fault.Class
	}{
		{`{"class":"missing","error":"No module named 'torch'"}`, "PyTorch: No module named 'torch'", "/venv/python -m pip install torch", fault.Resource},
		{`{"class":"usage","error":"Invalid device string: 'x'"}`, "PyTorch: Invalid device string: 'x'", "name a device as torch.device does: cpu, cuda or cuda:1", fault.Usage},
		{`{"class":"unsupported","error":"no\u001b[31m"}`, `PyTorch: no\x1b[31m`, "choose what to measure, and where: --patterns, --dtype, --device", fault.Unsupported},
		{`{"class":"resource","error":"out of memory"}`, "PyTorch: out of memory", "", fault.Resource},
		{`{}`, "PyTorch's process answers without a version and a device", "", fault.Resource},
		{`{"torch_version":"2.9.9"}`, "PyTorch's process answers without a version and a device", "", fault.Resource},
		{`{"device":"cpu"}`, "PyTorch's process answers without a version and a device", "", fault.Resource},
		{strings.Repeat("x", 1<<20), `PyTorch's process answers "` + strings.Repeat("x", 199) + `…"`, "", fault.Resource},
		{`hello`, `PyTorch's process answers "hello"`, "", fault.Resource},
		{`{"threads":"many"}`, `PyTorch's process answers "{"threads":"many"}"`, "", fault.Resource},
	} {
		err := answering(t, func(map[string]any) string { return c.answer }).setup(torchSubject(t, Conv2D), TorchOptions{})
		var f *fault.Error
		if !errors.As(err, &f) || *f != (fault.Error{Class: c.class, Text: c.text, Hint: c.hint}) {
			t.Errorf("%s: %#v", c.answer, err)
		}
	}
}

// TestTorchFails: a row that fails while it is measured ends the run with the row's error, and nothing is asked after it.
func TestTorchFails(t *testing.T) {
	const timeless = "PyTorch's process answers without a time"
	for failing, want := range map[string]string{`{"class":"resource","error":"out of memory"}`: "PyTorch: out of memory", "": "it ended",
		`{}`: timeless, `{"ns":0}`: timeless, `{"ns":-5}`: timeless} {
		var setups []string
		fake, runs, after := fakeTorch(&setups), 0, 0
		w := answering(t, func(q map[string]any) string {
			if runs > 60 {
				after++
			}
			if q["run"] == "nhwc.conv2d" {
				if runs++; runs > 60 {
					return failing
				}
			}
			return fake(q)
		})
		s := torchSubject(t, Conv2D)
		if err := w.setup(s, TorchOptions{}); err != nil {
			t.Fatal(err)
		}
		o := testOptions(0)
		o.Samples = 100
		if _, err := RunTorch(s, w, o); err == nil || !strings.HasSuffix(err.Error(), want) || after > 0 {
			t.Errorf("%v, and %d questions after it", err, after)
		}
	}
}

// TestTorchBytes: a row that moves no bytes is an answer without them.
func TestTorchBytes(t *testing.T) {
	for _, answer := range []string{`{}`, `{"bytes":0}`, `{"bytes":-960}`} {
		w, s := answering(t, func(q map[string]any) string {
			if q["check"] != nil {
				return answer
			}
			return fakeTorch(new([]string))(q)
		}), torchSubject(t, Conv2D)
		if err := w.setup(s, TorchOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := RunTorch(s, w, testOptions(0)); err == nil || !strings.HasSuffix(err.Error(), "answers without a number of bytes") {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// TestTorchAutocast: a type that autocast refuses is an error that names the flag.
func TestTorchAutocast(t *testing.T) {
	s := torchSubject(t, Under("float16", []Pattern{Conv2D})...)
	w := answering(t, func(q map[string]any) string {
		if q["check"] == "nchw.conv2d.float16" {
			return `{"class":"unsupported","error":"no such autocast"}`
		}
		return fakeTorch(new([]string))(q)
	})
	if err := w.setup(s, TorchOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := RunTorch(s, w, testOptions(0))
	var f *fault.Error
	if !errors.As(err, &f) || f.Text != "nchw.conv2d.float16: PyTorch: no such autocast" || f.Hint != "pass another --autocast, or off" {
		t.Errorf("%#v", err)
	}
}

// TestTorchNoise: the noise is that of PyTorch's copy, and the advice names no model, which operators lack.
func TestTorchNoise(t *testing.T) {
	copies := 0
	w, s := answering(t, func(q map[string]any) string {
		if q["run"] == torchCopy {
			copies++
			return fmt.Sprintf(`{"ns":%d}`, 2000000*(1+copies%3))
		}
		return fakeTorch(new([]string))(q)
	}), torchSubject(t, Conv2D)
	if err := w.setup(s, TorchOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := RunTorch(s, w, testOptions(0))
	if err != nil || r.Noise.Spread < 0.1 || r.Noise.Advice != advice {
		t.Errorf("%v: %+v", err, r.Noise)
	}
}

// TestProcess: a process that ends early is an error with its last line; one that does not end is killed.
func TestProcess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	for script, want := range map[string]string{
		"echo one >&2; echo two >&2; exit 3": "PyTorch's process ended early: exit status 3: two",
		"exit 0":                             "PyTorch's process ended early: it exited",
		"read x; kill -9 $$":                 "PyTorch's process ended early: signal: killed",
		"read x; exec >&-; exec sleep 60":    "PyTorch's process ended early: signal: killed",
	} {
		w, err := start(exec.Command("sh", "-c", script))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.setup(torchSubject(t, Conv2D), TorchOptions{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", script, err)
		}
		w.End()
	}
	var kept tail
	for range 3 {
		kept.Write([]byte(strings.Repeat("x", maxTail-1) + "\n")) //nolint:errcheck // never fails
	}
	kept.Write([]byte("the error\n")) //nolint:errcheck // never fails
	if len(kept.kept) != maxTail || kept.lastLine() != "the error" {
		t.Errorf("keeps %d bytes, the last line is %q", len(kept.kept), kept.lastLine())
	}
}

// TestAbsolutePath: no folder of the working directory is left in PYTHONPATH, whatever its spelling; other variables stay.
func TestAbsolutePath(t *testing.T) {
	absolute := t.TempDir()
	list := strings.Join([]string{"lib", absolute, "", ".", "..", "./x"}, string(filepath.ListSeparator))
	env := []string{"A=lib", "PYTHONPATH=" + list, "PYTHONHOME=lib"}
	got := absolutePath(env)
	if want := []string{"A=lib", "PYTHONPATH=" + absolute, "PYTHONHOME=lib"}; !slices.Equal(got, want) || env[1] != "PYTHONPATH="+list {
		t.Errorf("%q of %q", got, env)
	}
}

// realTorch starts PyTorch: with TLAYOUT_TEST_PYTHON, or else with Debian's. Without PyTorch the test is skipped, or fails if
// TLAYOUT_TEST_REQUIRE_TORCH=1.
func realTorch(t *testing.T, s Subject, o TorchOptions) (*Worker, error) {
	t.Helper()
	t.Setenv("PATH", "/usr/bin:/bin")
	if named := os.Getenv("TLAYOUT_TEST_PYTHON"); named != "" {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\nexec '"+named+"' \"$@\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
	}
	w, err := StartTorch(s, o)
	var f *fault.Error
	if errors.As(err, &f) && (strings.Contains(f.Hint, "pip install torch")) {
		need.Missing(t, "TORCH", err)
	}
	if err == nil {
		t.Cleanup(w.End)
		t.Log(w.Torch.Python, w.Torch.Version)
	}
	return w, err
}

// TestTorch measures every operator with the real PyTorch, whose results agree in both formats, and in the types of autocast.
func TestTorch(t *testing.T) {
	type torchCase struct {
		dtype, autocast string
		shape           []int
	}
	all := []torchCase{{"float32", "bfloat16", []int{2, 6, 9, 7}}, {"float64", "", []int{1, 1, 1, 1}}, {"bfloat16", "", []int{3, 2, 1, 5}}}
	for _, c := range random.Sample(all, len(all)) { // each starts PyTorch
		s := torchSubject(t)
		s.DType, s.Patterns = dtypeOf(t, c.dtype), Operators
		if c.autocast != "" {
			s.Patterns = Under(c.autocast, Operators)
		}
		for i, name := range TorchLayouts {
			s.Layouts[i].Layout = bind(t, name, c.shape...)
		}
		w, err := realTorch(t, s, TorchOptions{"cpu", 4, 3})
		if err != nil {
			t.Fatal(err)
		}
		r, err := RunTorch(s, w, testOptions(0))
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		elems := c.shape[0] * c.shape[1] * c.shape[2] * c.shape[3]
		for _, row := range r.Rows {
			if want := 2 * elems * s.DType.ItemSize(); row.Pattern == BatchNorm && row.Bytes != want || row.MedianNS <= 0 || row.OfRoof <= 0 {
				t.Errorf("%+v", row)
			}
		}
		if at := byKey(r.Rows)["nhwc.conv2d"]; at.Bytes != elems/c.shape[1]*(c.shape[1]+4)*s.DType.ItemSize() {
			t.Errorf("%+v: conv2d reads and writes %d bytes", c, at.Bytes)
		}
	}
}

// TestTorchUnavailable: what PyTorch refuses is one error of the right class.
func TestTorchUnavailable(t *testing.T) {
	type refusedCase struct {
		device, dtype string
		class         fault.Class
	}
	all := []refusedCase{{"gpu", "float32", fault.Usage}, {"meta", "float32", fault.Unsupported}, {"cpu", "int32", fault.Unsupported}}
	for _, c := range random.Sample(all, len(all)) { // each starts PyTorch
		s := torchSubject(t, Conv2D)
		s.DType = dtypeOf(t, c.dtype)
		if _, err := realTorch(t, s, TorchOptions{c.device, 4, 3}); err == nil || fault.ClassOf(err) != c.class {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestTorchEnds: the process imports nothing from the working directory, and ends with its standard input, in the middle of a pass.
func TestTorchEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"torch.py", "json.py", "threading.py"} {
		if err := os.WriteFile(name, []byte("raise SystemExit('imported "+name+"')\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := realTorch(t, torchSubject(t, Conv2D), TorchOptions{"cpu", 4, 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w.to, `{"run":"nchw.conv2d","passes":1000000000}`+"\n"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := w.end(); strings.Contains(err.Error(), "killed") {
		t.Error(err)
	}
}
