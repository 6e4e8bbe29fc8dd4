package batch

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
)

// Options control how names are expanded.
type Options struct {
	Stdin io.Reader // read for name.StdinList
	Null  bool      // names in lists end with a zero byte instead of a newline
	Any   bool      // every file in a folder is a source, whatever its name
	Out   name.Name // the folder of the results, which is not searched; none if zero
}

// Expand lists what names stand for:
//
//	x.npy                 itself, whatever it is
//	DIR                   the sources below that folder, or the folder itself if it is one: a checkpoint in slices
//	'DIR/*/x*.npy'        the files that match, and the sources below folders that match
//	@list.txt, @-         the names in that file, or on standard input, each one of the above except patterns and lists
//	s3://bucket/prefix/   the sources below that prefix; patterns as above, where * matches a slash too
//
// Links to files are followed, even out of the folder, links to folders are not. Names that start with a dot are skipped, unless typed.
// Errors are *fault.Error.
func Expand(names []name.Name, o Options) (*List, error) {
	e := expansion{Options: o, list: &List{}}
	if !o.Out.IsZero() && !o.Out.IsRemote() {
		e.out, _ = o.Out.Stat() // it may not exist yet
	}
	for _, n := range names {
		if err := e.add(n); err != nil {
			return nil, err
		}
	}
	return e.list, nil
}

// IsFolder reports whether a name stands for the sources below it: an existing folder that is not one source, or a prefix of an object store.
func IsFolder(n name.Name) bool {
	if n.IsRemote() {
		return !prefixOf(n).IsZero()
	}
	return n.IsFolder() && !source.IsFolder(n)
}

type expansion struct {
	Options
	list *List
	out  fs.FileInfo
}

// add adds what a typed name stands for.
func (e *expansion) add(n name.Name) error {
	if n.Kind() == name.List && (n == name.StdinList || !n.Exists()) {
		return e.listed(n)
	}
	if n.IsRemote() {
		return e.remote(n)
	}
	if !e.Any && source.IsFolder(n) {
		e.list.Add(Item{Name: n.Clean(), Rel: n.Clean().Base()})
		return nil
	}
	info, err := n.Stat()
	if err == nil && info.IsDir() {
		if err := foreign.Folder(n); err != nil && !e.Any {
			return err
		}
		return e.folder(n.Raw(), len(withSlash(n.Raw())), true)
	}
	if err == nil {
		e.list.Add(Item{n, n.Base(), info.Size()})
		return nil
	}
	if isPattern(n) {
		found, err := e.pattern(n.Raw())
		if found || err != nil {
			return err
		}
	}
	e.list.Add(Item{Name: n, Rel: n.Base()})
	return nil
}

// isPattern reports whether a name may be a file pattern, rather than a pattern of tensors in a container.
func isPattern(n name.Name) bool {
	if name.FirstWildcard(n.Raw()) < 0 {
		return false
	}
	_, _, ofTensors := n.Resolve()
	return !ofTensors
}

// pattern adds the files and folders that match a pattern of paths; found is false if there are none.
func (e *expansion) pattern(pattern string) (found bool, err error) {
	fixed := filepath.ToSlash(pattern)
	fixed = fixed[:strings.LastIndexByte(fixed[:name.FirstWildcard(fixed)], '/')+1]
	matches, _ := filepath.Glob(pattern) // an invalid pattern is a plain name
	matches = slices.DeleteFunc(matches, func(match string) bool { return isHidden(pattern, match) })
	for _, match := range matches {
		info, err := os.Stat(match)
		if err == nil && info.IsDir() {
			err = e.folder(match, len(fixed), true)
			if err != nil {
				return true, err
			}
			continue
		}
		e.file(match, len(fixed), info)
	}
	return len(matches) > 0, nil
}

// file adds a file, or a link to one. Rel starts at byte rel of its path. info is nil for a broken link, which fails when it is opened.
func (e *expansion) file(path string, rel int, info fs.FileInfo) {
	u := Item{Name: name.Parse(path), Rel: filepath.ToSlash(path[rel:])}
	if info != nil {
		u.Size = info.Size()
	}
	e.list.Add(u)
}

