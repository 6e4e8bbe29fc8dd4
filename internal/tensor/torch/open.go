package torch

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/pickle"
	"github.com/tlayout/tlayout/internal/tensor/zip"
)

// A pickle may have so many bytes and objects for each tensor of the limit, which bounds the memory that it takes. torch.save writes some
// 250 bytes and 20 objects for a tensor.
const (
	bytesOfTensor   = 4 << 10
	objectsOfTensor = 50
)

// maxPickle is how many bytes a pickle may have.
func (r *reader) maxPickle() int64 { return bytesOfTensor * int64(r.limit) }

// limits are those of a pickle.
func (r *reader) limits() pickle.Limits {
	globals := r.limit.Room("the globals")
	return pickle.Limits{Objects: objectsOfTensor * int(r.limit), Name: checkpoint.MaxName, Names: globals.Left()}
}

// Open reads the checkpoint in r, of size bytes: its pickles and the headers of its storages, not their elements. Errors are Malformed,
// Unsupported, Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	return open(r, size, newReader(limit))
}

// OpenPart is Open for a file that is slow to read and of which a few tensors are used: of the members of an archive no more headers are
// read, and compared with the directory, than those of pickles. Where other storages begin, Container.Locate finds.
func OpenPart(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	c := newReader(limit)
	c.part = true
	return open(r, size, c)
}

func open(r io.ReaderAt, size int64, c *reader) (*checkpoint.Container, error) {
	head := make([]byte, min(size, 512))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	var err error
	switch begins := func(s string) bool { return strings.HasPrefix(string(head), s) }; {
	case begins("PK"):
		err = c.archive(r, size)
	case begins("\x80"), begins(magicText):
		err = c.legacy(r, size)
	case isTar(head):
		return nil, fault.New(fault.Unsupported, "a tar archive, which PyTorch 0.1 wrote").
			WithHint(`write it again with PyTorch: torch.save(torch.load("old.pt"), "new.pt")`)
	default:
		return nil, fault.New(fault.Malformed, "not a PyTorch checkpoint: it starts with %q, which is neither a zip archive nor a pickle", head[:min(4, len(head))])
	}
	if err != nil {
		return nil, err
	}
	return c.done(), nil
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
func isTar(head []byte) bool {
	return len(head) >= 262 && string(head[257:262]) == "ustar"
}

// reader fills a container.
type reader struct {
	c         checkpoint.Container
	limit     checkpoint.Limit
	part      bool               // storages are located when they are used
	members   map[int]zip.Member // those of such storages
	big       bool               // elements are big-endian
	stored    []stored           // beside c.Storages
	index     map[storageKey]int // into both
	refs      map[*pickle.Persistent]ref
	rebuilt   map[*pickle.Call]*rebuilt
	names     map[string]int   // how many tensors wanted that name
	room      *checkpoint.Room // for names of tensors
	keys      *checkpoint.Room // for keys of storages, each time that one is named
	hashable  int64            // bytes of keys of dicts that may be compared
	hashed    int64            // that are left of them
	revisits  int              // children of shared nodes that may still be listed again
	arrays    int              // of NumPy
	decodable int64            // bytes that arrays may still have
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

// note takes from a pickle what does not depend on its graph, and makes room for what does.
func (r *reader) note(p *pickle.Pickle) {
	for _, g := range p.Globals {
		r.globals[g.String()] = weightsOnly(g)
	}
	for _, name := range p.Opcodes() {
		if !weightsOpcodes()[name] {
			r.opcodes[name] = true
		}
	}
	r.hashable, r.hashed = r.hashable+64*p.Bytes, r.hashed+64*p.Bytes
	r.revisits += p.Nodes
	r.decodable += p.Bytes
}

func (r *reader) done() *checkpoint.Container {
	for name, ok := range r.globals {
		r.c.Globals = append(r.c.Globals, checkpoint.Global{Name: name, WeightsOnly: ok})
	}
	slices.SortFunc(r.c.Globals, func(a, b checkpoint.Global) int { return strings.Compare(a.Name, b.Name) })
	for name := range r.opcodes {
		r.c.Opcodes = append(r.c.Opcodes, name)
	}
	slices.Sort(r.c.Opcodes)
	return &r.c
}
