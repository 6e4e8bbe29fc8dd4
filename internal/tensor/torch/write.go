package torch

import (
	"hash/crc32"
	"io"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/zip"
)

// folder is that of all members. torch.save takes the file's name, or, if it writes to a buffer, this one, so that equal
// checkpoints are equal files; torch.load accepts any.
const folder = "archive/"

// Placement says where everything is in a new checkpoint of the zip format:
//
//	archive/data.pkl  archive/byteorder  archive/data/0 …  archive/version
//
// It depends on names, views and sizes alone; elements are read when they are written. Headers have sizes and checksums, not
// descriptors behind the content as torch.save writes them, and no time. There is no .format_version: it would let torch.load
// compute where storages begin, by descriptors, instead of reading it. (torch/serialization.py, _get_offset in _load, main branch)
type Placement struct {
	members  []zip.New
	contents []string // of members that are not storages
	storages []int    // of members that are: the caller's index; -1 for others
	archive  zip.Placement
}

// Place lays out a checkpoint of tensors in storages of these sizes in bytes. Each storage begins at a multiple of alignment bytes,
// a power of two from 64 to zip.MaxAlignment, and is written once, as it is: tensors keep strides, offsets, and whom they share
// with. Storages without tensors are left out.
//
// The object is an OrderedDict from names to tensors, as a state_dict is. A dot in a name is a part of the key: dicts, lists and
// modules that held the tensors are not made again, and parameters are plain tensors. A single tensor without a name is itself the
// object.
//
// Errors name the tensor: Unsupported for what PyTorch has not, or torch.save would not write.
func Place(tensors []checkpoint.Tensor, sizes []int64, alignment int) (*Placement, error) {
	if alignment < zip.Alignment {
		return nil, fault.New(fault.Usage, "alignment %d is below PyTorch's %d", alignment, zip.Alignment)
	}
	s, err := newSaving(tensors, sizes)
	if err != nil {
		return nil, err
	}
	object, err := s.object(tensors)
	if err != nil {
		return nil, err
	}
	p := &Placement{}
	p.text("data.pkl", object)
	p.text("byteorder", "little")
	for key, i := range s.order {
		p.add(zip.New{Name: folder + "data/" + strconv.Itoa(key), Size: sizes[i]}, "", i)
	}
	p.text("version", "3\n")
	p.archive, err = zip.PlaceAligned(p.members, alignment)
	return p, err
}

func (p *Placement) text(name, content string) {
	p.add(zip.New{Name: folder + name, Size: int64(len(content))}, content, -1)
}

func (p *Placement) add(m zip.New, content string, storage int) {
	p.members, p.contents, p.storages = append(p.members, m), append(p.contents, content), append(p.storages, storage)
}

// Size is the file's, in bytes.
func (p *Placement) Size() int64 { return p.archive.Size() }

// Write writes the file, each byte once, with the storages' bytes that content writes: all of the storage of that index, from the
// first byte to the last, little-endian. Nothing is held but what content holds. An error of w or of content ends it.
func (p *Placement) Write(w io.WriterAt, content func(storage int, w io.Writer) error) error {
	return p.WriteBy(w, content, func(n int, write func(i int) error) error {
		for i := range n {
			if err := write(i); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteBy is Write with each, which calls write once for every number below n, in any order and from any goroutine: content is
// then called at once for several storages.
func (p *Placement) WriteBy(w io.WriterAt, content func(storage int, w io.Writer) error, each func(n int, write func(i int) error) error) error {
	crcs := make([]uint32, len(p.members))
	err := each(len(p.members), func(i int) error {
		r := &recordWriter{file: w, at: p.archive.Content(i), left: p.members[i].Size}
		if err := p.write(r, i, content); err != nil {
			return err
		}
		crcs[i] = r.crc
		header, at := p.archive.Header(i, r.crc)
		_, err := w.WriteAt(header, at)
		return err
	})
	if err != nil {
		return err
	}
	end, at := p.archive.End(crcs)
	_, err = w.WriteAt(end, at)
	return err
}

// write writes the content of member i.
func (p *Placement) write(r *recordWriter, i int, content func(storage int, w io.Writer) error) error {
	if p.storages[i] < 0 {
		_, err := io.WriteString(r, p.contents[i])
		return err
	}
	if err := content(p.storages[i], r); err != nil {
		return err
	}
	if r.err == nil && r.left > 0 {
		r.err = fault.New(fault.Resource, "storage %d ended %d bytes before its end", p.storages[i], r.left)
	}
	return r.err
}

// recordWriter writes the content of a member, and sums it up.
type recordWriter struct {
	file     io.WriterAt
	at, left int64 // the next byte of the file; how many are left
	crc      uint32
	err      error // the first
}

// atOnce is how many bytes are written and summed up while they are in the cache.
const atOnce = 1 << 18

func (r *recordWriter) Write(b []byte) (written int, err error) {
	if r.err == nil && int64(len(b)) > r.left {
		r.err = fault.New(fault.Resource, "a storage goes on after its end")
	}
	for r.err == nil && written < len(b) {
		part := b[written:min(len(b), written+atOnce)]
		var n int
		n, r.err = r.file.WriteAt(part, r.at)
		r.at, r.left, r.crc = r.at+int64(n), r.left-int64(n), crc32.Update(r.crc, crc32.IEEETable, part[:n])
		written += n
	}
	return written, r.err
}