// isHidden reports whether a part of the match starts with a dot that the pattern does not have.
func isHidden(pattern, match string) bool {
	parts := strings.Split(filepath.ToSlash(pattern), "/")
	for i, part := range strings.Split(filepath.ToSlash(match), "/") {
		if strings.HasPrefix(part, ".") && i < len(parts) && !strings.HasPrefix(parts[i], ".") {
			return true
		}
	}
	return false
}

func withSlash(dir string) string {
	if dir != "" && !os.IsPathSeparator(dir[len(dir)-1]) {
		dir += string(filepath.Separator)
	}
	return dir
}

// entriesPerRead is the number of directory entries to read at a time.
const entriesPerRead = 1 << 12

// folder adds the sources in a folder, then those in its subfolders. Rel starts at byte rel of a path.
func (e *expansion) folder(dir string, rel int, first bool) error {
	file, err := os.Open(dir)
	if err != nil {
		return failure(name.Parse(dir), err)
	}
	defer file.Close()
	if e.isOut(file) {
		if first {
			return fault.New(fault.Usage, "%s is both source and destination", name.Parse(dir)).WithHint("write to another folder, such as one below it")
		}
		return nil
	}
	begin := e.list.Len()
	prefix := withSlash(dir)
	var folders []string
	for {
		entries, err := file.ReadDir(entriesPerRead)
		for _, entry := range entries {
			if entry.Name()[0] == '.' {
				continue
			}
			if entry.IsDir() {
				folders = append(folders, entry.Name())
				continue
			}
			e.entry(entry, prefix+entry.Name(), rel)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return failure(name.Parse(dir), err)
		}
	}
	file.Close()
	e.list.sortFrom(begin)
	slices.Sort(folders)
	for _, below := range folders {
		if !e.Any && source.IsFolder(name.Parse(prefix+below)) {
			e.file(prefix+below, rel, nil)
			continue
		}
		if err := e.folder(prefix+below, rel, false); err != nil {
			return err
		}
	}
	return nil
}

// isOut reports whether an open folder is that of the results.
func (e *expansion) isOut(folder *os.File) bool {
	if e.out == nil {
		return false
	}
	info, err := folder.Stat()
	return err == nil && os.SameFile(info, e.out)
}

// entry adds an entry of a folder that is not a folder itself.
func (e *expansion) entry(entry fs.DirEntry, path string, rel int) {
	if !e.Any && !isSourceName(entry.Name()) {
		e.judge(path, rel)
		return
	}
	if entry.Type().IsRegular() {
		info, err := entry.Info()
		if err == nil {
			e.file(path, rel, info)
		}
		return
	}
	if entry.Type()&fs.ModeSymlink == 0 {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		e.file(path, rel, nil)
		return
	}
	if !info.IsDir() {
		e.file(path, rel, info)
	}
}

// judge adds a file of a folder, or a link to one, if its content is a source's, and otherwise counts it as passed over, as it does a
// broken link. It ignores links to folders, and pipes, sockets and devices; opening a pipe would block.
func (e *expansion) judge(path string, rel int) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return
	}
	if err != nil || !source.HoldsTensors(name.Parse(path)) {
		e.list.passOver(path)
		return
	}
	e.file(path, rel, info)
}

// endings lists the extensions that make any file in a folder a source: a damaged one is an error. Other files are sources if their content
// is a tensor's. An index is not, because its shards are found by their own names.
var endings = []string{".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors", ".gguf", ".onnx", ".pt2", ".tflite", ".ptd", ".nii", ".nii.gz", ".nrrd"}

// isSourceName reports whether a file in a folder is a source by its name.
func isSourceName(file string) bool { return name.HasEnding(file, endings) }

// failure returns the error for a file or a folder that cannot be read.
func failure(n name.Name, err error) error {
	return fault.New(fault.Resource, "cannot read %s: %v", n, fault.Cause(err))
}
