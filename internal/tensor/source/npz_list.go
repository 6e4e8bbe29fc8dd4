package source

import (
	"bytes"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/npz"
)

// Archive is the list of what an archive holds.
type Archive struct {
	Path     string
	Size     int64 // bytes
	Entries  []Entry
	Warnings []string
}

// Entry is a member of an archive. Err says why it cannot be read, where it cannot; a member that is no array has neither
// a Header nor an Err.
type Entry struct {
	npz.Member
	Array  bool
	Header npy.Header // its DataOffset counts from where the member's content begins
	Offset int64      // byte of the archive at which the content begins
	Err    error
}

// npyMagic begins a .npy file.
const npyMagic = "\x93NUMPY"

// IsArchive reports whether name is that of an archive itself, not of an array in it: a file called x.npz that is no
// .npy file.
func IsArchive(name string) bool {
	if !strings.HasSuffix(name, archiveSuffix) {
		return false
	}
	b, err := OpenBytes(name)
	if err != nil {
		return false
	}
	defer b.Close()
	var head [len(npyMagic)]byte
	n, err := b.ReadAt(head[:], 0)
	return (err == nil || err == io.EOF) && string(head[:n]) != npyMagic
}

// List reads the directory of an archive, and the header of each array in it. Nothing else is read or unpacked.
func List(path string, maxHeader int64) (*Archive, error) {
	b, err := OpenBytes(path)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	list := &Archive{Path: path, Size: b.Size()}
	return list, fault.In(quoted(path), b.Guard(func() error { return list.read(b, maxHeader) }))
}

func (l *Archive) read(b *Bytes, maxHeader int64) error {
	a, err := npz.Open(b, b.Size())
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, m := range a.Members {
		e := Entry{Member: m}
		if e.Err = e.read(a, maxHeader); fault.ClassOf(e.Err) == fault.Resource && e.Err != nil {
			return e.Err
		}
		l.Entries = append(l.Entries, e)
		if count[m.Name]++; count[m.Name] == 2 {
			l.Warnings = append(l.Warnings, `several members have the name "`+fault.Quote(m.Name)+`": readers disagree about which one counts`)
		}
	}
	return nil
}

// read reads the header of an array.
func (e *Entry) read(a *npz.Archive, maxHeader int64) (err error) {
	if e.Offset, err = a.Locate(e.Member); err != nil {
		return err
	}
	r, err := a.Content(e.Member)
	if err != nil {
		return err
	}
	var head [len(npyMagic)]byte
	n, err := io.ReadFull(r, head[:])
	if e.Array = string(head[:n]) == npyMagic; !e.Array {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		return err
	}
	e.Header, err = npy.ReadHeader(io.MultiReader(bytes.NewReader(head[:]), r), e.Size, npy.Limits{MaxHeader: maxHeader})
	return err
}

// refuseArchive is the error where an archive is named, and one array is wanted.
func refuseArchive(path string) error {
	b, err := OpenBytes(path)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Guard(func() error {
		a, err := npz.Open(b, b.Size())
		if err != nil {
			return fault.In(quoted(path), err)
		}
		e := fault.New(fault.Usage, "%s is an archive; name one of its arrays", quoted(path))
		if len(a.Members) == 0 {
			return e.WithHint("%s", npz.Listed(nil))
		}
		return e.WithHint("%s:%s; %s", fault.Quote(path), fault.Quote(a.Members[0].Key()), npz.Listed(a.Names()))
	})
}

// Complete returns the names of the arrays that begin as typed does: x.npz:w for x.npz:. It returns none where typed does
// not name an archive, or that cannot be read.
func Complete(typed string) []string {
	path, _, ok := splitMember(typed)
	if !ok {
		return nil
	}
	b, err := OpenBytes(path)
	if err != nil {
		return nil
	}
	defer b.Close()
	a, err := npz.Open(b, b.Size())
	if err != nil {
		return nil
	}
	var names []string
	for _, key := range a.Names() {
		if name := path + ":" + key; strings.HasPrefix(name, typed) && fault.Quote(name) == name {
			names = append(names, name)
		}
	}
	return names
}
