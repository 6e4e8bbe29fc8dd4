package publish

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// afterCleanup lets a test continue after Cleanup: a goroutine that would wait for the end of the program exits instead.
func afterCleanup(t *testing.T) {
	t.Helper()
	wait := unpublished.wait
	unpublished.wait = runtime.Goexit
	t.Cleanup(func() { unpublished.wait, unpublished.ended = wait, false })
}

// returns reports whether call returned, instead of waiting for the end of the program.
func returns(call func()) (did bool) {
	var wg sync.WaitGroup
	wg.Go(func() {
		call()
		did = true
	})
	wg.Wait()
	return did
}

// TestCleanup: after Cleanup nothing is begun, published or reported, not even an error of publishing.
func TestCleanup(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		afterCleanup(t)
		dir := t.TempDir()
		done := mustCreate(t, filepath.Join(dir, "done"), Options{}, begin)
		if err := done.Commit(); err != nil {
			t.Fatal(err)
		}
		f, err := create(named(filepath.Join(dir, "y.npy")), Options{}, begin)
		if err != nil {
			t.Fatal(err)
		}
		mustWrite(t, f, "abc")
		Cleanup()
		Cleanup()
		wantAlone(t, filepath.Join(dir, "done"))
		for _, c := range []struct {
			what string
			call func()
		}{
			{"Commit", func() { f.Commit() }}, //nolint:errcheck // does not return
			{"Discard", func() { f.Discard() }},
			{"Create", func() { create(named(filepath.Join(dir, "z.npy")), Options{}, begin) }}, //nolint:errcheck // does not return
		} {
			if returns(c.call) {
				t.Error(c.what + " returned after Cleanup")
			}
		}
		wantAlone(t, filepath.Join(dir, "done"))
	})
}

// TestCleanupAnyMoment: the signal handler may run at any moment, even while a draft is being created: either it or Commit wins, and no
// draft is left. Run under -race.
func TestCleanupAnyMoment(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		afterCleanup(t)
		dir := t.TempDir()
		var published, stopped int
		for i := range 500 {
			path := filepath.Join(dir, "y.npy")
			var handler sync.WaitGroup
			handler.Go(func() {
				for end := time.Now().Add(time.Duration(i%100) * time.Microsecond); time.Now().Before(end); {
					runtime.Gosched()
				}
				Cleanup()
			})
			returned := returns(func() {
				f, err := create(named(path), Options{}, begin)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Discard()
				f.Write(bytes.Repeat([]byte("x"), 4096)) //nolint:errcheck // fails if Cleanup was first; Commit reports it
				if err := f.Commit(); err != nil {
					t.Errorf("Commit reported an error that only the signal can cause: %v", err)
				}
			})
			handler.Wait()
			unpublished.ended = false
			if names := list(t, dir); len(names) == 0 {
				stopped++
				if returned {
					t.Error("Commit returned, but the file does not exist")
				}
				continue
			}
			published++
			wantFile(t, path, strings.Repeat("x", 4096))
			wantAlone(t, path)
			os.Remove(path)
		}
		t.Logf("%d published, %d stopped", published, stopped)
	})
}
