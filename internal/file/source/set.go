package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// Set is an opened source: its tensors, and the storages that they are views of. A .npy file, raw bytes, standard input and a typed
// layout are sets of one unnamed tensor. Close it; tensors opened from it stay open.
//
// Before Tensor reads its header, only the name of an array in a .npy file or an archive is known: Type and View are zero.
type Set struct {
	Path name.Name // as the user named it, without the pattern
	Size int64     // bytes; of all files for an index
	*checkpoint.Container
	Files    []string              // the names of an index's files; nil for single files
	Findings []safetensors.Finding // where an index and its files disagree

	given     name.Name      // as the user named it
	described name.Name      // the file that names the others: Path, or one in the folder Path
	pattern   string         // the part of given that selects tensors
	byName    map[string]int // index into Tensors
	limit     checkpoint.Limit
	file      input.File            // the file itself, or the index; nil without a file
	shards    map[string]input.File // an index's files
	archive   *archive              // nil except for archives of arrays
	folder    io.Closer             // nil except for Zarr
	replicas  []replica             // of rank files, not yet compared
	open      func(i int, n name.Name, o Options) (*Tensor, error)
	users     atomic.Int32 // open tensors, plus the set itself
	closed    atomic.Bool
	gzip      bool // the elements are unpacked from a gzip stream

	mu          sync.Mutex         // guards contents
	contents    map[int]input.File // the bytes of storages that are no range of a file, once they were used
	maxUnpacked int64              // Options.MaxUnpacked
}

// replica is a slice of a tensor that a further rank has, too.
type replica struct {
	tensor      checkpoint.Tensor
	first, copy checkpoint.Slice
}

// newSet returns a set of one unnamed tensor. It takes ownership of b, which may be nil.
func newSet(path name.Name, format checkpoint.Format, b input.File, o Options) *Set {
	s := &Set{Path: path, given: path, described: path, file: b, limit: cmp.Or(o.MaxTensors, checkpoint.DefaultLimit),
		maxUnpacked: o.maxUnpacked()}
	s.Container = &checkpoint.Container{Format: format, Tensors: make([]checkpoint.Tensor, 1), Storages: make([]checkpoint.Storage, 1)}
	if b != nil {
		s.Size = b.Size()
		s.Storages[0].Bytes = s.Size
	}
	s.users.Add(1)
	return s
}

// index builds the map from names to tensors.
func (s *Set) index() {
	s.byName = make(map[string]int, len(s.Tensors))
	for i, t := range s.Tensors {
		s.byName[t.Name] = i
	}
}

// IsContainer reports whether its tensors have names.
func (s *Set) IsContainer() bool {
	return !s.Format.IsArray() && s.Format != checkpoint.Typed
}

// IsSingle reports whether the set is just one tensor, so that the source stands for it.
func (s *Set) IsSingle() bool { return s.single("") >= 0 }

// Match returns the numbers of the tensors that a pattern selects: the one with that name, or else those that match it as in
// path.Match, where * also matches a slash; all for "". Errors are fault.Usage: no tensor matches.
func (s *Set) Match(pattern string) ([]int, error) {
	all, err := s.Select(pattern)
	picked := slices.DeleteFunc(all, func(i int) bool { return i >= len(s.Tensors) })
	return s.refuseEmpty(picked, pattern, err)
}

// Pick is Select, but at least one must match. Errors are fault.Usage: none does.
func (s *Set) Pick(pattern string) ([]int, error) {
	picked, err := s.Select(pattern)
	return s.refuseEmpty(picked, pattern, err)
}

// refuseEmpty returns what a pattern selected, or an error if that is nothing.
func (s *Set) refuseEmpty(picked []int, pattern string, err error) ([]int, error) {
	if err == nil && len(picked) == 0 {
		err = s.missing(pattern)
	}
	return picked, err
}

// find returns the number of the named tensor. An array may be named by its member's full name.
func (s *Set) find(name string) (i int, ok bool) {
	i, ok = s.byName[name]
	if ok {
		return i, true
	}
	if short, isNpy := strings.CutSuffix(name, ".npy"); isNpy && s.archive != nil {
		i, ok = s.byName[short]
		return i, ok && s.Storages[i].ID == name
	}
	return 0, false
}

