package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// DescribedSchema is the schema of a Description.
const DescribedSchema = "tlayout/tensor/v1"

// Description is a tensor in another program's memory, as a JSON document. Tensors that share a storage have the same storage id.
type Description struct {
	Schema  string `json:"schema"`
	Name    string `json:"name,omitempty" jsonschema:"any; optional for a single tensor"`
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Strides []int  `json:"strides" jsonschema:"or in bytes, as unit says"`
	// unit of a described tensor's strides and offset: elements or bytes, of which values below a byte have one each
	Unit    string             `json:"unit"`
	Offset  int                `json:"storage_offset" jsonschema:"or in bytes, as unit says"`
	Storage DescriptionStorage `json:"storage"` // the memory that the tensor is a view of
}

// DescriptionStorage is the memory that a tensor is a view of.
type DescriptionStorage struct {
	ID     string `json:"id"`
	NBytes int64  `json:"bytes"`
	Device string `json:"device,omitempty" jsonschema:"cpu if it is left out; meta has no memory"` // PyTorch's device: cpu, cuda:0, mps
}

// maxDescribed limits the size of descriptions, in bytes.
const maxDescribed = 64 << 20

// ReadTensors reads consecutive descriptions and returns their size in bytes. shown names the source in messages. Unknown or missing names in a
// document, and tensors outside their storage, are fault.Malformed; more documents than the limit are fault.Resource.
func ReadTensors(shown string, r io.Reader, limit checkpoint.Limit) (c *checkpoint.Container, size int64, err error) {
	all := described{Container: &checkpoint.Container{Format: checkpoint.JSON}, names: map[string]bool{}, storages: map[string]int{}}
	in := &io.LimitedReader{R: r, N: maxDescribed + 1}
	d := json.NewDecoder(in)
	d.DisallowUnknownFields()
	for n := 1; ; n++ {
		var x Description
		err := d.Decode(&x)
		if in.N == 0 {
			return nil, 0, fault.New(fault.Resource, "%s has more than %s of JSON", shown, text.Bytes(maxDescribed)).WithHint("describe fewer tensors at once")
		}
		if errors.Is(err, io.EOF) {
			if n == 1 {
				return nil, 0, fault.New(fault.Malformed, "%s has no JSON document", shown).WithHint("%s", describedHint)
			}
			return all.Container, maxDescribed + 1 - in.N, nil
		}
		if err != nil {
			return nil, 0, fault.New(fault.Malformed, "%s, document %d: %s", shown, n, problem(err)).WithHint("%s", describedHint)
		}
		if err := limit.Check(uint64(n), "tensors"); err != nil {
			return nil, 0, fault.In(shown, err)
		}
		if err := all.add(x); err != nil {
			return nil, 0, fault.In(fmt.Sprintf("%s, document %d", shown, n), err)
		}
	}
}

const describedHint = `{"schema":"tlayout/tensor/v1","name":"w","dtype":"float32","shape":[2,3],"strides":[3,1],"unit":"elements","storage_offset":0,"storage":{"id":"0","bytes":24}}`

// described collects the tensors read so far.
type described struct {
	*checkpoint.Container
	names    map[string]bool
	storages map[string]int // by id
}

// malformed is the error for a description that breaks the format.
func malformed(format string, args ...any) error {
	return fault.New(fault.Malformed, format, args...).WithHint("%s", describedHint)
}

// check refuses values that no description may have.
func (x Description) check() error {
	if x.Schema != DescribedSchema {
		return malformed("schema is %s, expected %s", text.Quoted(text.Cut(x.Schema, 60)), DescribedSchema)
	}
	if x.Shape == nil || x.Strides == nil {
		return malformed("missing shape or strides")
	}
	if len(x.Shape) > tensor.MaxRank {
		return fault.New(fault.Unsupported, "%d dims exceed the supported maximum, %d", len(x.Shape), tensor.MaxRank)
	}
	if x.Unit != "elements" && x.Unit != "bytes" {
		return malformed("unit is %s, expected elements or bytes", text.Quoted(text.Cut(x.Unit, 60)))
	}
	if x.Storage.ID == "" {
		return malformed("missing storage.id")
	}
	if x.Offset < 0 {
		return malformed("invalid offset %d", x.Offset)
	}
	if x.Storage.NBytes < 0 {
		return malformed("invalid storage.bytes %d", x.Storage.NBytes)
	}
	return nil
}

// add adds a tensor.
func (s *described) add(x Description) error {
	if err := x.check(); err != nil {
		return err
	}
	if s.names[x.Name] {
		return malformed("two tensors are named %s", text.Quoted(text.Cut(x.Name, 60)))
	}
	t, err := dtype.ParseTyped(x.DType)
	if err != nil {
		return err
	}
	if x.Unit == "bytes" {
		t = t.AsUnpacked() // strides cannot be those of values that share bytes
	}
	view, err := x.view(t)
	if err != nil {
		return err
	}
	described := checkpoint.Tensor{Name: x.Name, Type: t, View: view}
	if low, high := described.Extent(); !view.Empty() && (low < 0 || high > x.Storage.NBytes) {
		return malformed("the tensor spans bytes %d to %d of a storage of %d", low, high, x.Storage.NBytes)
	}
	described.Storage, err = s.storage(x.Storage)
	if err != nil {
		return err
	}
	s.names[x.Name] = true
	s.Tensors = append(s.Tensors, described)
	return nil
}

// storage returns the index of a storage, adding it when it is first described.
func (s *described) storage(d DescriptionStorage) (int, error) {
	i, known := s.storages[d.ID]
	if !known {
		i = len(s.Storages)
		s.storages[d.ID] = i
		s.Storages = append(s.Storages, checkpoint.Storage{ID: d.ID, Bytes: d.NBytes, Device: d.Device})
		return i, nil
	}
	if s.Storages[i].Bytes != d.NBytes {
		return 0, malformed("storage %s has %d bytes here and %d before", text.Quoted(text.Cut(d.ID, 60)), d.NBytes, s.Storages[i].Bytes)
	}
	return i, nil
}

// view returns the tensor's view, in elements.
func (x Description) view(t dtype.Type) (tensor.Strided, error) {
	size := t.ItemSize()
	if x.Unit == "bytes" {
		for i, n := range append(append([]int{}, x.Strides...), x.Offset) {
			if size == 0 || n%size != 0 {
				return tensor.Strided{}, fault.New(fault.Unsupported, "%d bytes are not a multiple of the itemsize %d: strides %s, offset %d", n, size,
					tensor.Tuple(x.Strides), x.Offset)
			}
			if i < len(x.Strides) {
				x.Strides[i] /= size
			} else {
				x.Offset /= size
			}
		}
	}
	s, err := tensor.NewStrided(x.Shape, x.Strides, x.Offset)
	if err != nil {
		return s, err
	}
	l, err := s.Layout(nil, tensor.Unbounded)
	if err != nil {
		return s, err
	}
	return s, l.CheckBytes(size, t)
}
