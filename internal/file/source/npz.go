package source

import (
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/npz"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Member is a tensor's entry in its archive.
type Member struct {
	Archive  name.Name
	Name     string             // with ".npy"; any bytes
	Of       int                // number of members of the archive
	Deflated bool               // compressed: its content cannot be mapped
	Packed   int64              // bytes in the archive
	Size     int64              // bytes of the unpacked .npy file
	Inline   bool               // its bytes are text in a pickle, or chunks, and cannot be mapped
	Device   string             // the device recorded by PyTorch; empty if none
	Slices   []checkpoint.Slice // it is put together from these; nil for consecutive bytes
	Local    *checkpoint.Local  // its place in a global tensor; nil: it is whole
}

// inPlace reports whether the tensor's bytes are in one place of the file, as they are.
func (m *Member) inPlace() bool { return !m.Deflated && !m.Inline && m.Slices == nil }

// archive is the directory of an archive of arrays and its record of layouts, which is read once.
type archive struct {
	dir    *npz.Archive
	only   bool // it has one array, with a unique name
	record func() (document.Arrays, error)
}

// openArchive reads the directory of an archive; of its members, only what identifies arrays whose names do not. It takes ownership of
// b.
func openArchive(path name.Name, b input.File, o Options) (*Set, error) {
	s := newSet(path, checkpoint.NPZ, b, o)
	s.archive = &archive{}
	s.Tensors = nil
	s.Storages = nil
	s.byName = map[string]int{}
	err := b.Guard(func() (err error) {
		s.archive.dir, err = npz.Open(b, b.Size())
		if err != nil {
			return err
		}
		if err := s.limit.Check(uint64(len(s.archive.dir.Members)), "members"); err != nil {
			return err
		}
		s.addArrays()
		return nil
	})
	if err != nil {
		s.Close()
		return nil, fault.In(path.String(), err)
	}
	s.archive.record = sync.OnceValues(func() (document.Arrays, error) { return document.ReadRecord(s.archive.dir, s.limit) })
	s.open = func(i int, n name.Name, o Options) (*Tensor, error) { return s.openArray(n, s.Tensors[i].Name, o) }
	return s, nil
}

// addArrays adds the arrays in the directory's order, each name once. Names are NumPy's, without .npy unless another member has that
// name.
func (s *Set) addArrays() {
	full := map[string]bool{}
	for _, m := range s.archive.dir.Members {
		full[m.Name] = true
	}
	for _, m := range s.archive.dir.Members {
		name := npz.Key(m)
		if full[name] {
			name = m.Name
		}
		if _, seen := s.byName[name]; seen || !isArray(s.archive.dir, m) {
			continue
		}
		s.byName[name] = len(s.Tensors)
		s.Storages = append(s.Storages, checkpoint.Storage{ID: m.Name, Bytes: m.Size})
		s.Tensors = append(s.Tensors, checkpoint.Tensor{Name: name, Storage: len(s.Tensors)})
	}
	if len(s.Tensors) == 1 {
		_, err := s.archive.dir.Find(s.Tensors[0].Name)
		s.archive.only = err == nil
	}
}

// isArray reports whether a member is an array, by its name or its first bytes.
func isArray(a *npz.Archive, m zip.Member) bool {
	if strings.HasSuffix(m.Name, ".npy") || m.Name == document.RecordName {
		return m.Name != document.RecordName
	}
	r, err := a.Content(m)
	if err != nil {
		return false
	}
	var head [len(npy.Magic)]byte
	n, _ := io.ReadFull(r, head[:]) // unreadable members are not arrays
	return string(head[:n]) == npy.Magic
}

// openArray opens the named array for the source called n.
func (s *Set) openArray(n name.Name, member string, o Options) (*Tensor, error) {
	m, record, warning, err := s.findMember(member, o)
	if err != nil {
		return nil, fault.In(s.Path.String(), err)
	}
	opts := o
	if record != nil {
		opts.Channels = 0
	}
	opts.names = []string{m.Name}
	if s.archive.only {
		opts.names = append(opts.names, s.Path.Base())
	}
	t, err := s.openPacked(n, m, opts)
	if err != nil {
		return nil, err
	}
	if record != nil {
		if err := t.describe(*record, o); err != nil {
			return nil, fault.In(s.Path.String(), fault.In(document.RecordName, err))
		}
	}
	if warning != "" {
		t.Warnings = append(t.Warnings, warning)
	}
	t.Kind = "npz"
	t.Member = &Member{Archive: s.Path, Name: m.Name, Of: len(s.archive.dir.Members), Deflated: m.Method == zip.Deflated, Packed: m.Packed, Size: m.Size}
	return t, nil
}

// findMember finds a member and what the archive records about it; r is nil if there is no record or the user names the layout.
func (s *Set) findMember(member string, o Options) (m zip.Member, r *document.ArrayRecord, warning string, err error) {
	err = s.file.Guard(func() (err error) {
		m, err = s.archive.dir.Find(member)
		if err != nil || o.Layout != nil {
			return err
		}
		r, warning, err = s.archive.recordOf(m)
		return err
	})
	return m, r, warning, err
}

// recordOf returns what the archive records about a member, or nil. Errors name the record. A member of the record's name that is
// something else is ignored, with a warning.
func (a *archive) recordOf(m zip.Member) (r *document.ArrayRecord, warning string, err error) {
	all, err := a.record()
	if err == nil {
		r, err = all.Of(m)
	}
	return r, all.Warning, fault.In(document.RecordName, err)
}

// describe replaces the assumed layout by the recorded one, if the record belongs to the member.
func (t *Tensor) describe(r document.ArrayRecord, o Options) error {
	if o.Channels != 0 {
		return fault.New(fault.Usage, "its channel count is recorded").
			WithHint("--from names the layout and ignores the record")
	}
	l, err := r.Bind()
	if err != nil {
		return err
	}
	if err := t.belongs(r, o.DType != nil); err != nil {
		return err
	}
	f, ok, err := r.Order(l)
	if err != nil {
		return err
	}
	if err := l.CheckBytes(t.DType.ItemSize(), t.DType); err != nil {
		return err
	}
	by := ByRecord
	if r.IsNumbered() {
		file, err := t.FileLayout()
		if err != nil {
			return err
		}
		if file.String() == l.String() { // the array as it is
			return t.forgetName()
		}
		l, err = l.Renamed(DimNames(l.Rank()), l.Alloc())
		if err != nil {
			return err
		}
		by = ByStrides
		f = f.Rename(l.Names())
	}
	t.notes = nil
	t.OrderSource = by
	if ok {
		axes := f
		if t.Header.Fortran {
			axes = f.Reversed()
		}
		stored, _, err := Stored(axes, l.Shape(), t.FileShape, t.Header.Fortran)
		if err == nil && stored.String() == l.String() { // the member's axes are the format's
			t.Layout = l
			t.Format = f
			t.HasFormat = true
			return nil
		}
	}
	if t.Header.Fortran {
		return fault.New(fault.Malformed, "the record is in C order, the array in Fortran order").WithHint(document.IgnoreRecord)
	}
	t.Layout = l
	t.Format = f
	t.HasFormat = ok
	t.StorageView = true
	return nil
}

// belongs checks that the record is the opened array's, by shape and type.
func (t *Tensor) belongs(r document.ArrayRecord, hinted bool) error {
	other := func(format string, args ...any) error {
		return fault.New(fault.Malformed, format, args...).WithHint(document.IgnoreRecord)
	}
	elems, err := tensor.Numel(t.FileShape)
	if err != nil {
		return err
	}
	if !slices.Equal(r.FileShape, t.FileShape) {
		return other("the record has shape %s, the array %s", tensor.Tuple(r.FileShape), tensor.Tuple(t.FileShape))
	}
	if elems != r.Alloc {
		return other("the record has %d elements, the array %d", r.Alloc, elems)
	}
	if r.DType == t.Header.DType.String() {
		return nil
	}
	named, err := dtype.Parse(r.DType)
	if err == nil && t.Header.DType.Kind() == dtype.Void {
		named, err = t.Header.DType.Opaque(named)
	}
	if err != nil || t.Header.DType.Kind() != dtype.Void {
		return other("the record has dtype %s, the array %s", text.Quote(text.Cut(r.DType, 60)), t.Header.DType)
	}
	if !hinted {
		t.DType = named
	}
	return nil
}

// openPacked opens a stored member in place, or reads the header of a deflated one.
func (s *Set) openPacked(n name.Name, m zip.Member, o Options) (*Tensor, error) {
	if m.Method == zip.Deflated {
		return openDeflated(n, s.file, s.archive.dir, m, o)
	}
	at, err := s.archive.dir.Locate(m)
	if err != nil {
		return nil, fault.In(n.String(), err)
	}
	t, err := openWindow(n, n.String(), s.file, at, m.Size, o)
	if err != nil {
		return nil, err
	}
	t.unchecked = func() error {
		return fault.In(n.String(), t.Guard(func() error { return checkContent(s.archive.dir, m) }))
	}
	return t, nil
}

// checkContent reads a member to its end and compares its checksum.
func checkContent(a *npz.Archive, m zip.Member) error {
	r, err := a.Content(m)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, max(1, min(1<<20, m.Size))))
	return err
}

// refuse returns the error for an archive where one array is required.
func (a *archive) refuse(path name.Name) error {
	e := fault.New(fault.Usage, "%s is an archive; name one of its arrays", path)
	if len(a.dir.Members) == 0 {
		return e.WithHint("%s", npz.Listed(nil))
	}
	return e.WithHint("%s:%s; %s", path.Quote(), text.Quote(npz.Key(a.dir.Members[0])), npz.Listed(a.dir.Names()))
}
