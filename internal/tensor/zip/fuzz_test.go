package zip

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
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
		before := allocated()
		a, err := open(archive)
		if used := allocated() - before; used > 1<<20+64*uint64(len(archive)) {
			t.Fatalf("%d bytes allocated for an archive of %d", used, len(archive))
		}
		if err != nil {
			checkError(t, err)
			return
		}
		if err := a.Sound(); err != nil {
			checkError(t, err)
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
		checkError(t, err)
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
		checkError(t, err)
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

// allocated returns all the bytes the process has allocated on the heap so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// checkError accepts errors that say whose fault it is, in text that is safe to print.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Malformed && e.Class != fault.Unsupported {
		t.Fatalf("unexpected kind of error: %v", err)
	}
	control := func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || 0x202a <= r && r <= 0x202e }
	if text := e.Text + e.Hint; e.Text == "" || strings.ContainsFunc(text, control) {
		t.Fatalf("unsuitable text: %q", text)
	}
}
