package convertcmd

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
)

// results caches the sorted file names of a folder of results and of the folders below it.
type results struct {
	dir   name.Name
	names map[string][]string // by path below dir, with slashes
}

// listResults lists a whole prefix of an object store at once; local folders are read on demand.
func listResults(dir name.Name) (*results, error) {
	r := &results{dir: dir, names: map[string][]string{}}
	if !store.Is(dir) {
		return r, nil
	}
	prefix := dir.Join("")
	root, err := store.Parse(prefix)
	if err != nil {
		return nil, err
	}
	for info, err := range store.List(prefix) {
		if err != nil {
			return nil, err
		}
		below, name := path.Split(strings.TrimPrefix(info.Key, root.Key))
		below = path.Clean(below)
		r.names[below] = append(r.names[below], name)
	}
	for _, names := range r.names {
		slices.Sort(names)
	}
	return r, nil
}

// folder returns the folder of a unit's result.
func (r *results) folder(u batch.Item) name.Name { return r.dir.Join(path.Dir(u.Rel)) }

// existing returns the existing names that may be the result of a unit: those with its stem, before layout and ending.
func (r *results) existing(u batch.Item) iter.Seq[string] {
	names := r.in(path.Dir(u.Rel))
	begin := stemOf(path.Base(u.Rel))
	if begin != "" {
		begin += "."
	}
	from, _ := slices.BinarySearch(names, begin)
	return func(yield func(string) bool) {
		for _, name := range names[from:] {
			if !strings.HasPrefix(name, begin) || !yield(name) {
				return
			}
		}
	}
}

// in returns the names in a folder below the folder of results.
func (r *results) in(below string) []string {
	names, ok := r.names[below]
	if ok || store.Is(r.dir) {
		return names
	}
	entries, _ := r.dir.Join(below).ReadDir() // if it cannot be read, writing fails with the reason
	for _, e := range entries {               // sorted
		names = append(names, e.Name())
	}
	r.names[below] = names
	return names
}

// stemOf returns what the name of a source's result begins with, before a dot: x for x.nhwc.npy and x.npz:w; empty if unknown.
func stemOf(base string) string {
	file, _, _ := strings.Cut(base, ":")
	return filename.Plain(file)
}

// resultExists is the error for an existing result of a batch without such a flag.
func resultExists(n name.Name) error {
	return store.Exists(n.String()).WithHint("--update skips results that are newer than their sources, --force replaces all")
}
