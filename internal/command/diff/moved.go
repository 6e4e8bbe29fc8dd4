package diff

import (
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/text"
)

// findMoved replaces two tensors that only one side has each by one that moved, if their types, shapes and elements are equal. It reads
// only tensors whose type and shape occur on both sides.
func (d *differ) findMoved(all []tensorReport) []tensorReport {
	var names [2][]string
	for _, one := range all {
		if i := slices.Index(sideNames[:], one.OnlyIn); i >= 0 {
			names[i] = append(names[i], one.Name)
		}
	}
	if len(names[0]) == 0 || len(names[1]) == 0 {
		return all
	}
	alike := d.alike(names, likenessOf)
	for i := range names {
		names[i] = slices.Concat(slices.Collect(maps.Values(alike[i]))...)
	}
	alike = d.alike(names, d.contentOf)
	to, gone := map[string]string{}, map[string]bool{}
	for key, ofA := range alike[0] {
		ofB := alike[1][key]
		for n := range min(len(ofA), len(ofB)) {
			to[ofA[n]] = ofB[n]
		}
	}
	for i, was := range all {
		name, ok := to[was.Name]
		if !ok || was.outcome != onlyInA {
			continue
		}
		if one, err := d.compareNamed(was.Name, name); err == nil && one.Equal { // hashes may collide
			one.outcome, one.MovedTo, one.MovedRaw = moved, &name, text.RawBytes(name)
			all[i], gone[name] = one, true
		}
	}
	return slices.DeleteFunc(all, func(one tensorReport) bool { return one.outcome == onlyInB && gone[one.Name] })
}

// alike groups tensors by keys that both sides have, each group sorted by reversed name: w of model.a before w of model.b. It skips
// unreadable tensors.
func (d *differ) alike(names [2][]string, keyOf func(*source.Tensor) (string, error)) (groups [2]map[string][]string) {
	for i, in := range d.inputs {
		groups[i] = map[string][]string{}
		for _, name := range names[i] {
			t, err := in.open(in.sources[name])
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

// reversed returns a string with its bytes in reverse order.
func reversed(s string) string {
	p := []byte(s)
	slices.Reverse(p)
	return string(p)
}

// likenessOf returns a key of a tensor's type and shape.
func likenessOf(t *source.Tensor) (string, error) {
	return fmt.Sprint(t.DType.Typestr(), t.DType, t.Layout.Shape()), nil
}

var seed = maphash.MakeSeed()

// maxRepeats bounds the size of a broadcast tensor, as a multiple of its storage: larger ones are not hashed.
const maxRepeats = 64

// cached is a tensor whose pages stay in memory, because it is read again soon.
type cached struct{ *source.Tensor }

// Forget does nothing, unlike that of source.Tensor.
func (cached) Forget(int, int) {}

// contentOf returns the likeness of a tensor with a hash of its elements in C order, whatever the layout.
func (d *differ) contentOf(t *source.Tensor) (string, error) {
	size := t.DType.ItemSize()
	data, err := t.Data()
	if err != nil {
		return "", err
	}
	if t.Layout.Numel()/maxRepeats > len(data)/max(1, size) {
		return "", errors.New("broadcasts too many elements")
	}
	to, err := notation.RowMajor(t.Layout.Names()).Bind(t.Layout.Shape())
	if err != nil {
		return "", err
	}
	plan, err := convert.NewPlan(to, t.Layout, size)
	if err != nil {
		return "", err
	}
	o := d.moving
	o.Disk = cached{t}
	var h maphash.Hash
	h.SetSeed(seed)
	const memory = 1 << 20
	err = t.Guard(func() error { return plan.Write(&h, data, nil, memory, o) })
	likeness, _ := likenessOf(t)
	return fmt.Sprint(likeness, h.Sum64()), err
}
