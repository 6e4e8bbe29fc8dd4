package convert

import (
	"fmt"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/torch"
	"github.com/tlayout/tlayout/internal/words"
)

// torchFile is a PyTorch checkpoint as output. Its storages are those of the source, whole or cut to what is used, and one for each
// tensor whose elements move; tensors that are the same view stay one.
type torchFile struct {
	*whole
	place    *torch.Placement
	tensors  []checkpoint.Tensor
	contents []content
}

// content is where the bytes of a storage are from: a tensor that is emitted, or a cut of a storage of the source.
type content struct {
	piece int // -1 for a cut
	cut   checkpoint.Cut
	old   int
	bytes int64
}

func (w *whole) newTorch() (sink, error) {
	f := &torchFile{whole: w}
	if w.model.pickled() {
		f.keepStorages()
	} else {
		f.giveStorages()
	}
	sizes := make([]int64, len(f.contents))
	used := make([]bool, len(sizes))
	for _, t := range f.tensors {
		used[t.Storage] = true
	}
	for i, c := range f.contents {
		if sizes[i] = c.bytes; used[i] {
			f.storageBytes += c.bytes
		}
	}
	w.align = int64(alignOr(w.options.align, 64))
	var err error
	if f.place, err = torch.Place(f.tensors, sizes, int(w.align)); err != nil {
		return nil, err
	}
	w.size = f.place.Size()
	return f, nil
}

// giveStorages gives each tensor a storage of its own: those of safetensors, GGUF and .npy share none.
func (f *torchFile) giveStorages() {
	for i := range f.pieces {
		p := &f.pieces[i]
		t := p.tensor
		t.Storage, t.View.Offset = i, 0
		t.View = f.viewOf(i)
		f.tensors = append(f.tensors, t)
		f.contents = append(f.contents, content{piece: i, bytes: int64(t.View.Numel()) * int64(t.Type.ItemSize())})
	}
}

// viewOf is a piece as it is in a storage of its own.
func (f *torchFile) viewOf(i int) (v tensor.Strided) {
	p := &f.pieces[i]
	if !p.converted && !p.moved {
		v = f.model.view(i)
		v.Offset = 0
		return v
	}
	v, _ = p.target.Layout.Strided()
	return v
}

// keepStorages leaves tensors that do not move where they are. Storages that others moved out of, and with --compact all, are cut
// to what is left in them.
func (f *torchFile) keepStorages() {
	m := f.model
	rest := &checkpoint.Container{Storages: m.storages}
	touched := make([]bool, len(m.storages))
	moved := map[string]int{} // the new storage of a view
	var stays []int
	f.tensors, f.contents = make([]checkpoint.Tensor, len(f.pieces)), make([]content, len(m.storages))
	for i := range f.pieces {
		p := &f.pieces[i]
		t := p.tensor
		if !p.moved {
			if p.converted { // only strides of dims of one index differ, or their order
				offset := t.View.Offset
				t.View, _ = p.target.Layout.Strided()
				t.View.Offset = offset
			}
			rest.Tensors, stays = append(rest.Tensors, t), append(stays, i)
			continue
		}
		touched[t.Storage] = true
		key := fmt.Sprint(t.Storage, t.Type, t.View, p.target.Layout)
		s, again := moved[key]
		if !again {
			s = len(f.contents)
			moved[key] = s
			f.contents = append(f.contents, content{piece: i, bytes: p.bytes()})
		}
		t.Storage, t.View = s, f.viewOf(i)
		f.tensors[i] = t
	}
	compacted := checkpoint.Compact(rest)
	if _, kept := compacted.Saves(rest); f.options.compact && kept > 0 {
		f.lost = append(f.lost, fmt.Sprintf("%s stay unused, between elements of overlapping views", words.Bytes(kept)))
	}
	for s, storage := range m.storages {
		f.contents[s] = content{-1, checkpoint.Cut{Bytes: storage.Bytes, Parts: []checkpoint.Part{{Run: storage.Bytes}}}, s, storage.Bytes}
		if touched[s] || f.options.compact {
			f.contents[s].cut, f.contents[s].bytes = compacted.Storages[s], compacted.Storages[s].Bytes
		}
	}
	for k, i := range stays {
		f.tensors[i] = rest.Tensors[k]
		if s := rest.Tensors[k].Storage; touched[s] || f.options.compact {
			f.tensors[i] = compacted.Tensors[k]
		}
	}
	f.parted(m)
}

// parted warns of tensors that shared a part of a storage and do not any more.
func (f *torchFile) parted(m *model) {
	for _, group := range checkpoint.Overlapping(m.tensors) {
		apart := slices.ContainsFunc(group, func(i int) bool { return f.tensors[i].Storage != f.tensors[group[0]].Storage })
		if apart {
			f.lost = append(f.lost, fmt.Sprintf("%s shared a part of a storage, and do not any more: they are different views, of which one at least was moved or swapped", f.someNames(group)))
		}
	}
}

// duplicates warns of tensors that share a part of a storage, which the output's container cannot hold.
func (w *whole) duplicates(format string) {
	for _, group := range checkpoint.Overlapping(w.model.tensors) {
		w.lost = append(w.lost, fmt.Sprintf("%s share a part of a storage, which %s cannot say: they are written once each", w.someNames(group), format))
	}
}

// someNames are the first names of some tensors.
func (w *whole) someNames(indices []int) string {
	names := make([]string, len(indices))
	for k, i := range indices {
		names[k] = w.pieces[i].tensor.Name
	}
	return firstNames(names)
}

// firstNames are the first of some names, and how many more there are: a, b, c and 4 more.
func firstNames(names []string) string {
	const shown = 3
	text := ""
	for k, name := range names {
		switch {
		case k == shown:
			return text + fmt.Sprintf(" and %d more", len(names)-k)
		case k > 0:
			text += ", "
		}
		text += words.Quote(words.Cut(name, 60))
	}
	return text
}

func (f *torchFile) write() error {
	return f.draft(f.storageBytes, func(file *publish.File, bar func(int)) error {
		return f.place.WriteBy(file, func(storage int, out io.Writer) error {
			c := &f.contents[storage]
			if c.piece >= 0 {
				return f.emit(c.piece, out, bar)
			}
			counted := writerFunc(func(b []byte) (int, error) {
				bar(len(b))
				return out.Write(b)
			})
			old := f.model.storage(c.old)
			if parts := c.cut.Parts; len(parts) == 1 && len(parts[0].Counts) == 0 && parts[0].At == 0 {
				block := f.block(window / 2)
				defer f.free(block)
				_, err := io.CopyBuffer(counted, io.NewSectionReader(old, parts[0].From, parts[0].Run), block)
				return err
			}
			return c.cut.Copy(counted, old)
		}, f.each)
	})
}
