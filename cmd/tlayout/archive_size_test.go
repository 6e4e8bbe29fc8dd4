package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// archiveOf writes an archive of n arrays of shape (1, 2, 2, 3).
func archiveOf(t *testing.T, n int) string {
	t.Helper()
	array := fixture.Must(fixture.Npy("<f4", []int{1, 2, 2, 3}, false))
	members, crcs := make([]zip.New, n), make([]uint32, n)
	for i := range members {
		members[i], crcs[i] = zip.New{Name: fmt.Sprintf("block/%05d.npy", i), Size: int64(len(array))}, crc32.ChecksumIEEE(array)
	}
	place := fixture.Must(zip.Place(members))
	file := make([]byte, place.Size())
	for i := range members {
		copy(file[place.Content(i):], array)
		header, at := place.Header(i, crcs[i])
		copy(file[at:], header)
	}
	end, at := place.End(crcs)
	copy(file[at:], end)
	path := filepath.Join(t.TempDir(), "many.npz")
	cli.Must(os.WriteFile(path, file, 0o644))
	return path
}

// TestManyArrays: an archive of many arrays is converted, verified, checked and compared like one of few; its directory and record are
// read once.
func TestManyArrays(t *testing.T) {
	path := archiveOf(t, 600)
	out := path[:len(path)-len(".npz")] + ".out.npz"
	tlayout(t, "convert", path, "--from", "nchw", "--to", "nhwc", "-o", out, "--verify")
	tlayout(t, "check", out, "--layout", "nhwc", "-q")
	tlayout(t, "diff", path, out, "--from-a", "nchw", "-q")
}
