package source

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/words"
)

// Set is an opened source: its tensors, and the storages that they are views of. A .npy file, raw bytes, standard input and a typed
// layout are a set of one tensor without a name. Close it; the tensors that were opened of it stay open.
//
// Of arrays in .npy files, and so of those of an archive, nothing but the names is known before Tensor reads their headers: their Type and
// View are zero.
type Set struct {
	Path string // as the user named it, without what selects tensors
	Size int64  // bytes; of an index, of all its files
	*checkpoint.Container
	Files    []string              // of an index: the names of its files; nil of what is one file
	Findings []safetensors.Finding // where an index and its files disagree

	given   string         // as the user named it
	pattern string         // what selects tensors in that
	byName  map[string]int // of Tensors
	limit   checkpoint.Limit
	file    input.File            // the file itself, or the index; nil of what is no file
	shards  map[string]input.File // of an index
	archive *archive              // nil of what is no archive of arrays
	open    func(i int, name string, o Options) (*Tensor, error)
	users   atomic.Int32 // tensors that are open, and the set itself
	closed  atomic.Bool
}

// newSet is a set of one tensor without a name. It takes b over, which may be nil.
func newSet(path string, format checkpoint.Format, b input.File, o Options) *Set {
	s := &Set{Path: path, given: path, file: b, limit: cmp.Or(o.MaxTensors, checkpoint.DefaultLimit)}
	s.Container = &checkpoint.Container{Format: format, Tensors: make([]checkpoint.Tensor, 1), Storages: make([]checkpoint.Storage, 1)}
	if b != nil {
		s.Size = b.Size()
		s.Storages[0].Bytes = s.Size
	}
	s.users.Add(1)
	return s
}

// index makes the tensors be found by their names.
func (s *Set) index() {
	s.byName = make(map[string]int, len(s.Tensors))
	for i, t := range s.Tensors {
		s.byName[t.Name] = i
	}
}

// IsContainer reports whether its tensors have names.
func (s *Set) IsContainer() bool {
	return s.Format != checkpoint.NPY && s.Format != checkpoint.Raw && s.Format != checkpoint.Typed
}

// IsAlone reports whether there is nothing in it but one tensor, so that the source stands for that.
func (s *Set) IsAlone() bool { return s.alone("") >= 0 }

// Match returns the numbers of the tensors that a pattern selects: the one of that name if there is one, otherwise those that match it as
// in path.Match, where * matches a slash too; all for "". Errors are fault.Usage: there is none.
func (s *Set) Match(pattern string) ([]int, error) {
	all, err := s.Select(pattern)
	picked := slices.DeleteFunc(all, func(i int) bool { return i >= len(s.Tensors) })
	return s.some(picked, pattern, err)
}

// Pick is Select where one is wanted at least. Errors are fault.Usage: there is none.
func (s *Set) Pick(pattern string) ([]int, error) {
	picked, err := s.Select(pattern)
	return s.some(picked, pattern, err)
}

// some is what a pattern selects, or the error that it is nothing.
func (s *Set) some(picked []int, pattern string, err error) ([]int, error) {
	if err == nil && len(picked) == 0 {
		err = s.missing(pattern)
	}
	return picked, err
}

// find is the number of the tensor of that name. An array is called by the whole name of its member too.
func (s *Set) find(name string) (i int, ok bool) {
	if i, ok = s.byName[name]; ok {
		return i, true
	}
	if short, isNpy := strings.CutSuffix(name, ".npy"); isNpy && s.archive != nil {
		i, ok = s.byName[short]
		return i, ok && s.Storages[i].ID == name
	}
	return 0, false
}

// Select is Match for a command that must not pass over a tensor: those that the set has but does not show follow, as numbers from
// len(s.Tensors) on, indices into Refused; opening one says why. That there is none is no error.
func (s *Set) Select(pattern string) (picked []int, err error) {
	if i, ok := s.find(pattern); ok && pattern != "" {
		return []int{i}, nil
	}
	for i := range len(s.Tensors) + len(s.Refused) {
		matched, err := Matches(pattern, s.TensorName(i))
		if err != nil && s.archive != nil {
			err = fault.In(words.Quoted(s.Path), err)
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

// missing is the error of a pattern that selects nothing.
func (s *Set) missing(pattern string) error {
	switch {
	case pattern == "":
		return fault.New(fault.Usage, "%s holds no %ss", words.Quoted(s.given), s.noun()).WithHint("tlayout inspect lists what it holds")
	case IsPattern(pattern):
		return fault.New(fault.Usage, "%s has no %s that matches %s", words.Quoted(s.Path), s.noun(), words.Quoted(pattern)).
			WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(s.Path)))
	}
	return s.absent(pattern)
}

// absent is the error of a name that no tensor has.
func (s *Set) absent(name string) error {
	e := fault.New(fault.Usage, "%s has no tensor %s", words.Quoted(s.Path), words.Quoted(name))
	if s.archive != nil {
		_, err := s.openArray(s.Path+":"+name, name, Options{}) // what is no array says so
		return cmp.Or(err, error(e))
	}
	for _, r := range s.NotShown() {
		if r.Name == name {
			return fault.New(fault.Unsupported, "%s: %s", words.Quoted(s.Path+":"+name), r.Why)
		}
	}
	var names []string
	for _, t := range s.Tensors {
		names = append(names, t.Name)
	}
	if near := words.Nearest(name, names); near != "" {
		return e.WithHint("did you mean %s?", words.Quote(near))
	}
	return e.WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(s.Path)))
}