// Select is Match for commands that must not skip a tensor: it also selects refused ones, as len(s.Tensors) plus an index into Refused;
// opening one returns the reason. An empty selection is no error.
func (s *Set) Select(pattern string) (picked []int, err error) {
	if i, ok := s.find(pattern); ok && pattern != "" {
		return []int{i}, nil
	}
	for i := range len(s.Tensors) + len(s.Refused) {
		matched, err := Matches(pattern, s.TensorName(i))
		if err != nil && s.archive != nil {
			err = fault.In(s.Path.String(), err)
		}
		if err != nil {
			return nil, err
		}
		if matched {
			picked = append(picked, i)
		}
	}
	return picked, nil
}

// missing returns the error for a pattern that selects nothing.
func (s *Set) missing(pattern string) error {
	if pattern == "" {
		return fault.New(fault.Usage, "%s holds no %ss", s.given, s.noun()).WithHint("list its contents with tlayout inspect")
	}
	if name.IsPattern(pattern) {
		return fault.New(fault.Usage, "%s has no %s that matches %s", s.Path, s.noun(), text.Quoted(pattern)).
			WithHint("list them with tlayout inspect %s", s.Path.Arg())
	}
	return s.absent(pattern)
}

// absent returns the error for a name that no tensor has.
func (s *Set) absent(name string) error {
	e := fault.New(fault.Usage, "%s has no tensor %s", s.Path, text.Quoted(name))
	if s.archive != nil {
		_, err := s.openArray(s.Path.Member(name), name, Options{}) // the error says that it is not an array
		return cmp.Or(err, error(e))
	}
	if s.Format == checkpoint.Sequence {
		return fault.New(fault.Usage, "%s has %s, none called %s", s.Path, text.Count(len(s.Tensors), "array"), text.Quoted(name)).
			WithHint("%s is the last one", s.Path.Member(s.Tensors[len(s.Tensors)-1].Name).Arg())
	}
	for _, r := range s.NotShown() {
		if r.Name == name {
			return fault.New(fault.Unsupported, "%s: %s", s.Path.Member(name), r.Why)
		}
	}
	var names []string
	for _, t := range s.Tensors {
		names = append(names, t.Name)
	}
	if near := text.Nearest(name, names); near != "" {
		return e.WithHint("did you mean %s?", text.Quote(near))
	}
	return e.WithHint("list them with tlayout inspect %s", s.Path.Arg())
}

// noun returns what the set holds: array or tensor.
func (s *Set) noun() string {
	if s.archive != nil {
		return "array"
	}
	return "tensor"
}

// Only opens the named tensor; for "", the only one of the set. Errors are fault.Usage.
func (s *Set) Only(name string, o Options) (*Tensor, error) {
	if name != "" {
		return s.Named(name, o)
	}
	i := s.single("")
	if i < 0 {
		return nil, s.refuse()
	}
	return s.opened(s.open(i, s.Path, o))
}

// Named opens the tensor of a container with this name, which may be empty. Errors are fault.Usage.
func (s *Set) Named(name string, o Options) (*Tensor, error) {
	i, ok := s.find(name)
	if !ok {
		return nil, s.absent(name)
	}
	return s.opened(s.open(i, s.Path.Member(name), o))
}

// single returns the number of the one tensor that a pattern names and can name; negative otherwise.
func (s *Set) single(pattern string) int {
	if pattern != "" {
		i, ok := s.find(pattern)
		if !ok {
			return -1
		}
		return i
	}
	if s.archive != nil && !s.archive.only {
		return -1
	}
	if len(s.Tensors) != 1 || len(s.Refused)+len(s.Findings) > 0 {
		return -1
	}
	return 0
}

// refuse returns the error for a set where one tensor is required.
func (s *Set) refuse() error {
	e := fault.New(fault.Usage, "%s is a checkpoint of %s; name one", s.Path, text.Count(len(s.Tensors), "tensor"))
	if s.archive != nil {
		return s.archive.refuse(s.Path)
	}
	if len(s.Tensors) == 0 {
		return fault.New(fault.Usage, "%s holds no tensors", s.Path)
	}
	switch s.Format {
	case checkpoint.Planes:
		return fault.New(fault.Usage, "%s has %s; name one", s.Path, text.Count(len(s.Tensors), "plane")).
			WithHint("%s", s.Path.Member(s.Tensors[0].Name).Arg())
	case checkpoint.JSON:
		return fault.New(fault.Usage, "%s describes %s, but this command accepts only one", s.Path.Subject(), text.Count(len(s.Tensors), "tensor")).
			WithHint("inspect and check accept all; other commands one document")
	}
	return e.WithHint("%s:%s; list them with tlayout inspect", s.Path.Quote(), text.Quote(s.Tensors[0].Name))
}

