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

// container returns the container at path: the open one, if it is that.
func (p *Opener) container(path string, o Options) (container, error) {
	if p.last != nil && p.last.where() == path {
		return p.last, nil
	}
	c, err := openContainer(path, o)
	if err != nil {
		return nil, err
	}
	p.Close()
	p.last = c
	return c, nil
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
	c, err := p.container(path, o)
	if err != nil {
		return nil, err
	}
	return c.open(name, member, o)
}

// OpenCheckpoint opens the checkpoint at path as the function OpenCheckpoint does. It is closed with p.
func (p *Opener) OpenCheckpoint(path string, o Options) (*Checkpoint, error) {
	c, err := p.container(path, o)
	if err != nil {
		return nil, err
	}
	return asCheckpoint(path, c)
}

// Selected are tensors of a container: their names, in its order, those of tensors that it has but does not show, and its warnings.
type Selected struct{ Names, Refused, Warnings []string }

// Select selects the tensors of a container that match a pattern as Arrays says.
func (p *Opener) Select(path, pattern string, o Options) (s Selected, err error) {
	c, err := p.container(path, o)
	if err != nil {
		return s, err
	}
	if k, ok := c.(*Checkpoint); ok {
		s.Names, s.Refused, err = k.matching(pattern)
		s.Warnings = k.Warnings()
		return s, err
	}
	s.Names, err = matching(c, pattern)
	return s, err
}

// Expand is the function Expand for a command that must not pass over a tensor: those that a checkpoint has but does not show are among
// the sources too, and opening one of these says why. A container stays open for its tensors.
func (p *Opener) Expand(name string, o Options) ([]string, error) {
	at, ok := Locate(name)
	if !ok || !at.Several() {
		return []string{name}, nil
	}
	s, err := p.Select(at.Path, at.Member, o)
	switch {
	case err != nil:
		return nil, err
	case len(s.Refused) == 0:
		return at.expanded(name, s.Names)
	}
	all := append(s.Names, s.Refused...)
	for i := range all {
		all[i] = at.Path + ":" + all[i]
	}
	return all, nil
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
