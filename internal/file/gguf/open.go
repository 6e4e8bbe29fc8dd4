package gguf

import (
	"encoding/binary"
	"io"
	"math/bits"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

const (
	magic        = "GGUF"
	defaultAlign = 32 // bytes: GGUF_DEFAULT_ALIGNMENT
	alignmentKey = "general.alignment"
	minPair      = 8 + 1 + 4 + 1     // minimum in bytes: a key of one letter, a type, a value
	minInfo      = 8 + 1 + 4 + 4 + 8 // minimum in bytes: a name of one letter, no dims, a type, an offset
)

// Open reads everything before the data of a file of size bytes. Memory is proportional to that, except for long arrays and texts, of
// which only the length is kept. The tensors, each with its own storage, are in the file's order. Errors are Malformed, Unsupported,
// Resource for more tensors than the limit, or file's own.
//
// A big-endian file is recognized by its version, and its numbers have big-endian types. The specification says that there is
// no way to tell, but no version has 2¹⁶ as a factor.
func Open(file io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	r := newReader(file, size)
	if err := r.begin(); err != nil {
		return nil, err
	}
	tensors, err := r.count("tensors", minInfo)
	if err != nil {
		return nil, err
	}
	if err := limit.Check(tensors, "tensors"); err != nil {
		return nil, err
	}
	pairs, err := r.count("key-value pairs", minPair)
	if err != nil {
		return nil, err
	}
	if err := limit.Check(pairs, "key-value pairs"); err != nil {
		return nil, err
	}
	c := &checkpoint.Container{Format: checkpoint.GGUF}
	align, err := r.metadata(c, pairs, limit.Room("the metadata"))
	if err != nil {
		return nil, err
	}
	infos, err := r.infos(tensors, limit.Room("the names of the tensors"))
	if err != nil {
		return nil, err
	}
	if err := r.fill(c, infos, align); err != nil {
		return nil, err
	}
	return c, nil
}

// begin reads the magic and the version.
func (r *reader) begin() error {
	var raw [4]byte
	if err := r.read(raw[:min(4, r.left())]); err != nil {
		return err
	}
	if string(raw[:]) != magic {
		return damaged("not a GGUF file: it starts with %s", text.Quoted(string(raw[:])))
	}
	version, err := r.uint32()
	if err != nil {
		return err
	}
	if version&0xffff == 0 && version != 0 { // as gguf.cpp detects it
		r.order = binary.BigEndian
		version = bits.ReverseBytes32(version)
	}
	switch version {
	case 3:
		return nil
	case 2:
		if r.order != binary.BigEndian { // version 3 introduced it
			return nil
		}
	case 1:
		return fault.New(fault.Unsupported, "GGUF version 1 is obsolete and not supported").
			WithHint("convert the model again, with a current llama.cpp")
	}
	return fault.New(fault.Unsupported, "unsupported GGUF version %d: want 2 or 3", version)
}

// metadata reads the key-value pairs into c, and returns the alignment of data.
func (r *reader) metadata(c *checkpoint.Container, pairs uint64, room *checkpoint.Room) (align uint64, err error) {
	align = defaultAlign
	seen := map[string]struct{}{}
	for range pairs {
		key, err := r.name("key")
		if err != nil {
			return 0, err
		}
		if _, again := seen[key]; again { // refused by gguf.cpp, and by GGUFReader of the package gguf 0.19.0 on PyPI
			return 0, damaged("duplicate key %s", checkpoint.Quoted(key)).WithHint("llama.cpp refuses it too; write the file again with unique keys")
		}
		seen[key] = struct{}{}
		kind, err := r.uint32()
		if err != nil {
			return 0, err
		}
		value, err := r.value(kind)
		if err != nil {
			return 0, fault.In("key "+checkpoint.Quoted(key), err)
		}
		if key == alignmentKey {
			align, err = alignment(kind, value)
			if err != nil {
				return 0, err
			}
		}
		if err := room.Take(int64(len(key) + len(value))); err != nil {
			return 0, err
		}
		c.Metadata = append(c.Metadata, checkpoint.Entry{Key: key, Value: value})
	}
	return align, nil
}

// alignment checks general.alignment: a uint32, a power of two (gguf.cpp). The specification also requires a multiple of 8, which does
// not matter here.
func alignment(kind uint32, value string) (uint64, error) {
	n, err := strconv.ParseUint(value, 10, 32)
	if kind != typeUint32 || err != nil {
		return 0, damaged("%s is not a uint32", alignmentKey)
	}
	if bits.OnesCount64(n) != 1 {
		return 0, damaged("%s is %d, not a power of two", alignmentKey, n)
	}
	return n, nil
}

// infos reads the tensors' infos, which must have unique names.
func (r *reader) infos(n uint64, room *checkpoint.Room) ([]info, error) {
	var infos []info
	seen := map[string]struct{}{}
	for range n {
		t, err := r.info()
		if err != nil {
			return nil, err
		}
		if _, again := seen[t.name]; again {
			return nil, damaged("two tensors have the name %s", checkpoint.Quoted(t.name))
		}
		if err := room.TakeName(int64(len(t.name))); err != nil {
			return nil, err
		}
		seen[t.name] = struct{}{}
		infos = append(infos, t)
	}
	return infos, nil
}

// fill makes tensors from the infos, whose data begin at the next multiple of align.
func (r *reader) fill(c *checkpoint.Container, infos []info, align uint64) error {
	if len(infos) == 0 {
		return nil
	}
	data := (uint64(r.at) + align - 1) &^ (align - 1)
	if data > uint64(r.size) {
		return damaged("the file is truncated before its data")
	}
	if err := checkPositions(infos, align, uint64(r.size)-data); err != nil {
		return err
	}
	order := dtype.Little
	if r.order == binary.BigEndian {
		order = dtype.Big
	}
	c.Tensors = make([]checkpoint.Tensor, 0, len(infos))
	c.Storages = make([]checkpoint.Storage, 0, len(infos))
	for _, info := range infos {
		t, err := info.tensor(order)
		if err != nil {
			c.Refused = append(c.Refused, checkpoint.Refused{Name: info.name, Why: err.Error()})
			continue
		}
		t.Storage = len(c.Storages)
		c.Tensors = append(c.Tensors, t)
		c.Storages = append(c.Storages, checkpoint.Storage{ID: info.name, At: int64(data + info.offset), Bytes: int64(info.bytes)})
	}
	return nil
}
