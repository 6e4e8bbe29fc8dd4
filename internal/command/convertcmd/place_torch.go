package convertcmd

import (
	"fmt"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// storages are the storages of a PyTorch checkpoint to be written, and its tensors, which are views of them: those of the source, whole or cut to the
// used parts, and one per tensor whose elements move. Tensors that were the same view share one.
type storages struct {
	tensors []checkpoint.Tensor
	items   []item
	sizes   []int64
}

func (s *storages) add(it item, bytes int64) (storage int) {
	s.items = append(s.items, it)
	s.sizes = append(s.sizes, bytes)
	return len(s.items) - 1
}

// placeTorch plans a PyTorch checkpoint.
func (j *job) placeTorch() (*placement, error) {
	var s storages
	if j.in.origin == pickles {
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
	var written []int // indices of storages
	for storage, at := range place.Storages() {
		it := s.items[storage]
		it.at = at
		p.items = append(p.items, it)
		p.data = p.data + s.sizes[storage]
		written = append(written, storage)
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

// view returns the tensor as the only one in its storage.
func (k *task) view() tensor.Strided {
	v, _ := k.target.Layout.Strided()
	v.Offset = 0
	return v
}

// keepStorages keeps tensors that do not move in their storages. Storages that lost a tensor, and with --compact all, are cut to what the remaining
// ones use.
func (j *job) keepStorages(s *storages) {
	tensors := j.in.views()
	old := j.in.set.Storages
	rest := &checkpoint.Container{Storages: old}
	touched := make([]bool, len(old))
	moved := map[string]int{} // from a view to its new storage
	var stays []int
	s.tensors = make([]checkpoint.Tensor, len(tensors))
	s.items = make([]item, len(old))
	s.sizes = make([]int64, len(old))
	for i, t := range tensors {
		k := &j.tasks[i]
		t.Type = k.dtype
		if !k.action.moves() {
			if k.action == inPlace { // only the strides of dims of size 1 differ, or their order
				offset := t.View.Offset
				t.View = k.view()
				t.View.Offset = offset
			}
			rest.Tensors = append(rest.Tensors, t)
			stays = append(stays, i)
			continue
		}
		touched[t.Storage] = true
		key := fmt.Sprint(t.Storage, t.Type, t.View, k.target.Layout)
		to, again := moved[key]
		if !again {
			to = s.add(item{task: k}, k.bytes())
			moved[key] = to
		}
		t.Storage = to
		t.View = k.view()
		s.tensors[i] = t
	}
	compacted := checkpoint.Compact(rest)
	if _, kept := compacted.Saves(rest); j.options.compact && kept > 0 {
		j.lost = append(j.lost, fmt.Sprintf("%s between elements of overlapping views stay unused", text.Bytes(kept)))
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
			j.lost = append(j.lost, fmt.Sprintf("%s no longer share storage: at least one was converted", j.someNames(group)))
		}
	}
}

// duplicates warns about tensors that share storage, which the output's container cannot express.
func (j *job) duplicates(format string) {
	for _, group := range checkpoint.Overlapping(j.in.views()) {
		j.lost = append(j.lost, fmt.Sprintf("%s share storage; %s cannot express that, so each is written separately", j.someNames(group), format))
	}
}

// someNames returns the first names of some tasks.
func (j *job) someNames(indices []int) string {
	names := make([]string, len(indices))
	for k, i := range indices {
		names[k] = j.tasks[i].name
	}
	return checkpoint.Names(names...)
}
