package input

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/need"
)

// onDisk opens a file with this content that the system has evicted from memory; false if the file system is in memory.
func onDisk(t *testing.T, dir string, data []byte) (*local, bool) {
	t.Helper()
	path := filepath.Join(dir, "x.bin")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := openLocal(named(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if !b.Resident(0) {
		t.Fatal("a file just written is not resident")
	}
	b.Forget(0, int64(len(data)))
	return b, !b.Resident(4096)
}

// TestReadingFromDisk: evicted parts are not resident and are read correctly, and from then on the file is read by request alone, even
// where a part is resident again.
func TestReadingFromDisk(t *testing.T) {
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	b, dropped := onDisk(t, t.TempDir(), want)
	if !dropped { // TMPDIR may be a tmpfs
		other, err := os.MkdirTemp("/var/tmp", "tlayout")
		need.Disk(t, err)
		t.Cleanup(func() { os.RemoveAll(other) })
		if b, dropped = onDisk(t, other, want); !dropped {
			need.Disk(t, errors.New("files stay in memory"))
		}
	}
	b.Fetch(8192, 20000)
	got := make([]byte, 10000)
	if err := ReadFull(b, got, 9000); err != nil || !bytes.Equal(got, want[9000:19000]) {
		t.Errorf("wrong bytes, or %v", err)
	}
	if b.Resident(9000) {
		t.Error("a partly evicted file is read through the map")
	}
	b.Forget(0, int64(len(want)))
	if err := ReadFull(b, got, int64(len(want)-5000)); err == nil {
		t.Error("bytes past the end are read")
	}
}
