package source

import (
	"io"
	"math"
	"path"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/zip"
	"github.com/tlayout/tlayout/internal/words"
)

// Expand returns the sources that a name stands for, each of which Open opens: x.npz stands for its arrays, in the archive's
// order, 'x.npz:conv*' for those whose names match, as Arrays says, and every other name for itself. So do an archive of one
// array and the name of an array that exists. Errors are *fault.Error; fault.Usage if there is no such array.
func Expand(name string, o Options) ([]string, error) {
	archive, member, ok := SplitArchive(name)
	if !ok || member != "" && !isPattern(member) {
		return []string{name}, nil
	}
	arrays, err := Arrays(archive, member, o)
	if err != nil {
		return nil, err
	}
	return expanded(name, archive, member, arrays)
}

// expanded is what a name stands for that selects these arrays.
func expanded(name, archive, member string, arrays []string) ([]string, error) {
	switch {
	case len(arrays) == 0 && member == "":
		return nil, fault.New(fault.Usage, "%s holds no %ss", words.Quoted(name), nounOf(archive)).WithHint("tlayout inspect lists what it holds")
	case len(arrays) == 0:
		return nil, fault.New(fault.Usage, "%s has no %s that matches %s", words.Quoted(archive), nounOf(archive), words.Quoted(member)).
			WithHint("tlayout inspect %s lists them", words.Shell(words.Quote(archive)))
	case len(arrays) == 1 && member == "":
		return []string{name}, nil
	}
	for i, array := range arrays {
		arrays[i] = archive + ":" + array
	}
	return arrays, nil
}

// nounOf is what a container holds: arrays or tensors.
func nounOf(path string) string {
	if NamesArchive(path) {
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

// SplitArchive splits x.npz:name into the archive and the rest, which is empty for x.npz itself. ok is false if the name
// does not stand for an archive, or there is a file of that name that is none.
func SplitArchive(name string) (archive, member string, ok bool) {
	if archive, member, ok = splitMember(name); ok {
		return archive, member, true
	}
	if !namesContainer(name) {
		return "", "", false
	}
	if IsRemote(name) {
		return name, "", !endsIn(name, ".bin") // which would take a request
	}
	b, err := openInput(name)
	if err != nil {
		return name, "", true // the error comes when it is used
	}
	defer b.Close()
	if NamesArchive(name) {
		is, err := b.readsNpy()
		return name, "", err != nil || !is // likewise
	}
	format, err := b.checkpointFormat(name)
	return name, "", err != nil || format != ""
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
