package source

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/scratch"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/words"
)

// defaultMaxDownload is how many bytes of an object elsewhere go into a temporary file, unless Options.MaxDownload says another number.
const defaultMaxDownload = 8 << 30

// Progress begins to show that bytes of an object elsewhere are read: read is told how many came, and end that they are all there. Both
// may be nil.
type Progress func(total int64) (read func(bytes int), end func())

// elsewhere is an object that is read over the network. Headers are read as needed. Elements are brought into a nameless temporary file,
// in which every byte is where it is in the object, and which takes space only for what was brought.
type elsewhere struct {
	reader   *remote.Reader // nil of a file that is here
	url      string
	limit    int64 // bytes that may be brought
	progress Progress

	bringing sync.Mutex     // held while bytes are brought
	blocks   map[int64]bool // those that are in the temporary file; guarded by mu of the input
	brought  int64          // bytes; guarded by bringing
}

// block is how many bytes are brought at least: the tensors of a checkpoint are neighbors.
const block = 1 << 20

// IsRemote reports whether a name is a URL, of whatever scheme.
func IsRemote(name string) bool { return words.Scheme(name) != "" }

// openElsewhere opens the object that a URL names.
func openElsewhere(url string) (b *input, err error) {
	b = &input{name: words.Quoted(url)}
	if remote.IsHTTP(url) {
		b.reader, err = remote.OpenHTTP(url)
	} else {
		b.reader, err = store.Open(url)
	}
	if err != nil {
		return nil, err
	}
	b.size, b.url, b.limit, b.blocks = b.reader.Size(), url, defaultMaxDownload, map[int64]bool{}
	return b, nil
}

// take takes what the options say of objects elsewhere and of containers.
func (b *input) take(o Options) {
	b.tensors = cmp.Or(o.MaxTensors, checkpoint.DefaultLimit)
	b.limit, b.progress = cmp.Or(o.MaxDownload, defaultMaxDownload), o.Progress
}

// has reports whether n bytes at byte off are in the temporary file.
func (b *input) has(off, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := off / block; k*block < off+n; k++ {
		if !b.blocks[k] {
			return false
		}
	}
	return b.file != nil
}

// bring reads n bytes at byte off of an object elsewhere into the temporary file, unless they are there. More than the limit are
// fault.Resource. Of a file that is here, nothing is to be done.
func (b *input) bring(off, n int64) error {
	if b.reader == nil || n <= 0 || b.has(off, n) {
		return nil
	}
	b.bringing.Lock()
	defer b.bringing.Unlock()
	missing, total := b.missing(off, min(off+n, b.size))
	if total == 0 {
		return nil
	}
	if b.brought+total > b.limit {
		return fault.New(fault.Resource, "%s: %s of it are needed, more than %s", b.name, words.Bytes(b.brought+total), words.Bytes(b.limit)).
			WithHint("--max-download %s allows it, in a temporary file", allowing(b.brought+total))
	}
	if err := b.spare(); err != nil {
		return err
	}
	read, end := func(int) {}, func() {}
	if b.progress != nil {
		read, end = b.progress(total)
	}
	defer end()
	for _, m := range missing {
		if err := b.reader.Copy(b.file, m[0], m[1]-m[0], read); err != nil {
			return err
		}
		b.mark(m[0], m[1])
	}
	b.brought += total
	return nil
}

// missing are the stretches of whole blocks that have a byte of [from, to) and are not in the temporary file.
func (b *input) missing(from, to int64) (stretches [][2]int64, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := from / block; k*block < to; k++ {
		if b.blocks[k] {
			continue
		}
		begin, end := k*block, min((k+1)*block, b.size)
		if last := len(stretches) - 1; last >= 0 && stretches[last][1] == begin {
			stretches[last][1] = end
		} else {
			stretches = append(stretches, [2]int64{begin, end})
		}
		total += end - begin
	}
	return stretches, total
}

func (b *input) mark(from, to int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := from / block; k*block < to; k++ {
		b.blocks[k] = true
	}
}

// spare makes the temporary file, of the object's size.
func (b *input) spare() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file != nil {
		return nil
	}
	file, cleanup, err := scratch.File()
	if err == nil {
		if err = file.Truncate(b.size); err != nil {
			file.Close()
			if cleanup != "" {
				os.Remove(cleanup) //nolint:errcheck // the first error is reported
			}
		}
	}
	if err != nil {
		return noRoom("make a temporary file in "+words.Quoted(os.TempDir()), err)
	}
	b.file, b.cleanup = file, cleanup
	return nil
}

// Base is the last part of a path, or of a URL without its query.
func Base(name string) string {
	if IsRemote(name) {
		name = words.URLPath(name)
		return name[strings.LastIndexByte(name, '/')+1:]
	}
	return filepath.Base(name)
}

// beside is the file of that name in the folder of another.
func beside(path, name string) string {
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

// Files are the files and objects that opening a source reads: x.npz of x.npz:w, and of an index the files beside it that it names.
func Files(name string) []string {
	path, _, isMember := splitMember(name)
	if !isMember {
		path = name
	}
	files := []string{path}
	if !endsIn(path, indexEnding) {
		return files
	}
	b, err := openInput(path)
	if err != nil {
		return files
	}
	defer b.Close()
	x, err := safetensors.ReadIndex(b, b.Size(), checkpoint.MaxLimit)
	if err != nil {
		return files // opening the source says why
	}
	for _, file := range x.Files {
		files = append(files, beside(path, file))
	}
	return files
}

// hostEnd is the byte of a URL after its host and port, in which a colon is no more than that; 0 of another name.
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
