package checkcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const checkpoints = "../../../testdata/checkpoints/"

// runCheck is the command with these arguments.
func runCheck(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	s := &cli.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Env: func(string) (string, bool) { return "", false }}
	code = cli.Run(append([]string{"check"}, args...), s, func(a *cli.App) *cobra.Command {
		root := &cobra.Command{Use: "tlayout", SilenceErrors: true, SilenceUsage: true}
		root.SetFlagErrorFunc(cli.UsageError)
		p := root.PersistentFlags()
		p.VarP(cli.EnumOf(&a.Format, cli.Table, cli.JSON), "format", "f", "")
		p.Bool("json", false, "")
		p.Var(new(cli.File), "config", "")
		root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.Configure(cmd) }
		root.AddCommand(NewCmd(a))
		return root
	})
	return code, stdout.String(), stderr.String()
}

// example is an assertion: a source, and values of the flag of which one passes and one fails. Of a flag without a value it is two sources.
type example struct {
	source     string
	pass, fail string
}

// examples are of all flags that assert something.
func examples(t *testing.T) map[string]example {
	const typed = "--shape 2,3,4,5"
	file := fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5}, false) + " --from nchw"
	nan := fixture.Must(fixture.Npy("<f4", []int{2}, false))
	copy(nan[len(nan)-4:], "\x00\x00\xc0\x7f")
	notFinite := filepath.Join(t.TempDir(), "nan.npy")
	cli.Must(os.WriteFile(notFinite, nan, 0o644))
	partial := filepath.Join(t.TempDir(), "model.safetensors.index.json") // without one of its files
	for _, name := range []string{"model.safetensors.index.json", "model-00001-of-00002.safetensors"} {
		cli.Must(os.WriteFile(filepath.Join(filepath.Dir(partial), name), fixture.Must(os.ReadFile(checkpoints+name)), 0o644))
	}
	return map[string]example{
		"layout":         {typed + " --from nchw", "nchw", "nhwc"},
		"contiguous":     {typed, "c", "f"},
		"expect-strides": {typed, "60,20,5,1", "60,20,*,2"},
		"expect-offset":  {typed, "0", "1"},
		"expect-dtype":   {typed, "float32", "float16"},
		"byte-order":     {typed, "little", "big"},
		"expect-shape":   {typed, "2,3,*,-1", "2,3,4,6"},
		"rank":           {typed, "4", "3"},
		"file-shape":     {file, "2,3,4,5", "2,3,4"},
		"aligned":        {file, "64", "256"},
		"max-bytes":      {typed, "480", "479"},
		"accepted-by":    {typed + " --strides 1280,20,5,1", "numpy", "safetensors"},
		"expr":           {typed + " --view", "x.view(6,20)[0]", "x.transpose(1,2).view(6,20)"},
		"finite":         {"", file, notFinite},
		"packed":         {"", typed, typed + " --strides 120,40,10,2"},
		"no-padding":     {"", typed, typed + " --strides 120,40,10,2"},
		"no-overlap":     {"", typed, typed + " --strides 60,20,1,1"},
		"no-broadcast":   {"", typed, typed + " --strides 0,20,5,1"},
		"no-unused":      {"", checkpoints + "plain.pt", checkpoints + "views.pt"},
		"no-sharing":     {"", checkpoints + "plain.pt", checkpoints + "views.pt"},
		"weights-only":   {"", checkpoints + "plain.pt", checkpoints + "module.pt"},
		"complete":       {"", checkpoints + "model.safetensors.index.json", partial},
	}
}

// asserting are the flags of the command but for those that say what the source is, --strict and --view, which are about other
// assertions, and --recipe, which is about two checkpoints.
func asserting() (all []*pflag.Flag) {
	reading := &cobra.Command{}
	o := &options{}
	o.reading.AddReading(reading)
	o.reading.AddTyping(reading)
	o.lists.AddLists(reading)
	NewCmd(&cli.App{Streams: &cli.Streams{}}).Flags().VisitAll(func(f *pflag.Flag) {
		if reading.Flags().Lookup(f.Name) == nil && !slices.Contains([]string{"strict", "view", "trust-values", "recipe"}, f.Name) {
			all = append(all, f)
		}
	})
	return all
}

