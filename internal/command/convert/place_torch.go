package convert

import (
	"fmt"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/torch"
	"github.com/tlayout/tlayout/internal/words"
)

// storages are those of a PyTorch checkpoint to be written, and its tensors, which are views of them. They are those of the source, whole or
// cut to what is used, and one for each tensor whose elements move; tensors that are the same view stay one.
type storages struct {
	tensors []checkpoint.Tensor
	items   []item
	sizes   []int64
}

func (s *storages) add(it item, bytes int64) (storage int) {
	s.items, s.sizes = append(s.items, it), append(s.sizes, bytes)
	return len(s.items) - 1
}

// placeTorch is a PyTorch checkpoint.
func (j *job) placeTorch() (*placement, error) {
	var s storages
	if j.in.set.Format.Pickled() {
		j.keepStorages(&s)
	} else {
		for i := range j.tasks {
			k := &j.tasks[i]
			t := checkpoint.Tensor{Name: k.name, Type: k.dtype, View: k.view(), Encoding: k.tensor.Encoding}
			t.Storage = s.add(item{task: k}, int64(t.View.Numel())*int64(t.Type.ItemSize()))
			s.tensors = append(s.tensors, t)
		}
	}
	p := &placement{align: int64(j.options.alignOr(64)), sum: true}
	place, err := torch.Place(s.tensors, s.sizes, int(p.align))
	if err != nil {
		return nil, err
	}
	var written []int // storages
	for storage, at := range place.Storages() {
		it := s.items[storage]
		it.at = at
		p.items, p.data, written = append(p.items, it), p.data+s.sizes[storage], append(written, storage)
	}
	p.size = place.Size()
	p.frame = func(file io.WriterAt, sums []uint32) error {
		of := make([]uint32, len(s.items))
		for i, storage := range written {
			of[storage] = sums[i]
		}
		return place.Frame(file, of)
	}
	return p, nil
}

// view is the tensor in a storage of its own.
func (k *task) view() tensor.Strided {
	v, _ := k.target.Layout.Strided()
	v.Offset = 0
	return v
}

// keepStorages leaves tensors that do not move where they are. Storages that others moved out of, and with --compact all, are cut
// to what is left in them.
func (j *job) keepStorages(s *storages) {
	tensors, old := j.in.views(), j.in.set.Storages
	rest := &checkpoint.Container{Storages: old}
	touched := make([]bool, len(old))
	moved := map[string]int{} // the new storage of a view
	var stays []int
	s.tensors, s.items, s.sizes = make([]checkpoint.Tensor, len(tensors)), make([]item, len(old)), make([]int64, len(old))
	for i, t := range tensors {
		k := &j.tasks[i]
		t.Type = k.dtype
		if !k.moved {
			if k.converted { // only strides of dims of one index differ, or their order
				offset := t.View.Offset
				t.View = k.view()
				t.View.Offset = offset
			}
			rest.Tensors, stays = append(rest.Tensors, t), append(stays, i)
			continue
		}
		touched[t.Storage] = true
		key := fmt.Sprint(t.Storage, t.Type, t.View, k.target.Layout)
		to, again := moved[key]
		if !again {
			to = s.add(item{task: k}, k.bytes())
			moved[key] = to
		}
		t.Storage, t.View = to, k.view()
		s.tensors[i] = t
	}
	compacted := checkpoint.Compact(rest)
	if _, kept := compacted.Saves(rest); j.options.compact && kept > 0 {
		j.lost = append(j.lost, fmt.Sprintf("%s stay unused, between elements of overlapping views", words.Bytes(kept)))
	}
	for n, storage := range old {
		cut := checkpoint.Cut{Bytes: storage.Bytes, Parts: []checkpoint.Part{{Run: storage.Bytes}}}
		if touched[n] || j.options.compact {
			cut = compacted.Storages[n]
		}
		s.items[n], s.sizes[n] = item{cut: cut, storage: n}, cut.Bytes
	}
	for n, i := range stays {
		s.tensors[i] = rest.Tensors[n]
		if at := rest.Tensors[n].Storage; touched[at] || j.options.compact {
			s.tensors[i] = compacted.Tensors[n]
		}
	}
	for _, group := range checkpoint.Overlapping(tensors) {
		if slices.ContainsFunc(group, func(i int) bool { return s.tensors[i].Storage != s.tensors[group[0]].Storage }) {
			j.lost = append(j.lost, fmt.Sprintf("%s shared a part of a storage, and do not any more: they are different views, of which one at least was moved or swapped", j.someNames(group)))
		}
	}
}

// duplicates warns of tensors that share a part of a storage, which the output's container cannot hold.
func (j *job) duplicates(format string) {
	for _, group := range checkpoint.Overlapping(j.in.views()) {
		j.lost = append(j.lost, fmt.Sprintf("%s share a part of a storage, which %s cannot say: they are written once each", j.someNames(group), format))
	}
}

// someNames are the first names of some tasks.
func (j *job) someNames(indices []int) string {
	names := make([]string, len(indices))
	for k, i := range indices {
		names[k] = j.tasks[i].name
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
