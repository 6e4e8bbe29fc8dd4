package diff

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// folders adds the tensors in the files of two folders, to be compared by the names of the files below these, or those of a container
// and of the folder of its tensors; false if no source is a folder. The layout in a file's name is no part of it where that leaves names
// apart: x.npy of one folder is x.nhwc.npy of the other.
func (b *tensors) folders() (bool, error) {
	var lists [2]*many.List
	var err error
	for i, name := range b.options.sources {
		if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
			if lists[i], err = many.Expand([]string{name}, many.Options{Any: b.options.Raw}); err != nil {
				return false, err
			}
		}
	}
	switch {
	case lists[0] != nil && lists[1] != nil:
		err = b.besideEachOther(lists)
	case lists[0] != nil:
		err = b.besideContainer(0, lists[0])
	case lists[1] != nil:
		err = b.besideContainer(1, lists[1])
	default:
		return false, nil
	}
	b.noun = "tensor"
	return true, err
}

// besideEachOther adds the tensors of two folders.
func (b *tensors) besideEachOther(lists [2]*many.List) error {
	var times [2]map[string]int
	for i, l := range lists {
		times[i] = map[string]int{}
		for u := range l.All() {
			times[i][bare(u.Rel)]++
		}
	}
	for i, l := range lists {
		for u := range l.All() {
			name := bare(u.Rel)
			if times[0][name] > 1 || times[1][name] > 1 {
				name = u.Rel
			}
			b.addFile(i, name, u.Name)
		}
		if len(b.names[i]) == 0 {
			return fault.New(fault.Resource, "no sources are in %s", words.Quoted(b.options.sources[i]))
		}
	}
	return nil
}

// besideContainer adds the tensors of folder i, which has a .npy file for each of the container beside it, as convert -d writes it.
func (b *tensors) besideContainer(i int, folder *many.List) error {
	name := b.options.sources[1-i]
	set, pattern, err := b.options.openers[1-i].at(name, b.options.reading(b.app, 1-i, name))
	if err != nil {
		return err
	}
	if !set.IsContainer() {
		return fault.New(fault.Usage, "cannot compare a directory with a file").
			WithHint("diff compares two directories, or a checkpoint or archive with the directory of its tensors")
	}
	if err := b.list(1-i, set, pattern); err != nil {
		return err
	}
	for u := range folder.All() {
		b.addFile(i, strings.TrimSuffix(u.Rel, ".npy"), u.Name)
	}
	return nil
}

// addFile adds the tensors of a file. What cannot be read is a name that cannot be opened.
func (b *tensors) addFile(i int, name, file string) {
	all, err := b.options.openers[i].expand(file, b.options.reading(b.app, i, file))
	if err != nil {
		all = []string{file}
	}
	for _, one := range all {
		b.add(i, name+strings.TrimPrefix(one, file), one)
	}
}

// bare is a file's name without the layout in it.
func bare(rel string) string {
	dir, base := path.Split(rel)
	ext := path.Ext(base)
	if !slices.Contains([]string{".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors"}, ext) {
		return rel
	}
	array := strings.TrimSuffix(base, ext) + ".npy" // of which the layout is told
	if tail := source.Tail(array); len(tail) < len(array) {
		return dir + strings.TrimSuffix(array, tail) + ext
	}
	return rel
}