// Name returns the source name by which Open and Only open a tensor.
func (s *Set) Name(i int) name.Name {
	if i == s.single(s.pattern) {
		return s.given
	}
	return s.Path.Member(s.TensorName(i))
}

// TensorName returns the name of a tensor in the set.
func (s *Set) TensorName(i int) string {
	if n := i - len(s.Tensors); n >= 0 {
		return s.Refused[n].Name
	}
	return s.Tensors[i].Name
}

// Tensor opens a tensor by its number in Tensors: it reads a member's header and names the axes by the options. It is safe for
// concurrent use except on standard input.
func (s *Set) Tensor(i int, o Options) (*Tensor, error) {
	if n := i - len(s.Tensors); n >= 0 {
		return nil, fault.New(fault.Unsupported, "%s: %s", s.Name(i), s.Refused[n].Why)
	}
	return s.opened(s.open(i, s.Name(i), o))
}

// opened makes a tensor retain the set.
func (s *Set) opened(t *Tensor, err error) (*Tensor, error) {
	if err != nil {
		return nil, err
	}
	s.users.Add(1)
	t.set = s
	t.Path = s.Path
	if s.gzip && t.file != nil {
		t.noteGzip()
	}
	return t, nil
}

// storageFile returns the file that holds a storage.
func (s *Set) storageFile(x checkpoint.Storage) input.File {
	if x.File != "" {
		return s.shards[x.File]
	}
	return s.file
}

// ReadStorage reads len(p) bytes of a checkpoint's storage, starting at a byte.
func (s *Set) ReadStorage(p []byte, storage int, from int64) error {
	x := s.Storages[storage]
	if s.Content != nil {
		b, err := s.unpacked(storage)
		if err != nil {
			return err
		}
		return input.ReadFull(b, p, from)
	}
	if x.Inline {
		copy(p, x.Data[from:])
		return nil
	}
	if s.Slices != nil {
		i := slices.IndexFunc(s.Tensors, func(t checkpoint.Tensor) bool { return t.Storage == storage })
		return input.ReadFull(s.assemble(i), p, from)
	}
	at, err := s.locate(storage, true)
	if err != nil {
		return err
	}
	b := s.storageFile(x)
	if err := b.Ensure(at, x.Bytes); err != nil {
		return err
	}
	return input.ReadFull(b, p, at+from)
}

// Warnings returns what is wrong with the set as a whole.
func (s *Set) Warnings() []string {
	var all []string
	for _, f := range s.Findings {
		all = append(all, fmt.Sprint(f))
	}
	return all
}

// Reads returns the names of the files that were opened; for an index, also those of its files, even missing ones. A typed layout has
// none.
func (s *Set) Reads() []name.Name {
	if s.Format == checkpoint.Typed {
		return nil
	}
	all := []name.Name{s.described}
	for _, file := range s.Files {
		all = append(all, s.described.Sibling(file))
	}
	return all
}

// Unchanged returns an error if a file of the set has changed since it was opened.
func (s *Set) Unchanged() error {
	for _, b := range s.shards {
		if err := b.Unchanged(); err != nil {
			return err
		}
	}
	if s.file == nil {
		return nil // a stream, or no file
	}
	return s.file.Unchanged()
}

// Close closes the files, once the tensors of the set are closed too.
func (s *Set) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.release()
}

// release closes the files if nobody uses them any more.
func (s *Set) release() error {
	if s.users.Add(-1) > 0 {
		return nil
	}
	var err error
	for _, b := range s.shards {
		err = errors.Join(err, b.Close())
	}
	for _, b := range s.contents {
		err = errors.Join(err, b.Close())
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	if s.folder != nil {
		err = errors.Join(err, s.folder.Close())
	}
	return err
}
