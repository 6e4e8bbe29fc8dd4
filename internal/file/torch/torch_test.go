package torch

import (
	"bytes"
	"fmt"
	"github.com/tlayout/tlayout/internal/random"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// answer is what testdata/checkpoints.py says.
type answer struct {
	Kind, Why   string
	File        []byte
	WeightsOnly *bool `json:"weights_only"`
	Tensors     []struct {
		Name, Dtype   string
		Shape, Stride []int
		Offset        int
		Group         int
		Nbytes        int64
		Data          []byte
	}
}

// TestTorch: of random checkpoints that PyTorch saved, with views, ties, all types, protocols 0 to 5, as zip, legacy and
// TorchScript, state_dicts, modules and optimizers, with arrays of NumPy among them, the list of tensors is that of PyTorch: names, types, shapes, strides,
// offsets, which share a storage, its size, and the elements.
func TestTorch(t *testing.T) {
	o := oracle.Torch(t, "checkpoints.py")
	n, first := oracle.Cases(t, 200), int(random.Seed(t))
	ahead := make(chan bool, 100) // questions: a pipe full of them would not be taken within the oracle's patience
	go func() {
		for seed := first; seed < first+n; seed++ {
			ahead <- true
			fmt.Fprintln(o, seed)
		}
		o.Close()
	}()
	tensors, kinds, unswapped := 0, map[string]int{}, 0
	for seed := first; seed < first+n; seed++ {
		var a answer
		if err := o.Read(&a); err != nil {
			t.Fatal(seed, err)
		}
		<-ahead
		if err := compare(a); err != nil {
			t.Errorf("seed %d, %s: %v", seed, a.Kind, err)
		}
		tensors += len(a.Tensors)
		kinds[a.Kind]++
		for _, x := range a.Tensors {
			if strings.HasSuffix(a.Kind, " big") && slices.Contains(untypedNames, x.Dtype) {
				unswapped++
				break
			}
		}
	}
	t.Logf("%d files, %d tensors: %v; %d with tensors whose bytes torch.load does not swap", n, tensors, kinds, unswapped)
}

func compare(a answer) error {
	c, err := Open(bytes.NewReader(a.File), int64(len(a.File)), checkpoint.MaxLimit)
	if err != nil {
		return err
	}
	if len(c.Refused) > 0 {
		return fmt.Errorf("refused %+v", c.Refused)
	}
	shown := slices.DeleteFunc(slices.Clone(c.Tensors), func(t checkpoint.Tensor) bool { return strings.HasPrefix(t.Name, "CONSTANTS.") })
	if len(shown) != len(a.Tensors) {
		return fmt.Errorf("%d tensors, PyTorch has %d: %+v", len(shown), len(a.Tensors), shown)
	}
	groups, storages := map[int]int{}, map[int]int{}
	for i, want := range a.Tensors {
		got := shown[i]
		if cut, _, ok := strings.Cut(got.Name, "#"); ok {
			got.Name = cut
		}
		if got.Name != want.Name || got.Type.String() != want.Dtype || !slices.Equal(got.View.Shape, want.Shape) ||
			!slices.Equal(got.View.Strides, want.Stride) || got.View.Offset != want.Offset {
			return fmt.Errorf("%+v, PyTorch has %+v", got, want)
		}
		s := c.Storages[got.Storage]
		if s.Bytes != want.Nbytes {
			return fmt.Errorf("%s: a storage of %d bytes, PyTorch has %d", got.Name, s.Bytes, want.Nbytes)
		}
		if want.Group >= 0 {
			if g, ok := storages[got.Storage]; ok && g != want.Group {
				return fmt.Errorf("%s: storage %d is of groups %d and %d", got.Name, got.Storage, g, want.Group)
			}
			if g, ok := groups[want.Group]; ok && g != got.Storage {
				return fmt.Errorf("%s: group %d has storages %d and %d", got.Name, want.Group, g, got.Storage)
			}
			groups[want.Group], storages[got.Storage] = got.Storage, want.Group
		}
		storage := a.File[s.At:][:s.Bytes]
		if s.Inline {
			storage = []byte(s.Data)
		}
		data := gather(storage, got)
		// The storage of uint16, uint32, uint64 and complex32 is one of bytes, which torch.load does not swap in a big-endian machine's file.
		if got.Type.Order() == dtype.Big && (s.Inline || !slices.Contains(untypedNames, got.Type.String())) {
			part := got.Type.ItemSize()
			if got.Type.Kind() == dtype.Complex {
				part /= 2 // torch.load swaps each
			}
			for p := range slices.Chunk(data, part) {
				slices.Reverse(p)
			}
		}
		if !bytes.Equal(data, want.Data) {
			return fmt.Errorf("%s, %s: elements %x, PyTorch has %x", got.Name, got.Type, data, want.Data)
		}
	}
	return compareWeightsOnly(c, a)
}

// acceptedLater is what PyTorch 1.13 refuses with these words and 2.15 accepts; operand 71 is BINFLOAT.
var acceptedLater = []string{"class builtins.complex", "class __builtin__.complex", "class _codecs.encode", "Unsupported operand 71"}

// compareWeightsOnly: our answer is that of torch.load(weights_only=True), but for what 1.13 does not accept yet.
func compareWeightsOnly(c *checkpoint.Container, a answer) error {
	if a.WeightsOnly == nil {
		return nil
	}
	ours := len(c.Opcodes) == 0
	for _, g := range c.Globals {
		ours = ours && g.WeightsOnly
	}
	later := slices.ContainsFunc(acceptedLater, func(what string) bool { return strings.Contains(a.Why, what) })
	if ours != *a.WeightsOnly && !(ours && later) {
		return fmt.Errorf("weights_only %v, PyTorch %v, %s: %v, %v", ours, *a.WeightsOnly, a.Why, c.Globals, c.Opcodes)
	}
	return nil
}

// gather is the elements of a tensor in logical order, by the definition of strides.
func gather(storage []byte, t checkpoint.Tensor) (out []byte) {
	if t.View.Empty() {
		return nil
	}
	size := t.Type.ItemSize()
	index := make([]int, t.View.Rank())
	for {
		at := t.View.Offset
		for d, i := range index {
			at += i * t.View.Strides[d]
		}
		out = append(out, storage[at*size:][:size]...)
		d := len(index) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < t.View.Shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return out
		}
	}
}
