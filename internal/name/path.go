package name

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Base returns the last part of a path, or of a URL without its query.
func (n Name) Base() string {
	if !n.IsRemote() {
		return filepath.Base(n.raw)
	}
	path, _ := n.cutQuery()
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Ending returns the extension of Base in lower case, with its dot; "" without one.
func (n Name) Ending() string { return strings.ToLower(n.extension()) }

func (n Name) extension() string {
	path, _ := n.cutQuery()
	return filepath.Ext(path)
}

// WithEnding returns the name with another extension, which has a dot.
func (n Name) WithEnding(ending string) Name {
	path, query := n.cutQuery()
	return Name{strings.TrimSuffix(path, n.extension()) + ending + query, n.kind}
}

// BeforeEnding returns the name with a text before its extension.
func (n Name) BeforeEnding(text string) Name { return n.WithEnding(text + n.extension()) }

// EndsInNpy reports whether the name ends in .npy, in small letters.
func (n Name) EndsInNpy() bool { return strings.HasSuffix(n.raw, ".npy") }

// Stem returns Base without its extension.
func (n Name) Stem() string { return strings.TrimSuffix(n.Base(), n.extension()) }

// EndsIn reports whether the name ends in one of the endings, in any case.
func (n Name) EndsIn(endings ...string) bool {
	path, _ := n.cutQuery()
	for _, ending := range endings {
		at := len(path) - len(ending)
		if at >= 0 && strings.EqualFold(path[at:], ending) {
			return true
		}
	}
	return false
}

// WithBase returns the name with another last part: nothing else is changed.
func (n Name) WithBase(base string) Name {
	if !n.IsRemote() {
		dir, _ := filepath.Split(n.raw)
		return Parse(dir + base)
	}
	path, query := n.cutQuery()
	return Name{path[:n.folderEnd()] + "/" + base + query, n.kind}
}

// Sibling returns the file in the same folder as another, or the object below the same prefix.
func (n Name) Sibling(file string) Name {
	if n.IsRemote() {
		return n.WithBase(file)
	}
	return Parse(filepath.Join(filepath.Dir(n.raw), file))
}

// Parent returns the folder of a path, or the prefix of an object.
func (n Name) Parent() Name {
	if !n.IsRemote() {
		return Parse(filepath.Dir(n.raw))
	}
	path, query := n.cutQuery()
	return Name{path[:n.folderEnd()] + query, n.kind}
}

// folderEnd returns the index of the last slash of a URL's path, or of its end if it is only a host.
func (n Name) folderEnd() int {
	path, _ := n.cutQuery()
	return max(n.hostEnd(), strings.LastIndexByte(path, '/'))
}

// Join returns a file below a folder, or an object below a prefix. The path of the file has slashes.
func (n Name) Join(file string) Name {
	if !n.IsRemote() {
		return Parse(filepath.Join(n.raw, file))
	}
	path, query := n.cutQuery()
	return Name{strings.TrimSuffix(path, "/") + "/" + file + query, n.kind}
}

// IsPath reports whether the name looks like a path, as no word of a command line does.
func (n Name) IsPath() bool {
	return strings.ContainsAny(n.raw, `./\`) && !strings.HasPrefix(n.raw, "-")
}

// EndsInSlash reports whether the name can only be that of a folder or a prefix.
func (n Name) EndsInSlash() bool { return strings.HasSuffix(n.raw, "/") }

// ListFile returns the file of a list: list.txt of @list.txt, standard input of @-.
func (n Name) ListFile() Name { return Parse(strings.TrimPrefix(n.raw, "@")) }

// Clean returns the shortest path of the same file.
func (n Name) Clean() Name {
	if n.IsRemote() {
		return n
	}
	return Parse(filepath.Clean(n.raw))
}

// Plus returns the name with a text behind it.
func (n Name) Plus(ending string) Name {
	path, query := n.cutQuery()
	return Name{path + ending + query, n.kind}
}

// IsDots reports whether the name has only dots and slashes, as that of the working folder has.
func (n Name) IsDots() bool { return strings.Trim(n.raw, "./") == "" }

// MatchesEnding reports whether the name ends as one of the patterns of path.Match, each of which fits endings of its own length, in any case.
func (n Name) MatchesEnding(patterns ...string) bool {
	path, _ := n.cutQuery()
	path = strings.ToLower(path)
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		at := len(path) - len(pattern)
		if at < 0 {
			return false
		}
		ok, _ := filepath.Match(pattern, path[at:]) // the caller's patterns are valid
		return ok
	})
}

// Inside returns the path without the part that leaves the folder: data/x.npy of /data/x.npy and ../data/x.npy; of a URL, that below its host or
// bucket. It has slashes.
func (n Name) Inside() string {
	if !n.IsRemote() {
		return Inside(strings.TrimPrefix(n.raw, filepath.VolumeName(n.raw)))
	}
	_, key, _ := n.Location()
	return Inside(key)
}

// Inside returns a path without the part that leaves its folder, with slashes.
func Inside(file string) string {
	return strings.TrimPrefix(path.Clean("/"+filepath.ToSlash(file)), "/")
}

// IsBeside reports whether no link leads a file out of the folder of another one, or of the folder of the file that the other is a link to: a cache
// of downloads links all files of a model into one. Objects have no links, and a missing file leads nowhere.
func (n Name) IsBeside(other Name) bool {
	if n.IsRemote() {
		return true
	}
	target, err := resolved(n.raw)
	if err != nil {
		return true
	}
	isBelow := func(folder string, err error) bool {
		const separator = string(filepath.Separator)
		return err == nil && strings.HasPrefix(target, strings.TrimSuffix(folder, separator)+separator)
	}
	model, err := resolved(other.raw)
	return isBelow(resolved(filepath.Dir(other.raw))) || isBelow(filepath.Dir(model), err)
}

// resolved returns a path from the root that has no links.
func resolved(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
