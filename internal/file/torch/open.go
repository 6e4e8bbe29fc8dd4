package torch

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/sorting"
)

// Bytes and objects that a pickle may have for each tensor of the limit, which bounds its memory. torch.save writes some 250 bytes and
// 20 objects for a tensor.
const (
	bytesOfTensor   = 512
	objectsOfTensor = 25
)

// MaxPickle returns the limit on a pickle's bytes.
func MaxPickle(limit checkpoint.Limit) int64 { return bytesOfTensor * int64(limit) }

func (r *reader) maxPickle() int64 { return MaxPickle(r.limit) }

// limits returns the limits of a pickle.
func (r *reader) limits() pickle.Limits {
	globals := r.limit.Room("the globals")
	return pickle.Limits{Objects: objectsOfTensor * int(r.limit), Name: checkpoint.MaxName, Names: globals.Left()}
}

// Open reads the checkpoint in r, of size bytes: its pickles and the headers of its storages, not their elements. Errors are Malformed,
// Unsupported, Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	return open(r, size, newReader(limit))
}

// OpenRemote is Open for a file whose single ranges are slow to read: of an archive, only the headers of pickles are read and compared with
// the directory, which implies where storages begin. Container.Locate reads the header of a storage that is used, and compares.
func OpenRemote(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	c := newReader(limit)
	c.remote = true
	return open(r, size, c)
}

// OpenPickle reads the pickles in r from byte at on, up to size: the NumPy arrays in them. Nothing is imported or called. Errors are Open's.
func OpenPickle(r io.ReaderAt, at, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	c := newReader(limit)
	if err := c.pickles(r, at, size); err != nil {
		return nil, err
	}
	return c.done(), nil
}

func open(r io.ReaderAt, size int64, c *reader) (*checkpoint.Container, error) {
	head := make([]byte, min(size, 512))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	if err := c.read(r, size, string(head)); err != nil {
		return nil, err
	}
	return c.done(), nil
}

// read reads a file of the kind that its first bytes show.
func (r *reader) read(file io.ReaderAt, size int64, head string) error {
	if strings.HasPrefix(head, "PK") {
		return r.archive(file, size)
	}
	if strings.HasPrefix(head, "\x80") || strings.HasPrefix(head, magicText) {
		return r.legacy(file, size)
	}
	if isTar(head) {
		return fault.New(fault.Unsupported, "a tar archive, which PyTorch 0.1 wrote").
			WithHint(`write it again with PyTorch: torch.save(torch.load("old.pt"), "new.pt")`)
	}
	return fault.New(fault.Malformed, "not a PyTorch checkpoint: it starts with %q, neither a zip archive nor a pickle", head[:min(4, len(head))])
}

// load reads a pickle.
func (r *reader) load(b *bufio.Reader, left int64) (*pickle.Pickle, error) {
	p, err := pickle.Load(b, left, r.limits())
	var e *fault.Error
	if errors.As(err, &e) && e.Class == fault.Resource && e.Hint == "" {
		return nil, e.WithHint("%s", r.limit.Hint())
	}
	return p, err
}

// isTar reports whether a file is a tar archive: POSIX's ustar, or old GNU's, at byte 257 of the first header.
func isTar(head string) bool {
	return len(head) >= 262 && head[257:262] == "ustar"
}

// reader fills a container.
type reader struct {
	c         checkpoint.Container
	limit     checkpoint.Limit
	remote    bool               // headers of storages are read when used
	members   map[int]zip.Member // members of such storages
	big       bool               // elements are big-endian
	stored    []stored           // beside c.Storages
	index     map[storageKey]int // index into both
	refs      map[*pickle.Persistent]ref
	rebuilt   map[*pickle.Call]*rebuilt
	names     map[string]int   // how many tensors have asked for each name
	room      *checkpoint.Room // budget for names of tensors
	keys      *checkpoint.Room // budget for keys of storages, each time one is named
	hashable  int64            // limit on the bytes of dict keys that are compared
	hashed    int64            // what is left of it
	revisits  int              // children of shared nodes that may still be listed again
	arrays    int              // NumPy arrays
	pickled   int64            // bytes of the pickles read
	decodable int64            // budget for bytes of arrays
	globals   map[string]bool
	opcodes   map[string]bool
}

func newReader(limit checkpoint.Limit) *reader {
	return &reader{
		limit: limit, members: map[int]zip.Member{}, index: map[storageKey]int{}, refs: map[*pickle.Persistent]ref{}, rebuilt: map[*pickle.Call]*rebuilt{}, names: map[string]int{},
		room: limit.Room("the names of the tensors"), keys: limit.Room("the keys of the storages"), hashable: 1 << 20, hashed: 1 << 20,
		revisits: 10_000, globals: map[string]bool{}, opcodes: map[string]bool{},
	}
}

// note records what a pickle has independent of its graph, and sets the budgets that depend on the pickle.
func (r *reader) note(p *pickle.Pickle) {
	for _, g := range p.Globals {
		r.globals[g.String()] = weightsOnly(g)
	}
	for _, name := range p.Opcodes() {
		if !weightsOpcodes()[name] {
			r.opcodes[name] = true
		}
	}
	r.hashable = r.hashable + 64*p.Bytes
	r.hashed = r.hashed + 64*p.Bytes
	r.revisits += p.Nodes
	r.decodable += p.Bytes
	r.pickled += p.Bytes
}

func (r *reader) done() *checkpoint.Container {
	for name, ok := range r.globals {
		r.c.Globals = append(r.c.Globals, checkpoint.Global{Name: name, WeightsOnly: ok})
	}
	sorting.By(r.c.Globals, func(a, b checkpoint.Global) int { return strings.Compare(a.Name, b.Name) })
	for name := range r.opcodes {
		r.c.Opcodes = append(r.c.Opcodes, name)
	}
	slices.Sort(r.c.Opcodes)
	return &r.c
}
