package safetensors

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// metadataKey is the key whose value describes the file, not a tensor.
const metadataKey = "__metadata__"

// header is the JSON's content, in its order.
type header struct {
	entries  []entry
	metadata []checkpoint.Entry
}

// entry is a tensor: TensorInfo in tensor.rs. Its data are the bytes [begin, end) after the header.
type entry struct {
	name       string
	dtype      string
	shape      []uint64 // the first tensor.MaxRank sizes
	rank       int      // the number of sizes
	begin, end uint64
}

// parse reads the header's JSON: one object, from { to }, followed by spaces, with no more tensors than the limit.
func (d *document) parse() (header, error) {
	var h header
	if d.size > 0 && !d.fill() {
		return h, d.err
	}
	if head := d.piece[:min(d.size, 4)]; len(head) == 0 || head[0] != '{' {
		return h, damaged("the header begins with %s instead of {", text.Quoted(string(head)))
	}
	names := d.limit.Room("the names of the tensors")
	texts := d.limit.Room("the metadata")
	err := d.object("value", nil, func(key string) error {
		if key == metadataKey {
			return h.readMetadata(d, texts)
		}
		if err := d.limit.Check(uint64(len(h.entries))+1, "tensors"); err != nil {
			return err
		}
		if err := names.TakeName(int64(len(key))); err != nil {
			return err
		}
		return h.readEntry(d, key)
	})
	if err != nil {
		return h, err
	}
	return h, d.padding()
}

// padding requires only spaces after the value.
func (d *document) padding() error {
	for d.err == nil && d.at() < d.size {
		switch b := d.next(); b {
		case ' ':
		case 0, '\t', '\r', '\n':
			if d.err == nil {
				d.fail(damaged("the header is padded with %s; only spaces are allowed", text.Quoted(string([]byte{b}))).
					WithHint("write the file again with a header padded with spaces"))
			}
		default:
			d.unexpected(b)
		}
	}
	return d.err
}

// readMetadata reads an object of texts, or null: tensor.rs has an Option of a map, and MLX (mlx/io/safetensors.cpp) writes null if it
// is empty.
func (h *header) readMetadata(d *document, room *checkpoint.Room) error {
	if b := d.token(); b == 'n' {
		d.literal(b)
		return d.err
	}
	d.back()
	return d.object(metadataKey, room, func(key string) error {
		value, err := d.text(metadataKey, room.Left(), func() error { return room.Take(room.Left() + 1) })
		if err != nil {
			return err
		}
		h.metadata = append(h.metadata, checkpoint.Entry{Key: key, Value: value})
		return room.Take(int64(len(value)))
	})
}

func (h *header) readEntry(d *document, name string) error {
	e := entry{name: name}
	var offsets []uint64
	given := 0
	err := d.object("tensor", nil, func(key string) (err error) {
		given++
		switch key {
		case "dtype":
			e.dtype, err = d.word(key)
		case "shape":
			e.shape, e.rank, err = d.integers(key, tensor.MaxRank)
		case "data_offsets":
			var n int
			offsets, n, err = d.integers(key, 2)
			if err == nil && n != 2 {
				err = damaged("%d data_offsets, expected 2: begin and end", n)
			}
		default:
			err = fault.New(fault.Unsupported, "unknown field %s", checkpoint.Quoted(key))
		}
		return err
	})
	if err == nil && given < 3 {
		err = damaged("dtype, shape or data_offsets is missing")
	}
	if err != nil {
		return inTensor(name, err)
	}
	e.begin = offsets[0]
	e.end = offsets[1]
	h.entries = append(h.entries, e)
	return nil
}

// inTensor adds the tensor's name to an error.
func inTensor(name string, err error) error { return fault.In("tensor "+checkpoint.Quoted(name), err) }
