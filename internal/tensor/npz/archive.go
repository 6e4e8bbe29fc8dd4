package npz

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Archive is the directory of an opened archive.
type Archive struct {
	Members []Member // in the directory's order
	file    io.ReaderAt
}

// Member is what the directory says of one file in the archive. Whether that is true is checked when it is used.
type Member struct {
	Name   string // with its ".npy"; any bytes, so quote it before it is printed
	Method Method
	Packed int64  // bytes that its content takes in the archive
	Size   int64  // bytes of its content
	CRC    uint32 // CRC-32 of its content
	flags  uint16
	header int64 // byte of the archive at which its header begins
	limit  int64 // byte at which something else begins
}

// Open reads the directory of an archive of size bytes. Memory use follows the size of the directory, which may have 8 MiB
// at most.
func Open(file io.ReaderAt, size int64) (*Archive, error) {
	e, err := findEnd(file, size)
	if err != nil {
		return nil, err
	}
	members, err := readDirectory(file, e)
	if err != nil {
		return nil, err
	}
	return &Archive{members, file}, separate(members, e.offset)
}

// Find returns the member of that name, or else of that name with ".npy" behind it, as NumPy does. That there is none is
// fault.Usage; that there are two of them is fault.Malformed, for readers disagree about which one counts.
func (a *Archive) Find(name string) (Member, error) {
	for _, full := range []string{name, name + suffix} {
		found := slices.IndexFunc(a.Members, func(m Member) bool { return m.Name == full })
		if found < 0 {
			continue
		}
		if slices.ContainsFunc(a.Members[found+1:], func(m Member) bool { return m.Name == full }) {
			return Member{}, fault.New(fault.Malformed, "two members have the name %s", words.Quoted(full)).
				WithHint("write the archive again, with names that differ")
		}
		return a.Members[found], nil
	}
	return Member{}, a.missing(name)
}

// compared bounds the names among which the one that was meant is looked for.
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

// Names returns what the members are called in NumPy: without ".npy".
func (a *Archive) Names() []string {
	names := make([]string, len(a.Members))
	for i, m := range a.Members {
		names[i] = m.Key()
	}
	return names
}
