package diff

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// likeness is what a tensor has in common with itself under another name.
type likeness struct {
	dtype, shape string
	content      uint64 // hash of its bytes in C order; 0 until it is needed
}

// unmatched are tensors of one side by their likeness, each list from the end of the names: w of model.a before w of model.b.
type unmatched map[likeness][]string

// findMoved replaces pairs of tensors that only one side has each, of one type and shape and with the same elements, by one that
// has moved. Of all others that only one side has, those are read whose type and shape the other side has too.
func (b *tensors) findMoved(r *tensorsReport, moving convert.Options) {
	var only [2][]string
	for i := range r.Tensors {
		switch one := &r.Tensors[i]; one.OnlyIn {
		case sideNames[0]:
			only[0] = append(only[0], one.Name)
		case sideNames[1]:
			only[1] = append(only[1], one.Name)
		}
	}
	if len(only[0]) == 0 || len(only[1]) == 0 {
		return
	}
	var alike [2]unmatched
	for i := range alike {
		alike[i] = b.group(i, only[i], func(t *source.Tensor) (likeness, bool) { return likenessOf(t), true })
	}
	for i := range alike { // of those that have no partner nothing is read
		candidates := []string{}
		for key, names := range alike[i] {
			if alike[1-i][key] != nil {
				candidates = append(candidates, names...)
			}
		}
		only[i] = candidates
	}
	moving.Done = nil
	for i := range alike {
		alike[i] = b.group(i, only[i], func(t *source.Tensor) (likeness, bool) {
			key := likenessOf(t)
			var err error
			key.content, err = contentOf(t, moving)
			return key, err == nil
		})
	}
	pairs := map[string]string{}
	for key, names := range alike[0] {
		for n, other := range alike[1][key] {
			if n < len(names) {
				pairs[names[n]] = other
			}
		}
	}
	b.replace(r, pairs, moving)
}

// group opens tensors of side i. One that cannot be opened or read stays where only one side has it.
func (b *tensors) group(i int, names []string, keyOf func(*source.Tensor) (likeness, bool)) unmatched {
	all := unmatched{}
	for _, name := range names {
		t, err := b.options.openers[i].Open(b.source(i, name), b.options.reading(b.app, i))
		if err != nil {
			continue
		}
		if key, ok := keyOf(t); ok {
			all[key] = append(all[key], name)
		}
		t.Close()
	}
	for _, names := range all {
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(reversed(a), reversed(b)) })
	}
	return all
}

// reversed is a name with its bytes from the last to the first.
func reversed(s string) string {
	p := []byte(s)
	slices.Reverse(p)
	return string(p)
}

func likenessOf(t *source.Tensor) likeness {
	return likeness{dtype: t.DType.Typestr() + t.DType.String(), shape: fmt.Sprint(t.Layout.Shape())}
}

var seed = maphash.MakeSeed()

// maxRepeats bounds how many times as many bytes as its storage a broadcast tensor may have to be hashed.
const maxRepeats = 64

// contentOf hashes the elements in C order, whatever the layout.
func contentOf(t *source.Tensor, o convert.Options) (uint64, error) {
	size := t.DType.ItemSize()
	data, err := t.Data()
	if err != nil {
		return 0, err
	}
	if t.Layout.Numel()/maxRepeats > len(data)/max(1, size) {
		return 0, fmt.Errorf("repeats too many elements")
	}
	packed, err := tensor.Packed(t.Layout.Shape())
	if err != nil {
		return 0, err
	}
	dst, err := packed.Layout(t.Layout.Names(), packed.Numel())
	if err != nil {
		return 0, err
	}
	plan, err := convert.NewPlan(dst, t.Layout, size)
	if err != nil {
		return 0, err
	}
	var h maphash.Hash
	h.SetSeed(seed)
	const memory = 1 << 20
	err = t.Guard(func() error { return plan.Write(&h, data, nil, memory, o) })
	return h.Sum64(), err
}

// replace puts one tensor that has moved in the place of two, if its elements are the same indeed.
func (b *tensors) replace(r *tensorsReport, pairs map[string]string, moving convert.Options) {
	gone := map[string]bool{}
	for i := range r.Tensors {
		to, ok := pairs[r.Tensors[i].Name]
		if !ok || r.Tensors[i].OnlyIn != sideNames[0] {
			continue
		}
		one, err := b.compare(r.Tensors[i].Name, to, moving)
		if err != nil || !one.report.Equal {
			continue
		}
		one.MovedTo, one.MovedRaw = &to, words.RawBytes(to)
		r.Tensors[i] = one
		gone[to] = true
	}
	r.Tensors = slices.DeleteFunc(r.Tensors, func(one tensorReport) bool { return one.OnlyIn == sideNames[1] && gone[one.Name] })
}
