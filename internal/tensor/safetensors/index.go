package safetensors

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
)

// Index says which file of a sharded checkpoint holds which tensor: model.safetensors.index.json, and
// pytorch_model.bin.index.json, which has the same form.
type Index struct {
	Tensors   []Placed // in the index's order
	Files     []string // plain names of files beside the index, in the order of their first tensor
	TotalSize int64    // bytes of all tensors, as the index says; −1 if it does not
}

// Placed is a tensor and the file that should hold it.
type Placed struct{ Name, File string }

// ReadIndex reads an index of size bytes: {"metadata": {"total_size": n, …}, "weight_map": {name: file, …}, …}. What has another
// name is ignored. Names of files that are not plain names are refused, so that an index cannot reach out of its folder. The
// form is that of huggingface_hub, src/huggingface_hub/serialization/_torch.py and _base.py at 122aa5cc. Errors are Malformed,
// Unsupported, Resource for more tensors than the limit, or r's own.
func ReadIndex(r io.ReaderAt, size int64, limit checkpoint.Limit) (*Index, error) {
	if size > maxHeader {
		return nil, fault.New(fault.Unsupported, "an index of %d bytes is larger than 100,000,000", size)
	}
	text := make([]byte, size)
	if err := read(r, text, 0); err != nil {
		return nil, err
	}
	d, err := newDocument("the index", text)
	if err != nil {
		return nil, err
	}
	x := &Index{TotalSize: -1}
	mapped := false
	err = d.object("value", func(key string) error {
		switch key {
		case "metadata":
			return x.readMetadata(d)
		case "weight_map":
			mapped = true
			return x.readMap(d, limit)
		}
		return d.Decode(&ignored{})
	})
	if err == nil && !mapped {
		err = fault.New(fault.Malformed, "the index has no weight_map").
			WithHint("an index is a file like model.safetensors.index.json")
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Index) readMetadata(d document) error {
	return d.object("metadata", func(key string) error {
		if key != "total_size" {
			return d.Decode(&ignored{})
		}
		t, err := d.Token()
		number, ok := t.(json.Number)
		if err != nil || !ok {
			return damaged("the index has a total_size that is not a number")
		}
		x.TotalSize, ok = wholeNumber(number.String())
		if !ok {
			return damaged("the index has the total_size %s, which is no number of bytes", quoted(number.String()))
		}
		return nil
	})
}

// wholeNumber reads an integer of at least 0, also one that was written as a float: some writers have 1.5e10.
func wholeNumber(s string) (int64, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, n >= 0
	}
	x, err := strconv.ParseFloat(s, 64)
	return int64(x), err == nil && x >= 0 && x < 1<<53 && x == math.Trunc(x)
}

func (x *Index) readMap(d document, limit checkpoint.Limit) error {
	known := map[string]struct{}{}
	return d.object("weight_map", func(name string) error {
		if err := limit.Check(uint64(len(x.Tensors))+1, "tensors"); err != nil {
			return err
		}
		file, err := d.text("weight_map")
		if err != nil {
			return err
		}
		if !plain(file) {
			return fault.New(fault.Malformed, "the index places tensor %s in %s, which is no name of a file beside it", quoted(name), quoted(file))
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
