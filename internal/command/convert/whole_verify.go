package convert

import (
	"bytes"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// verify reads the draft as the output will be read: it must have the same tensors under the same names, each with the shape and
// strides that were decided, and every element at the address that its layout's formula gives.
func (w *whole) verify(file *publish.File) error {
	if w.format == checkpoint.NPZ {
		return fault.In("verify", w.verifyArchive(file))
	}
	k, err := source.OpenDraftCheckpoint(w.out, file.Draft())
	if err != nil {
		return fault.In("verify", err)
	}
	defer k.Close()
	if len(k.Tensors) != len(w.pieces) || len(k.Refused) > 0 {
		return fault.New(fault.Negative, "verify: the result has %d tensors, not %d", len(k.Tensors), len(w.pieces))
	}
	for i := range w.pieces {
		if err := w.verifyTensor(k, i); err != nil {
			return fault.In("verify: "+words.Quoted(words.Cut(w.pieces[i].tensor.Name, 200)), err)
		}
	}
	return nil
}

func (w *whole) verifyTensor(k *source.Checkpoint, i int) error {
	p, found := &w.pieces[i], k.Tensors[i]
	if found.Name != p.tensor.Name {
		return fault.New(fault.Negative, "it is called %s", words.Quoted(words.Cut(found.Name, 200)))
	}
	again, err := k.OpenTensor(i, w.out, source.Options{})
	if err != nil {
		return err
	}
	defer again.Close()
	if w.format != checkpoint.Torch {
		return w.compare(p, again, found.View.Shape, p.target.Layout)
	}
	names := p.from.Names()
	if p.converted {
		names = p.target.Layout.Names()
	}
	l, err := found.View.Layout(names, tensor.Unbounded)
	if err != nil {
		return err
	}
	want, _ := p.target.Layout.Strided()
	if p.converted && !slices.Equal(found.View.Strides, want.Strides) {
		return fault.New(fault.Negative, "its strides are %s, not %s", tensor.Tuple(found.View.Strides), tensor.Tuple(want.Strides))
	}
	if !p.converted {
		return w.compare(p, again, nil, l)
	}
	return w.compare(p, again, found.View.Shape, l)
}

func (w *whole) verifyArchive(file *publish.File) error {
	drafts, err := source.NewDraftOpener(w.out, file.Draft())
	if err != nil {
		return err
	}
	defer drafts.Close()
	for i := range w.pieces {
		name := w.out + ":" + w.memberName(&w.pieces[i]) + ".npy"
		again, err := drafts.Open(name, source.Options{})
		if err != nil {
			return err
		}
		if err := w.verifyStored(&w.pieces[i], again); err != nil {
			return fault.In(words.Quoted(words.Cut(name, 200)), err)
		}
	}
	return nil
}

// verifyFile reads one .npy file of a folder.
func (f *npyFolder) verifyFile(file *publish.File, i int, name string) error {
	again, err := source.OpenDraftTensor(name, file.Draft(), source.Options{})
	if err == nil {
		err = f.verifyStored(&f.pieces[i], again)
	}
	return fault.In("verify: "+words.Quoted(name), err)
}

// verifyStored compares an array as it is stored.
func (w *whole) verifyStored(p *piece, again *source.Tensor) error {
	defer again.Close()
	if again.Header.Fortran != p.target.Fortran {
		return fault.New(fault.Negative, "its order is not the one that was written")
	}
	return w.compare(p, again, again.Header.Shape, p.target.Layout)
}

// compare compares every element; shape is nil if that is not decided by the target.
func (w *whole) compare(p *piece, again *source.Tensor, shape []int, l tensor.Layout) error {
	size := p.tensor.Type.ItemSize()
	same := bytes.Equal
	if p.swap > 0 {
		same = func(want, got []byte) bool {
			for at := 0; at < size; at += p.swap {
				for k := range p.swap {
					if want[at+k] != got[at+p.swap-1-k] {
						return false
					}
				}
			}
			return true
		}
	}
	if found := again.DType; !found.Equal(p.tensor.Type) && (w.format != checkpoint.Folder || found.ItemSize() != size) {
		return fault.New(fault.Negative, "its elements are %s, not %s", found, p.tensor.Type)
	}
	if shape != nil && !slices.Equal(shape, p.shape()) {
		return fault.New(fault.Negative, "its shape is %s, not %s", tensor.Tuple(shape), tensor.Tuple(p.shape()))
	}
	err := w.take(p.index, func(t *source.Tensor) error {
		want, err := t.Data()
		if err != nil {
			return err
		}
		got, err := again.Data()
		if err != nil {
			return err
		}
		return again.Guard(func() error {
			dims := sameDims(p.from.Names(), l.Names())
			for coord, s := range p.from.Logical() {
				d := l.At(permuted(coord, dims)...)
				if !same(want[s*size:(s+1)*size], got[d*size:(d+1)*size]) {
					return fault.New(fault.Negative, "element %s differs", tensor.Tuple(coord))
				}
			}
			return nil
		})
	})
	if err == nil {
		w.mu.Lock()
		w.done.verified++
		w.mu.Unlock()
	}
	return err
}
