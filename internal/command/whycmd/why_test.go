package whycmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/golden"
)

// tlayout runs only this command, on a terminal of 80 columns.
func tlayout(t *testing.T, input string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	s := &cli.Streams{In: strings.NewReader(input), Out: &stdout, Err: &stderr, Width: 80, Unicode: true, Env: func(string) (string, bool) { return "", false }}
	code = cli.Run(args, s, root)
	return code, stdout.String(), stderr.String()
}

// root returns a root command with why, a stub of inspect for cli, and the global flags that these tests use.
func root(a *cli.App) *cobra.Command {
	a.Format = cli.Table
	root := &cobra.Command{Use: "tlayout", SilenceErrors: true, SilenceUsage: true}
	flags := root.PersistentFlags()
	flags.StringVarP((*string)(&a.Format), "format", "f", "table", "")
	flags.BoolVar(&a.All, "all", false, "")
	flags.BoolVarP(&a.Quiet, "quiet", "q", false, "")
	root.AddCommand(NewCmd(a))
	return root
}

const viewError = "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead."

// The page answers first, in at most 20 lines of 80 columns, except for code to copy, which comes within the first ten; --all adds the
// source of the message.
func TestPage(t *testing.T) {
	for name, message := range map[string]string{"view": viewError, "stride": "expected size 64==64, stride 3136==1 at dim=1", "unknown": "nothing of this kind",
		"trace": "Traceback (most recent call last):\n  File \"/home/u/net.py\", line 12, in forward\n    y = fused(x, w.t())\n  File \"/usr/lib/python3/dist-packages/fused/ops.py\", line 3, in fused\n" +
			"    assert w.is_contiguous()\nRuntimeError: Expected w.is_contiguous() to be true, but got false.\n",
		"found": "mystery: x.shape, x.stride() = (torch.Size([64, 256]), (1792, 1)), expected (256, 64)"} {
		_, got, _ := tlayout(t, "", "why", message)
		golden.Compare(t, "testdata/"+name+".golden", []byte(got))
		prose, code, _ := strings.Cut(got, "\nIn ")
		if code != "" && strings.Count(prose, "\n") > 8 {
			t.Errorf("%s: what to write comes after ten lines:\n%s", name, got)
		}
		wide := func(line string) bool { return displaywidth.String(line) > 80 }
		if strings.Count(got, "\n") > 20 || slices.ContainsFunc(strings.Split(prose, "\n"), wide) {
			t.Errorf("%s: %d lines, or one is wider than 80 columns:\n%s", name, strings.Count(got, "\n"), got)
		}
		if _, all, _ := tlayout(t, "", "why", message, "--all"); (name == "view" || name == "stride") && strings.Count(all, "printed by ") != 1 || strings.Contains(got, "printed by") {
			t.Errorf("%s: --all:\n%s", name, all)
		}
	}
}

