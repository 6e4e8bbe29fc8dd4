package source

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/text"
)

// IsRemote reports whether a name is a URL of any scheme.
func IsRemote(name string) bool { return text.Scheme(name) != "" }

// Base returns the last part of a path, or of a URL without its query.
func Base(name string) string {
	if IsRemote(name) {
		name = text.URLPath(name)
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return filepath.Base(name)
}

// sibling returns the path of a file in the same folder as another.
func sibling(path, name string) string {
	if !IsRemote(path) {
		return filepath.Join(filepath.Dir(path), name)
	}
	base, query, hasQuery := strings.Cut(path, "?")
	base = base[:strings.LastIndexByte(base, '/')+1] + name
	if hasQuery {
		return base + "?" + query
	}
	return base
}

// splitPattern splits x.npz:conv* into the container and the pattern, unless there is a file of that name. The part before the colon
// must be a container by its name, or by its bytes: then b is the file opened to read them. Without a pattern, path is the name.
func splitPattern(name string, o Options) (path, pattern string, b input.File) {
	if !IsRemote(name) && exists(name) {
		return name, "", nil
	}
	base := text.URLPath(name)
	_, query, _ := strings.Cut(name[len(base):], "?")
	member := len(name) - len(query) + text.TensorIn(query)
	for i := hostEnd(name); i < len(name); i++ {
		if name[i] != ':' || i > len(base) && i != member {
			continue
		}
		path = name[:i]
		if namesContainer(path) {
			return path, name[i+1:], nil
		}
		b = probe(path, o)
		if b != nil {
			return path, name[i+1:], b
		}
	}
	return name, "", nil
}

// probe opens a local file if its bytes are those of a container, or of .npy arrays, which have numbers.
func probe(path string, o Options) input.File {
	if info, err := os.Stat(path); IsRemote(path) || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	b, err := input.Open(path, o.files())
	if err != nil {
		return nil
	}
	if format, err := Recognize(b, path); err == nil && format != "" {
		return b
	}
	b.Close()
	return nil
}

// SplitTensor splits x.npz:name into the container and the rest; ok is false for all other names.
func SplitTensor(name string) (path, member string, ok bool) {
	path, member, b := splitPattern(name, Options{})
	if b != nil {
		b.Close()
	}
	return path, member, path != name
}

// hostEnd returns the index after a URL's host and port, before which a colon does not start a pattern; 0 for other names.
func hostEnd(name string) int {
	if !IsRemote(name) {
		return 0
	}
	begin := strings.Index(name, "://") + 3
	if at := strings.IndexByte(name[begin:], '/'); at >= 0 {
		return begin + at
	}
	return len(name)
}

// exists reports whether there is a file of that name.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// containerEndings end the names of containers, in any case; a colon and the name of a tensor may follow.
var containerEndings = append([]string{archiveSuffix}, checkpointEndings...)

// checkpointEndings are common for checkpoints of PyTorch, safetensors and llama.cpp. A file's bytes decide its format.
var checkpointEndings = []string{".safetensors", ".pt", ".pth", ".ckpt", ".bin", ".gguf", indexEnding}

// indexEnding ends the name of a sharded checkpoint's index.
const indexEnding = ".index.json"

// Endings returns the endings of source files' names, without dots.
func Endings() []string {
	return []string{"npy", "npz", "pt", "pth", "ckpt", "bin", "safetensors", "gguf", "json"}
}

// namesContainer reports whether a name has the ending of a container.
func namesContainer(name string) bool { return endsIn(name, containerEndings...) }

// NamesTensor reports whether a name's endings are those of a container or of one of its tensors. A plain .bin may also be raw bytes
// and does not count.
func NamesTensor(name string) bool {
	if namesContainer(name) && !endsIn(name, ".bin") {
		return true
	}
	for i := hostEnd(name); i < len(name); i++ {
		if name[i] == ':' && namesContainer(name[:i]) {
			return true
		}
	}
	return false
}

// endsIn reports whether a name ends in one of the endings, in any case.
func endsIn(name string, endings ...string) bool {
	name = text.URLPath(name)
	for _, ending := range endings {
		if at := len(name) - len(ending); at >= 0 && strings.EqualFold(name[at:], ending) {
			return true
		}
	}
	return false
}

// IsPattern reports whether a name has characters that path.Match gives a meaning.
func IsPattern(name string) bool { return strings.ContainsAny(name, `*?[\`) }

// Matches reports whether a name matches a pattern as in path.Match, where * matches a slash too; every name matches "". Errors are
// fault.Usage.
func Matches(pattern, name string) (bool, error) {
	if pattern == "" {
		return true, nil
	}
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") } // so that * also matches a slash
	ok, err := path.Match(flat(pattern), flat(name))
	if err != nil {
		return false, fault.New(fault.Usage, "invalid pattern %s", text.Quoted(pattern)).WithHint(`* matches any characters, ? one, [a-c] one of a to c`)
	}
	return ok, nil
}

// Patterns select tensors by name.
type Patterns []string

// Add adds a pattern. Errors are those of Matches, and a fault.Usage for "": a variable of a script may be unset.
func (p *Patterns) Add(pattern string) error {
	if pattern == "" {
		return fault.New(fault.Usage, "the pattern is empty")
	}
	_, err := Matches(pattern, "")
	*p = append(*p, pattern)
	return err
}

// Match reports whether a name matches one of the patterns, as in Matches; without patterns none does.
func (p Patterns) Match(name string) bool {
	return slices.ContainsFunc(p, func(pattern string) bool { return matches(pattern, name) })
}

// Selects reports whether the patterns select a name: without patterns, every name.
func (p Patterns) Selects(name string) bool { return len(p) == 0 || p.Match(name) }

// Idle returns the first pattern that matches none of the names, or "".
func (p Patterns) Idle(names []string) string {
	for _, pattern := range p {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			return pattern
		}
	}
	return ""
}

// matches is Matches for a pattern that is valid.
func matches(pattern, name string) bool {
	ok, _ := Matches(pattern, name)
	return ok
}

// archiveSuffix ends the name of an archive, in any case; a colon and the name of a member may follow.
const archiveSuffix = ".npz"

// NamesArchive reports whether a name ends in .npz, in any case.
func NamesArchive(name string) bool { return endsIn(name, archiveSuffix) }

// Files returns the names of the files and objects that opening a source reads.
func Files(name string) []string {
	path := name
	if file, _, isMember := SplitTensor(name); isMember {
		path = file
	}
	if !endsIn(path, indexEnding) {
		return []string{path}
	}
	s, _, err := Open(path, Options{MaxTensors: checkpoint.MaxLimit})
	if err != nil {
		return []string{path}
	}
	defer s.Close()
	return s.Reads()
}
