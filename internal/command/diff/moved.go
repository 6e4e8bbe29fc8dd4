package diff

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// findMoved replaces pairs of tensors that only one side has each, of one type and shape and with the same elements, by one that
// has moved. Of all others that only one side has, those are read whose type and shape the other side has too.
func (b *tensors) findMoved(r *tensorsReport, moving convert.Options) {
	var only [2][]string
	for _, one := range r.Tensors {
		if i := slices.Index(sideNames[:], one.OnlyIn); i >= 0 {
			only[i] = append(only[i], one.Name)
		}
	}
	if len(only[0]) == 0 || len(only[1]) == 0 {
		return
	}
	moving.Done = nil
	alike := b.alike(only, likenessOf)
	for i := range only {
		only[i] = slices.Concat(slices.Collect(maps.Values(alike[i]))...)
	}
	alike = b.alike(only, func(t *source.Tensor) (string, error) { return contentOf(t, moving) })
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

// alike groups tensors by a key that both sides have, each list from the end of the names: w of model.a before w of model.b. One that cannot
// be opened or read stays where only one side has it.
func (b *tensors) alike(names [2][]string, keyOf func(*source.Tensor) (string, error)) (groups [2]map[string][]string) {
	for i := range groups {
		groups[i] = map[string][]string{}
		for _, name := range names[i] {
			file := b.sources[i][name]
			t, err := b.options.openers[i].open(file, b.options.reading(b.app, i, file))
			if err != nil {
				continue
			}
			if key, err := keyOf(t); err == nil {
				groups[i][key] = append(groups[i][key], name)
			}
			t.Close()
		}
		for _, names := range groups[i] {
			slices.SortFunc(names, func(a, b string) int { return strings.Compare(reversed(a), reversed(b)) })
		}
	}
	for i := range groups {
		maps.DeleteFunc(groups[i], func(key string, _ []string) bool { return groups[1-i][key] == nil })
	}
	return groups
}

// reversed is a name with its bytes from the last to the first.
func reversed(s string) string {
	p := []byte(s)
	slices.Reverse(p)
	return string(p)
}

// likenessOf is what a tensor has in common with itself under another name, whatever its elements.
func likenessOf(t *source.Tensor) (string, error) {
	return fmt.Sprint(t.DType.Typestr(), t.DType, t.Layout.Shape()), nil
}

var seed = maphash.MakeSeed()

// maxRepeats bounds how many times as many bytes as its storage a broadcast tensor may have to be hashed.
const maxRepeats = 64

// cached is a tensor that is read again soon.
type cached struct{ *source.Tensor }

// Forget keeps what was read.
func (cached) Forget(int, int) {}

// contentOf is the likeness of a tensor with a hash of its elements in C order, whatever the layout.
func contentOf(t *source.Tensor, o convert.Options) (string, error) {
	size := t.DType.ItemSize()
	data, err := t.Data()
	if err != nil {
		return "", err
	}
	if t.Layout.Numel()/maxRepeats > len(data)/max(1, size) {
		return "", errors.New("repeats too many elements")
	}
	packed, err := tensor.Packed(t.Layout.Shape())
	if err != nil {
		return "", err
	}
	dst, err := packed.Layout(t.Layout.Names(), packed.Numel())
	if err != nil {
		return "", err
	}
	plan, err := convert.NewPlan(dst, t.Layout, size)
	if err != nil {
		return "", err
	}
	o.Disk = cached{t}
	var h maphash.Hash
	h.SetSeed(seed)
	const memory = 1 << 20
	err = t.Guard(func() error { return plan.Write(&h, data, nil, memory, o) })
	likeness, _ := likenessOf(t)
	return fmt.Sprint(likeness, h.Sum64()), err
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
