package source

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What the system has dropped is not resident, is read as it is, and from then on the file is read by request alone,
// also where a part of it has come back.
func TestReadingFromDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.bin")
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := file.Sync(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	b, err := openInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if !b.resident(0) {
		t.Fatal("what was just written is not resident")
	}
	b.forget(0, int64(len(want)))
	if b.resident(4096) {
		t.Skip("this file system keeps files in memory")
	}
	tensor := &Tensor{input: b}
	tensor.Fetch(8192, 20000)
	got := make([]byte, 10000)
	if err := tensor.Read(got, 9000); err != nil || !bytes.Equal(got, want[9000:19000]) {
		t.Errorf("other bytes, or %v", err)
	}
	if tensor.Resident(9000) {
		t.Error("a file of which something was missing is taken from the map")
	}
	tensor.Forget(0, len(want))
	if err := tensor.Read(got, len(want)-5000); err == nil {
		t.Error("bytes behind the end are read")
	}
}
