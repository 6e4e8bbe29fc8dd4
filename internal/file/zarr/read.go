//go:build !js

package zarr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/ints"
)

// Bounds on reading an array.
const (
	maxRow    = 1 << 30  // bytes of the chunks with the same place along the outermost axis
	maxChunk  = 1 << 29  // bytes
	maxChunks = 1 << 24  // files
	slack     = 64 << 10 // bytes by which a small chunk may grow when it is encoded
)

// reader yields the bytes of an array in memory order. It holds a row: the chunks with the same place along the outermost axis.
type reader struct {
	*array
	files fs.FS
	fill  []byte // an element; nil: zeros
	row   []byte
	first int // index of the row's first element along the outermost axis
	next  int // that of the row to come
	rest  bytes.Reader
}

// content returns a reader of all elements. Errors say why they cannot be read.
func (a *array) content(files fs.FS) (io.Reader, error) {
	if a.codec != nil {
		return nil, a.codec
	}
	fill, err := filler(a.item, a.fill)
	if err != nil {
		return nil, err
	}
	r := &reader{array: a, files: files, fill: fill}
	if n := r.rowBytes(); n > maxRow {
		return nil, fault.New(fault.Resource, "a row of chunks has %d bytes, over the limit of %d", n, maxRow)
	}
	if n := float64(ints.Product(a.level.chunk)) * float64(a.item.ItemSize()); n > maxChunk {
		return nil, fault.New(fault.Resource, "a chunk has %.0f bytes, over the limit of %d", n, maxChunk)
	}
	n := 1.0
	for i, c := range a.level.chunk {
		n *= math.Ceil(float64(a.sizes[i]) / float64(c))
	}
	if n > maxChunks {
		return nil, fault.New(fault.Resource, "%.0f chunks, over the limit of %d", n, maxChunks)
	}
	return r, nil
}

// length returns the size of the outermost axis, and how much of it a row has.
func (r *reader) length() (all, row int) {
	if len(r.sizes) == 0 {
		return 1, 1
	}
	return r.sizes[0], min(r.level.chunk[0], r.sizes[0])
}

// rowBytes returns the bytes of a whole row.
func (r *reader) rowBytes() int {
	_, row := r.length()
	return row * r.below(0) * r.item.ItemSize()
}

// below returns the product of the sizes behind an axis.
func (r *reader) below(axis int) int { return ints.Product(r.sizes[min(axis+1, len(r.sizes)):]) }

// limit returns how many bytes a chunk of a level has at most, however it is encoded. It fits an int: 2 * maxChunk, and the index of a shard.
func (r *reader) limit(l *level) int {
	n := int64(ints.Product(l.chunk))
	bytes := 2*n*int64(r.item.ItemSize()) + slack
	if l.inner != nil {
		bytes += indexItem * (n / int64(ints.Product(l.inner.chunk)))
	}
	return int(min(bytes, math.MaxInt32))
}

func (r *reader) Read(p []byte) (int, error) {
	for r.rest.Len() == 0 {
		all, _ := r.length()
		if r.next >= all || r.below(0) == 0 {
			return 0, io.EOF
		}
		if err := r.load(); err != nil {
			return 0, err
		}
	}
	return r.rest.Read(p)
}

// load fills the next row.
func (r *reader) load() error {
	all, row := r.length()
	r.first = r.next
	row = min(row, all-r.first)
	r.next += row
	size := row * r.below(0) * r.item.ItemSize()
	if r.row == nil {
		r.row = make([]byte, size)
	}
	r.row = r.row[:size]
	clear(r.row)
	if r.fill != nil {
		for at := copy(r.row, r.fill); at < len(r.row); at *= 2 {
			copy(r.row[at:], r.row[:at])
		}
	}
	counts := make([]int, len(r.sizes)) // of chunks in this row
	for i, n := range r.sizes {
		counts[i] = ints.CeilDiv(n, r.level.chunk[i])
	}
	begin := make([]int, len(r.sizes))
	if len(counts) > 0 {
		begin[0] = r.first / r.level.chunk[0]
		counts[0] = 1
	}
	err := each(counts, func(at []int) error {
		chunk := make([]int, len(at))
		for i := range at {
			chunk[i] = at[i] + begin[i]
		}
		return r.file(chunk)
	})
	r.rest.Reset(r.row)
	return err
}

// each calls visit for all indices below counts, the last one varying fastest.
func each(counts []int, visit func(at []int) error) error {
	at := make([]int, len(counts))
	for {
		if err := visit(at); err != nil {
			return err
		}
		d := len(at) - 1
		for d >= 0 {
			at[d]++
			if at[d] < counts[d] {
				break
			}
			at[d] = 0
			d--
		}
		if d < 0 {
			return nil
		}
	}
}

