package tensorio

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/layout"
)

// Safetensors is a file in the safetensors format, whose tensors are read one by one. It may be used by several goroutines if its io.ReaderAt
// may.
type Safetensors struct {
	file io.ReaderAt
	held *checkpoint.Container
}

// NewSafetensors reads the header of a file of size bytes. The error is [ErrFormat] if it breaks the format.
func NewSafetensors(r io.ReaderAt, size int64) (*Safetensors, error) {
	held, err := safetensors.Open(r, size, checkpoint.DefaultLimit)
	if err != nil {
		return nil, refusal(err)
	}
	return &Safetensors{r, held}, nil
}

// Names returns the names of the tensors, in the order of the file.
func (s *Safetensors) Names() []string {
	names := make([]string, len(s.held.Tensors))
	for i := range names {
		names[i] = s.held.Tensors[i].Name
	}
	return names
}

// Metadata returns the texts of the file, by their keys.
func (s *Safetensors) Metadata() map[string]string {
	texts := make(map[string]string, len(s.held.Metadata))
	for _, e := range s.held.Metadata {
		texts[e.Key] = e.Value
	}
	return texts
}

// Tensor reads a tensor, which is in row-major order. Errors are [ErrNoTensor], and [ErrFormat] for elements that are not whole bytes.
func (s *Safetensors) Tensor(name string) (layout.Tensor, error) {
	at := slices.IndexFunc(s.held.Tensors, func(t checkpoint.Tensor) bool { return t.Name == name })
	if at < 0 {
		for _, refused := range s.held.Refused {
			if refused.Name == name {
				return layout.Tensor{}, fmt.Errorf("%w: tensor %s: %s", ErrFormat, checkpoint.Quoted(name), refused.Why)
			}
		}
		return layout.Tensor{}, fmt.Errorf("%w: %s", ErrNoTensor, checkpoint.Quoted(name))
	}
	t := &s.held.Tensors[at]
	l, err := layout.Parse("c", t.Shape()...)
	if err != nil {
		return layout.Tensor{}, refusal(err)
	}
	place := s.held.Storages[t.Storage]
	data := make([]byte, place.Bytes) // NewSafetensors compared it with the size of the file
	if _, err := io.ReadFull(io.NewSectionReader(s.file, place.At, place.Bytes), data); err != nil {
		return layout.Tensor{}, err
	}
	return layout.Tensor{DType: t.Type.String(), Layout: l, Data: data}, nil
}

// WriteSafetensors writes tensors by their names, each in row-major order, and texts, which may be nil. Wider elements come first, so that all
// are aligned.
func WriteSafetensors(w io.Writer, tensors map[string]layout.Tensor, metadata map[string]string) error {
	items := make([]safetensors.Item, 0, len(tensors))
	for name, t := range tensors {
		d, err := dtype.ParseTyped(t.DType)
		if err == nil {
			err = t.Check()
		}
		if err != nil {
			return fmt.Errorf("tensor %s: %w", checkpoint.Quoted(name), err)
		}
		items = append(items, safetensors.Item{Name: name, Type: d, Shape: t.Layout.Shape()})
	}
	slices.SortFunc(items, func(a, b safetensors.Item) int {
		return cmp.Or(cmp.Compare(b.Type.ItemSize(), a.Type.ItemSize()), cmp.Compare(a.Name, b.Name))
	})
	var texts []checkpoint.Entry
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		texts = append(texts, checkpoint.Entry{Key: key, Value: metadata[key]})
	}
	header, err := safetensors.NewHeader(items, texts, 0)
	if err != nil {
		return err
	}
	if _, err := header.WriteTo(w); err != nil {
		return err
	}
	for _, item := range items {
		t, err := tensors[item.Name].RowMajor()
		if err != nil {
			return fmt.Errorf("tensor %s: %w", checkpoint.Quoted(item.Name), err)
		}
		if _, err := w.Write(t.Data); err != nil {
			return err
		}
	}
	return nil
}
