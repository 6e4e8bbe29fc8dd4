package zip

import (
	"archive/zip"
	"bytes"
	"fmt"
	"github.com/tlayout/tlayout/internal/random"
	"hash/crc32"
	"io"
	"math"
	"strings"
	"testing"
)

// assemble writes an archive of these contents.
func assemble(t testing.TB, names []string, contents [][]byte) []byte {
	t.Helper()
	members := make([]New, len(names))
	for i := range names {
		members[i] = New{names[i], int64(len(contents[i]))}
	}
	p, err := Place(members)
	if err != nil {
		t.Fatal(err)
	}
	file, crcs := make([]byte, p.Size()), make([]uint32, len(names))
	written := 0
	put := func(b []byte, at int64) { written += copy(file[at:], b) }
	for i, c := range contents {
		crcs[i] = crc32.ChecksumIEEE(c)
		put(c, p.Content(i))
		put(p.Header(i, crcs[i]))
	}
	put(p.End(crcs))
	if written != len(file) {
		t.Fatalf("%d of %d bytes were written", written, len(file))
	}
	return file
}

// TestWriteIsRead proves that archives of random members are read back by Open and by Go's archive/zip, that contents
// are aligned, and that no byte is written twice or left out.
func TestWriteIsRead(t *testing.T) {
	rnd := random.New(t)
	for range 300 {
		var names []string
		var contents [][]byte
		for i := range rnd.IntN(6) {
			names = append(names, fmt.Sprintf("%d%s%s.npy", i, []string{"é", "/", "x"}[rnd.IntN(3)], strings.Repeat("n", rnd.IntN(90))))
			c := make([]byte, rnd.IntN(300))
			for k := range c {
				c[k] = byte(rnd.Uint32())
			}
			contents = append(contents, c)
		}
		file := assemble(t, names, contents)
		a, err := Open(bytes.NewReader(file), int64(len(file)), ".npz file")
		if err != nil {
			t.Fatal(err)
		}
		other, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Members) != len(names) || len(other.File) != len(names) {
			t.Fatalf("%d members, archive/zip finds %d, want %d", len(a.Members), len(other.File), len(names))
		}
		for i, m := range a.Members {
			at, err := a.Locate(m)
			if err != nil || at%Alignment != 0 || m.Name != names[i] {
				t.Fatalf("member %q at byte %d: %v", m.Name, at, err)
			}
			r, err := a.Content(m)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := other.File[i].Open()
			if err != nil {
				t.Fatal(err)
			}
			for _, reader := range []io.Reader{r, theirs} {
				if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, contents[i]) {
					t.Fatalf("member %q: other bytes, or %v", m.Name, err)
				}
			}
		}
	}
}

// TestWriteWide proves that archives beyond 4 GiB have records that Open accepts: the file is sparse, its contents are
// not read.
func TestWriteWide(t *testing.T) {
	for _, sizes := range [][]int64{{math.MaxUint32 - 1, 100}, {math.MaxUint32, 100}, {1 << 40, 1 << 33, 0}} {
		members := make([]New, len(sizes))
		for i, n := range sizes {
			members[i] = New{fmt.Sprintf("a%d.npy", i), n}
		}
		p, err := Place(members)
		if err != nil {
			t.Fatal(err)
		}
		file := sparse{size: p.Size(), parts: map[int64][]byte{}}
		for i := range members {
			b, at := p.Header(i, uint32(i))
			file.parts[at] = b
		}
		end, at := p.End([]uint32{0, 1, 2}[:len(sizes)])
		if file.parts[at] = end; at+int64(len(end)) != p.Size() {
			t.Fatalf("the end has %d bytes from byte %d, the archive %d", len(end), at, p.Size())
		}
		a, err := Open(file, p.Size(), "archive")
		if err != nil {
			t.Fatal(sizes, err)
		}
		for i, m := range a.Members {
			if at, err := a.Locate(m); err != nil || at != p.Content(i) || m.Size != sizes[i] || m.CRC != uint32(i) {
				t.Fatalf("%v: member %d of %d bytes at byte %d: %v", sizes, i, m.Size, at, err)
			}
		}
	}
}

// TestManyMembers proves that an archive of 65,534 members has no 64-bit end, and one of 65,535 has: 16 bits all set say that there is one.
func TestManyMembers(t *testing.T) {
	for n, wide := range map[int]bool{math.MaxUint16 - 1: false, math.MaxUint16: true, math.MaxUint16 + 1: true} {
		p, err := Place(manyMembers(n))
		if err != nil {
			t.Fatal(err)
		}
		end, at := p.End(make([]uint32, n))
		if has := bytes.Contains(end[len(end)-endSize-locatorSize-end64Size:], []byte(end64Magic)); has != wide || at+int64(len(end)) != p.Size() {
			t.Errorf("%d members: 64-bit end %v, %d bytes from byte %d of %d", n, has, len(end), at, p.Size())
		}
		file := sparse{size: p.Size(), parts: map[int64][]byte{at: end}}
		header, _ := p.Header(0, 0)
		file.parts[0] = header
		a, err := Open(file, p.Size(), "archive")
		if err != nil || len(a.Members) != n {
			t.Errorf("%d members: %v", n, err)
		}
	}
}

// sparse is a file of parts, with zeros between them.
type sparse struct {
	size  int64
	parts map[int64][]byte
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	for at, b := range s.parts {
		for i, c := range b {
			if k := at + int64(i) - off; k >= 0 && k < int64(len(p)) {
				p[k] = c
			}
		}
	}
	if off+int64(len(p)) > s.size {
		return int(s.size - off), io.EOF
	}
	return len(p), nil
}

// TestPlaceRefuses proves that a name or a directory that cannot be read again is refused before anything is written.
func TestPlaceRefuses(t *testing.T) {
	for _, members := range [][]New{
		{{strings.Repeat("n", 1<<16), 1}},
		{{"\xff.npy", 1}},
		manyMembers(150_000),
	} {
		if _, err := Place(members); err == nil {
			t.Errorf("%d members: accepted", len(members))
		}
	}
}

func manyMembers(n int) []New {
	all := make([]New, n)
	for i := range all {
		all[i] = New{fmt.Sprintf("member%06d.npy", i), 1}
	}
	return all
}
