package publish

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestRaceForNewName: of many writers to one name exactly one succeeds.
func TestRaceForNewName(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		const rounds, writers = 50, 8
		for range rounds {
			path := filepath.Join(t.TempDir(), "y.npy")
			var winner atomic.Pointer[string]
			var wins atomic.Int32
			var ready, all sync.WaitGroup
			ready.Add(writers)
			for i := range writers {
				all.Go(func() {
					text := string(bytes.Repeat([]byte{'a' + byte(i)}, 5000))
					f := mustCreate(t, path, Options{}, begin)
					mustWrite(t, f, text)
					ready.Done()
					ready.Wait()
					if err := f.Commit(); err == nil {
						wins.Add(1)
						winner.Store(&text)
					} else {
						hostile.WantFault(t, "", err, fault.Resource, "exists")
					}
				})
			}
			all.Wait()
			if wins.Load() != 1 {
				t.Fatalf("%d of %d writers succeeded", wins.Load(), writers)
			}
			wantFile(t, path, *winner.Load())
			wantAlone(t, path)
		}
	})
}

// TestRaceToReplace: many writers that replace one file all succeed, and a reader always sees the whole content of one.
func TestRaceToReplace(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		const rounds, writers, size = 15, 4, 64 << 10
		path := filepath.Join(t.TempDir(), "y.npy")
		writeFile(t, path, string(make([]byte, size)))
		var all, reader sync.WaitGroup
		var stop atomic.Bool
		for i := range writers {
			all.Go(func() {
				for range rounds {
					f := mustCreate(t, path, Options{Replace: true, Size: size}, begin)
					f.Write(bytes.Repeat([]byte{'a' + byte(i)}, size)) //nolint:errcheck // Commit reports it
					if err := f.Commit(); err != nil {
						t.Error(err)
					}
				}
			})
		}
		reader.Go(func() {
			for !stop.Load() {
				p, err := os.ReadFile(path)
				if err != nil || len(p) != size || bytes.Count(p, p[:1]) != size {
					t.Errorf("torn: %d bytes, %v", len(p), err)
				}
			}
		})
		all.Wait()
		stop.Store(true)
		reader.Wait()
		wantAlone(t, path)
	})
}
