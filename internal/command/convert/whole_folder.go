package convert

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// npyFolder is a folder of .npy files.
type npyFolder struct {
	*whole
	names []string
	parts []part
}

func (w *whole) newFolder() (sink, error) {
	f := &npyFolder{whole: w}
	taken := names{map[string]string{}, map[string]string{}}
	var opaque []int
	for i := range w.pieces {
		p := &w.pieces[i]
		name, err := p.fileName()
		if err != nil {
			return nil, err
		}
		if err := taken.take(name); err != nil {
			return nil, err
		}
		if named, ok := source.OrderInName(path.Base(name), p.shape()); ok && p.named && named.String() != p.target.Order {
			return nil, fault.New(fault.Usage, "%s would be read as %s, and is %s", words.Quoted(name), named, p.target.Order).
				WithHint("its name ends in a layout that it does not have: write .npz, which records the layout")
		}
		if unspelled(p.tensor.Type) {
			opaque = append(opaque, i)
		}
		made, err := w.newArray(p)
		if err != nil {
			return nil, err
		}
		f.names, f.parts = append(f.names, name), append(f.parts, made)
		w.size += made.bytes
	}
	w.duplicates("a folder of .npy files")
	if len(opaque) > 0 {
		w.lost = append(w.lost, fmt.Sprintf("a .npy file has no name for %s, the dtype of %s: --dtype says it when the file is read",
			w.pieces[opaque[0]].tensor.Type, w.someNames(opaque)))
	}
	return f, nil
}

// names are those of files below a folder that differ whatever the case of letters, from each other and from the folders that they are in.
type names struct {
	files   map[string]string // by the name in lower case
	folders map[string]string // likewise: a file in the folder
}

// take adds a name, or returns an error if its file cannot be beside the others.
func (n *names) take(name string) error {
	lower := strings.ToLower(name)
	if other, ok := n.files[lower]; ok {
		if other != name {
			return fault.New(fault.Unsupported, "%s and %s differ in the case of letters only, which not all file systems tell apart",
				words.Quoted(other), words.Quoted(name)).WithHint("%s", bothInArchive)
		}
		return fault.New(fault.Unsupported, "two files would have the name %s", words.Quoted(name)).WithHint("%s", bothInArchive)
	}
	if inside, ok := n.folders[lower]; ok {
		return fileAndFolder(name, inside)
	}
	for at, c := range name {
		if c != '/' {
			continue
		}
		folder := strings.ToLower(name[:at])
		if file, ok := n.files[folder]; ok {
			return fileAndFolder(file, name)
		}
		n.folders[folder] = name
	}
	n.files[lower] = name
	return nil
}

const bothInArchive = "write .npz, which holds both"

// fileAndFolder is the error of a file whose name is that of the folder of another.
func fileAndFolder(file, inside string) error {
	return fault.New(fault.Unsupported, "%s would be a file, and the folder of %s", words.Quoted(file), words.Quoted(inside)).
		WithHint("%s", bothInArchive)
}

// write writes the files side by side, one at a time on each thread; each appears once it is complete. No file is written unless all may be.
func (f *npyFolder) write() error {
	if err := f.check(); err != nil || f.options.dryRun {
		return err
	}
	if !store.Is(f.out) {
		made := ""
		for _, name := range f.names {
			if dir := path.Dir(name); dir != made {
				if err := publish.MakeFolder(f.out, dir); err != nil {
					return err
				}
				made = dir
			}
		}
	}
	return f.timed(f.size, func(bar func(int)) error {
		return f.each(len(f.names), func(i int) error { return f.writeFile(i, bar) })
	})
}

// check refuses files that exist, without --force and --update, files that are an input, and what is no file: a link, a folder, a pipe.
func (f *npyFolder) check() error {
	there, err := listResults(f.out)
	if err != nil {
		return err
	}
	for _, name := range f.names {
		file := store.Join(f.out, name)
		if _, exists := slices.BinarySearch(there.in(path.Dir(name)), path.Base(name)); !exists {
			continue
		}
		if err := f.options.inputs.Refuse(file); err != nil {
			return err
		}
		if !f.options.replaces() {
			return resultExists(file)
		}
		if !store.Is(f.out) {
			if err := publish.Replaceable(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeFile writes one file.
func (f *npyFolder) writeFile(i int, bar func(int)) error {
	header, path := f.parts[i].header, store.Join(f.out, f.names[i])
	file, err := f.options.create(path, f.parts[i].bytes)
	if err != nil {
		return err
	}
	defer file.Discard()
	if file.UpToDate() {
		f.count(file)
		return nil
	}
	if _, err := file.WriteAt(header, 0); err != nil {
		return err
	}
	bar(len(header))
	if err := f.emit(i, &at{file: file, at: int64(len(header))}, bar); err != nil {
		return err
	}
	if f.options.verify {
		if err := f.verifyFile(file, i, path); err != nil {
			return err
		}
	}
	return f.finish(file)
}
