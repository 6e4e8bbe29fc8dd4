package zip

import (
	"archive/zip"
	"bytes"
	"hash/crc32"
	"io"
	"math"
	"os"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

// FuzzZip reads any bytes as an archive: no panic; memory in proportion to the bytes; a clean *fault.Error; and a member
// that is read to its end has the size and the checksum that the directory says, lies within the file apart from all
// others, and is what archive/zip reads, if that reads it.
func FuzzZip(f *testing.F) {
	for _, name := range []string{"stored.npz", "deflated.npz", "empty.npz", "torch-1.13.pt"} {
		archive, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive)
	}
	f.Add(build("comment", plain()...))
	f.Add(widened(build("", plain()...), 0, 0))
	f.Fuzz(func(t *testing.T, archive []byte) {
		before := hostile.Allocated()
		a, err := open(archive)
		if used := hostile.Allocated() - before; used > 1<<20+64*uint64(len(archive)) {
			t.Fatalf("%d bytes allocated for an archive of %d", used, len(archive))
		}
		if err != nil {
			hostile.CheckError(t, err, math.MaxInt)
			return
		}
		if err := a.Sound(); err != nil {
			hostile.CheckError(t, err, math.MaxInt)
		}
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		if err == nil && len(z.File) != len(a.Members) {
			z = nil
		}
		const most = 8 // members, for each takes a decompressor
		for i, m := range a.Members[:min(len(a.Members), most)] {
			text, ok := checkMember(t, a, m, archive)
			if ok && z != nil && z.File[i].Name == m.Name {
				checkAgainstZip(t, z.File[i], text)
			}
		}
	})
}

// checkMember reads a member to its end, and returns what it holds.
func checkMember(t *testing.T, a *Archive, m Member, archive []byte) (text []byte, ok bool) {
	t.Helper()
	r, err := a.Content(m)
	if err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		return nil, false
	}
	at, err := a.Locate(m)
	if err != nil || at < 0 || at+m.Packed > int64(len(archive)) || at+m.Packed > m.limit {
		t.Fatalf("%d bytes at %d of %d, limit %d: %v", m.Packed, at, len(archive), m.limit, err)
	}
	text, err = io.ReadAll(r)
	if int64(len(text)) > m.Size || m.Size > 1032*(int64(len(archive))+1) {
		t.Fatalf("%d bytes of %d, from an archive of %d", len(text), m.Size, len(archive))
	}
	if err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		return nil, false
	}
	if int64(len(text)) != m.Size || crc32.ChecksumIEEE(text) != m.CRC {
		t.Fatalf("%d bytes of %d, checksum %x of %x", len(text), m.Size, crc32.ChecksumIEEE(text), m.CRC)
	}
	return text, true
}

func checkAgainstZip(t *testing.T, f *zip.File, text []byte) {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		return
	}
	other, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(other, text) {
		t.Fatalf("archive/zip reads %d other bytes than our %d", len(other), len(text))
	}
}
