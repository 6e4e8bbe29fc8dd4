package source

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/zip"
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
	Inline   bool   // its bytes are text in a pickle, and cannot be mapped
	Device   string // that a checkpoint of PyTorch says it was on; empty if it says none
}

// archiveSuffix ends the name of an archive, in any case; a colon and the name of a member may follow.
const archiveSuffix = ".npz"

// NamesArchive reports whether a name ends as that of an archive of arrays does, .npz in any case.
func NamesArchive(name string) bool { return endsIn(name, archiveSuffix) }

// archive is an opened archive. Its directory and its record of layouts are read once.
type archive struct {
	path string
	b    *input
	dir  *npz.Archive
	read *readResult // nil until the record is needed
	one  *bool       // it has one array; nil until needed
}

// readResult is what readRecord returned.
type readResult struct {
	record  readArrays
	warning string
	err     error
}

// record reads the record of layouts, once.
func (a *archive) record() (readArrays, string, error) {
	if a.read == nil {
		a.read = &readResult{}
		a.read.record, a.read.warning, a.read.err = readRecord(a.dir, a.b.tensors)
	}
	return a.read.record, a.read.warning, a.read.err
}

// newArchive reads the directory of the archive at path. It takes b over.
func newArchive(path string, b *input) (*archive, error) {
	a := &archive{path: path, b: b}
	err := b.Guard(func() (err error) {
		if a.dir, err = npz.Open(b, b.Size()); err != nil {
			return err
		}
		return b.tensors.Check(uint64(len(a.dir.Members)), "members")
	})
	if err != nil {
		b.Close()
		return nil, fault.In(words.Quoted(path), err)
	}
	return a, nil
}

// open opens the array of that name as the source called name.
func (a *archive) open(name, member string, o Options) (*Tensor, error) {
	a.b.share() // the tensor closes it once
	m, record, warning, err := a.find(member, o)
	if err != nil {
		a.b.Close()
		return nil, fault.In(words.Quoted(a.path), err)
	}
	opts := o
	if record != nil {
		opts.Channels = 0
	}
	if opts.names = []string{m.Name}; a.isOnly() {
		opts.names = append(opts.names, Base(a.path))
	}
	t, err := openPacked(name, a.b, a.dir, m, opts)
	if err != nil {
		return nil, err
	}
	if record != nil {
		if err := t.describe(*record, o); err != nil {
			t.Close()
			return nil, fault.In(words.Quoted(a.path), fault.In(RecordName, err))
		}
	}
	if warning != "" {
		t.Warnings = append(t.Warnings, warning)
	}
	t.Kind, t.Member = "npz", &Member{words.Redact(a.path), m.Name, len(a.dir.Members), m.Method == zip.Deflated, m.Packed, m.Size, false, ""}
	return t, nil
}

// find finds a member, and what the archive records about it unless the user names its layout; nil for nothing.
func (a *archive) find(member string, o Options) (m zip.Member, r *ArrayRecord, warning string, err error) {
	err = a.b.Guard(func() (err error) {
		if m, err = a.dir.Find(member); err != nil || o.Layout != nil {
			return err
		}
		r, warning, err = a.recordOf(m)
		return err
	})
	return m, r, warning, err
}

// openPacked opens a stored member in place, and the header of a deflated one. It takes b over.
func openPacked(name string, b *input, a *npz.Archive, m zip.Member, o Options) (*Tensor, error) {
	if m.Method == zip.Deflated {
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
func checkContent(a *npz.Archive, m zip.Member) error {
	r, err := a.Content(m)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, max(1, min(1<<20, m.Size))))
	return err
}

func (a *archive) where() string { return a.path }

func (a *archive) Unchanged() error { return a.b.Guard(func() error { return nil }) }

func (a *archive) Close() { a.b.Close() }

func (a *archive) has(member string) bool {
	found := false
	_ = a.b.Guard(func() error { // whoever uses the archive meets the error again
		_, err := a.dir.Find(member)
		found = err == nil
		return err
	})
	return found
}

func (a *archive) names(pattern string, limit int) (names []string, err error) {
	err = a.b.Guard(func() error {
		names, err = arraysOf(a.dir, pattern, limit)
		return err
	})
	return names, fault.In(words.Quoted(a.path), err)
}

func (a *archive) complete() []string {
	return slices.DeleteFunc(a.dir.Names(), func(key string) bool { return key == RecordName })
}

// isOnly reports whether the archive has one array.
func (a *archive) isOnly() bool {
	if a.one == nil {
		_, ok := only(a)
		a.one = &ok
	}
	return *a.one
}