// TestAssertions: each assertion passes and fails, in words and in JSON. Given twice it is asserted twice, and fails whichever of the two
// does; what contradicts itself is a usage error.
func TestAssertions(t *testing.T) {
	all := examples(t)
	for _, f := range asserting() {
		x, ok := all[f.Name]
		if !ok {
			t.Errorf("--%s has no example", f.Name)
			continue
		}
		name := strings.TrimPrefix(f.Name, "expect-")
		check := func(code, assertions int, line ...string) {
			t.Helper()
			args := strings.Fields(strings.Join(line, " "))
			got, out, errs := runCheck(args...)
			if text := name + ": "; got != code || code == 1 && !strings.Contains(out, text) && !strings.Contains(out, name+" "+x.fail+": ") {
				t.Errorf("%s: exit code %d, expected %d: %s%s", line, got, code, out, errs)
			}
			if code > 1 {
				return
			}
			_, out, _ = runCheck(append(args, "--json")...)
			var r report
			cli.Must(json.Unmarshal([]byte(out), &r))
			if r.OK != (code == 0) || r.Schema != "tlayout/check/v1" || len(r.Assertions) != assertions || r.OK != (r.Verdict == tensor.Yes) {
				t.Errorf("%s: %s", line, out)
			}
			for _, a := range r.Assertions {
				if a.Name != name || a.OK != (a.Verdict == tensor.Yes) || a.Found == "" {
					t.Errorf("%s: %+v", line, a)
				}
			}
		}
		flag := "--" + f.Name
		if f.NoOptDefVal != "" {
			check(0, 1, x.pass, flag)
			check(1, 1, x.fail, flag)
			check(1, 1, x.fail, flag, flag)
			check(int(fault.Usage), 0, x.fail, flag, flag+"=false")
			if _, _, errs := runCheck(append(strings.Fields(x.fail), flag, flag+"=false")...); !strings.Contains(errs, flag+" given twice") {
				t.Errorf("%s %s=false: %s", flag, flag, errs)
			}
			continue
		}
		pass, fail := flag+" "+x.pass, flag+" "+x.fail
		check(0, 1, x.source, pass)
		check(1, 1, x.source, fail)
		check(0, 2, x.source, pass, pass)
		check(1, 2, x.source, pass, fail)
		check(1, 2, x.source, fail, pass)
	}
	if len(all) != len(asserting()) {
		t.Errorf("%d examples of %d flags", len(all), len(asserting()))
	}
	if code, out, _ := runCheck(checkpoints+"plain.pt", "--complete"); code != 1 || !strings.Contains(out, "no index") {
		t.Errorf("--complete without an index: %d %s", code, out)
	}
	unused := []string{"--shape", "2,1,3", "--strides", "3,7,1", "--contiguous", "c", "--expect-strides", "3,3,1"}
	for _, strict := range []string{"--strict=false", "--strict"} {
		if code, out, _ := runCheck(append(unused, strict)...); (code == 0) != (strict != "--strict") || code == 1 && strings.Count(out, ": expected ") != 2 {
			t.Errorf("%s: %d %s", strict, code, out)
		}
	}
	if code, _, errs := runCheck("--shape", "2,3", "--strict"); code != int(fault.Usage) || !strings.Contains(errs, "no assertion given") {
		t.Errorf("--strict alone: %d %s", code, errs)
	}
}

