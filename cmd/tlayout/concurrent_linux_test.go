package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// writer converts a source of its own to a layout of its own, with a known result.
type writer struct {
	source, layout string
	result         []byte
}

// newWriters returns three writers of one output, y.npz, in a folder.
func newWriters(t *testing.T) (dir string, writers []*writer) {
	t.Helper()
	dir = t.TempDir()
	for i, layout := range []string{"nchw4", "nhwc", "nchw16c"} {
		w := &writer{source: fmt.Sprintf("x%d.npy", i), layout: layout}
		text := fixture.Must(fixture.Npy("<f4", []int{1 + i, 3, 64, 64}, false))
		slices.Reverse(text[len(text)-1000*(i+1):])
		cli.Must(os.WriteFile(filepath.Join(dir, w.source), text, 0o666))
		cmd := w.command(dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		path := filepath.Join(dir, "y.npz")
		w.result = fixture.Must(os.ReadFile(path))
		cli.Must(os.Remove(path))
		writers = append(writers, w)
	}
	return dir, writers
}

func (w *writer) command(dir string, more ...string) *exec.Cmd {
	cmd := exec.Command("tlayout", append([]string{"convert", w.source, "--to", w.layout, "-o", "y.npz"}, more...)...)
	cmd.Dir = dir
	return cmd
}

// by returns the writer of a result, or nil.
func by(writers []*writer, text []byte) *writer {
	i := slices.IndexFunc(writers, func(w *writer) bool { return bytes.Equal(text, w.result) })
	if i < 0 {
		return nil
	}
	return writers[i]
}

// TestWritersReplaceTogether: three programs that replace one result at the same time all succeed, readers always see the complete result
// of one, and the last one is read in its writer's layout.
func TestWritersReplaceTogether(t *testing.T) {
	t.Parallel()
	dir, writers := newWriters(t)
	path := filepath.Join(dir, "y.npz")
	cli.Must(os.WriteFile(path, writers[0].result, 0o666))
	c, reads := countTrials(t), countTrials(t)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				text, err := os.ReadFile(path)
				var problems []string
				if err != nil || by(writers, text) == nil {
					problems = append(problems, fmt.Sprintf("%d bytes of nobody, %v", len(text), err))
				}
				reads.try(t, "a read", "whole", problems...)
			}
		})
	}
	for range rounds(12) {
		var problems []string
		wait := startAll(writers, dir, "--force")
		for i, err := range wait() {
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", writers[i].layout, err))
			}
		}
		last := by(writers, fixture.Must(os.ReadFile(path)))
		if last == nil {
			t.Fatal("the result is nobody's")
		}
		diff := exec.Command("tlayout", "diff", last.source, "y.npz")
		diff.Dir = dir
		if out, err := diff.CombinedOutput(); err != nil {
			problems = append(problems, fmt.Sprintf("the result of %s is not read as that: %v: %s", last.layout, err, out))
		}
		c.try(t, "three writers", last.layout, problems...)
	}
	close(stop)
	readers.Wait()
	if names := fixture.Must(filepath.Glob(filepath.Join(dir, ".tlayout*"))); len(names) > 0 {
		t.Errorf("beside the result: %v", names)
	}
}

// startAll starts all writers, and returns a function that waits for them.
func startAll(writers []*writer, dir string, more ...string) (wait func() []error) {
	var cmds []*exec.Cmd
	for _, w := range writers {
		cmd := w.command(dir, more...)
		cli.Must(cmd.Start())
		cmds = append(cmds, cmd)
	}
	return func() (errs []error) {
		for _, cmd := range cmds {
			errs = append(errs, cmd.Wait())
		}
		return errs
	}
}

// TestOneWriterWins: of three programs that create one result at the same time exactly one succeeds, and the result is its own.
func TestOneWriterWins(t *testing.T) {
	dir, writers := newWriters(t)
	path := filepath.Join(dir, "y.npz")
	c := countTrials(t)
	for range rounds(12) {
		var won []*writer
		for i, err := range startAll(writers, dir)() {
			if err == nil {
				won = append(won, writers[i])
			}
		}
		if len(won) != 1 || by(writers, fixture.Must(os.ReadFile(path))) != won[0] {
			t.Fatalf("%d of 3 won, and the result is %v", len(won), by(writers, fixture.Must(os.ReadFile(path))))
		}
		c.try(t, "three writers", won[0].layout)
		cli.Must(os.Remove(path))
	}
}

// wholeCalls makes strace print only calls that succeed or never return, in the order of their ends, one per line. Anything else would split
// the line of a call of another thread.
var wholeCalls = []string{"-f", "-qq", "-e", "signal=none", "-e", "status=successful,unfinished"}

// TestDurableOrder: with --durable, and whenever a result is replaced, the data is on disk before the result gets its name, and the name
// before the program ends. A new result without --durable does not wait for the disk.
func TestDurableOrder(t *testing.T) {
	need.Strace(t)
	count := countTrials(t)
	for _, c := range []struct {
		r    replacement
		want string
	}{
		{replacement{args: "convert b.npy --to nchw4 -o OUT.npz"}, "name"},
		{replacement{args: "convert b.npy --to nchw4 -o OUT.npz --durable"}, "sync-data name sync-folder"},
		{replacement{args: "convert b.npy --to nchw4 -o OUT.npz --force --durable", present: true}, "sync-data name name sync-folder"},
		{replacement{args: "convert b.npy --to nchw4 -o OUT.npz --force --verify", present: true}, "sync-data name name sync-folder"},
		{replacement{args: "convert b.npy --to nchw4 -o OUT.npz --force", present: true, named: true}, "sync-data name sync-folder"},
		{replacement{args: "convert model.pt -o OUT.safetensors --durable"}, "sync-data name sync-folder"},
		{replacement{args: "convert weights.npz --to c -o OUT.npz --durable"}, "sync-data name sync-folder"},
		{replacement{args: "convert m.safetensors -o OUT.pt --force", present: true}, "sync-data name name sync-folder"},
		{replacement{args: "draw small.npy -o OUT.html --force", present: true}, "sync-data name name sync-folder"},
		{replacement{args: measure + " -o OUT.json --force", present: true}, "sync-data name name sync-folder"},
	} {
		s := newStage(t, c.r)
		log := filepath.Join(s.dir, "log")
		cmd := s.command(append([]string{"strace", "-y", "-o", log, "-e", "trace=fsync,linkat,renameat,renameat2,exit_group"}, wholeCalls...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var order []string
		for line := range strings.Lines(string(fixture.Must(os.ReadFile(log)))) {
			switch {
			case strings.Contains(line, "exit_group(0"):
				// strace also shows it for threads that are ended in another call
				if !slices.Contains(order, "end") {
					order = append(order, "end")
				}
			case !strings.HasSuffix(line, " = 0\n"):
			case strings.Contains(line, "linkat(") || strings.Contains(line, "renameat"):
				order = append(order, "name")
			case strings.Contains(line, "fsync(") && strings.Contains(line, s.dir+"/out>"):
				order = append(order, "sync-folder")
			case strings.Contains(line, "fsync("):
				order = append(order, "sync-data")
			}
		}
		var problems []string
		if got := strings.Join(order, " "); got != c.want+" end" {
			problems = append(problems, fmt.Sprintf("%s, expected %s end", got, c.want))
		}
		count.try(t, c.r.String(), c.want, problems...)
	}
}
