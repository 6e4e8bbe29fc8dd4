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

// folders returns the tensors in the files of two folders, to be compared by the names of the files below these, or those of a container
// and of the folder of its tensors; nil if no source is a folder. The layout in a file's name is no part of it where that leaves names
// apart: x.npy of one folder is x.nhwc.npy of the other.
func (b *tensors) folders() (*tensors, error) {
	var lists [2]*many.List
	count := 0
	for i, name := range b.options.sources {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			continue
		}
		var err error
		if lists[i], err = many.Expand([]string{name}, many.Options{Any: b.options.Raw}); err != nil {
			return nil, err
		}
		count++
	}
	switch count {
	case 0:
		return nil, nil
	case 1:
		return b.besideFolder(lists)
	}
	b.noun = "tensor"
	var times [2]map[string]int
	for i, l := range lists {
		times[i] = map[string]int{}
		for u := range l.All() {
			times[i][bare(u.Rel)]++
		}
	}
	for i, l := range lists {
		b.paths[i] = map[string]string{}
		for u := range l.All() {
			name := bare(u.Rel)
			if times[0][name] > 1 || times[1][name] > 1 {
				name = u.Rel
			}
			b.add(i, name, u.Name)
		}
		if len(b.names[i]) == 0 {
			return nil, fault.New(fault.Resource, "no sources are in %s", words.Quoted(b.options.sources[i]))
		}
	}
	return b, nil
}

// besideFolder returns the tensors of a container and of a folder that has a .npy file for each, as convert -d writes it.
func (b *tensors) besideFolder(lists [2]*many.List) (*tensors, error) {
	folder := 0
	if lists[0] == nil {
		folder = 1
	}
	p, ok := source.Locate(b.options.sources[1-folder])
	if !ok {
		return nil, fault.New(fault.Usage, "cannot compare a directory with a file").
			WithHint("diff compares two directories, or a checkpoint or archive with the directory of its tensors")
	}
	b.places[1-folder] = p
	if err := b.list(1-folder, p.Member); err != nil {
		return nil, err
	}
	b.noun, b.paths[folder] = "tensor", map[string]string{}
	for u := range lists[folder].All() {
		b.add(folder, strings.TrimSuffix(u.Rel, ".npy"), u.Name)
	}
	return b, nil
}

// add adds the tensors of a file. What cannot be read is a name that cannot be opened.
func (b *tensors) add(i int, name, file string) {
	all, err := b.options.openers[i].Expand(file, b.options.Options(b.app))
	if err != nil {
		all = []string{file}
	}
	for _, one := range all {
		key := name + strings.TrimPrefix(one, file)
		b.names[i] = append(b.names[i], key)
		b.paths[i][key] = one
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
