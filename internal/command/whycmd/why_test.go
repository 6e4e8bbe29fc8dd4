package whycmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
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

// The page answers first, in at most 20 lines of 80 columns, except for code to copy; --all adds the source of the message.
func TestPage(t *testing.T) {
	for name, message := range map[string]string{"view": viewError, "stride": "expected size 64==64, stride 3136==1 at dim=1", "unknown": "nothing of this kind",
		"found": "mystery: x.shape, x.stride() = (torch.Size([64, 256]), (1792, 1)), expected (256, 64)"} {
		_, got, _ := tlayout(t, "", "why", message)
		golden.Compare(t, "testdata/"+name+".golden", []byte(got))
		prose, _, _ := strings.Cut(got, "\nIn ")
		wide := func(line string) bool { return displaywidth.String(line) > 80 }
		if strings.Count(got, "\n") > 20 || slices.ContainsFunc(strings.Split(prose, "\n"), wide) {
			t.Errorf("%s: %d lines, or one is wider than 80 columns:\n%s", name, strings.Count(got, "\n"), got)
		}
		if _, all, _ := tlayout(t, "", "why", message, "--all"); name != "unknown" && name != "found" && strings.Count(all, "printed by ") != 1 || strings.Contains(got, "printed by") {
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
		{"", "known messages", 0, nil},
		{"", "no known error message", 1, []string{"nothing of this kind"}},
		{"nothing", "no known error message", 1, []string{"-"}},
		{"got (3, 224, 224)", "not a known message", 1, []string{"-"}},
		{"", "no known error message", 1, []string{"nothing", "-q"}},
		{"", "no known error message", 1, []string{long}},
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

// JSON and CSV have the complete answer, or all known messages; no list is null.
func TestDocuments(t *testing.T) {
	known := len(diagnose.Known())
	for _, c := range []struct {
		args       []string
		recognized bool
		known      int
	}{{[]string{viewError}, true, 0}, {[]string{"nothing https://h/x?sig=hidden"}, false, known}, {nil, false, known}} {
		_, out, _ := tlayout(t, "", append([]string{"why", "-f", "json"}, c.args...)...)
		var r report
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatalf("%q: %v\n%s", c.args, err, out)
		}
		if r.Schema != "tlayout/why/v1" || (r.Recognized != "") != c.recognized || (r.Reference != "") != c.recognized || (r.Framework != "") != c.recognized || len(r.Known) != c.known ||
			r.Answer == "" || strings.Contains(out, "null") || strings.Contains(out, "hidden") || (r.Query != "") != (c.args != nil) {
			t.Errorf("%q:\n%s", c.args, out)
		}
		_, out, _ = tlayout(t, "", append([]string{"why", "-f", "csv"}, c.args...)...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) != 1+max(1, c.known) {
			t.Errorf("%q: %d rows, %v", c.args, len(rows), err)
		}
		if c.recognized && (rows[1][0] != r.Recognized || rows[1][3] != r.Answer || rows[1][4] != string(r.Same) || rows[1][5] != r.Cost || rows[1][6] != strings.Join(r.Fixes, "\n") ||
			rows[1][7] != strings.Join(r.Commands, "\n") || rows[1][8] != r.Reference) {
			t.Errorf("%q", rows[1])
		}
	}
}

// A page lists as many messages as fit 20 lines, one line each, or all with --all.
func TestCatalogue(t *testing.T) {
	_, some, _ := tlayout(t, "", "why")
	_, all, _ := tlayout(t, "", "why", "--all")
	if n := strings.Count(some, "…"); strings.Count(some, "\n") != 20 || n == 0 || n > 14 || strings.Contains(all, "…") || strings.Count(all, "\n") <= len(diagnose.Known()) {
		t.Errorf("%d lines, %d are cut:\n%s", strings.Count(some, "\n"), n, some)
	}
	for _, k := range newCatalogue().Known {
		if k.Recognized == "" || k.Framework == "" || k.Message == "" || k.Reference == "" || strings.ContainsAny(k.Message, "\n\t") {
			t.Errorf("%+v", k)
		}
		if !strings.Contains(strings.Join(strings.Fields(all), " "), k.Message) {
			t.Errorf("--all lacks %q", k.Message)
		}
	}
}

func TestLanguage(t *testing.T) {
	for name, want := range map[string]string{"Python": "NumPy", "NumPy": "NumPy", "PyTorch": "Python", "candle": "Rust", "CUTLASS": "C++"} {
		if got, _ := (&report{Framework: name}).language(); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