// noun is what the set holds: arrays or tensors.
func (s *Set) noun() string {
	if s.archive != nil {
		return "array"
	}
	return "tensor"
}

// Only opens the tensor of that name; for "", the only one, if nothing but that is in the set. Errors are fault.Usage.
func (s *Set) Only(name string, o Options) (*Tensor, error) {
	if name != "" {
		return s.Named(name, o)
	}
	i := s.alone("")
	if i < 0 {
		return nil, s.refuse()
	}
	return s.opened(s.open(i, s.Path, o))
}

// Named opens the tensor of a container that has this name, which may be empty. Errors are fault.Usage.
func (s *Set) Named(name string, o Options) (*Tensor, error) {
	i, ok := s.find(name)
	if !ok {
		return nil, s.absent(name)
	}
	return s.opened(s.open(i, s.Path+":"+name, o))
}

// alone is the number of the tensor that a pattern names, if it names one and cannot stand for several; negative otherwise.
func (s *Set) alone(pattern string) int {
	if i, ok := s.find(pattern); ok && pattern != "" {
		return i
	}
	if pattern != "" || len(s.Tensors) != 1 || len(s.Refused)+len(s.Findings) > 0 || s.archive != nil && !s.archive.only {
		return -1
	}
	return 0
}

// refuse is the error where one tensor is wanted and none is named.
func (s *Set) refuse() error {
	e := fault.New(fault.Usage, "%s is a checkpoint of %s; name one", words.Quoted(s.Path), words.Count(len(s.Tensors), "tensor"))
	switch {
	case s.archive != nil:
		return s.archive.refuse(s.Path)
	case len(s.Tensors) == 0:
		return fault.New(fault.Usage, "%s holds no tensors", words.Quoted(s.Path))
	case s.Format == checkpoint.JSON:
		return fault.New(fault.Usage, "%s describes %s, and this command takes one", QuotedName(s.Path), words.Count(len(s.Tensors), "tensor")).
			WithHint("tlayout inspect and check take all; others one document")
	}
	return e.WithHint("%s:%s; tlayout inspect lists them", words.Quote(s.Path), words.Quote(s.Tensors[0].Name))
}

// Name is the source of a tensor: Open and Only open it by that name.
func (s *Set) Name(i int) string {
	if i == s.alone(s.pattern) {
		return s.given
	}
	return s.Path + ":" + s.TensorName(i)
}

// TensorName is the name of a tensor in the set.
func (s *Set) TensorName(i int) string {
	if n := i - len(s.Tensors); n >= 0 {
		return s.Refused[n].Name
	}
	return s.Tensors[i].Name
}

// Tensor opens a tensor by its number in Tensors: it reads a member's header, and names the axes as the options say. It may be called from
// many goroutines at once, but for standard input.
func (s *Set) Tensor(i int, o Options) (*Tensor, error) {
	if n := i - len(s.Tensors); n >= 0 {
		return nil, fault.New(fault.Unsupported, "%s: %s", words.Quoted(s.Name(i)), s.Refused[n].Why)
	}
	return s.opened(s.open(i, s.Name(i), o))
}

// opened makes a tensor retain the set.
func (s *Set) opened(t *Tensor, err error) (*Tensor, error) {
	if err != nil {
		return nil, err
	}
	s.users.Add(1)
	t.set, t.Path = s, s.Path
	return t, nil
}

// storageFile is the file that holds a storage.
func (s *Set) storageFile(x checkpoint.Storage) input.File {
	if x.File != "" {
		return s.shards[x.File]
	}
	return s.file
}

// ReadStorage reads len(p) bytes of a checkpoint's storage, from a byte on.
func (s *Set) ReadStorage(p []byte, storage int, from int64) error {
	x := s.Storages[storage]
	if x.Inline {
		copy(p, x.Data[from:])
		return nil
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

// Warnings are what is wrong with the set as a whole.
func (s *Set) Warnings() []string {
	var all []string
	for _, f := range s.Findings {
		all = append(all, fmt.Sprint(f))
	}
	return all
}

// Reads are the names of the files that were opened: of an index, those beside it too, whether they are there or not. None are of a typed
// layout.
func (s *Set) Reads() []string {
	if s.Format == checkpoint.Typed {
		return nil
	}
	all := []string{s.Path}
	for _, file := range s.Files {
		all = append(all, beside(s.Path, file))
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
		return nil // a stream, or what is no file
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
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}
