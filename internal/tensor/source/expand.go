package source

import (
	"io"
	"math"
	"path"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/zip"
	"github.com/tlayout/tlayout/internal/words"
)

// Expand returns the sources that a name stands for, each of which Open opens: x.npz stands for its arrays, in the archive's
// order, 'x.npz:conv*' for those whose names match, as Arrays says, and every other name for itself. So do an archive of one
// array and the name of an array that exists. Errors are *fault.Error; fault.Usage if there is no such array.
func Expand(name string, o Options) ([]string, error) {
	p, ok := Locate(name)
	if !ok || !p.Several() {
		return []string{name}, nil
	}
	arrays, err := Arrays(p.Path, p.Member, o)
	if err != nil {
		return nil, err
	}
	return p.expanded(name, arrays)
}

// expanded is what a name stands for that selects these arrays.
func (p Place) expanded(name string, arrays []string) ([]string, error) {
	switch {
	case len(arrays) == 0 && p.Member == "":
		return nil, fault.New(fault.Usage, "%s holds no %ss", words.Quoted(name), p.noun()).WithHint("tlayout inspect lists what it holds")
	case len(arrays) == 0:
		return nil, fault.New(fault.Usage, "%s has no %s that matches %s", words.Quoted(p.Path), p.noun(), words.Quoted(p.Member)).
			WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(p.Path)))
	case len(arrays) == 1 && p.Member == "":
		return []string{name}, nil
	}
	for i, array := range arrays {
		arrays[i] = p.Path + ":" + array
	}
	return arrays, nil
}

// noun is what a container holds: arrays or tensors.
func (p Place) noun() string {
	if p.Archive() {
		return "array"
	}
	return "tensor"
}

// matching returns the names of the checkpoint's tensors that match a pattern as Arrays says, and of those that it has but does not show.
func (k *Checkpoint) matching(pattern string) (names, refused []string, err error) {
	if pattern != "" && k.has(pattern) {
		return []string{pattern}, nil, nil
	}
	for _, r := range k.Refused {
		matched, err := Matches(pattern, r.Name)
		if err != nil {
			return nil, nil, err
		}
		if matched {
			refused = append(refused, r.Name)
		}
	}
	names, err = k.names(pattern, math.MaxInt)
	return names, refused, err
}

// Place is what the name of a container, or of tensors of one, says: x.npz:conv*.
type Place struct {
	Path   string            // x.npz
	Member string            // conv*: the name of a tensor, or a pattern; empty for the container itself
	Format checkpoint.Format // of the container; "" where nothing but a request to a server tells it
}

// Archive reports whether the container is an archive of arrays, .npz.
func (p Place) Archive() bool { return p.Format == checkpoint.NPZ }

// Several reports whether the name may stand for several tensors.
func (p Place) Several() bool { return p.Member == "" || isPattern(p.Member) }

// Locate tells a container and what of it a name is. ok is false if the name is of neither: a file here that is no container, whatever its
// name, or another name. Of a container elsewhere its name decides, because its bytes would take a request.
func Locate(name string) (p Place, ok bool) {
	if p, ok := splitPlace(name); ok {
		if p.Format == "" { // its name told that it is a container
			found, _ := located(p.Path)
			p.Format = found.Format
		}
		return p, true
	}
	return located(name)
}

// HoldsTensors reports whether the bytes of a file here are those of a .npy file or of a container. An index is not: its tensors are in
// other files.
func HoldsTensors(path string) bool {
	b, err := openInput(path)
	if err != nil {
		return false
	}
	defer b.Close()
	if is, err := b.readsNpy(); err != nil || is {
		return err == nil
	}
	format, err := b.containerFormat("") // by its bytes alone
	return err == nil && format != ""
}

// located is Locate of a name without a member.
func located(path string) (p Place, ok bool) {
	p.Path = path
	if NamesArchive(path) {
		p.Format = checkpoint.NPZ
	}
	if IsRemote(path) {
		return p, namesContainer(path) && !endsIn(path, ".bin")
	}
	b, err := openInput(path)
	if err != nil {
		return p, namesContainer(path) // the error comes when it is used
	}
	defer b.Close()
	format, err := b.containerFormat(path)
	if err != nil {
		return p, namesContainer(path) // likewise
	}
	p.Format = format
	return p, format != ""
}

// Arrays returns the names of an archive's arrays, in its order and each once; archive:name opens one. A pattern selects:
// the array of that name if there is one, otherwise those that match it as in path.Match, where * matches a slash too.
func Arrays(archive, pattern string, o Options) (names []string, err error) {
	c, err := openContainer(archive, o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return matching(c, pattern)
}

// matching is what Arrays returns.
func matching(c container, pattern string) ([]string, error) {
	if pattern != "" && c.has(pattern) {
		return []string{pattern}, nil
	}
	return c.names(pattern, math.MaxInt)
}

// arraysOf returns at most limit names.
func arraysOf(a *npz.Archive, pattern string, limit int) (names []string, err error) {
	seen, full := map[string]bool{}, map[string]bool{}
	for _, m := range a.Members {
		full[m.Name] = true
	}
	for _, m := range a.Members {
		name := npz.Key(m)
		if full[name] {
			name = m.Name // without .npy it is another member's name
		}
		matched, err := Matches(pattern, npz.Key(m))
		if err != nil {
			return nil, err
		}
		if !matched || seen[name] || !isArray(a, m) {
			continue
		}
		seen[name] = true
		if names = append(names, name); len(names) == limit {
			break
		}
	}
	return names, nil
}

// isArray reports whether a member is an array: by its name, or by how it begins.
func isArray(a *npz.Archive, m zip.Member) bool {
	if strings.HasSuffix(m.Name, ".npy") || m.Name == RecordName {
		return m.Name != RecordName
	}
	r, err := a.Content(m)
	if err != nil {
		return false
	}
	var head [len(npyMagic)]byte
	n, _ := io.ReadFull(r, head[:]) // what cannot be read is no array
	return string(head[:n]) == npyMagic
}

// isPattern reports whether a name has characters that path.Match gives a meaning.
func isPattern(name string) bool { return strings.ContainsAny(name, `*?[\`) }

// Matches reports whether a name matches a pattern as in path.Match, where * matches a slash too; every name matches "". Errors are
// fault.Usage.
func Matches(pattern, name string) (bool, error) {
	if pattern == "" {
		return true, nil
	}
	flat := func(s string) string { return strings.ReplaceAll(s, "/", "\x00") } // so that * matches it
	ok, err := path.Match(flat(pattern), flat(name))
	if err != nil {
		return false, fault.New(fault.Usage, "%s is not a pattern", words.Quoted(pattern)).WithHint(`* matches any characters, ? one, [a-c] one of these`)
	}
	return ok, nil
}

// SplitTensor splits x.npz:name into the container and the rest; ok is false of all other names. It reads no file.
func SplitTensor(name string) (path, member string, ok bool) { return splitMember(name) }
