package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

var someDay = time.Unix(1_700_000_000, 0).UTC()

// generated writes everything into a folder.
func generated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := write(dir, someDay); err != nil {
		t.Fatal(err)
	}
	return dir
}

func unpacked(t *testing.T, name string) string {
	t.Helper()
	z := fixture.Must(gzip.NewReader(bytes.NewReader(fixture.Must(os.ReadFile(name)))))
	return string(fixture.Must(io.ReadAll(z)))
}

// TestPages: each command has a page, in a manual's order of sections, with its options as tagged paragraphs and its tables as on a
// terminal; mandoc, if present, warns of nothing.
func TestPages(t *testing.T) {
	dir := generated(t)
	names := fixture.Must(filepath.Glob(filepath.Join(dir, "man", "tlayout*.1.gz")))
	if len(names) < 15 {
		t.Fatalf("only %d pages", len(names))
	}
	convert := unpacked(t, filepath.Join(dir, "man", "tlayout-convert.1.gz"))
	for _, want := range []string{`.TH "TLAYOUT-CONVERT" "1" "2023-11-14"`, ".SH NAME", ".SH OPTIONS", ".TP\n\\fB--verify\\fP", ".SH EXAMPLE"} {
		if !strings.Contains(convert, want) {
			t.Errorf("tlayout-convert.1 lacks %q", want)
		}
	}
	codes := unpacked(t, filepath.Join(dir, "man", "tlayout-exit-codes.1.gz"))
	if !strings.Contains(codes, "\n  0  done\n  1  the answer") {
		t.Errorf("the table of tlayout-exit-codes.1 is not verbatim:\n%s", codes)
	}
	if strings.Contains(codes, "OPTIONS") || !strings.Contains(codes, "tlayout help exit-codes") {
		t.Errorf("tlayout-exit-codes.1 is not the page of a topic:\n%s", codes)
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		need.Missing(t, "MANDOC", err)
	}
	for _, name := range names {
		lint := exec.Command(mandoc, "-T", "lint", "-W", "warning")
		lint.Stdin = strings.NewReader(unpacked(t, name))
		if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", filepath.Base(name), err, out)
		}
	}
}

// TestSame: equal dates give equal bytes.
func TestSame(t *testing.T) {
	a, b := generated(t), generated(t)
	if out, err := exec.Command("diff", "-r", a, b).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCompletions: each installed shell reads the script of each program, and then completes it.
func TestCompletions(t *testing.T) {
	dir := filepath.Join(generated(t), "completions")
	for _, program := range []string{"tlayout", "tlayout-cloud"} {
		for _, c := range []struct{ shell, script, then string }{
			{"bash", "PROGRAM.bash", `. "$0" && complete -p PROGRAM`},
			{"zsh", "_PROGRAM", `autoload -U compinit && compinit -u -D && . "$0" && test -n "$_comps[PROGRAM]"`},
			{"fish", "PROGRAM.fish", `source $argv[1]; and complete -c PROGRAM | string match -q '*PROGRAM*'`},
		} {
			t.Run(program+"/"+c.shell, func(t *testing.T) {
				if _, err := exec.LookPath(c.shell); err != nil {
					need.Missing(t, "SHELLS", err)
				}
				named := strings.NewReplacer("PROGRAM", program)
				cmd := exec.Command(c.shell, "-c", named.Replace(c.then), filepath.Join(dir, program, named.Replace(c.script)))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
		script := string(fixture.Must(os.ReadFile(filepath.Join(dir, program, program+".ps1"))))
		if !strings.Contains(script, "Register-ArgumentCompleter -CommandName '"+program+"'") {
			t.Errorf("%s.ps1 registers nothing", program)
		}
	}
}
