package torch

import (
	"hash/crc32"
	"io"
	"iter"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// folder is the folder of all members. torch.save uses the file's name, or, when writing to a buffer, this one; it makes equal
// checkpoints equal files. torch.load accepts any.
const folder = "archive/"

// Placement is the position of everything in a new checkpoint of the zip format:
//
//	archive/data.pkl  archive/byteorder  archive/data/0 …  archive/version
//
// It depends only on names, views and sizes; elements are read when they are written. Headers have sizes and checksums, not descriptors
// after the content as torch.save writes them, and no time. There is no .format_version: it would let torch.load compute where storages
// begin, by descriptors, instead of reading it. (torch/serialization.py, _get_offset in _load, main branch)
type Placement struct {
	members  []zip.New
	contents []string // members that are not storages
	storages []int    // per member: the caller's index of the storage; -1: none
	archive  zip.Placement
}

// Place lays out a checkpoint of tensors in storages of these sizes in bytes. Each storage begins at a multiple of alignment bytes, a
// power of two from 64 to zip.MaxAlignment, and is written once, unchanged: tensors keep strides, offsets and shared storages. Storages
// without tensors are omitted.
//
// The object is an OrderedDict from names to tensors, like a state_dict. A dot in a name is part of the key: nested dicts, lists and
// modules are not restored, and parameters are plain tensors. A single unnamed tensor is itself the object.
//
// Errors name the tensor: Unsupported for what PyTorch lacks or torch.save would refuse.
func Place(tensors []checkpoint.Tensor, sizes []int64, alignment int) (*Placement, error) {
	if alignment < zip.Alignment {
		return nil, fault.New(fault.Usage, "alignment %d is below PyTorch's minimum of %d", alignment, zip.Alignment)
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
	p.members = append(p.members, m)
	p.contents = append(p.contents, content)
	p.storages = append(p.storages, storage)
}

// Size returns the file's size in bytes.
func (p *Placement) Size() int64 { return p.archive.Size() }

// Storages returns the written storages by index, and the byte of the file at which each begins.
func (p *Placement) Storages() iter.Seq2[int, int64] {
	return func(yield func(storage int, at int64) bool) {
		for i, storage := range p.storages {
			if storage >= 0 && !yield(storage, p.archive.Content(i)) {
				return
			}
		}
	}
}

// Frame writes everything except the storages, which are little-endian and whose CRC-32 are given by index.
func (p *Placement) Frame(w io.WriterAt, sums []uint32) error {
	crcs := make([]uint32, len(p.members))
	for i, text := range p.contents {
		if s := p.storages[i]; s >= 0 {
			crcs[i] = sums[s]
			continue
		}
		crcs[i] = crc32.ChecksumIEEE([]byte(text))
		if _, err := w.WriteAt([]byte(text), p.archive.Content(i)); err != nil {
			return err
		}
	}
	return p.archive.Frame(w, crcs)
}
