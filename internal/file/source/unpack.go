package source

import (
	"io"

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

// packed is a deflated member. It is unpacked when its data is used, only as far as needed.
type packed struct {
	archive input.File
	dir     *npz.Archive
	member  zip.Member
	limit   int64        // limit on the bytes of content in a temporary file
	done    int64        // bytes of content in the tensor's file
	earlier []input.File // earlier, shorter files
}

// openDeflated reads the header of a deflated member.
func openDeflated(n name.Name, b input.File, a *npz.Archive, m zip.Member, o Options) (*Tensor, error) {
	t := &Tensor{Source: n, packed: &packed{archive: b, dir: a, member: m, limit: o.MaxUnpacked}}
	if t.packed.limit == 0 {
		t.packed.limit = defaultMaxUnpacked
	}
	err := b.Guard(func() error {
		r, err := a.Content(m)
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
	need := t.Header.DataOffset + n
	if n >= t.Header.DataBytes {
		need = p.member.Size
	}
	if need <= p.done {
		return nil
	}
	if need > p.limit {
		return fault.New(fault.Resource, "%s unpacks to %s, over the limit of %s", t.Source, text.Bytes(need), text.Bytes(p.limit)).
			WithHint("--max-unpacked %s allows it, in a temporary file; np.savez writes archives that are read in place", text.RoundBytes(need))
	}
	if err := p.ensure(); err != nil {
		return err
	}
	var file input.File
	err := p.archive.Guard(func() error {
		r, err := p.dir.Content(p.member)
		if err != nil {
			return err
		}
		if need < p.member.Size {
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

// ensure reads the whole member if the archive is remote.
func (p *packed) ensure() error {
	if !input.IsRemote(p.archive) {
		return nil
	}
	at, err := p.dir.Locate(p.member)
	if err != nil {
		return err
	}
	return p.archive.Ensure(at, p.member.Packed)
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
		r, err := p.dir.Content(p.member)
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
