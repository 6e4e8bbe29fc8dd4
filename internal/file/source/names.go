package source

import (
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// splitPattern splits x.npz:conv* into the container and the pattern, unless there is a file of that name. The part before the colon must be a
// container by its name, or by its bytes: then b is the file opened to read them. Without a pattern, path is the name.
func splitPattern(n name.Name, o Options) (path name.Name, pattern string, b input.File) {
	if !n.IsRemote() && n.Exists() {
		return n, "", nil
	}
	for container, member := range n.Splits() {
		if container.IsContainer() || IsFolder(container) {
			return container, member, nil
		}
		b = probe(container, o)
		if b != nil {
			return container, member, b
		}
	}
	return n, "", nil
}

// probe opens a local file if its bytes are those of a container, or of .npy arrays, which have numbers.
func probe(n name.Name, o Options) input.File {
	if n.IsRemote() || !n.IsFile() {
		return nil
	}
	b, err := input.Open(n, o.files())
	if err != nil {
		return nil
	}
	format, err := Recognize(b, n)
	if err == nil && format != "" {
		return b
	}
	b.Close()
	return nil
}

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

// Files returns the names of the files and objects that opening a source reads.
func Files(n name.Name) []name.Name {
	path, _, _ := n.Resolve()
	if !path.IsIndex() && !path.EndsIn(".onnx", ".hdr", ".nhdr") && !IsFolder(path) {
		return []name.Name{path}
	}
	s, _, err := Open(path, Options{MaxTensors: checkpoint.MaxLimit})
	if err != nil {
		return []name.Name{path}
	}
	defer s.Close()
	return s.Reads()
}
