package publish

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestReadBack: a draft can be read before it is published, however it was written, by many goroutines.
func TestReadBack(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		for _, o := range []Options{{}, {Size: 12}, {Size: 12, Replace: true}} {
			path := filepath.Join(t.TempDir(), "y.npz")
			if o.Replace {
				writeFile(t, path, "old")
				if err := os.Chmod(path, 0o200); err != nil { // the draft can be read even if its final mode denies it
					t.Fatal(err)
				}
			}
			f := mustCreate(t, path, o, begin)
			mustWrite(t, f, "0123")
			if n, err := f.WriteAt([]byte("89ab"), 8); n != 4 || err != nil {
				t.Fatal(n, err)
			}
			mustWrite(t, f, "4567")
			var readers sync.WaitGroup
			for at := range int64(12) {
				readers.Go(func() {
					p := make([]byte, 3)
					n, err := f.ReadAt(p, at)
					if want := "0123456789ab"[at:min(12, at+3)]; string(p[:n]) != want || err != nil && (err != io.EOF || at < 10) {
						t.Errorf("ReadAt(%d) = %q, %v; want %q", at, p[:n], err, want)
					}
				})
			}
			readers.Wait()
			text, err := io.ReadAll(io.NewSectionReader(f, 0, 100))
			if string(text) != "0123456789ab" || err != nil {
				t.Errorf("read %q, %v", text, err)
			}
			if err := f.Commit(); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			if o.Replace {
				os.Chmod(path, 0o600) //nolint:errcheck // wantFile reports it
			}
			wantFile(t, path, "0123456789ab")
			_, err = f.ReadAt(make([]byte, 1), 0)
			hostile.WantFault(t, "", err, fault.Resource, "y.npz")
		}
	})
}