// TestExitCodes: of many sources the first that cannot be read decides the exit code, then whether an assertion fails. All are checked.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	good := fixture.Must(fixture.Npy("<f4", []int{2, 3}, false))
	for name, content := range map[string][]byte{"good.npy": good, "fails.npy": fixture.Must(fixture.Npy("<f4", []int{2}, false)),
		"damaged.npy": good[:20], "unsupported.npy": bytes.Replace(good, []byte("'<f4'"), []byte("'<c6'"), 1)} {
		cli.Must(os.WriteFile(path(name), content, 0o644))
	}
	codes := map[string]fault.Class{"good.npy": 0, "fails.npy": fault.Negative, "damaged.npy": fault.Malformed, "unsupported.npy": fault.Unsupported, "missing.npy": fault.Resource}
	names := []string{"good.npy", "fails.npy", "damaged.npy", "unsupported.npy", "missing.npy"}
	for _, first := range names {
		for _, second := range names {
			want := codes[first]
			if want <= fault.Negative && codes[second] != 0 {
				want = codes[second]
			}
			code, out, errs := runCheck(path(first), path(second), "--rank", "2")
			if code != int(want) {
				t.Errorf("%s, %s: exit code %d, expected %d", first, second, code, want)
			}
			for _, name := range []string{first, second} {
				if said := strings.Contains(out+errs, name); said != (codes[name] != 0) {
					t.Errorf("%s, %s: %s is there: %v: %s%s", first, second, name, said, out, errs)
				}
			}
		}
	}
	code, out, errs := runCheck(path("good.npy"), path("missing.npy"), path("fails.npy"), "--rank", "2", "--json")
	if docs := strings.Split(strings.TrimSpace(out), "\n"); code != int(fault.Resource) || len(docs) != 2 || !json.Valid([]byte(docs[0])) || !json.Valid([]byte(errs)) {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// TestNoSharing: a tensor that is not shown and names a storage twice, as sparse ones may, does not share it with itself.
func TestNoSharing(t *testing.T) {
	k := &source.Set{Container: &checkpoint.Container{Storages: []checkpoint.Storage{{ID: "0", Bytes: 4}, {ID: "1", Bytes: 4}},
		Refused: []checkpoint.Refused{{Name: "s", Storages: []int{1, 0, 1}}}}}
	if a := (whole{k, inspect.NewCheckpoint(k)}).noSharing(); !a.OK {
		t.Errorf("%+v", a)
	}
	k.Refused = append(k.Refused, checkpoint.Refused{Name: "u", Storages: []int{0}})
	if a := (whole{k, inspect.NewCheckpoint(k)}).noSharing(); a.OK || !strings.Contains(a.Why, "s, u are views of storage 0") {
		t.Errorf("%+v", a)
	}
}

// TestNoUnused: --compact is advised only where it drops bytes; those that it keeps are counted.
func TestNoUnused(t *testing.T) {
	view := func(offset, size, stride int) checkpoint.Tensor {
		return checkpoint.Tensor{Name: fmt.Sprint("x", offset), Type: fixture.Must(dtype.Parse("<f4")), View: tensor.Strided{Shape: []int{size}, Strides: []int{stride}, Offset: offset}}
	}
	for _, c := range []struct {
		what    string
		tensors []checkpoint.Tensor
		hint    bool
		why     string
	}{
		{"one with gaps", []checkpoint.Tensor{view(0, 4, 3)}, true, "x0 uses 16 bytes of the 40 bytes of storage 0"},
		{"the same twice", []checkpoint.Tensor{view(0, 4, 3), view(0, 4, 3)}, true, "x0, x0 use 16 bytes of the 40 bytes of storage 0"},
		{"two that overlap", []checkpoint.Tensor{view(0, 4, 3), view(1, 3, 3)}, false,
			"x0, x1 use 28 bytes of the 40 bytes of storage 0; --compact keeps 12 bytes between elements of overlapping views"},
		{"two that overlap before unused bytes", []checkpoint.Tensor{view(0, 3, 3), view(1, 2, 3)}, true,
			"x0, x1 use 20 bytes of the 40 bytes of storage 0; --compact keeps 8 bytes between elements of overlapping views"},
	} {
		k := &source.Set{Path: name.Parse("m.pt"), Container: &checkpoint.Container{Format: checkpoint.Torch, Tensors: c.tensors, Storages: []checkpoint.Storage{{ID: "0", Bytes: 40}}}}
		a := whole{k, inspect.NewCheckpoint(k)}.noUnused()
		if a.OK || (a.Hint != "") != c.hint || a.Why != c.why {
			t.Errorf("%s: %+v", c.what, a)
		}
	}
}

// smallTensors writes a safetensors file of n tensors of one float each.
func smallTensors(t *testing.T, n int) string {
	var header strings.Builder
	for i := range n {
		fmt.Fprintf(&header, `,"t%d":{"dtype":"F32","shape":[1,1,1,1],"data_offsets":[%d,%d]}`, i, 4*i, 4*i+4)
	}
	text := "{" + header.String()[1:] + "}"
	size := make([]byte, 8)
	for i := range size {
		size[i] = byte(len(text) >> (8 * i))
	}
	path := filepath.Join(t.TempDir(), fmt.Sprint(n, ".safetensors"))
	cli.Must(os.WriteFile(path, slices.Concat(size, []byte(text), make([]byte, 4*n)), 0o644))
	return path
}

// TestIsLinear: twice as many tensors take twice the memory, and none of them more than a few KiB: the header is not read again for each,
// and no framework is asked that no assertion names.
func TestIsLinear(t *testing.T) {
	for _, flags := range [][]string{{"--finite"}, {"--rank", "4"}, {"--no-unused"}, {"--accepted-by", "pytorch"}} {
		used := func(n int) uint64 {
			args := append([]string{smallTensors(t, n)}, flags...)
			return hostile.AllocatedBy(func() {
				if code, out, errs := runCheck(args...); code != 0 {
					t.Fatal(out, errs)
				}
			})
		}
		one, two := used(100), used(200)
		if two > 3*one || two/200 > 32<<10 { // slices grow in steps
			t.Errorf("%s: %d bytes are allocated for 100 tensors, %d for 200", flags, one, two)
		}
	}
}