// file reads a chunk from its file. Without one its elements are the fill value.
func (r *reader) file(chunk []int) error {
	words := make([]string, len(chunk))
	origin := make([]int, len(chunk))
	for k, axis := range r.level.count {
		words[k] = strconv.Itoa(chunk[axis])
		origin[axis] = chunk[axis] * r.level.chunk[axis]
	}
	key := path.Join(r.path, r.key(words))
	data, err := readAll(r.files, key, r.limit(&r.level))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = r.place(&r.level, data, origin)
	}
	return fault.In("chunk "+checkpoint.Quoted(key), err)
}

// readAll reads a regular file of at most limit bytes.
func readAll(files fs.FS, name string, limit int) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, unreadable(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Resource, "it is %s", fault.FileKind(info.Mode()))
	}
	if info.Size() > int64(limit) {
		return nil, damaged("it has %d bytes, over the limit of %d", info.Size(), limit)
	}
	f, err := files.Open(name)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	data := make([]byte, info.Size())
	if _, err = io.ReadFull(f, data); err != nil {
		return nil, fault.New(fault.Resource, "cannot read it: %v", fault.Cause(err))
	}
	return data, nil
}

// unreadable returns the error for a file that cannot be opened; a missing one stays what it is.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fault.New(fault.Resource, "cannot read it: %v", fault.Cause(err))
}

// place decodes a chunk whose first element has index origin, and copies its elements into the row.
func (r *reader) place(l *level, data []byte, origin []int) error {
	data, err := decoded(data, l.codecs, r.limit(l))
	if err != nil {
		return err
	}
	if l.inner != nil {
		return r.shard(l, data, origin)
	}
	if want := ints.Product(l.chunk) * r.item.ItemSize(); len(data) != want {
		return damaged("%d bytes of elements, its shape has %d", len(data), want)
	}
	r.copy(l.chunk, data, origin)
	return nil
}

// absent is the offset and the length of a chunk that a shard does not have. (Zarr codecs/sharding-indexed)
const absent = math.MaxUint64

// indexItem is the bytes of an offset and a length.
const indexItem = 16

// shard reads the chunks of a shard by its index: an offset and a length for each.
func (r *reader) shard(l *level, data []byte, origin []int) error {
	counts := make([]int, len(l.chunk))
	for k, axis := range l.inner.count {
		counts[k] = l.chunk[axis] / l.inner.chunk[axis]
	}
	chunks := ints.Product(counts)
	if chunks > (len(data)-sumBytes*len(l.index))/indexItem {
		return damaged("%d bytes, too few for the index of %d chunks", len(data), chunks)
	}
	size := indexItem * chunks
	stored := size + sumBytes*len(l.index)
	index := data[len(data)-stored:]
	if l.front {
		index = data[:stored]
	}
	index, err := decoded(index, l.index, stored)
	if err != nil {
		return fault.In("index", err)
	}
	if len(index) != size {
		return damaged("its index has %d bytes, expected %d", len(index), size)
	}
	return each(counts, func(at []int) error {
		offset := binary.LittleEndian.Uint64(index)
		n := binary.LittleEndian.Uint64(index[8:])
		index = index[indexItem:]
		if offset == absent && n == absent {
			return nil
		}
		if offset > uint64(len(data)) || n > uint64(len(data))-offset {
			return damaged("a chunk of %d bytes at byte %d of %d", n, offset, len(data))
		}
		begin := make([]int, len(origin))
		for k, axis := range l.inner.count {
			begin[axis] = origin[axis] + at[k]*l.inner.chunk[axis]
		}
		return r.place(l.inner, data[offset:offset+n], begin)
	})
}

// copy copies the elements of a dense chunk that are inside the array.
func (r *reader) copy(chunk []int, data []byte, origin []int) {
	rank := len(chunk)
	inside := make([]int, rank)
	for i, n := range chunk {
		inside[i] = min(n, r.sizes[i]-origin[i])
		if inside[i] <= 0 {
			return
		}
	}
	run := r.item.ItemSize()
	width := run
	rows := inside
	if rank > 0 {
		run *= inside[rank-1]
		width *= chunk[rank-1]
		rows = inside[:rank-1]
	}
	each(rows, func(at []int) error { //nolint:errcheck // there is none
		from := 0
		to := 0
		for i := range at {
			from = from*chunk[i] + at[i]
			to = to*r.sizes[i] + origin[i] + at[i]
			if i == 0 {
				to -= r.first
			}
		}
		last := 0
		if rank > 0 {
			to *= r.sizes[rank-1]
			last = origin[rank-1]
		}
		if rank == 1 {
			last -= r.first
		}
		copy(r.row[(to+last)*r.item.ItemSize():], data[from*width:from*width+run])
		return nil
	})
}
