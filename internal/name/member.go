package name

import (
	"iter"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/text"
)

// Endings of containers, whose tensors a colon and a name may follow: x.npz:w. A file's bytes decide what it is, its ending only where they do not.
const (
	archiveEnding = ".npz"
	indexEnding   = ".index.json" // of a sharded checkpoint's index
)

// checkpointEndings are common for checkpoints of PyTorch, safetensors, llama.cpp, ONNX and Zarr.
var checkpointEndings = []string{".safetensors", ".pt", ".pth", ".ckpt", ".bin", ".gguf", ".onnx", ".pt2", ".zarr", ".tflite", ".ptd", indexEnding}

var containerEndings = append([]string{archiveEnding}, checkpointEndings...)

// Endings returns the endings of source files' names, without dots.
func Endings() []string {
	return []string{"npy", "npz", "pt", "pth", "ckpt", "bin", "safetensors", "gguf", "onnx", "pt2", "zarr", "tflite", "ptd", "nii", "nrrd", "json"}
}

// IsArchive reports whether the name ends in .npz.
func (n Name) IsArchive() bool { return n.EndsIn(archiveEnding) }

// IsIndex reports whether the name ends as a sharded checkpoint's index does.
func (n Name) IsIndex() bool { return n.EndsIn(indexEnding) }

// IsContainer reports whether the name has the ending of a container.
func (n Name) IsContainer() bool { return n.EndsIn(containerEndings...) }

// NamesTensors reports whether the endings are those of a container or of one of its tensors. A plain .bin may also be raw bytes and does not
// count.
func (n Name) NamesTensors() bool {
	if n.IsContainer() && !n.EndsIn(".bin") {
		return true
	}
	for i := n.hostEnd(); i < len(n.raw); i++ {
		if n.raw[i] == ':' && (Name{n.raw[:i], n.kind}).IsContainer() {
			return true
		}
	}
	return false
}

// LooksLikeFile reports whether an argument is a source, not a coordinate, step or layout: it contains .npy or .npz in any case, or names a
// checkpoint or a tensor of one.
func (n Name) LooksLikeFile() bool {
	lower := strings.ToLower(n.raw)
	return n.IsStdin() || strings.Contains(lower, ".npy") || strings.Contains(lower, ".npz") || n.NamesTensors()
}

// Completes returns the name as a word that completes what was typed; ok is false if it does not, or is not safe to print.
func (n Name) Completes(typed string) (word string, ok bool) {
	return n.raw, strings.HasPrefix(n.raw, typed) && text.Quote(n.raw) == n.raw
}

// Member returns the name of a tensor in a container: x.npz:w of x.npz.
func (n Name) Member(tensor string) Name { return Name{n.raw + ":" + tensor, n.kind} }

// MemberOf returns the name of a tensor in its container; ok is false if it is none of that container.
func (n Name) MemberOf(container Name) (tensor string, ok bool) {
	return strings.CutPrefix(n.raw, container.raw+":")
}

// Splits yields each way to read the name as a container and what selects tensors in it: x.npz and conv* of x.npz:conv*. The colons of a URL's host
// and query are none.
func (n Name) Splits() iter.Seq2[Name, string] {
	return func(yield func(container Name, member string) bool) {
		path, query := n.cutQuery()
		inQuery := -1
		if query != "" {
			inQuery = len(path) + 1 + text.TensorIn(query[1:])
		}
		for i := n.hostEnd(); i < len(n.raw); i++ {
			if n.raw[i] != ':' || i > len(path) && i != inQuery {
				continue
			}
			if !yield(Name{n.raw[:i], n.kind}, n.raw[i+1:]) {
				return
			}
		}
	}
}

// Resolve decides what x:y is: a file of that name, or the tensor y of the container x, a name with the ending of a container, a file or a folder. It
// reads no file.
func (n Name) Resolve() (container Name, member string, ok bool) {
	if !strings.Contains(n.raw, ":") || !n.IsRemote() && n.Exists() {
		return n, "", false
	}
	for container, member := range n.Splits() {
		if container.IsContainer() || container.isHere() {
			return container, member, true
		}
	}
	return n, "", false
}

// isHere reports whether there is a regular file or a folder of that name on this machine.
func (n Name) isHere() bool { return !n.IsRemote() && (n.IsFile() || n.IsFolder()) }

// Typed returns the text of an argument that may be a layout, (2,3):(5,1), or a number in place of a name; "" for a URL, which is neither.
func (n Name) Typed() string {
	if n.IsRemote() {
		return ""
	}
	return n.raw
}

// IsPattern reports whether a name, or a part of it, has characters that path.Match gives a meaning.
func IsPattern(name string) bool { return strings.ContainsAny(name, wildcards+`\`) }

// wildcards are the characters of patterns of files.
const wildcards = "*?["

// IsPattern reports whether the name may be a pattern of files, or of tensors.
func (n Name) IsPattern() bool { return IsPattern(n.raw) }

// FirstWildcard returns the index of the first character of a pattern of files in a path with slashes; -1 without one.
func FirstWildcard(path string) int { return strings.IndexAny(path, wildcards) }

// objectWildcards are those of patterns of objects: a question mark begins a URL's query.
const objectWildcards = "*["

// IsObjectPattern reports whether a URL may be a pattern of objects.
func (n Name) IsObjectPattern() bool { return FirstObjectWildcard(n.WithoutQuery().raw) >= 0 }

// FirstObjectWildcard returns the index of the first character of a pattern in a key; -1 without one.
func FirstObjectWildcard(key string) int { return strings.IndexAny(key, objectWildcards) }

// HasEnding reports whether a file in a folder has one of the endings, in any case, after a stem.
func HasEnding(file string, endings []string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool {
		at := len(file) - len(ending)
		return at > 0 && strings.EqualFold(file[at:], ending)
	})
}
