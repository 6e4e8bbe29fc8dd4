package source

import (
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/words"
)

// Opener opens sources one after the other. The arrays of an archive all come from the file that is opened first, whatever
// gets its name meanwhile, and its directory is read once. Close it at the end.
type Opener struct{ last container }

// NewDraftOpener opens the arrays of an archive that is written but has no name yet, and will be at path. Closing it leaves
// the file open.
func NewDraftOpener(path string, file *os.File) (*Opener, error) {
	b, err := borrow(words.Quoted(path), file)
	if err != nil {
		return nil, err
	}
	c, err := newContainer(path, b)
	if err != nil {
		return nil, err
	}
	return &Opener{c}, nil
}

// OpenDescribed reads the JSON documents of a source, once: name:tensor is one of its tensors then. The checkpoint is closed with p.
func (p *Opener) OpenDescribed(name string, o Options) (*Checkpoint, error) {
	k, err := readDescribed(name, o)
	if err != nil {
		return nil, err
	}
	p.Close()
	p.last = k
	return k, nil
}

// Open opens a source as the function Open does.
func (p *Opener) Open(name string, o Options) (*Tensor, error) {
	if p.last != nil && strings.HasPrefix(name, p.last.where()+":") {
		return p.last.open(name, name[len(p.last.where())+1:], o)
	}
	path, member, isMember := splitMember(name)
	if !isMember {
		return Open(name, o)
	}
	c, err := openContainer(path, o)
	if err != nil {
		return nil, err
	}
	p.Close()
	p.last = c
	return c.open(name, member, o)
}

// Unchanged returns an error if the archive has changed since it was opened.
func (p *Opener) Unchanged() error {
	if p.last == nil {
		return nil
	}
	return p.last.Unchanged()
}

// Close closes the archive. The tensors of it stay open.
func (p *Opener) Close() {
	if p.last != nil {
		p.last.Close()
		p.last = nil
	}
}