// The exit code is 0 for a known message from any input, 1 for an unknown one, 2 or 4 for an unusable one.
func TestExitCodes(t *testing.T) {
	long := strings.Repeat("x", diagnose.MaxText)
	for _, c := range []struct {
		input, text string // text is in what is printed
		code        int
		args        []string
	}{
		{"", "merges dims", 0, []string{viewError}},
		{"Traceback:\n  y = x.view(6)\nRuntimeError: " + viewError + "\n", "", 0, []string{"-"}},
		{"", "kinds of complaints", 0, nil},
		{"", "no complaint about a memory layout", 1, []string{"nothing of this kind"}},
		{"nothing", "no complaint about a memory layout", 1, []string{"-"}},
		{"", "stride 1 in the last dim", 0, []string{"my_kernel: last dim must be contiguous"}},
		{"got (3, 224, 224)", "not a known message", 1, []string{"-"}},
		{"", "no complaint about a memory layout", 1, []string{"nothing", "-q"}},
		{"", "no complaint about a memory layout", 1, []string{long}},
		{"", "longer than 1 MiB", 4, []string{long + "x"}},
		{long + "x", "longer than 1 MiB", 4, []string{"-"}},
		{"", "message is empty", 2, []string{" \n"}},
		{"", "message is empty", 2, []string{"-"}},
		{"", "found 2", 2, []string{"a", "b"}},
	} {
		code, out, errs := tlayout(t, c.input, append([]string{"why"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errs, c.text) || (errs != "") != (code > 1) {
			t.Errorf("%.60q of %.60q: exit code %d\n%.500s%s", c.args, c.input, code, out, errs)
		}
	}
	broken := &cli.App{Streams: &cli.Streams{In: iotest.ErrReader(errors.New("the pipe broke"))}}
	if err := run(broken, "-"); err == nil || err.Error() != "cannot read standard input: the pipe broke" {
		t.Error(err)
	}
	for _, args := range [][]string{{"why", viewError, "-q"}, {"why", "-q"}} {
		if code, out, _ := tlayout(t, "", args...); code != 0 || out != "" {
			t.Errorf("%.20q: exit code %d\n%s", args, code, out)
		}
	}
}

// JSON and CSV have the complete answer, or all kinds and known messages; no list is null.
func TestDocuments(t *testing.T) {
	known := len(diagnose.Known())
	kinds := len(diagnose.Kinds())
	for _, c := range []struct {
		args         []string
		recognized   bool
		kind         string
		known, kinds int
	}{{[]string{viewError}, true, "", 0, 0}, {[]string{"RuntimeError: mat2 must be col_major"}, false, "major", 0, 0}, {[]string{"nothing https://h/x?sig=hidden"}, false, "", 0, 0},
		{nil, false, "", known, kinds}} {
		_, out, _ := tlayout(t, "", append([]string{"why", "-f", "json"}, c.args...)...)
		var r report
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%q: %v\n%s", c.args, err, out)
		}
		if r.Schema != "tlayout/why/v1" || (r.Recognized != "") != c.recognized || (r.Reference != "") != c.recognized || (r.Framework != "") != c.recognized || r.Kind != c.kind || len(r.Known) != c.known || len(r.Kinds) != c.kinds ||
			r.Answer == "" || strings.Contains(out, "null") || strings.Contains(out, "hidden") || (r.Query != "") != (c.args != nil) {
			t.Errorf("%q:\n%s", c.args, out)
		}
		_, out, _ = tlayout(t, "", append([]string{"why", "-f", "csv"}, c.args...)...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) != 1+max(1, c.known+c.kinds) {
			t.Errorf("%q: %d rows, %v", c.args, len(rows), err)
		}
		if c.recognized && (rows[1][0] != r.Recognized || rows[1][4] != r.Answer || rows[1][5] != string(r.Same) || rows[1][6] != r.Cost || rows[1][7] != strings.Join(r.Fixes, "\n") ||
			rows[1][8] != strings.Join(r.Commands, "\n") || rows[1][9] != r.Reference) {
			t.Errorf("%q", rows[1])
		}
	}
}

// A page lists all kinds in 24 lines, each with its example in one line; --all adds the messages that are known by their words.
func TestCatalogue(t *testing.T) {
	_, some, _ := tlayout(t, "", "why")
	_, all, _ := tlayout(t, "", "why", "--all")
	if strings.Count(some, "\n") > 24 || strings.Contains(all, "…") || strings.Count(all, "\n") <= len(diagnose.Known()) {
		t.Errorf("%d lines:\n%s", strings.Count(some, "\n"), some)
	}
	r := newCatalogue()
	for _, k := range r.Kinds {
		if k.Kind == "" || k.Title == "" || k.Example == "" || !strings.Contains(some, k.Kind) {
			t.Errorf("%+v", k)
		}
		a, ok := diagnose.Read(k.Example)
		if !ok || a.Kind.ID != k.Kind {
			t.Errorf("the example of %s is %+v", k.Kind, a.Kind)
		}
	}
	for _, k := range r.Known {
		if k.Recognized == "" || k.Framework == "" || k.Message == "" || k.Reference == "" || strings.ContainsAny(k.Message, "\n\t") {
			t.Errorf("%+v", k)
		}
		if !strings.Contains(strings.Join(strings.Fields(all), " "), k.Message) {
			t.Errorf("--all lacks %q", k.Message)
		}
	}
}

// TestThreads: the first ten lines of a page hold what the readers of public threads needed, for messages that no table had.
func TestThreads(t *testing.T) {
	blocks := strings.Split(string(fixture.Must(os.ReadFile("testdata/threads.txt"))), "\n\n")[1:]
	for _, block := range blocks {
		thread, rest, _ := strings.Cut(strings.TrimSpace(block), "\n")
		var message, wrong []string
		var expected []string
		for line := range strings.SplitSeq(rest, "\n") {
			if strings.HasPrefix(line, "= ") || strings.HasPrefix(line, "! ") {
				expected = append(expected, line)
				continue
			}
			message = append(message, line)
		}
		_, page, _ := tlayout(t, strings.Join(message, "\n"), "why", "-")
		lines := strings.Split(page, "\n")
		first := strings.ReplaceAll(strings.Join(lines[:min(10, len(lines))], "\n"), "\n  ", " ")
		for _, e := range expected {
			if regexp.MustCompile(e[2:]).MatchString(first) != (e[0] == '=') {
				wrong = append(wrong, e)
			}
		}
		if len(wrong) > 0 || len(expected) == 0 {
			t.Errorf("%s: %q\n%s\nhas not %q", thread, message, page, wrong)
		}
	}
	if len(blocks) < 62 {
		t.Errorf("%d messages", len(blocks))
	}
}
