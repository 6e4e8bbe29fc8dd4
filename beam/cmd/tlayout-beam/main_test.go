package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	tlayout "github.com/tlayout/tlayout/beam"
)

var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tlayout-beam")
	if err == nil {
		program = filepath.Join(dir, "tlayout-beam.exe")
		build := exec.Command("go", "build", "-o", program, ".")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// sources makes folders of sources: good has two, bad two damaged ones, empty none.
func sources(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	content, err := os.ReadFile("../../../testdata/x.npy")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"good/a.npy": content, "good/b.npy": content, "bad/c.npy": content[:100], "bad/d.npy": content[:30]} {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(dir, "empty"), 0o755)
	return dir
}

// start runs the program in dir.
func start(t *testing.T, dir string, stdout *os.File, args ...string) (code int, out, messages string) {
	t.Helper()
	var o, e bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &o, &e
	if stdout != nil {
		cmd.Stdout = stdout
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// decode reads lines of JSON, in the order of their sources.
func decode(t *testing.T, lines string) (list []tlayout.Outcome) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var o tlayout.Outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b tlayout.Outcome) int { return strings.Compare(a.Source, b.Source) })
	return list
}

// TestOutcomes: on each in-process runner, the exit code is the worst class, each source is a line of standard output and of --outcomes,
// the destination exists if it was made, and standard error has the error of each failure.
func TestOutcomes(t *testing.T) {
	made, skipped, malformed, lost := "made 0", "skipped 0", "failed 3", "failed 5"
	for _, c := range []struct {
		args string
		code int
		want map[string]string
	}{
		{"good", 0, map[string]string{"good/a.npy": made, "good/b.npy": made}},
		{"good", 0, map[string]string{"good/a.npy": skipped, "good/b.npy": skipped}},
		{"bad", 3, map[string]string{"bad/c.npy": malformed, "bad/d.npy": malformed}},
		{"good bad", 3, map[string]string{"bad/c.npy": malformed, "bad/d.npy": malformed, "good/a.npy": made, "good/b.npy": made}},
		{"good/a.npy none.npy", 5, map[string]string{"good/a.npy": made, "none.npy": lost}},
		{"good/a.npy - none.npy", 2, map[string]string{"good/a.npy": made, "-": "failed 2", "none.npy": lost}},
		{"bad/c.npy none.npy", 3, map[string]string{"bad/c.npy": malformed, "none.npy": lost}},
	} {
		for _, runner := range []string{"prism", "direct"} {
			dir := sources(t)
			flags := []string{"--to", "nhwc", "-d", "out"}
			args := append([]string{"--runner", runner, "--outcomes", "lines"}, strings.Fields(c.args)...)
			args = append(append(args, "--"), flags...)
			if c.want["good/a.npy"] == skipped {
				args = append(args, again()...)
				start(t, dir, nil, args...)
			}
			code, out, messages := start(t, dir, nil, args...)
			name := runner + " " + c.args
			if code != c.code {
				t.Errorf("%s: exit code %d, want %d\n%s", name, code, c.code, messages)
			}
			list := decode(t, out)
			if c.want["-"] != "" && (len(list) == 0 || list[0].Hint == "") {
				t.Errorf("%s: no hint: %+v", name, list)
			}
			if len(list) != len(c.want) {
				t.Errorf("%s: %d lines, want %d", name, len(list), len(c.want))
			}
			for _, o := range list {
				got := o.Result + " " + string('0'+rune(o.ExitCode))
				if got != c.want[o.Source] {
					t.Errorf("%s: %s: %s, want %s", name, o.Source, got, c.want[o.Source])
				}
				if _, err := os.Stat(filepath.Join(dir, o.Destination)); o.ExitCode == 0 && (o.Destination == "" || err != nil) {
					t.Errorf("%s: %s: no %q", name, o.Source, o.Destination)
				}
				said := strings.Contains(messages, `"`+o.Source+`"`)
				if said != (o.ExitCode != 0) || !strings.Contains(messages, o.Message) || !strings.Contains(messages, o.Hint) {
					t.Errorf("%s: %s is named in messages: %v\n%s", name, o.Source, said, messages)
				}
			}
			file, err := os.ReadFile(filepath.Join(dir, "lines"))
			if again := decode(t, string(file)); err != nil || !slices.EqualFunc(list, again, func(a, b tlayout.Outcome) bool { return a.Source == b.Source && a.Result == b.Result }) {
				t.Errorf("%s: --outcomes: %v, %+v, want %+v", name, err, again, list)
			}
		}
	}
}

