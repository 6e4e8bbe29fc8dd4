package source

import (
	"io"
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/words"
)

// Member is the archive's entry of a tensor.
type Member struct {
	Archive  string // its path
	Name     string // with ".npy"; any bytes
	Of       int    // how many members the archive has
	Deflated bool   // its content cannot be mapped; otherwise it is stored without compression
	Packed   int64  // bytes that it takes in the archive
	Size     int64  // bytes of the .npy file that it is
}

// archiveSuffix ends the name of an archive, in any case; a colon and the name of a member may follow.
const archiveSuffix = ".npz"

// splitMember splits x.npz:name, unless there is a file of that name.
func splitMember(name string) (path, member string, ok bool) {
	for i := range name {
		path, member = name[:i], name[i:]
		if strings.HasPrefix(member, ":") && namesArchive(path) {
			_, err := os.Lstat(name)
			return path, member[1:], err != nil
		}
	}
	return "", "", false
}

// namesArchive reports whether a name ends as that of an archive.
func namesArchive(name string) bool {
	at := len(name) - len(archiveSuffix)
	return at >= 0 && strings.EqualFold(name[at:], archiveSuffix)
}

// openMember opens the array of that name in the archive at path.
func openMember(name, path, member string, o Options) (*Tensor, error) {
	b, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return openMemberOf(name, path, member, b, o)
}

// openMemberOf opens an array of the opened archive, which it takes over.
func openMemberOf(name, path, member string, b *input, o Options) (*Tensor, error) {
	var a *npz.Archive
	var m npz.Member
	err := b.Guard(func() (err error) {
		if a, err = npz.Open(b, b.Size()); err == nil {
			m, err = a.Find(member)
		}
		return err
	})
	if err != nil {
		b.Close()
		return nil, fault.In(words.Quoted(path), err)
	}
	record, err := recorded(b, a, m, o)
	if err != nil {
		b.Close()
		return nil, fault.In(words.Quoted(path), err)
	}
	opts := o
	if record != nil {
		opts.Channels = 0
	}
	t, err := openPacked(name, b, a, m, opts)
	if err != nil {
		return nil, err
	}
	if record != nil {
		if err := t.describe(*record, o); err != nil {
			t.Close()
			return nil, fault.In(words.Quoted(path), fault.In(RecordName, err))
		}
	}
	t.Kind, t.Member = "npz", &Member{path, m.Name, len(a.Members), m.Method == npz.Deflated, m.Packed, m.Size}
	return t, nil
}

// recorded returns what the archive records about a member, unless the user names its layout; nil for nothing.
func recorded(b *input, a *npz.Archive, m npz.Member, o Options) (r *ArrayRecord, err error) {
	if o.Layout != nil {
		return nil, nil
	}
	err = b.Guard(func() error {
		r, err = recordOf(a, m)
		return err
	})
	return r, err
}

// openPacked opens a stored member in place, and the header of a deflated one. It takes b over.
func openPacked(name string, b *input, a *npz.Archive, m npz.Member, o Options) (*Tensor, error) {
	if m.Method == npz.Deflated {
		return openDeflated(name, b, a, m, o)
	}
	at, err := a.Locate(m)
	if err != nil {
		b.Close()
		return nil, fault.In(words.Quoted(name), err)
	}
	t, err := openWindow(name, words.Quoted(name), b, at, m.Size, o)
	if err != nil {
		return nil, err
	}
	t.unchecked = func() error { return fault.In(words.Quoted(name), t.Guard(func() error { return checkContent(a, m) })) }
	return t, nil
}

// checkContent reads a member to its end, where its checksum is compared.
func checkContent(a *npz.Archive, m npz.Member) error {
	r, err := a.Content(m)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 1<<20))
	return err
}
