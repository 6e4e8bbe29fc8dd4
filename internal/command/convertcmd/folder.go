package convertcmd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

// placeFolder plans a folder with one .npy file per tensor. Its items are these files.
func (j *job) placeFolder() (*placement, error) {
	p := &placement{}
	taken := names{map[string]string{}, map[string]string{}}
	var opaque []int
	for i := range j.tasks {
		k := &j.tasks[i]
		name, err := k.fileName()
		if err != nil {
			return nil, err
		}
		if err := taken.take(name); err != nil {
			return nil, err
		}
		if err := k.refuseMisnamed(); err != nil {
			return nil, err
		}
		if unspelled(k.dtype) {
			opaque = append(opaque, i)
		}
		placed, err := placeArray(k)
		if err != nil {
			return nil, fault.In(text.Quoted(text.Cut(k.name, 200)), err)
		}
		p.items = append(p.items, placed.items[0])
		p.size = p.size + placed.size
		p.data = p.data + placed.size
	}
	j.duplicates("a folder of .npy files")
	if len(opaque) > 0 {
		j.lost = append(j.lost, fmt.Sprintf(".npy cannot record %s (dtype of %s): pass --dtype when reading",
			j.tasks[opaque[0]].dtype, j.someNames(opaque)))
	}
	return p, nil
}

// fileName returns the path of a tensor's file below the folder: a/b becomes a/b.npy.
func (k *task) fileName() (string, error) {
	for part := range strings.SplitSeq(k.name, "/") {
		if !isFileName(part) {
			return "", fault.New(fault.Unsupported, "%s is not a valid file name", text.Quoted(text.Cut(k.name, 200))).
				WithHint("write .npz, which allows any name, or %s", leaveOut(k.name))
		}
	}
	return k.name + ".npy", nil
}

// isFileName reports whether a file on any system can have this name, and is shown.
func isFileName(part string) bool {
	if part == "" || len(part) > 250 {
		return false
	}
	if strings.HasPrefix(part, ".") || strings.ContainsAny(part, `\:*?"<>|`) {
		return false
	}
	return text.Quote(part) == part
}

// names are files below a folder whose names differ from each other and from their folders, regardless of case.
type names struct {
	files   map[string]string // by name in lower case
	folders map[string]string // a file in each folder, by its name in lower case
}

// take adds a name, or returns an error if its file would collide with another.
func (n *names) take(name string) error {
	lower := strings.ToLower(name)
	if other, ok := n.files[lower]; ok {
		if other != name {
			return fault.New(fault.Unsupported, "%s and %s differ only in case, which some file systems ignore",
				text.Quoted(other), text.Quoted(name)).WithHint("%s", bothInArchive)
		}
		return fault.New(fault.Unsupported, "two tensors would be written to %s", text.Quoted(name)).WithHint("%s", bothInArchive)
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

// fileAndFolder is the error for a file with the name of another file's folder.
func fileAndFolder(file, inside string) error {
	return fault.New(fault.Unsupported, "%s would be both a file and the folder of %s", text.Quoted(file), text.Quoted(inside)).
		WithHint("%s", bothInArchive)
}

// writeFolder writes the files in parallel, one at a time per thread; each appears once it is complete. It writes none unless all outputs are
// allowed.
func (j *job) writeFolder(bar func(bytes int)) error {
	top := j.out.path
	if err := j.checkFolder(); err != nil || j.options.dryRun {
		j.done.outputs = len(j.tasks)
		return err
	}
	if !store.Is(top) {
		lastFolder := ""
		for i := range j.tasks {
			if dir := path.Dir(j.tasks[i].name); dir != lastFolder {
				if err := publish.MakeFolder(top, dir); err != nil {
					return err
				}
				lastFolder = dir
			}
		}
	}
	return convert.Parallel(j.threads(), len(j.tasks), unguarded, func(int) func(int) error {
		return func(i int) error {
			it := j.place.items[i]
			file := &placement{items: []item{it}, size: int64(len(it.header)) + it.task.bytes()}
			return j.writeFile(top.Join(it.task.name+".npy"), file, j.tasks[i:i+1], bar)
		}
	})
}

// checkFolder refuses outputs that exist (without --force or --update), are inputs, or are not regular files.
func (j *job) checkFolder() error {
	top := j.out.path
	existing, err := listResults(top)
	if err != nil {
		return err
	}
	for i := range j.tasks {
		below := j.tasks[i].name + ".npy"
		file := top.Join(below)
		if _, exists := slices.BinarySearch(existing.in(path.Dir(below)), path.Base(below)); !exists {
			continue
		}
		if err := j.inputs.Refuse(file); err != nil {
			return err
		}
		if !j.options.replaces() {
			return resultExists(file)
		}
		if !store.Is(top) {
			if err := publish.Replaceable(file); err != nil {
				return err
			}
		}
		if j.options.update && j.options.dryRun {
			if err := j.countKept(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// countKept counts an existing output if --update keeps it.
func (j *job) countKept(n name.Name) error {
	file, err := j.create(n, 0)
	if err != nil {
		return err
	}
	defer file.Discard()
	j.count(file, 0)
	return nil
}
