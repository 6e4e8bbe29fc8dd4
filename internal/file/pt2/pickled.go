package pt2

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// pickling is what a member that torch.save wrote holds, and the index of its first storage.
type pickling struct {
	c     *checkpoint.Container
	first int
}

// open reads a member that torch.save wrote, and adds its storages.
func (r *reader) open(m zip.Member) (pickling, error) {
	if p, known := r.inner[m.Name]; known {
		return p, nil
	}
	if m.Method != zip.Stored {
		return pickling{}, fault.New(fault.Unsupported, "it is compressed (%s)", m.Method).WithHint("repack the archive: unzip it, then zip -0 -r new.pt2 .")
	}
	at, err := r.zip.Locate(m)
	if err != nil {
		return pickling{}, err
	}
	c, err := torch.Open(io.NewSectionReader(r.file, at, m.Size), m.Size, r.limit)
	if err != nil {
		return pickling{}, err
	}
	p := pickling{c, len(r.c.Storages)}
	r.inner[m.Name] = p
	for _, s := range c.Storages {
		if !s.Inline {
			s.At += at
		}
		r.c.Storages = append(r.c.Storages, s)
	}
	r.c.Globals = append(r.c.Globals, c.Globals...)
	r.c.Opcodes = append(r.c.Opcodes, c.Opcodes...)
	return p, nil
}

// saved adds the tensors of a dict that torch.save wrote.
func (r *reader) saved(m zip.Member, prefix string) error {
	p, err := r.open(m)
	if err != nil {
		return err
	}
	for _, t := range p.c.Tensors {
		if err := r.claim(prefix + t.Name); err != nil {
			return err
		}
		r.add(p, t, prefix+t.Name)
	}
	for _, x := range p.c.NotShown() {
		if err := r.claim(prefix + x.Name); err != nil {
			return err
		}
		r.refuse(prefix+x.Name, x.Why)
	}
	return nil
}

// pickled adds a tensor that is alone in a member of torch.save, whose name is taken.
func (r *reader) pickled(m zip.Member, name string) error {
	p, err := r.open(m)
	if err != nil {
		return err
	}
	if len(p.c.Tensors) == 1 && len(p.c.Refused) == 0 {
		r.add(p, p.c.Tensors[0], name)
		return nil
	}
	why := "it is pickled, and not as one tensor"
	if len(p.c.Refused) > 0 {
		why = p.c.Refused[0].Why
	}
	r.refuse(name, why)
	return nil
}

// add adds a tensor of a member under another name.
func (r *reader) add(p pickling, t checkpoint.Tensor, name string) {
	t.Name = name
	t.Root = false
	t.Storage += p.first
	r.c.Tensors = append(r.c.Tensors, t)
}
