package safetensors

import (
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// Index maps a sharded checkpoint's tensors to files: model.safetensors.index.json, and pytorch_model.bin.index.json, which has the
// same form.
type Index struct {
	Tensors   []Placed // in the index's order
	Files     []string // plain names of files beside the index, in the order of their first tensors
	TotalSize int64    // bytes of all tensors according to the index; −1 if it has no total
}

// Placed is a tensor and the file that should hold it.
type Placed struct{ Name, File string }

// ReadIndex reads an index of size bytes: {"metadata": {"total_size": n, …}, "weight_map": {name: file, …}, …}. Other names are
// ignored. File names must be plain, so that an index cannot refer outside its folder. The form is that of huggingface_hub,
// src/huggingface_hub/serialization/_torch.py and _base.py at 122aa5cc. Errors are Malformed, Unsupported, Resource for more tensors
// than the limit, or r's own.
func ReadIndex(r io.ReaderAt, size int64, limit checkpoint.Limit) (*Index, error) {
	if size > maxHeader {
		return nil, fault.New(fault.Unsupported, "an index of %d bytes exceeds the limit of 100,000,000", size)
	}
	d := newDocument("the index", r, 0, size, limit)
	names := limit.Room("the names of the index")
	x := &Index{TotalSize: -1}
	mapped := false
	err := d.object("value", names, func(key string) error {
		switch key {
		case "metadata":
			return x.readMetadata(d, names)
		case "weight_map":
			mapped = true
			return x.readMap(d, names)
		}
		d.ignore(0)
		return d.err
	})
	if err == nil {
		err = d.end()
	}
	if err == nil && !mapped {
		err = fault.New(fault.Malformed, "the index has no weight_map").
			WithHint("an example of an index is model.safetensors.index.json")
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Index) readMetadata(d *document, names *checkpoint.Room) error {
	return d.object("metadata", names, func(key string) (err error) {
		if key != "total_size" {
			d.ignore(0)
			return d.err
		}
		text, err := d.number(key)
		if err != nil {
			return err
		}
		n, ok := wholeNumber(string(text))
		x.TotalSize = n
		if !ok {
			return damaged("the index has total_size %s, which is not a number of bytes", checkpoint.Quoted(string(text)))
		}
		return nil
	})
}

// wholeNumber reads an integer of at least 0, or a float with such a value: some writers have 1.5e10.
func wholeNumber(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n >= 0
	}
	x, err := strconv.ParseFloat(s, 64)
	return int64(x), err == nil && x >= 0 && x < 1<<53 && x == math.Trunc(x)
}

func (x *Index) readMap(d *document, names *checkpoint.Room) error {
	known := map[string]struct{}{}
	return d.object("weight_map", names, func(name string) error {
		if err := d.limit.Check(uint64(len(x.Tensors))+1, "tensors"); err != nil {
			return err
		}
		file, err := d.word("weight_map")
		if err != nil {
			return err
		}
		if !plain(file) {
			return fault.New(fault.Malformed, "the index places tensor %s in %s, which is not a plain file name", checkpoint.Quoted(name), checkpoint.Quoted(file))
		}
		if _, again := known[file]; !again {
			known[file] = struct{}{}
			x.Files = append(x.Files, file)
		}
		x.Tensors = append(x.Tensors, Placed{name, file})
		return nil
	})
}

// plain reports whether a name is that of a file in the same folder, on every system.
func plain(name string) bool {
	return name != "" && name != "." && len(name) <= 255 && !strings.ContainsAny(name, "/\\:\x00") && filepath.IsLocal(name)
}
