package batch

import (
	"bytes"
	"fmt"
	"iter"
	"math/bits"
	"runtime/debug"
	"slices"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// Item is one of many sources.
type Item struct {
	Name name.Name // to open it
	// Rel is its slash-separated name in the destination, and determines its shard: its path below the folder, the pattern's prefix, or the
	// bucket. It never starts with a slash or "..".
	Rel  string
	Size int64 // bytes, for ordering and progress; 0 if unknown
}

// List holds the sources in the order of their listed names. A name costs its length and 32 bytes, so that millions fit into memory.
type List struct {
	texts  [][]byte  // chunks of names
	blocks [][]entry // blockLen entries each, except the last
	order  []uint32  // entry numbers of the items, in their order; nil for all entries, unordered
	Bytes  int64     // of all items
	Passed int       // files in folders that are not sources
	passed string    // the first of them, by name
}

// passOver counts a file in a folder that is not a source.
func (l *List) passOver(path string) {
	if l.Passed == 0 || path < l.passed {
		l.passed = path
	}
	l.Passed++
}

// PassedText describes the files in folders that are not sources: "passed over 3 files without tensors: README.md and 2 more"; "" if there
// are none.
func (l *List) PassedText() string {
	text := fmt.Sprintf("passed over %s without tensors: %s", text.Count(l.Passed, "file"), name.Parse(l.passed))
	switch l.Passed {
	case 0:
		return ""
	case 1:
		return text
	}
	return text + fmt.Sprintf(" and %d more", l.Passed-1)
}

// entry is an item: its name, followed by Rel unless the name ends with it.
type entry struct {
	size      int64
	chunk, at uint32 // where its text starts
	name, end uint32 // length of its name, and of its text
	rel       uint32 // where Rel starts in the text
	_         uint32
}

const (
	firstChunk = 1 << 9 // most lists have one name
	chunkLen   = 1 << 16
	blockLen   = 1 << 12 // the first block grows up to it
	// longList is the number of blocks from which a list dominates the memory in use. It has no pointers and never becomes garbage, so
	// frequent collection is cheap, and avoids holding twice the list.
	longList = 16
)

// Len returns the number of items.
func (l *List) Len() int {
	if l.order != nil {
		return len(l.order)
	}
	if len(l.blocks) == 0 {
		return 0
	}
	return (len(l.blocks)-1)*blockLen + len(l.blocks[len(l.blocks)-1])
}

// Add appends an item.
func (l *List) Add(item Item) {
	l.appendEntry(l.appendText(item))
	l.Bytes += item.Size
}

// appendText stores the name of an item and its path, Rel, which is mostly the end of the name. It returns the entry.
func (l *List) appendText(item Item) entry {
	raw := item.Name.Raw()
	length := len(raw)
	relAt := len(raw) - len(item.Rel)
	if relAt < 0 || raw[relAt:] != item.Rel {
		relAt = len(raw)
		length += len(item.Rel)
	}
	if last := len(l.texts) - 1; last < 0 || cap(l.texts[last])-len(l.texts[last]) < length {
		l.texts = append(l.texts, make([]byte, 0, max(length, min(chunkLen, firstChunk+len(l.texts)*chunkLen))))
	}
	last := len(l.texts) - 1
	e := entry{size: item.Size, chunk: uint32(last), at: uint32(len(l.texts[last])), name: uint32(len(raw)), end: uint32(length), rel: uint32(relAt)}
	l.texts[last] = append(l.texts[last], raw...)
	if relAt == len(raw) {
		l.texts[last] = append(l.texts[last], item.Rel...)
	}
	return e
}

func (l *List) appendEntry(e entry) {
	if n := len(l.blocks); n == 0 || len(l.blocks[n-1]) == blockLen {
		if n == longList {
			debug.SetGCPercent(25)
		}
		l.blocks = append(l.blocks, make([]entry, 0, min(blockLen, 1+n*blockLen)))
	}
	n := len(l.blocks) - 1
	l.blocks[n] = append(l.blocks[n], e)
}

// entry returns the entry of item i.
func (l *List) entry(i int) *entry {
	if l.order != nil {
		i = int(l.order[i])
	}
	return &l.blocks[i/blockLen][i%blockLen]
}

func (l *List) text(e *entry) []byte { return l.texts[e.chunk][e.at : e.at+e.end] }

func (l *List) rel(e *entry) []byte { return l.text(e)[e.rel:] }

// At returns item i.
func (l *List) At(i int) Item {
	e := l.entry(i)
	text := string(l.text(e))
	return Item{Name: name.Parse(text[:e.name]), Rel: text[e.rel:], Size: e.size}
}

// All yields the items in order.
func (l *List) All() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Names returns the names that open the items.
func (l *List) Names() []name.Name {
	names := make([]name.Name, 0, l.Len())
	for u := range l.All() {
		names = append(names, u.Name)
	}
	return names
}

// sortFrom sorts the items from index first on by name.
func (l *List) sortFrom(first int) {
	tail := make([]entry, 0, l.Len()-first)
	for i := first; i < l.Len(); i++ {
		tail = append(tail, *l.entry(i))
	}
	slices.SortFunc(tail, func(a, b entry) int { return bytes.Compare(l.text(&a)[:a.name], l.text(&b)[:b.name]) })
	for i := range tail {
		*l.entry(first + i) = tail[i]
	}
}

// Take returns the items of a shard, in order. It keeps the names of all items in memory.
func (l *List) Take(s Shard) *List {
	if s.Count <= 1 {
		return l
	}
	mine := &List{texts: l.texts, blocks: l.blocks, order: []uint32{}}
	for i := range l.Len() {
		if e := l.entry(i); s.has(l.rel(e)) {
			mine.order = append(mine.order, l.number(i))
			mine.Bytes += e.size
		}
	}
	return mine
}

// number returns the entry number of item i.
func (l *List) number(i int) uint32 {
	if l.order != nil {
		return l.order[i]
	}
	return uint32(i)
}

// smallest is the size in bytes below which the order of items does not matter, because each is fast.
const smallest = 1 << 20

// Order moves large items to the front, so that the run ends with a small one. Items of the same binary order of magnitude keep their
// order, so that neighbors in a folder are read and written together.
func (l *List) Order() {
	var classes [65][]uint32
	for i := range l.Len() {
		class := bits.Len64(uint64(max(smallest, l.entry(i).size)))
		classes[class] = append(classes[class], l.number(i))
	}
	slices.Reverse(classes[:])
	l.order = append([]uint32{}, slices.Concat(classes[:]...)...) // non-nil: a shard may have no items, and nil means all
}

// Alike yields groups of items with equal keys, in no particular order. It compares hashes of the keys, so a group may rarely contain items
// with different keys.
func (l *List) Alike(key func(rel string) string) iter.Seq[[]Item] {
	return func(yield func([]Item) bool) {
		hashes := make([]uint64, l.Len())
		hash := func(i int) uint64 { return hashOf([]byte(key(string(l.rel(l.entry(i)))))) }
		for i := range hashes {
			hashes[i] = hash(i)
		}
		slices.Sort(hashes)
		groups := map[uint64][]Item{}
		for i := 1; i < len(hashes); i++ {
			if hashes[i] == hashes[i-1] {
				groups[hashes[i]] = nil
			}
		}
		if len(groups) == 0 {
			return
		}
		hashes = nil
		for i := range l.Len() {
			h := hash(i)
			if _, ok := groups[h]; ok {
				groups[h] = append(groups[h], l.At(i))
			}
		}
		for _, group := range groups {
			if !yield(group) {
				return
			}
		}
	}
}