// again are flags that skip existing results: --update if tlayout convert has it.
func again() []string {
	if err := tlayout.CheckFlags([]string{"--to", "nhwc", "-d", "out", "--update"}); err == nil {
		return []string{"--update"}
	}
	return nil
}

// TestUsage: invalid requests are usage errors, before anything is written.
func TestUsage(t *testing.T) {
	for _, c := range []struct{ args, text string }{
		{"-- --to nhwc -d out", "missing SOURCE"},
		{"", "missing SOURCE"},
		{"empty -- --to nhwc -d out", `no sources are in "empty"`},
		{"good", "missing --dir"},
		{"good -- --to nhwc", "missing --dir"},
		{"good -- -d out", "--to"},
		{"good -- --to nhwc -d out --no-such", "--no-such"},
		{"good -- --to nhwc -d out bad", `"bad"`},
		{"good -- --to nhwc -d out --shard 0/2", "--shard"},
		{"--no-such good -- --to nhwc -d out", "-no-such"},
		{"good --tries 2 -- --to nhwc -d out", "--tries"},
		{"--tries 0 good -- --to nhwc -d out", "--tries 0"},
		{"--runner none good -- --to nhwc -d out", `"none"`},
		{"--async good -- --to nhwc -d out", "--async"},
		{"--runner universal --endpoint localhost:1 --environment_type loopback --async good -- --to nhwc -d out", "--async"},
		{"--outcomes s3://b/lines good -- --to nhwc -d out", "--outcomes"},
		{"good good/a.npy -- --to nhwc -d out", "would both become"},
	} {
		dir := sources(t)
		code, out, messages := start(t, dir, nil, strings.Fields(c.args)...)
		first, _, _ := strings.Cut(messages, "\n")
		if code != 2 || out != "" || !strings.HasPrefix(first, "tlayout-beam: error: ") || !strings.Contains(first, c.text) {
			t.Errorf("%s: exit code %d, %q, %q", c.args, code, out, messages)
		}
		if made, _ := filepath.Glob(filepath.Join(dir, "out", "*.npy")); len(made) > 0 {
			t.Errorf("%s: wrote %q", c.args, made)
		}
	}
	if code, out, _ := start(t, t.TempDir(), nil, "--help"); code != 0 || !strings.Contains(out, "-outcomes") {
		t.Errorf("--help: exit code %d, %q", code, out)
	}
}

// TestNotRun: a pipeline that does not run, and lines that cannot be written, cause exit code 5.
func TestNotRun(t *testing.T) {
	dir := sources(t)
	for args, text := range map[string]string{
		"--runner dot --dot_file g.dot good -- --to nhwc -d out": "no outcome of 2 of 2 sources",
		"--runner universal good -- --to nhwc -d out":            "the pipeline failed: ",
		"--outcomes good/a.npy/x good -- --to nhwc -d out":       "the pipeline failed: ",
	} {
		if code, _, messages := start(t, sources(t), nil, strings.Fields(args)...); code != 5 || !strings.Contains(messages, text) {
			t.Errorf("%s: exit code %d\n%s", args, code, messages)
		}
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		defer full.Close()
		if code, _, messages := start(t, dir, full, "good", "--", "--to", "nhwc", "-d", "out2"); code != 5 || !strings.Contains(messages, "cannot write to standard output") {
			t.Errorf("a full disk: exit code %d\n%s", code, messages)
		}
	}
}

// TestRunners: every runner in the hint is one of Beam's: another one with its name is refused.
func TestRunners(t *testing.T) {
	for _, name := range names {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Beam has no runner %s", name)
				}
			}()
			beam.RegisterRunner(name, nil)
		}()
	}
}
