package inspect

import (
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

func parsed(name string) dtype.Type {
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return t
}

// randomViews are views of a storage of that many bytes, with gaps, repeats, overlaps and types of several sizes.
func randomViews(r *rand.Rand, bytes int) (all []checkpoint.Tensor) {
	for range r.IntN(4) {
		t := checkpoint.Tensor{Type: parsed("<f4"), View: tensor.Strided{Shape: []int{}, Strides: []int{}}}
		if r.IntN(2) == 0 {
			t.Type = parsed("<i2")
		}
		last, room := 0, bytes/t.Type.ItemSize()
		for range r.IntN(4) {
			size, stride := r.IntN(4), r.IntN(6)
			if r.IntN(8) > 0 {
				size++
			}
			if last+max(0, size-1)*stride < room {
				last += max(0, size-1) * stride
				t.View.Shape, t.View.Strides = append(t.View.Shape, size), append(t.View.Strides, stride)
			}
		}
		t.View.Offset = r.IntN(room - last)
		all = append(all, t)
	}
	return all
}

// TestWasteOf: the bytes that are called unused are those that no element has, by looking at every element.
func TestWasteOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	found := map[bool]int{}
	for n := range 3000 {
		bytes := 8 * (1 + r.IntN(5))
		k := &source.Checkpoint{Container: &checkpoint.Container{Tensors: randomViews(r, bytes), Storages: []checkpoint.Storage{{Bytes: int64(bytes)}}}}
		used := make([]bool, bytes)
		for _, x := range k.Tensors {
			l, err := x.View.Layout(nil, tensor.Unbounded)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range l.Logical() {
				for b := range x.Type.ItemSize() {
					used[at*x.Type.ItemSize()+b] = true
				}
			}
		}
		want, got := int64(0), int64(0)
		for _, u := range used {
			if !u {
				want++
			}
		}
		for _, w := range WasteOf(k) {
			if got += w.Bytes; !w.Exact {
				t.Errorf("case %d: not exact", n)
			}
		}
		if got != want {
			t.Fatalf("case %d: %d bytes unused, expected %d, of %v", n, got, want, k.Tensors)
		}
		found[want > 0]++
	}
	if found[true] < 100 || found[false] < 100 {
		t.Errorf("cases are one-sided: %v", found)
	}
}

// TestWasteOfRefused: what a tensor that is not shown uses is not known, unless others use all.
func TestWasteOfRefused(t *testing.T) {
	view := checkpoint.Tensor{Type: parsed("<f4"), View: tensor.Strided{Shape: []int{2}, Strides: []int{1}}}
	k := &source.Checkpoint{Container: &checkpoint.Container{Tensors: []checkpoint.Tensor{view},
		Storages: []checkpoint.Storage{{Bytes: 16}}, Refused: []checkpoint.Refused{{Name: "s", Storages: []int{0}}}}}
	if all := WasteOf(k); len(all) != 1 || all[0].Exact || all[0].Bytes != 0 {
		t.Errorf("half a storage is a refused tensor's: %v", all)
	}
	k.Storages[0].Bytes = 8
	if all := WasteOf(k); len(all) != 0 {
		t.Errorf("a storage that another tensor fills: %v", all)
	}
}

// TestWasteOfExpanded: elements that repeat are not counted one by one.
func TestWasteOfExpanded(t *testing.T) {
	view := checkpoint.Tensor{Type: parsed("<f4"), View: tensor.Strided{Shape: []int{1 << 25, 2}, Strides: []int{0, 2}}}
	k := &source.Checkpoint{Container: &checkpoint.Container{Tensors: []checkpoint.Tensor{view}, Storages: []checkpoint.Storage{{Bytes: 12}}}}
	if all := WasteOf(k); len(all) != 1 || !all[0].Exact || all[0].Bytes != 4 {
		t.Errorf("two elements of three: %v", all)
	}
}
