package safetensors

import (
	"bytes"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/words"
)

// metadataKey is the key whose value is about the file, not a tensor.
const metadataKey = "__metadata__"

// header is what the JSON says, in its order.
type header struct {
	entries  []entry
	metadata []checkpoint.Entry
}

// entry is a tensor: TensorInfo in tensor.rs. Its data are the bytes from begin to end of what follows the header.
type entry struct {
	name       string
	dtype      string
	shape      []uint64
	begin, end uint64
}

// parse reads the header's JSON: one object, from { to }, followed by spaces, of no more tensors than the limit.
func parse(text []byte, limit checkpoint.Limit) (header, error) {
	var h header
	body := bytes.TrimRight(text, " ")
	if len(body) == 0 || body[0] != '{' {
		return h, damaged("the header does not begin with {, but with %s", words.Quoted(string(text[:min(len(text), 4)])))
	}
	if body[len(body)-1] != '}' {
		if trimmed := bytes.TrimRight(body, "\x00\t\r\n "); trimmed[len(trimmed)-1] == '}' {
			return h, damaged("the header is padded with %s; only spaces are allowed", words.Quoted(string(body[len(body)-1:]))).
				WithHint("write the file again, its header padded with spaces")
		}
	}
	d, err := newDocument("the header", body)
	if err != nil {
		return h, err
	}
	err = d.object("value", func(key string) error {
		if key == metadataKey {
			return h.readMetadata(d)
		}
		if err := limit.Check(uint64(len(h.entries))+1, "tensors"); err != nil {
			return err
		}
		return h.readEntry(d, key)
	})
	return h, err
}

func (h *header) readMetadata(d document) error {
	return d.object(metadataKey, func(key string) error {
		value, err := d.text(metadataKey)
		h.metadata = append(h.metadata, checkpoint.Entry{Key: key, Value: value})
		return err
	})
}

func (h *header) readEntry(d document, name string) error {
	e := entry{name: name}
	var offsets []uint64
	given := 0
	err := d.object("tensor", func(key string) (err error) {
		given++
		switch key {
		case "dtype":
			e.dtype, err = d.text(key)
		case "shape":
			e.shape, err = d.integers([]uint64{}, key)
		case "data_offsets":
			if offsets, err = d.integers(make([]uint64, 0, 2), key); err == nil && len(offsets) != 2 {
				err = damaged("%d data_offsets, expected a begin and an end", len(offsets))
			}
		default:
			err = fault.New(fault.Unsupported, "the format does not define its field %s", quoted(key))
		}
		return err
	})
	if err == nil && given < 3 {
		err = damaged("dtype, shape or data_offsets is missing")
	}
	if err != nil {
		return of(name, err)
	}
	e.begin, e.end = offsets[0], offsets[1]
	h.entries = append(h.entries, e)
	return nil
}

// of says which tensor an error is about.
func of(name string, err error) error { return fault.In("tensor "+quoted(name), err) }
