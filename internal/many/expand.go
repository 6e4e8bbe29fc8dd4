package many

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
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/foreign"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// ListStdin is the name of the list on standard input.
const ListStdin = "@-"

// Options say how names are expanded.
type Options struct {
	Stdin io.Reader // of ListStdin
	Null  bool      // names in lists end with a zero byte instead of a line's end
	Any   bool      // of a folder, every file is a source, whatever its name
	Out   string    // a folder that is not searched, because results are written into it; "" for none
}

// Expand lists what names stand for:
//
//	x.npy                 itself, whatever it is, if no file has to be looked for
//	DIR                   the sources below that folder
//	'DIR/*/x*.npy'        the files that match, and the sources below folders that match
//	@list.txt, @-         the names in that file, or on standard input, each one of the above but for patterns and lists
//	s3://bucket/prefix/   the sources below that prefix; patterns as above, where * matches a slash too
//
// Links to files are followed, out of the folder too, links to folders are not. Names that begin with a dot are left out, unless they are typed. Errors are *fault.Error.
func Expand(names []string, o Options) (*List, error) {
	e := expansion{Options: o, list: &List{}}
	if o.Out != "" && !source.IsRemote(o.Out) {
		e.out, _ = os.Stat(o.Out) // it need not be there yet
	}
	for _, name := range names {
		if err := e.name(name); err != nil {
			return nil, err
		}
	}
	return e.list, nil
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
		e.list.Add(Unit{name, path.Base(filepath.ToSlash(name)), info.Size()})
		return nil
	case isPattern(name):
		if found, err := e.pattern(name); found || err != nil {
			return err
		}
	}
	e.list.Add(Unit{Name: name, Rel: path.Base(filepath.ToSlash(name))})
	return nil
}

// isPattern reports whether a name may be a pattern of files, and not of the tensors of a container.
func isPattern(name string) bool {
	if !strings.ContainsAny(name, "*?[") {
		return false
	}
	_, _, tensors := source.SplitTensor(name)
	return !tensors
}

// pattern adds what matches, if anything does.
func (e *expansion) pattern(pattern string) (found bool, err error) {
	fixed := filepath.ToSlash(pattern)
	fixed = fixed[:strings.LastIndexByte(fixed[:strings.IndexAny(fixed, "*?[")], '/')+1]
	matches, _ := filepath.Glob(pattern) // what is no pattern is a name
	matches = slices.DeleteFunc(matches, func(match string) bool { return isHidden(pattern, match) })
	for _, match := range matches {
		info, err := os.Stat(match)
		switch {
		case err != nil || !info.IsDir():
			u := Unit{Name: match, Rel: filepath.ToSlash(match)[len(fixed):]}
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

// isHidden reports whether a part of a match begins with a dot that the pattern does not ask for.
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

// listed is how many names of a folder are read at a time.
const listed = 1 << 12

// folder adds the sources of a folder, then those of its folders. What is before byte rel of a path is no part of Rel.
func (e *expansion) folder(dir string, rel int, first bool) error {
	file, err := os.Open(dir)
	if err != nil {
		return failure(dir, err)
	}
	defer file.Close()
	if e.out != nil {
		if here, err := file.Stat(); err == nil && os.SameFile(here, e.out) {
			if first {
				return fault.New(fault.Usage, "%s is both source and destination", words.Quoted(dir)).WithHint("write into another folder, which may be below it")
			}
			return nil
		}
	}
	begin, prefix := e.list.Len(), withSlash(dir)
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
					e.list.Add(Unit{prefix + name, filepath.ToSlash((prefix + name)[rel:]), info.Size()})
				}
			case mode&fs.ModeSymlink != 0:
				if info, err := os.Stat(prefix + name); err != nil || !info.IsDir() { // a broken link is an error when it is opened
					u := Unit{Name: prefix + name, Rel: filepath.ToSlash((prefix + name)[rel:])}
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

// judge adds a file of a folder, or a link to one, if its bytes are those of a source, and otherwise passes it over, as a link that leads
// nowhere. Links to folders, pipes, sockets and devices are no files; a pipe must not be opened, which waits for its other end.
func (e *expansion) judge(name string, rel int) {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
	case err == nil && source.HoldsTensors(name):
		e.list.Add(Unit{name, filepath.ToSlash(name[rel:]), info.Size()})
	default:
		e.list.passOver(name)
	}
}

// endings are those of files in folders that are sources whatever they hold: one that is damaged is an error. Other files there are sources
// if their bytes are; but an index is not, because its shards have names of their own.
var endings = []string{".npy", ".npz", ".pt", ".pth", ".ckpt", ".safetensors", ".gguf"}

// isSourceName reports whether a file in a folder is a source, by its name.
func isSourceName(name string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool {
		at := len(name) - len(ending)
		return at > 0 && strings.EqualFold(name[at:], ending)
	})
}

// maxName bounds a name in a list, in bytes.
const maxName = 1 << 16

// names adds the names that a file lists. They keep their paths in the destination, without a leading slash or "../".
func (e *expansion) names(list string) error {
	in, shown := e.Stdin, "standard input"
	if list != "-" {
		shown = words.Quoted(list)
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
		if strings.HasSuffix(words.URLPath(name), "/") {
			return e.remote(name)
		}
		e.list.Add(Unit{Name: name, Rel: remoteRel(name)})
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
		e.list.Add(Unit{name, rel, info.Size()})
	default:
		e.list.Add(Unit{Name: name, Rel: rel})
	}
	return nil
}

// local is a path without what leads out of the folder: data/x.npy of /data/x.npy and of ../data/x.npy.
func local(name string) string {
	name = path.Clean("/" + filepath.ToSlash(strings.TrimPrefix(name, filepath.VolumeName(name))))
	return strings.TrimPrefix(name, "/")
}

// remoteRel is the path of a URL below its host or bucket.
func remoteRel(name string) string {
	_, rest, _ := strings.Cut(words.URLPath(name), "://")
	_, key, _ := strings.Cut(rest, "/")
	return local(key)
}

// remote adds an object, or those of a store that a prefix or a pattern names.
func (e *expansion) remote(name string) error {
	key := words.URLPath(name)
	pattern := strings.IndexAny(key, "*?[") // a question mark in a URL begins its query, and is none
	if !store.Is(name) || pattern < 0 && !strings.HasSuffix(key, "/") {
		e.list.Add(Unit{Name: name, Rel: path.Base(remoteRel(name))})
		return nil
	}
	query, fixed := name[len(key):], key
	if pattern >= 0 {
		fixed = key[:pattern]
	}
	root := fixed[:strings.LastIndexByte(fixed, '/')+1]
	out := words.URLPath(e.Out)
	found := false
	for info, err := range store.List(fixed + query) {
		if err != nil {
			return err
		}
		object := urlOf(fixed, info.Key)
		matches := strings.HasPrefix(object, root) && (e.Any || isSourceName(path.Base(info.Key)))
		if pattern >= 0 && matches {
			var err error
			if matches, err = source.Matches(key, object); err != nil {
				return err
			}
		}
		if !matches || out != "" && strings.HasPrefix(object, strings.TrimSuffix(out, "/")+"/") {
			continue
		}
		found = true
		e.list.Add(Unit{object + query, local(object[len(root):]), info.Size})
	}
	if !found {
		return fault.New(fault.Resource, "nothing is at %s", words.Quoted(name))
	}
	return nil
}

// urlOf is the URL of a key in the bucket of another URL.
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
	return fault.New(fault.Resource, "cannot read %s: %v", words.Quoted(name), fault.Cause(err))
}
