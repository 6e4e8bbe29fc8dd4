package zip

import (
	"fmt"
	"io"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Archive is the directory of an opened archive.
type Archive struct {
	Members   []Member // in the directory's order
	file      io.ReaderAt
	directory int64 // byte at which the directory begins
	index     sync.Once
	byName    map[string][]int // built by the first Named
}

// Member is the directory's entry of one file in the archive. It is compared with the file's own header when used.
type Member struct {
	Name   string // any bytes: quote before printing
	Method Method
	Packed int64  // compressed size of the content
	Size   int64  // uncompressed size of the content
	CRC    uint32 // CRC-32 of its content
	flags  uint16
	header int64 // byte of the archive at which its header begins
	limit  int64 // byte of the archive at which the next part begins
}

// Open reads the directory of an archive of size bytes, which errors call kind, such as ".npz file". Memory use is proportional to the
// directory, at most 8 MiB.
func Open(file io.ReaderAt, size int64, kind string) (*Archive, error) {
	e, err := findEnd(file, size, kind)
	if err != nil {
		return nil, err
	}
	members, err := readDirectory(file, e)
	if err != nil {
		return nil, err
	}
	if err := separate(members, e.offset); err != nil {
		return nil, err
	}
	return &Archive{Members: members, file: file, directory: e.offset}, nil
}

// Named returns the named member, and whether there is one. With two, the error is fault.Malformed: readers disagree about which one
// counts.
func (a *Archive) Named(name string) (m Member, ok bool, err error) {
	a.index.Do(func() {
		a.byName = map[string][]int{}
		for i, m := range a.Members {
			a.byName[m.Name] = append(a.byName[m.Name], i)
		}
	})
	found := a.byName[name]
	if len(found) == 0 {
		return Member{}, false, nil
	}
	if len(found) > 1 {
		return Member{}, false, duplicated(name)
	}
	return a.Members[found[0]], true, nil
}

func duplicated(name string) error {
	return fault.New(fault.Malformed, "two members have the name %s", text.Quoted(name)).
		WithHint("write the archive again, with unique names")
}

// Sound requires unique names, and every byte before the directory to belong to a member, so that readers of the directory and readers
// that go from header to header see the same. It reads each member's header.
func (a *Archive) Sound() error {
	seen := make(map[string]bool, len(a.Members))
	gap := int64(0)
	if first := a.first(); first > 0 {
		return hidden(first, 0)
	}
	for _, m := range a.Members {
		if seen[m.Name] {
			return duplicated(m.Name)
		}
		seen[m.Name] = true
		_, end, err := a.span(m)
		if err != nil {
			return fault.In(text.Quoted(m.Name), err)
		}
		gap = m.limit - end
		if gap > 0 {
			return hidden(gap, end)
		}
	}
	return nil
}

// first returns the byte at which the first member begins, or the directory.
func (a *Archive) first() int64 {
	first := a.directory
	for _, m := range a.Members {
		first = min(first, m.header)
	}
	return first
}

func hidden(n, at int64) error {
	return fault.New(fault.Malformed, "%d bytes at byte %d of the archive belong to no member", n, at).
		WithHint("readers see different contents in such an archive; write it again")
}

// Method is a member's compression; the number in its header.
type Method uint16

// The supported methods: stored, as np.savez and torch.save write, and deflated, as np.savez_compressed writes.
const (
	Stored   Method = 0
	Deflated Method = 8
)

// methods names all methods (APPNOTE.TXT, section 4.4.5).
var methods = map[Method]string{
	Stored: "stored", Deflated: "deflated", 1: "shrunk", 6: "imploded", 9: "deflate64", 12: "bzip2", 14: "lzma", 93: "zstd", 95: "xz",
	98: "PPMd", 99: "AES",
}

func (m Method) String() string {
	if name, ok := methods[m]; ok {
		return name
	}
	return fmt.Sprintf("method %d", uint16(m))
}

// damaged returns the error for contradictory bytes, which a fresh copy may repair.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the archive again, or write it again")
}
