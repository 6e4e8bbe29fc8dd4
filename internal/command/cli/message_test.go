package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
)

// A command line that could not be read to its end asks for JSON as it would have, before a lone --.
func TestAsksJSON(t *testing.T) {
	for line, want := range map[string]bool{
		"--json": true, "x --format=json": true, "-fjson": true, "-f=json": true, "-f json": true, "--format json": true, "-- --json": false, "-f": false, "-f csv": false,
		"--format=csv": false, "x": false, "--jsonx": false, "json -f": false,
	} {
		if got := asksJSON(strings.Fields(line)); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}

// written is what a program with this App wrote.
func written(change func(*App), do func(*App)) (out, errs string) {
	var stdout, stderr bytes.Buffer
	a := &App{Streams: &Streams{Out: &stdout, Err: &stderr, Unicode: true, Env: func(string) (string, bool) { return "", false }}, Stdout: &stdout, Format: Table}
	change(a)
	do(a)
	return stdout.String(), stderr.String()
}

// Details need --verbose, warnings and asides none but no --quiet, and no name is a command of a CI runner.
func TestMessages(t *testing.T) {
	say := func(a *App) {
		a.Detail("%s", "detail ##[x]")
		a.Warn([]string{"warned"})
		a.Hint("aside")
		a.Hint("")
	}
	for _, c := range []struct {
		change func(*App)
		want   string
	}{
		{func(*App) {}, "tlayout: warning: warned\ntlayout: aside\n"},
		{func(a *App) { a.Verbose = true }, "tlayout: detail ##\\u005bx]\ntlayout: warning: warned\ntlayout: aside\n"},
		{func(a *App) { a.Quiet = true }, ""},
		{func(a *App) { a.Format = JSON }, `{"schema":"tlayout/message/v1","level":"warning","message":"warned"}` + "\n"},
		{func(a *App) { a.Format, a.Verbose, a.Quiet = JSON, true, true }, `{"schema":"tlayout/message/v1","level":"note","message":"detail ##\u005bx]"}` + "\n"},
	} {
		if out, errs := written(c.change, say); errs != c.want || out != "" {
			t.Errorf("%q%q, expected %q", out, errs, c.want)
		}
	}
}

// row is a report of one row; its answer may be no.
type row struct {
	Header, Cell string
	No           bool
}

func (r row) Page(p *Page) { p.Answer(r.Cell) }
func (r row) Failed() bool { return r.No }
func (r row) Rows() render.Table {
	return render.Table{Header: []string{r.Header}, Rows: [][]string{{r.Cell}}}
}

// Tables of one header are one table; a table without rows has its header; what begins a line is not a command.
func TestReports(t *testing.T) {
	for _, c := range []struct {
		change func(*App)
		rows   []row
		want   string
	}{
		{func(a *App) { a.Format = CSV }, []row{{"a", "1", false}, {"a", "::2", false}, {"b", "3", false}}, "a\n1\n:\\u003a2\nb\n3\n"},
		{func(a *App) { a.Format = CSV }, nil, "head\n"},
		{func(a *App) { a.Format = Table }, []row{{"a", " ::1", false}, {"a", "2", false}}, " :\\u003a1\n2\n"},
		{func(a *App) { a.Quiet = true }, []row{{"a", "1", false}, {"a", "2", true}}, "2\n"},
	} {
		out, _ := written(c.change, func(a *App) {
			w := a.Reports(false)
			for _, r := range c.rows {
				if err := w.Write(r); err != nil {
					t.Error(err)
				}
			}
			if err := w.End("head"); err != nil {
				t.Error(err)
			}
		})
		if out != c.want {
			t.Errorf("%q, expected %q", out, c.want)
		}
	}
}

// Run writes nothing but text: also cobra's own output, which usage and versions are.
func TestRunIsInert(t *testing.T) {
	var out, errs bytes.Buffer
	root := func(a *App) *cobra.Command {
		r := &cobra.Command{Use: "tlayout", Version: "1", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.Print("::error::x\n")
			cmd.PrintErr("::error::y\n")
			return nil
		}}
		r.SetVersionTemplate("{{.Version}}\n")
		return r
	}
	s := &Streams{Out: &out, Err: &errs, Env: func(string) (string, bool) { return "", false }}
	if code := Run(nil, s, root); code != 0 || out.String()+errs.String() != ":\\u003aerror::x\n:\\u003aerror::y\n" && out.String()+errs.String() != ":\\u003aerror::y\n:\\u003aerror::x\n" {
		t.Errorf("%d, %q, %q", code, out.String(), errs.String())
	}
	for _, args := range [][]string{{"-V"}, {"x", "--version"}, {"--version", "--none"}} {
		if out.Reset(); Run(args, s, root) != 0 || out.String() != "1\n" {
			t.Errorf("%q: %q", args, out.String())
		}
	}
}

// The command that was meant by an unknown one is in the hint.
func TestUnknownCommand(t *testing.T) {
	cmd := &cobra.Command{Use: "tlayout"}
	cmd.AddCommand(&cobra.Command{Use: "inspect", Run: func(*cobra.Command, []string) {}})
	for arg, want := range map[string]string{
		"inspct": "did you mean inspect?", "64": "tlayout --help lists the commands",
		"what?": "tlayout --help lists the commands",
	} {
		var f *fault.Error
		if err := UnknownCommand(cmd, []string{arg}); !errors.As(err, &f) || f.Class != fault.Usage || f.Hint != want {
			t.Errorf("%s: %v, hint %q", arg, err, f.Hint)
		}
	}
}
