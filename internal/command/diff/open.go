package diff

import (
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/source"
)

// opener opens the sources of one side. The last set that was opened stays open for its tensors.
type opener struct {
	set           *source.Set
	name, pattern string // by which it was opened
}

// at opens a source, and returns the pattern that follows its name.
func (p *opener) at(name string, o source.Options) (*source.Set, string, error) {
	if p.set == nil || p.name != name {
		set, pattern, err := source.Open(name, o)
		if err != nil {
			return nil, "", err
		}
		p.close()
		p.set, p.name, p.pattern = set, name, pattern
	}
	return p.set, p.pattern, nil
}

// expand returns what a name stands for: the tensors of a container, those that are not shown among them, because opening these says why.
func (p *opener) expand(name string, o source.Options) ([]string, error) {
	set, pattern, err := p.at(name, o)
	if err != nil {
		return nil, err
	}
	picked, err := set.Select(pattern)
	if err == nil && len(picked) == 0 {
		err = set.Missing(pattern)
	}
	names := make([]string, len(picked))
	for n, i := range picked {
		names[n] = set.Name(i)
	}
	return names, err
}

// open opens the tensor of that name.
func (p *opener) open(name string, o source.Options) (*source.Tensor, error) {
	if p.set != nil && p.set.IsContainer() {
		if member, ok := strings.CutPrefix(name, p.set.Path+":"); ok {
			return p.set.Named(member, o)
		}
	}
	set, pattern, err := p.at(name, o)
	if err != nil {
		return nil, err
	}
	return set.Only(pattern, o)
}

// close closes the set. The tensors of it stay open.
func (p *opener) close() {
	if p.set != nil {
		p.set.Close()
		p.set = nil
	}
}
