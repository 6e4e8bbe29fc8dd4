package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// load returns n, or the number that the promise requires if faults are tried in full.
func load(n, full int) int {
	if os.Getenv(faultsVariable) != "" {
		return full
	}
	return n
}

// TestTenThousandSources: every command for many sources takes 10,000 arguments with a limit of 64 open files. A trial is a source of a
// command.
func TestTenThousandSources(t *testing.T) {
	t.Parallel()
	n := load(300, 10_000)
	dir := t.TempDir()
	cli.Must(os.Mkdir(filepath.Join(dir, "in"), 0o777))
	cli.Must(os.Mkdir(filepath.Join(dir, "big"), 0o777))
	names := make([]string, n)
	for i := range n {
		names[i] = fmt.Sprintf("in/x%05d.npy", i)
		cli.Must(os.WriteFile(filepath.Join(dir, names[i]), fixture.Must(fixture.Npy("<f4", []int{1, 3, 2, 1 + i%7}, false)), 0o666))
	}
	c := countTrials(t)
	for _, command := range []string{"convert SOURCES --to nhwc -d out --jobs 8 --json", "convert SOURCES --to nhwc -d out --force --json", "check SOURCES --packed --json",
		"inspect SOURCES --json --limit 0"} {
		args := fmt.Sprintf("ulimit -n 64 && exec tlayout-alone %s", strings.Replace(command, "SOURCES", `"$@"`, 1))
		cmd := exec.Command("sh", append([]string{"-c", args, "sh"}, names...)...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		done := sourcesIn(t, text)
		for i := range n {
			var problems []string
			if i >= done {
				problems = []string{fmt.Sprintf("%v: %d of %d sources: %.300s", err, done, n, stderr.String())}
			}
			c.try(t, command, "done", problems...)
		}
	}
	for i := range n {
		out := filepath.Join(dir, "out", fmt.Sprintf("x%05d.nhwc.npy", i))
		if _, err := os.Stat(out); err != nil {
			t.Error(err)
		}
	}
}

// sourcesIn counts the sources in a document, or in lines of one source each.
func sourcesIn(t *testing.T, text []byte) (n int) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	for decoder.More() {
		var document struct {
			Schema        string
			Made          int               `json:"made_units"`
			Skipped       int               `json:"skipped_units"`
			Sources       []json.RawMessage `json:"sources"`
			SourcesFailed *int              `json:"failed_units"`
		}
		if err := decoder.Decode(&document); err != nil {
			t.Errorf("%v: %.300s", err, text)
			return 0
		}
		switch {
		case document.SourcesFailed != nil:
			n += document.Made + document.Skipped
		case document.Sources != nil:
			n += len(document.Sources)
		default:
			n++
		}
	}
	return n
}

// TestOneFolderForMany: 1,000 programs convert into one folder at the same time: half of them a file of their own, the others in pairs the
// same file. Every result is there and complete, and nothing else. A trial is a program.
func TestOneFolderForMany(t *testing.T) {
	n := load(40, 1000)
	dir := t.TempDir()
	want := map[string][]byte{}
	commands := make([]*exec.Cmd, n)
	for i := range n {
		source := i
		if i%4 == 3 {
			source = i - 2 // same as the last but one
		}
		name := fmt.Sprintf("x%04d.npy", source)
		shape := []int{1, 3, 40 + source%20, 50}
		cli.Must(os.WriteFile(filepath.Join(dir, name), fixture.Must(fixture.Npy("<f4", shape, false)), 0o666))
		args := []string{"convert", name, "--from", "nchw", "--to", "nhwc", "-o", fmt.Sprintf("out/x%04d.nhwc.npy", source)}
		if i%2 == 1 {
			args = append(args[:len(args)-2], "-d", "out", "--update")
		}
		commands[i] = exec.Command("tlayout-alone", args...)
		commands[i].Dir = dir
		want[fmt.Sprintf("x%04d.nhwc.npy", source)] = nil
	}
	cli.Must(os.Mkdir(filepath.Join(dir, "out"), 0o777))
	for name := range want {
		cmd := exec.Command("tlayout-alone", "convert", strings.Replace(name, ".nhwc", "", 1), "--from", "nchw", "--to", "nhwc", "-o", "-")
		cmd.Dir = dir
		want[name] = fixture.Must(cmd.Output())
	}
	c := countTrials(t)
	problems := make([][]string, n)
	var wait sync.WaitGroup
	for i, cmd := range commands {
		wait.Go(func() {
			if text, err := cmd.CombinedOutput(); err != nil {
				problems[i] = []string{fmt.Sprintf("%v: %.300s", err, text)}
			}
		})
	}
	wait.Wait()
	for i, cmd := range commands {
		c.try(t, strings.Join(cmd.Args, " "), "done", problems[i]...)
	}
	found := 0
	for _, e := range fixture.Must(os.ReadDir(filepath.Join(dir, "out"))) {
		content, ok := want[e.Name()]
		switch {
		case !ok:
			t.Errorf("%s is left over", e.Name())
		case !bytes.Equal(content, fixture.Must(os.ReadFile(filepath.Join(dir, "out", e.Name())))):
			t.Errorf("%s is not what it should be", e.Name())
		default:
			found++
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d results", found, len(want))
	}
}
