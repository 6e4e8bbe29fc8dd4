package npz

import (
	"fmt"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Archive is the directory of an opened archive.
type Archive struct {
	Members []Member // in the directory's order
	file    io.ReaderAt
	byName  map[string][]int // made by the first Find
}

// Member is the directory's entry of one file in the archive. It is compared with the file's own header when used.
type Member struct {
	Name   string // with its ".npy"; any bytes: quote it before printing
	Method Method
	Packed int64  // bytes of its content in the archive
	Size   int64  // bytes of its content, unpacked
	CRC    uint32 // CRC-32 of its content
	flags  uint16
	header int64 // byte of the archive at which its header begins
	limit  int64 // byte at which something else begins
}

// Open reads the directory of an archive of size bytes. Memory use follows the size of the directory, at most 8 MiB.
func Open(file io.ReaderAt, size int64) (*Archive, error) {
	e, err := findEnd(file, size)
	if err != nil {
		return nil, err
	}
	members, err := readDirectory(file, e)
	if err != nil {
		return nil, err
	}
	return &Archive{Members: members, file: file}, separate(members, e.offset)
}

// Find returns the member of that name, or else of that name with ".npy" appended, as NumPy does. If there is none, the
// error is fault.Usage; if there are two, it is fault.Malformed, because readers disagree about which one counts.
func (a *Archive) Find(name string) (Member, error) {
	if a.byName == nil {
		a.byName = map[string][]int{}
		for i, m := range a.Members {
			a.byName[m.Name] = append(a.byName[m.Name], i)
		}
	}
	for _, full := range []string{name, name + suffix} {
		switch found := a.byName[full]; {
		case len(found) == 0:
			continue
		case len(found) > 1:
			return Member{}, fault.New(fault.Malformed, "two members have the name %s", words.Quoted(full)).
				WithHint("write the archive again, with names that differ")
		default:
			return a.Members[found[0]], nil
		}
	}
	return Member{}, a.missing(name)
}

// compared bounds the names among which a misspelt one is looked for.
const compared = 1000

// suffix ends the names of members that hold arrays.
const suffix = ".npy"

// missing is the error for a name that no member has.
func (a *Archive) missing(name string) error {
	err := fault.New(fault.Usage, "it has no array %s", words.Quoted(name))
	names := a.Names()
	if near := words.Nearest(name, names[:min(len(names), compared)]); near != "" {
		return err.WithHint("did you mean %s?", words.Quoted(near))
	}
	return err.WithHint("%s", Listed(names))
}

// Names returns the members' names as NumPy has them: without ".npy".
func (a *Archive) Names() []string {
	names := make([]string, len(a.Members))
	for i, m := range a.Members {
		names[i] = m.Key()
	}
	return names
}

// Method is how a member's content is packed; the number in its header.
type Method uint16

// The methods that can be read: stored, as np.savez writes, and deflated, as np.savez_compressed writes.
const (
	Stored   Method = 0
	Deflated Method = 8
)

// methods names those and others (APPNOTE.TXT, section 4.4.5).
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

// Key is the member's name in NumPy: without ".npy".
func (m Member) Key() string { return strings.TrimSuffix(m.Name, suffix) }

// maxListed bounds the names that an error lists.
const maxListed = 8

// Listed lists names in a line of an error.
func Listed(names []string) string {
	if len(names) == 0 {
		return "the archive is empty"
	}
	shown := make([]string, min(len(names), maxListed))
	for i := range shown {
		shown[i] = words.Quote(words.Cut(names[i], 61))
	}
	list := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "the archive holds " + list
}

// damaged is the error for bytes that contradict each other, which a fresh copy may repair.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the archive again, or write it again")
}
