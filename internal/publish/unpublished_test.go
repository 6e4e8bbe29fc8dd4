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

// afterCleanup lets a test go on after Cleanup: whoever would wait for the end of the program ends its goroutine.
func afterCleanup(t *testing.T) {
	t.Helper()
	wait := unpublished.wait
	unpublished.wait = runtime.Goexit
	t.Cleanup(func() { unpublished.wait, unpublished.ended = wait, false })
}

// returns reports whether call returned, rather than waited for the end of the program.
func returns(call func()) (did bool) {
	var wg sync.WaitGroup
	wg.Go(func() {
		call()
		did = true
	})
	wg.Wait()
	return did
}

// After Cleanup nothing is begun, published or reported: not even that a file could not be published.
func TestCleanup(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		afterCleanup(t)
		dir := t.TempDir()
		done := mustCreate(t, filepath.Join(dir, "done"), Options{}, begin)
		if err := done.Commit(); err != nil {
			t.Fatal(err)
		}
		f, err := create(filepath.Join(dir, "y.npy"), Options{}, begin)
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
			{"Create", func() { create(filepath.Join(dir, "z.npy"), Options{}, begin) }}, //nolint:errcheck // does not return
		} {
			if returns(c.call) {
				t.Error(c.what + " returned after Cleanup")
			}
		}
		wantAlone(t, filepath.Join(dir, "done"))
	})
}

// The signal handler may come at any moment, also while a draft is being created: either it or Commit has its way, and no
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
				f, err := create(path, Options{}, begin)
				if err != nil {
					t.Error(err)
					return
				}
				defer f.Discard()
				f.Write(bytes.Repeat([]byte("x"), 4096)) //nolint:errcheck // fails if Cleanup was first; Commit tells
				if err := f.Commit(); err != nil {
					t.Errorf("Commit told what only the signal can have caused: %v", err)
				}
			})
			handler.Wait()
			unpublished.ended = false
			if names := list(t, dir); len(names) == 0 {
				stopped++
				if returned {
					t.Error("Commit returned, and there is no file")
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
