package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// failing are commands that read X, or files whose names begin with X, in every place that names a file.
var failing = []string{
	"inspect X", "inspect X --offsets", "inspect X X", "inspect X:a", "inspect Z:a", "check X --packed", "diff X X", "diff Y X", "diff X Y",
	"convert X --to nhwc", "convert X --to nhwc -o X", "convert Y --to nhwc -o X", "convert Y --to nhwc -o X --force", "convert Y --to nhwc -o X/y.npy",
	"convert X --to nchw4 --verify", "plan X --to nhwc", "trace X T", "trace X T --values", "offset X 0,0,0,0", "draw X", "draw X -o X.svg", "draw Y -o X/x.svg",
	"draw Y -o X.pdf", "bench X QUICK", "bench QUICK --shape 1,3,4,4 -o X.svg", "bench QUICK --shape 1,3,4,4 -o X/x.svg",
	"inspect Y --config X", "inspect Y --from X", "convert Y --to X", "help X", "X", "inspect --X", "formats X",
	"graph X", "graph X -o X.svg", "graph Y --profile X", "graph --config X Y",
}

// TestHostileNames: no error message has a file's name unquoted, in any format.
func TestHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	valid := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	cli.Must(os.WriteFile("y.npy", valid, 0o644))
	states := map[string]func(path string) error{
		"missing":   func(string) error { return nil },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"garbage":   func(path string) error { return os.WriteFile(path, []byte("PK\x03\x04\x1b[2J garbage"), 0o644) },
		"truncated": func(path string) error { return os.WriteFile(path, valid[:len(valid)-1], 0o644) },
		"dangling":  func(path string) error { return os.Symlink(evil+"nowhere", path) },
		"loop":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"too long":  func(string) error { return nil },
	}
	raw, clear := countTrials(t), countTrials(t)
	runs, benches := 0, 0
	for state, make := range states {
		name := evil + state
		if state == "too long" {
			name += strings.Repeat("x", 300)
		}
		cli.Must(make(name + ".npy"))
		cli.Must(make(name + ".npz"))
		for _, command := range failing {
			if strings.HasPrefix(command, "bench") {
				if benches++; benches%4 > 0 && !random.Thorough() {
					continue // most measure before they fail
				}
			}
			args := strings.Fields(strings.Replace(command, "QUICK", quick, 1))
			for i, arg := range args {
				args[i] = strings.NewReplacer("X", name+".npy", "Y", "y.npy", "Z", name+".npz").Replace(arg)
			}
			format := []string{"table", "json"}[runs%2]
			o := runIn(t, nil, append(args, "-f", format)...)
			runs++
			what, ended := fmt.Sprintf("%s, tlayout %s -f %s", state, command, format), fmt.Sprint("exit code ", o.code)
			var printed, unclear []string
			if at := unprintable.FindString(o.out + o.err); at != "" || strings.ToValidUTF8(o.out+o.err, "") != o.out+o.err {
				printed = append(printed, fmt.Sprintf("found %q in %q", at, o.out+o.err))
			}
			raw.try(t, what, ended, printed...)
			if o.code < 0 || o.code > 5 || o.code > 1 && !strings.Contains(o.err, "error") {
				unclear = append(unclear, fmt.Sprintf("exit code %d: %q", o.code, o.err))
			}
			clear.try(t, what, ended, unclear...)
		}
	}
}

// TestHostileNamesFailingCalls: the same if a system call that rarely fails does, with the error of package os.
func TestHostileNamesFailingCalls(t *testing.T) {
	need.Strace(t)
	c := countTrials(t)
	for _, args := range random.Sample([]string{"convert HOSTILE --to nhwc -o OUT --force --verify", "draw HOSTILE -o OUT --force", "diff HOSTILE HOSTILE", "bench HOSTILE " + quick + " -o OUT --force"}, 4) {
		s := &stage{replacement: replacement{args: strings.Replace(args, "OUT", "OUT.npz", 1)}, dir: t.TempDir()}
		cli.Must(os.Mkdir(filepath.Join(s.dir, "out"), 0o777))
		cli.Must(os.WriteFile(filepath.Join(s.dir, evil+".npy"), fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false)), 0o644))
		for _, call := range []string{"openat", "linkat"} {
			for n := 1; n < 40; n++ {
				log := filepath.Join(s.dir, "log")
				cmd := s.command("strace", "-f", "-q", "-o", log, "-e", "trace="+call, "-e", "inject="+call+":error=EMFILE:when="+strconv.Itoa(n))
				for i, arg := range cmd.Args {
					cmd.Args[i] = strings.NewReplacer("HOSTILE", evil+".npy", "out/y.npz", "out/"+evil+map[bool]string{true: ".svg", false: ".npz"}[args[0] != 'c']).Replace(arg)
				}
				out, _ := cmd.CombinedOutput()
				var problems []string
				if unprintable.Match(out) {
					problems = append(problems, fmt.Sprintf("%q", out))
				}
				c.try(t, fmt.Sprintf("%s, %s %d", args, call, n), call, problems...)
				if text := fixture.Must(os.ReadFile(log)); !bytes.Contains(text, []byte("(INJECTED)")) {
					break
				}
			}
		}
	}
}

// TestFormulasAndTags: a name that a spreadsheet would evaluate, or GitHub render as an image or a link, stays text.
func TestFormulasAndTags(t *testing.T) {
	t.Chdir(t.TempDir())
	valid := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	for _, name := range []string{"=cmd|calc!A1.npy", "@SUM(1).npy", "+1+1.npy", "-x.npy", "<img src=x onerror=alert(1)>.npy", "[x](javascript:alert).npy", "a|b.npy"} {
		cli.Must(os.WriteFile(name, valid, 0o644))
		for _, command := range []string{"inspect", "check --packed", "plan --to nhwc", "trace", "diff", "draw", "offset"} {
			words := strings.Fields(command)
			args := append(words[1:], "--", name)
			switch words[0] {
			case "trace":
				args = append(args, "T")
			case "diff":
				args = append(args, name)
			case "offset":
				args = append(args, "0,0,0,0")
			}
			args = append([]string{words[0]}, args...)
			o := runIn(t, nil, append([]string{"-f", "csv"}, args...)...)
			if o.code != 0 {
				t.Errorf("tlayout %q: exit code %d: %s", args, o.code, o.err)
			}
			for _, row := range fixture.Must(csv.NewReader(strings.NewReader(o.out)).ReadAll()) {
				for _, cell := range row {
					if cell != "" && strings.ContainsAny(cell[:1], "=+@-\t\r") && !strings.ContainsAny(cell[1:], "0123456789") && cell != "-" || strings.HasPrefix(cell, name) && strings.ContainsAny(cell[:1], "=+-@") {
						t.Errorf("tlayout %q -f csv: a cell is %q", args, cell)
					}
				}
			}
			o = runIn(t, nil, append([]string{"-f", "markdown"}, args...)...)
			for _, tag := range []string{"<img", "](java", "a|b"} {
				if at := strings.Index(o.out, tag); at >= 0 && (at == 0 || o.out[at-1] != '\\') {
					t.Errorf("tlayout %q -f markdown: %s", args, o.out)
				}
			}
		}
	}
}
