package batch

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

// ListStdin names the list on standard input.
const ListStdin = "@-"

// Options control how names are expanded.
type Options struct {
	Stdin io.Reader // read for ListStdin
	Null  bool      // names in lists end with a zero byte instead of a newline
	Any   bool      // every file in a folder is a source, whatever its name
	Out   string    // the folder of the results, which is not searched; "" for none
}

// Expand lists what names stand for:
//
//	x.npy                 itself, whatever it is
//	DIR                   the sources below that folder
//	'DIR/*/x*.npy'        the files that match, and the sources below folders that match
//	@list.txt, @-         the names in that file, or on standard input, each one of the above except patterns and lists
//	s3://bucket/prefix/   the sources below that prefix; patterns as above, where * matches a slash too
//
// Links to files are followed, even out of the folder, links to folders are not. Names that start with a dot are skipped, unless typed.
// Errors are *fault.Error.
func Expand(names []string, o Options) (*List, error) {
	e := expansion{Options: o, list: &List{}}
	if o.Out != "" && !source.IsRemote(o.Out) {
		e.out, _ = os.Stat(o.Out) // it may not exist yet
	}
	for _, name := range names {
		if err := e.name(name); err != nil {
			return nil, err
		}
	}
	return e.list, nil
}

// IsFolder reports whether a name stands for the sources below it: an existing folder, or a prefix of an object store.
func IsFolder(name string) bool {
	if source.IsRemote(name) {
		return prefixOf(name) != ""
	}
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// prefixOf returns the prefix, without a query, that a URL of an object store names: one that ends with a slash, or a bucket; else "".
func prefixOf(name string) string {
	u, err := store.Parse(text.URLPath(name))
	if !store.Is(name) || err != nil || u.Key != "" && !strings.HasSuffix(u.Key, "/") {
		return ""
	}
	return u.String()
}

type expansion struct {
	Options
	list *List
	out  fs.FileInfo
}

func (e *expansion) name(name string) error {
	list, isList := strings.CutPrefix(name, "@")
	switch {
	case isList && (name == ListStdin || !exists(name)):
		return e.names(list)
	case source.IsRemote(name):
		return e.remote(name)
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		if err := foreign.Folder(name); err != nil && !e.Any {
			return err
		}
		return e.folder(name, len(withSlash(name)), true)
	case err == nil:
		e.list.Add(Item{name, path.Base(filepath.ToSlash(name)), info.Size()})
		return nil
	case isPattern(name):
		if found, err := e.pattern(name); found || err != nil {
			return err
		}
	}
	e.list.Add(Item{Name: name, Rel: path.Base(filepath.ToSlash(name))})
	return nil
}

// isPattern reports whether a name may be a file pattern, rather than a pattern of tensors in a container.
func isPattern(name string) bool {
	if !strings.ContainsAny(name, "*?[") {
		return false
	}
	_, _, tensors := source.SplitTensor(name)
	return !tensors
}

// pattern adds the matches; found is false if there are none.
func (e *expansion) pattern(pattern string) (found bool, err error) {
	fixed := filepath.ToSlash(pattern)
	fixed = fixed[:strings.LastIndexByte(fixed[:strings.IndexAny(fixed, "*?[")], '/')+1]
	matches, _ := filepath.Glob(pattern) // an invalid pattern is a plain name
	matches = slices.DeleteFunc(matches, func(match string) bool { return isHidden(pattern, match) })
	for _, match := range matches {
		info, err := os.Stat(match)
		switch {
		case err != nil || !info.IsDir():
			u := Item{Name: match, Rel: filepath.ToSlash(match)[len(fixed):]}
			if err == nil {
				u.Size = info.Size()
			}
			e.list.Add(u)
		default:
			if err := e.folder(match, len(fixed), true); err != nil {
				return true, err
			}
		}
	}
	return len(matches) > 0, nil
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

// listed is the number of directory entries to read at a time.
const listed = 1 << 12

// folder adds the sources in a folder, then those in its subfolders. Rel starts at byte rel of a path.
func (e *expansion) folder(dir string, rel int, first bool) error {
	file, err := os.Open(dir)
	if err != nil {
		return failure(dir, err)
	}
	defer file.Close()
	if e.out != nil {
		if here, err := file.Stat(); err == nil && os.SameFile(here, e.out) {
			if first {
				return fault.New(fault.Usage, "%s is both source and destination", text.Quoted(dir)).WithHint("write to another folder, such as one below it")
			}
			return nil
		}
	}
	begin := e.list.Len()
	prefix := withSlash(dir)
	var folders []string
	for {
		entries, err := file.ReadDir(listed)
		for _, entry := range entries {
			name := entry.Name()
			switch mode := entry.Type(); {
			case name[0] == '.':
			case mode.IsDir():
				folders = append(folders, name)
			case !e.Any && !isSourceName(name):
				e.judge(prefix+name, rel)
			case mode.IsRegular():
				if info, err := entry.Info(); err == nil {
					e.list.Add(Item{prefix + name, filepath.ToSlash((prefix + name)[rel:]), info.Size()})
				}
			case mode&fs.ModeSymlink != 0:
				if info, err := os.Stat(prefix + name); err != nil || !info.IsDir() { // a broken link fails when it is opened
					u := Item{Name: prefix + name, Rel: filepath.ToSlash((prefix + name)[rel:])}
					if err == nil {
						u.Size = info.Size()
					}
					e.list.Add(u)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return failure(dir, err)
		}
	}
	file.Close()
	e.list.sortFrom(begin)
	slices.Sort(folders)
	for _, name := range folders {
		if err := e.folder(prefix+name, rel, false); err != nil {
			return err
		}
	}
	return nil
}

// judge adds a file of a folder, or a link to one, if its content is a source's, and otherwise counts it as passed over, as it does a
// broken link. It ignores links to folders, and pipes, sockets and devices; opening a pipe would block.
func (e *expansion) judge(name string, rel int) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
	case err == nil && source.HoldsTensors(name):
		e.list.Add(Item{name, filepath.ToSlash(name[rel:]), info.Size()})
	default:
		e.list.passOver(name)
	}
}

// endings lists the extensions that make any file in a folder a source: a damaged one is an error. Other files are sources if their content
// is a tensor's. An index is not, because its shards are found by their own names.
var endings = []string{".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors", ".gguf"}

// isSourceName reports whether a file in a folder is a source by its name.
func isSourceName(name string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool {
		at := len(name) - len(ending)
		return at > 0 && strings.EqualFold(name[at:], ending)
	})
}

// maxName bounds the bytes of a name in a list.
const maxName = 1 << 16

// names adds the names listed in a file. They keep their paths in the destination, without a leading slash or "../".
func (e *expansion) names(list string) error {
	in := e.Stdin
	shown := "standard input"
	if list != "-" {
		shown = text.Quoted(list)
		file, err := os.Open(list)
		if err != nil {
			return failure(list, err)
		}
		defer file.Close()
		in = file
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxName)
	end := byte('\n')
	if e.Null {
		end = 0
	}
	lines.Split(func(data []byte, last bool) (int, []byte, error) {
		if at := slices.Index(data, end); at >= 0 {
			return at + 1, data[:at], nil
		}
		if last && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	for n := 1; lines.Scan(); n++ {
		name := lines.Text()
		if !e.Null {
			name = strings.TrimSuffix(name, "\r")
		}
		if name == "" {
			continue
		}
		if err := e.listedName(name); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fault.New(fault.Resource, "cannot read the list %s: %v", shown, fault.Cause(err))
	}
	return nil
}

func (e *expansion) listedName(name string) error {
	if source.IsRemote(name) {
		if prefixOf(name) != "" {
			return e.remote(name)
		}
		e.list.Add(Item{Name: name, Rel: remoteRel(name)})
		return nil
	}
	rel := local(name)
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		if !strings.HasSuffix(filepath.ToSlash(name), rel) {
			return e.folder(name, len(withSlash(name)), true)
		}
		return e.folder(name, len(name)-len(rel), true)
	case err == nil:
		e.list.Add(Item{name, rel, info.Size()})
	default:
		e.list.Add(Item{Name: name, Rel: rel})
	}
	return nil
}

// local returns a path without the part that leaves the folder: data/x.npy for /data/x.npy and ../data/x.npy.
func local(name string) string {
	name = path.Clean("/" + filepath.ToSlash(strings.TrimPrefix(name, filepath.VolumeName(name))))
	return strings.TrimPrefix(name, "/")
}

// remoteRel returns the path of a URL below its host or bucket.
func remoteRel(name string) string {
	_, rest, _ := strings.Cut(text.URLPath(name), "://")
	_, key, _ := strings.Cut(rest, "/")
	return local(key)
}

// remote adds an object, or the objects that a prefix or a pattern names.
func (e *expansion) remote(name string) error {
	const special = "*[" // a question mark starts a URL's query
	typed := text.URLPath(name)
	pattern := strings.ContainsAny(typed, special)
	if !store.Is(name) || !pattern && prefixOf(name) == "" {
		e.list.Add(Item{Name: name, Rel: path.Base(remoteRel(name))})
		return nil
	}
	u, err := store.Parse(typed)
	switch {
	case err != nil:
		return err
	case strings.ContainsAny(u.Bucket, special):
		return fault.New(fault.Usage, "%s: a bucket's name cannot be a pattern", text.Quoted(name)).WithHint("name the bucket, as in 's3://bucket/*.npy'")
	}
	key := u.String()
	query := name[len(typed):]
	fixed := key
	if pattern {
		fixed = key[:strings.IndexAny(key, special)]
	}
	root := fixed[:strings.LastIndexByte(fixed, '/')+1]
	out := outPrefix(e.Out)
	found := false
	for info, err := range store.List(fixed + query) {
		if err != nil {
			return err
		}
		object := urlOf(fixed, info.Key)
		matches := strings.HasPrefix(object, root) && (e.Any || isSourceName(path.Base(info.Key)))
		if pattern && matches {
			var err error
			matches, err = source.Matches(key, object)
			if err != nil {
				return err
			}
		}
		if !matches || out != "" && strings.HasPrefix(object, out) {
			continue
		}
		found = true
		e.list.Add(Item{object + query, local(object[len(root):]), info.Size})
	}
	if !found {
		return fault.New(fault.Resource, "no objects match %s", text.Quoted(name))
	}
	return nil
}

// outPrefix returns the prefix of the results, without a query; "" for another folder.
func outPrefix(out string) string {
	if !store.Is(out) {
		return ""
	}
	return prefixOf(strings.TrimSuffix(text.URLPath(out), "/") + "/")
}

// urlOf returns the URL of a key in the bucket of another URL.
func urlOf(url, key string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	bucket, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + bucket + "/" + key
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func failure(name string, err error) error {
	return fault.New(fault.Resource, "cannot read %s: %v", text.Quoted(name), fault.Cause(err))
}
