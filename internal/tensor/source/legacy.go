package source

import (
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/words"
)

// To be deleted: this file is what internal/command/convert needs until it works on a Set. Each of these opens the file anew.

// Checkpoint is a Set.
type Checkpoint = Set

// Place is what the name of a container, or of tensors of one, says: x.npz:conv*.
type Place struct {
	Path   string            // x.npz
	Member string            // conv*: the name of a tensor, or a pattern; empty for the container itself
	Format checkpoint.Format // of the container
}

// Archive reports whether the container is an archive of arrays, .npz.
func (p Place) Archive() bool { return p.Format == checkpoint.NPZ }

// Several reports whether the name may stand for several tensors.
func (p Place) Several() bool { return p.Member == "" || IsPattern(p.Member) }

// Locate tells a container and what of it a name is.
func Locate(name string) (p Place, ok bool) {
	path, member, b := splitPattern(name, Options{})
	p = Place{Path: path, Member: member}
	switch {
	case IsRemote(name):
		if NamesArchive(path) {
			p.Format = checkpoint.NPZ
		}
		return p, path != name || namesContainer(path) && !endsIn(path, ".bin")
	case b == nil:
		var err error
		if b, err = openFile(path, Options{}); err != nil {
			if NamesArchive(path) {
				p.Format = checkpoint.NPZ
			}
			return p, namesContainer(path) // the error comes when it is used
		}
	}
	defer b.Close()
	if format, _ := recognize(b, path); format != checkpoint.NPY {
		p.Format = format
	}
	return p, path != name || p.Format != ""
}

// Expand returns the sources that a name stands for.
func Expand(name string, o Options) ([]string, error) {
	if p, ok := Locate(name); !ok || !p.Several() {
		return []string{name}, nil
	}
	s, pattern, err := Open(name, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	picked, err := s.Match(pattern)
	if err != nil {
		return nil, err
	}
	if len(picked) == 1 && pattern == "" {
		return []string{name}, nil
	}
	var names []string
	for _, i := range picked {
		names = append(names, s.Path+":"+s.Tensors[i].Name)
	}
	return names, nil
}

// Arrays returns the names of an archive's arrays that match a pattern.
func Arrays(archive, pattern string, o Options) (names []string, err error) {
	s, _, err := Open(archive, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	picked, err := s.Select(pattern)
	for _, i := range picked {
		names = append(names, s.Tensors[i].Name)
	}
	return names, err
}

// OpenCheckpoint opens the checkpoint at path.
func OpenCheckpoint(path string, o Options) (*Checkpoint, error) {
	s, _, err := Open(path, o)
	if err == nil && (!s.IsContainer() || s.archive != nil) {
		s.Close()
		err = fault.New(fault.Unsupported, "%s is an archive of arrays, not a checkpoint", words.Quoted(path))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenDraftCheckpoint opens a checkpoint that is written but has no name yet.
func OpenDraftCheckpoint(path string, file *os.File) (*Checkpoint, error) {
	return OpenDraft(path, file, Options{})
}

// OpenTensor opens a tensor by its number in Tensors, as the source of that name.
func (s *Set) OpenTensor(i int, name string, o Options) (*Tensor, error) {
	return s.opened(s.open(i, name, o))
}

// OpenDraftTensor opens a tensor in a file that is written but has no name yet.
func OpenDraftTensor(name string, file *os.File, o Options) (*Tensor, error) {
	path, member, _ := SplitTensor(name)
	s, err := OpenDraft(path, file, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Only(member, o)
}

// Opener opens sources one after the other, and keeps the last container open.
type Opener struct{ last *Set }

// NewDraftOpener opens the arrays of an archive that is written but has no name yet.
func NewDraftOpener(path string, file *os.File) (*Opener, error) {
	s, err := OpenDraft(path, file, Options{})
	return &Opener{s}, err
}

// Open opens a source.
func (p *Opener) Open(name string, o Options) (*Tensor, error) {
	if p.last != nil && len(name) > len(p.last.Path) && name[:len(p.last.Path)+1] == p.last.Path+":" {
		return p.last.Named(name[len(p.last.Path)+1:], o)
	}
	s, pattern, err := Open(name, o)
	if err != nil {
		return nil, err
	}
	p.Close()
	p.last = s
	if s.IsContainer() && name == s.Path+":"+pattern {
		return s.Named(pattern, o)
	}
	return s.Only(pattern, o)
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

// Files are the files and objects that opening a source reads.
func Files(name string) []string {
	path, _, isMember := SplitTensor(name)
	if !isMember {
		path = name
	}
	if !endsIn(path, indexEnding) {
		return []string{path}
	}
	s, _, err := Open(path, Options{MaxTensors: checkpoint.MaxLimit})
	if err != nil {
		return []string{path}
	}
	defer s.Close()
	return s.Reads()
}
