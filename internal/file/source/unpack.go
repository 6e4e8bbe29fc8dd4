package source

import (
	"io"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npz"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// defaultMaxUnpacked is how many bytes of a deflated member go into a temporary file by default. The best ratio of deflate is 1032 to
// 1: 2 MiB of an archive can be 2 GiB.
const defaultMaxUnpacked = 1 << 30

// packed is content that is no range of a file: a deflated member, or chunks. It is unpacked when its data is used, only as far as needed.
type packed struct {
	archive input.File                // guards reading
	content func() (io.Reader, error) // from its first byte
	size    int64                     // bytes of content
	ensure  func() error              // downloads it
	plain   string                    // what is read in place instead, for a hint
	limit   int64                     // limit on the bytes of content in a temporary file
	done    int64                     // bytes of content in the tensor's file
	earlier []input.File              // earlier, shorter files
	mu      sync.Mutex                // held while unpacking
}

// newPacked returns content that is on this machine.
func newPacked(archive input.File, content func() (io.Reader, error), size int64, o Options) *packed {
	return &packed{archive: archive, content: content, size: size, ensure: func() error { return nil }, limit: o.maxUnpacked()}
}

// openDeflated reads the header of a deflated member.
func openDeflated(n name.Name, b input.File, a *npz.Archive, m zip.Member, o Options) (*Tensor, error) {
	t := &Tensor{Source: n, packed: newPacked(b, func() (io.Reader, error) { return a.Content(m) }, m.Size, o)}
	t.packed.plain = "; np.savez writes archives that are read in place"
	t.packed.ensure = func() error { return ensureMember(b, a, m) }
	err := b.Guard(func() error {
		r, err := t.packed.content()
		if err != nil {
			return err
		}
		return t.read(r, m.Size, o)
	})
	if err != nil {
		return nil, fault.In(n.String(), err)
	}
	return t, nil
}

// unpack makes the input of a deflated member hold its data up to byte n. At the end of the data, the checksum is compared.
func (t *Tensor) unpack(n int64) error {
	p := t.packed
	p.mu.Lock()
	defer p.mu.Unlock()
	need := t.Header.DataOffset + n
	if n >= t.Header.DataBytes {
		need = p.size
	}
	if need <= p.done {
		return nil
	}
	if need > p.limit {
		return tooLarge(t.Source, need, p.limit, p.plain)
	}
	if err := p.ensure(); err != nil {
		return err
	}
	var file input.File
	err := p.archive.Guard(func() error {
		r, err := p.content()
		if err != nil {
			return err
		}
		if need < p.size {
			r = io.LimitReader(r, need)
		}
		file, err = input.Spool(t.Source.String(), r, need)
		return err
	})
	if err != nil {
		if file != nil {
			file.Close()
		}
		return fault.In(t.Source.String(), err)
	}
	if t.file != nil {
		p.earlier = append(p.earlier, t.file) // slices of it may be in use
	}
	t.file = file
	t.own = true
	t.data = nil
	p.done = need
	return nil
}

// ensureMember reads the whole member if the archive is remote.
func ensureMember(b input.File, a *npz.Archive, m zip.Member) error {
	if !input.IsRemote(b) {
		return nil
	}
	at, err := a.Locate(m)
	if err != nil {
		return err
	}
	return b.Ensure(at, m.Packed)
}

// Close closes the earlier, shorter files.
func (p *packed) Close() {
	for _, b := range p.earlier {
		b.Close()
	}
}

// scanned is how many bytes Scan unpacks at once.
const scanned = 1 << 20

// released is how many mapped bytes are visited before their memory is released.
const released = 8 << 20

// Scan calls visit with all the data in order, in pieces of whole elements, until it returns false; at is the byte of the data at which
// a piece begins. Mapped memory is released behind each piece. A deflated member is unpacked on the fly, without a temporary file, to
// its end, where its checksum is compared.
func (t *Tensor) Scan(visit func(at int64, piece []byte) (more bool)) error {
	if t.packed == nil || t.packed.done > 0 || t.DType.ItemSize() > scanned {
		data, err := t.Data()
		if err != nil {
			return err
		}
		return t.Guard(func() error {
			size := max(1, t.DType.ItemSize())
			for from := 0; from < len(data); {
				to := min(from+max(1, released/size)*size, len(data))
				if !visit(int64(from), data[from:to]) {
					break
				}
				t.Release(from, to)
				from = to
			}
			return nil
		})
	}
	p := t.packed
	if err := p.ensure(); err != nil {
		return err
	}
	return fault.In(t.Source.String(), p.archive.Guard(func() error {
		r, err := p.content()
		if err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, r, t.Header.DataOffset); err != nil {
			return err
		}
		size := int64(max(1, t.DType.ItemSize()))
		buffer := make([]byte, scanned/size*size)
		for at := int64(0); at < t.Header.DataBytes; {
			piece := buffer[:min(int64(len(buffer)), t.Header.DataBytes-at)]
			if _, err := io.ReadFull(r, piece); err != nil {
				return err
			}
			if !visit(at, piece) {
				break
			}
			at += int64(len(piece))
		}
		_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, buffer)
		return err
	}))
}

// unpacked returns the bytes of a storage that is no range of a file, in a temporary file.
func (s *Set) unpacked(storage int) (input.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.contents[storage]; b != nil {
		return b, nil
	}
	x := s.Storages[storage]
	if x.Bytes > s.maxUnpacked {
		return nil, tooLarge(s.Path.Member(x.ID), x.Bytes, s.maxUnpacked, "")
	}
	r, err := s.content(storage)()
	if err != nil {
		return nil, err
	}
	b, err := input.Spool(s.Path.Member(x.ID).String(), r, x.Bytes)
	if err != nil {
		return nil, err
	}
	s.keep(storage, b)
	return b, nil
}

// keep makes the set close a temporary file of the bytes of a storage; −1 stands for one without storages.
func (s *Set) keep(storage int, b input.File) {
	if s.contents == nil {
		s.contents = map[int]input.File{}
	}
	s.contents[storage] = b
}

// tooLarge is the error for content of more bytes than may be unpacked; plain is what is read in place instead.
func tooLarge(n name.Name, bytes, limit int64, plain string) error {
	return fault.New(fault.Resource, "%s unpacks to %s, over the limit of %s", n, text.Bytes(bytes), text.Bytes(limit)).
		WithHint("--max-unpacked %s allows it, in a temporary file%s", text.RoundBytes(bytes), plain)
}
