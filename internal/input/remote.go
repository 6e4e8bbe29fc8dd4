package input

import (
	"cmp"
	"io"
	"os"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/scratch"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

// defaultMaxDownload replaces an Options.MaxDownload of 0.
const defaultMaxDownload = 8 << 30

// Progress starts a progress display for reading total remote bytes: read reports bytes received, and end reports completion. Both may be
// nil.
type Progress func(total int64) (read func(bytes int), end func())

// remoteFile is one version of an object read over the network. Headers are read as needed. Elements are cached in a nameless sparse
// temporary file, at their offsets in the object.
type remoteFile struct {
	name     string // for messages: the quoted URL
	reader   *remote.Reader
	limit    int64 // maximum number of bytes to cache
	progress Progress

	ensuring sync.Mutex // held while reading into the cache
	total    int64      // bytes in the cache; guarded by ensuring

	mu     sync.Mutex     // guards what follows
	cache  *local         // nil until bytes are cached
	blocks map[int64]bool // blocks in the cache
}

// IsRemote reports whether a file is a remote object: callers should read less of it, in larger requests.
func IsRemote(b File) bool {
	_, ok := b.(*remoteFile)
	return ok
}

// block is the least number of bytes to cache: the tensors of a checkpoint are neighbors.
const block = 1 << 20

// openRemote is Open of a URL.
func openRemote(n name.Name, o Options) (File, error) {
	open := store.Open
	if n.Kind() == name.URL {
		open = remote.OpenHTTP
	}
	reader, err := open(n)
	if err != nil {
		return nil, err
	}
	return &remoteFile{name: n.String(), reader: reader, limit: cmp.Or(o.MaxDownload, defaultMaxDownload), progress: o.Progress,
		blocks: map[int64]bool{}}, nil
}

func (b *remoteFile) Size() int64 { return b.reader.Size() }

func (b *remoteFile) ReadAt(p []byte, off int64) (int, error) {
	switch cache := b.cached(off, int64(len(p))); {
	case off < 0:
		return 0, fault.New(fault.Resource, "cannot read %s at byte %d", b.name, off)
	case cache != nil:
		return cache.ReadAt(p, off)
	case off >= b.Size() && len(p) == 0:
		return 0, nil
	case off >= b.Size():
		return 0, io.EOF
	}
	return b.reader.ReadAt(p, off)
}

func (b *remoteFile) Range(off, n int64) ([]byte, error) {
	if err := within(b.name, b.Size(), off, n); err != nil || n == 0 {
		return []byte{}, err
	}
	if err := b.Ensure(off, n); err != nil {
		return nil, err
	}
	return b.cached(off, n).Range(off, n)
}

// Prefetch reads small ranges side by side; see remote.Reader.
func (b *remoteFile) Prefetch(ranges [][2]int64) error { return b.reader.Prefetch(ranges) }

// Guard compares no version: the reader does so on each request.
func (b *remoteFile) Guard(f func() error) error {
	return catchFaults(b.name, f, func(addr uintptr) (uintptr, bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.cache == nil {
			return 0, false
		}
		return b.cache.offsetOf(addr)
	})
}

func (b *remoteFile) Unchanged() error { return nil }

// cached returns the cache if it has n bytes at byte off, otherwise nil.
func (b *remoteFile) cached(off, n int64) *local {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := off / block; k*block < off+n; k++ {
		if !b.blocks[k] {
			return nil
		}
	}
	return b.cache
}

// Ensure reads n bytes at byte off into the cache, unless cached. More than the limit is fault.Resource.
func (b *remoteFile) Ensure(off, n int64) error {
	if n <= 0 || b.cached(off, n) != nil {
		return nil
	}
	b.ensuring.Lock()
	defer b.ensuring.Unlock()
	missing, total := b.missing(off, min(off+n, b.Size()))
	if total == 0 {
		return nil
	}
	if b.total+total > b.limit {
		return fault.New(fault.Resource, "%s: needs %s, more than the limit of %s", b.name, text.Bytes(b.total+total), text.Bytes(b.limit)).
			WithHint("pass --max-download %s to cache it in a temporary file", text.RoundBytes(b.total+total))
	}
	cache, err := b.createCache()
	if err != nil {
		return err
	}
	read := func(int) {}
	end := func() {}
	if b.progress != nil {
		read, end = b.progress(total)
	}
	defer end()
	for _, m := range missing {
		if err := b.reader.Copy(cache.file, m[0], m[1]-m[0], read); err != nil {
			return err
		}
		b.mark(m[0], m[1])
	}
	b.total += total
	return nil
}

// missing returns the ranges of uncached blocks that overlap [from, to).
func (b *remoteFile) missing(from, to int64) (stretches [][2]int64, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := from / block; k*block < to; k++ {
		if b.blocks[k] {
			continue
		}
		begin := k * block
		end := min((k+1)*block, b.Size())
		if last := len(stretches) - 1; last >= 0 && stretches[last][1] == begin {
			stretches[last][1] = end
		} else {
			stretches = append(stretches, [2]int64{begin, end})
		}
		total += end - begin
	}
	return stretches, total
}

func (b *remoteFile) mark(from, to int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for k := from / block; k*block < to; k++ {
		b.blocks[k] = true
	}
}

// createCache makes the temporary file, as large as the object.
func (b *remoteFile) createCache() (*local, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache != nil {
		return b.cache, nil
	}
	file, cleanup, err := scratch.File()
	if err == nil {
		err = file.Truncate(b.Size())
		if err != nil {
			file.Close()
			if cleanup != "" {
				os.Remove(cleanup) //nolint:errcheck // the first error is reported
			}
		}
	}
	if err != nil {
		return nil, noRoom("make a temporary file in "+text.Quoted(os.TempDir()), err)
	}
	b.cache = &local{name: b.name, file: file, size: b.Size(), cleanup: cleanup}
	return b.cache, nil
}

func (b *remoteFile) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cache == nil {
		return nil
	}
	return b.cache.Close()
}

// pages returns the cache if it has n bytes at byte off.
func (b *remoteFile) pages(off, n int64) paged {
	if cache := b.cached(off, n); cache != nil {
		return cache
	}
	return resident{}
}

func (b *remoteFile) Resident(off int64) bool { return b.pages(off, 1).Resident(off) }
func (b *remoteFile) Fetch(off, n int64)      { b.pages(off, n).Fetch(off, n) }
func (b *remoteFile) Forget(off, n int64)     { b.pages(off, n).Forget(off, n) }
func (b *remoteFile) Release(off, n int64)    { b.pages(off, n).Release(off, n) }
