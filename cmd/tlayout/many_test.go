package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// manySources writes a folder of small, large and compressed files that convert to NHWC.
func manySources(t *testing.T, dir string, n int) {
	t.Helper()
	for i := range n {
		shape := []int{1 + i%3, 3, 4 + i%5, 6}
		if i%40 == 7 {
			shape = []int{4, 3, 160, 160} // 1.2 MiB, not small
		}
		content := fixture.Must(fixture.Npy("<f4", shape, i%4 == 3))
		name := filepath.Join(dir, fmt.Sprintf("d%d/e%d", i%3, i%2), fmt.Sprintf("x%03d.npy", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		age(t, name)
	}
	for _, name := range []string{"model.pt", "checkpoints/plain.safetensors"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), fixture.Must(os.ReadFile(filepath.Join(testdataDir, name))), 0o666); err != nil {
			t.Fatal(err)
		}
		age(t, filepath.Join(dir, filepath.Base(name)))
	}
}

// age makes a file an hour old, so that results are newer.
func age(t *testing.T, name string) {
	t.Helper()
	when := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
}

// tree returns the files below a folder with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if entry == nil && errors.Is(err, fs.ErrNotExist) {
			return nil // a killed program had not made the folder yet
		}
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		files[strings.TrimPrefix(name, dir)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameTree(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if content, ok := got[name]; !ok || content != want[name] {
			t.Errorf("%s: there %t, %d bytes, expected %d", name, ok, len(content), len(want[name]))
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is left over", name)
		}
	}
}

// manyRounds is the number of killed runs; TLAYOUT_TEST_MANY_ROUNDS sets it.
func manyRounds(t *testing.T) int {
	t.Helper()
	text := os.Getenv("TLAYOUT_TEST_MANY_ROUNDS")
	if text == "" {
		return 3
	}
	return fixture.Must(strconv.Atoi(text))
}

// Runs that are killed at random moments and repeated with --update make the same files as one complete run, and nothing else. A last run
// finds all up to date. Without --update an existing result is refused before anything is written.
func TestManyKilled(t *testing.T) {
	dir := t.TempDir()
	manySources(t, filepath.Join(dir, "in"), 120)
	convert := func(out string, flags ...string) *exec.Cmd {
		cmd := exec.Command("tlayout-alone", append([]string{"convert", "in", "--to", "nhwc", "--from", "nchw", "-d", out, "--json"}, flags...)...)
		cmd.Dir = dir
		return cmd
	}
	began := time.Now()
	if out, err := convert("one").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	want := tree(t, filepath.Join(dir, "one"))
	if len(want) != 122 {
		t.Fatalf("%d results", len(want))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range manyRounds(t) {
		out := fmt.Sprintf("out%d", round)
		for range 3 {
			cmd := convert(out, "--update")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.Int64N(int64(took))))
			cmd.Process.Kill() //nolint:errcheck // it may have ended
			cmd.Wait()         //nolint:errcheck // it was killed
			for name, content := range tree(t, filepath.Join(dir, out)) {
				if content != want[name] {
					t.Errorf("killed: %s has %d bytes, expected %d", name, len(content), len(want[name]))
				}
			}
		}
		if text, err := convert(out, "--update").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		sameTree(t, tree(t, filepath.Join(dir, out)), want)
	}
	if text, err := convert("one", "--update").CombinedOutput(); err != nil || !bytes.Contains(text, []byte(`"skipped_units": 122`)) {
		t.Errorf("again: %v\n%s", err, text)
	}
	removed := filepath.Join(dir, "one", "d0", "e0", "x000.nhwc.npy")
	if err := os.Remove(removed); err != nil {
		t.Fatal(err)
	}
	var failed *exec.ExitError
	text, err := convert("one").CombinedOutput()
	if _, missing := os.Stat(removed); !errors.As(err, &failed) || failed.ExitCode() != 5 || !bytes.Contains(text, []byte("exists")) || missing == nil {
		t.Errorf("without --update: %v, %v\n%s", err, missing, text)
	}
}

// Several concurrent runs over the same sources succeed, and make every result once: later runs find all up to date.
func TestManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	const n = 100
	manySources(t, filepath.Join(dir, "in"), n)
	t.Chdir(dir)
	var wait sync.WaitGroup
	var mu sync.Mutex
	total := map[string]int{}
	for range 4 {
		wait.Go(func() {
			got := runIn(t, nil, "convert", "in", "--to", "nhwc", "--from", "nchw", "-d", "out", "--update", "-f", "csv")
			if got.code != 0 || got.err != "" {
				t.Errorf("exit code %d: %s", got.code, got.err)
				return
			}
			lines := strings.Split(strings.TrimSpace(got.out), "\n")
			names, values := strings.Split(lines[0], ","), strings.Split(lines[len(lines)-1], ",")
			mu.Lock()
			defer mu.Unlock()
			for i, name := range names {
				v, _ := strconv.Atoi(values[i])
				total[name] += v
			}
		})
	}
	wait.Wait()
	if total["made_units"] != n+2 || total["skipped_units"] != 3*(n+2) || total["failed_units"] != 0 {
		t.Errorf("%v", total)
	}
	if made := tree(t, "out"); len(made) != n+2 {
		t.Errorf("%d files", len(made))
	}
}
