package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// Shares of a split result that run twice at once, are killed at random moments and are repeated give the same files as one run, and no
// manifest before all of them are there; with --force they replace another result.
func TestSplitShares(t *testing.T) {
	const files, shares = 12, 4
	dir := t.TempDir()
	for _, source := range []struct{ folder, dtype string }{{"in", "<f4"}, {"other", "<u4"}} {
		if err := os.Mkdir(filepath.Join(dir, source.folder), 0o777); err != nil {
			t.Fatal(err)
		}
		content := fixture.Must(fixture.Npy(source.dtype, []int{24, 36, 60, 20}, false))
		if err := os.WriteFile(filepath.Join(dir, source.folder, "x.npy"), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	convert := func(in, out string, flags ...string) *exec.Cmd {
		cmd := exec.Command("tlayout-alone", append([]string{"convert", in + "/x.npy", "--from", "nchw", "--to", "chwn", "--split", fmt.Sprint(files), "-d", out}, flags...)...)
		cmd.Dir = dir
		return cmd
	}
	began := time.Now()
	if out, err := convert("in", "one").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(began)
	want := tree(t, filepath.Join(dir, "one"))
	if len(want) != files+1 {
		t.Fatalf("%d results", len(want))
	}
	whole := func(out string) {
		got := tree(t, filepath.Join(dir, out))
		for name, content := range got {
			if content != want[name] {
				t.Errorf("%s has %d bytes, expected %d", name, len(content), len(want[name]))
			}
		}
		if _, manifest := got["/x.chwn.tensor.json"]; manifest && len(got) < len(want) {
			t.Errorf("the manifest is there, and %d of %d files", len(got)-1, files)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for round := range manyRounds(t) {
		out := fmt.Sprintf("out%d", round)
		var flags []string
		if round%3 == 2 { // over another result
			if text, err := convert("other", out).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			flags = []string{"--force"}
		}
		deaths := make([]time.Duration, 2*shares)
		for i := range deaths {
			deaths[i] = time.Duration(random.Int64N(int64(took)))
		}
		for _, killed := range []bool{true, false} {
			var wait sync.WaitGroup
			for i, death := range deaths {
				wait.Go(func() {
					cmd := convert("in", out, append(slices.Clone(flags), "--shard", fmt.Sprintf("%d/%d", i%shares, shares))...)
					var text strings.Builder
					cmd.Stderr = &text
					if err := cmd.Start(); err != nil {
						t.Error(err)
						return
					}
					if killed {
						time.Sleep(death)
						cmd.Process.Kill() //nolint:errcheck // it may have ended
					}
					if err := cmd.Wait(); err != nil && !killed {
						t.Errorf("share %d: %v: %s", i%shares, err, text.String())
					}
				})
			}
			wait.Wait()
			if flags == nil {
				whole(out)
			}
		}
		sameTree(t, tree(t, filepath.Join(dir, out)), want)
	}
}
