package many

import (
	"bytes"
	"fmt"
	"iter"
	"math/bits"
	"runtime/debug"
	"slices"

	"github.com/tlayout/tlayout/internal/words"
)

// Unit is a source among many.
type Unit struct {
	Name string // by which it is opened
	// Rel is its name in the destination, and what its share is computed of: the path below the folder, the prefix of a pattern, or the
	// bucket that was named, with slashes. It is local: it never begins with a slash or "..".
	Rel  string
	Size int64 // bytes, for the order of the work and its progress; 0 if unknown
}

// List is the sources in the order of their names as they were listed. A name takes its length and 32 bytes, so that millions fit into memory.
type List struct {
	texts  [][]byte  // chunks of names
	blocks [][]entry // of blockLen entries each, but for the last
	order  []uint32  // numbers of the entries that are units, in their order; nil for all in theirs
	Bytes  int64     // of all units
	Passed int       // files of folders that are no sources
	passed string    // the first of them by name
}

// passOver counts a file of a folder that is no source.
func (l *List) passOver(name string) {
	if l.Passed == 0 || name < l.passed {
		l.passed = name
	}
	l.Passed++
}

// PassedText says which files of folders are no sources: "passed over 3 files without tensors: README.md and 2 more"; empty for none.
func (l *List) PassedText() string {
	text := fmt.Sprintf("passed over %s without tensors: %s", words.Count(l.Passed, "file"), words.Quoted(l.passed))
	switch l.Passed {
	case 0:
		return ""
	case 1:
		return text
	}
	return text + fmt.Sprintf(" and %d more", l.Passed-1)
}

// entry is a unit: its name, followed by Rel unless that ends the name.
type entry struct {
	size      int64
	chunk, at uint32 // where its text begins
	name, end uint32 // length of its name, and of its text
	rel       uint32 // where in the text Rel begins
	_         uint32
}

const (
	firstChunk = 1 << 9 // most lists are of one name
	chunkLen   = 1 << 16
	blockLen   = 1 << 12 // the first block grows up to it
	// longList is from how many blocks on a list is most of the memory in use. It is never garbage and has no pointers: to collect garbage
	// sooner costs little, and twice the list is not held.
	longList = 16
)

// Len is how many units there are.
func (l *List) Len() int {
	if l.order != nil {
		return len(l.order)
	}
	if len(l.blocks) == 0 {
		return 0
	}
	return (len(l.blocks)-1)*blockLen + len(l.blocks[len(l.blocks)-1])
}

// Add appends a unit.
func (l *List) Add(u Unit) {
	text := len(u.Name)
	rel := len(u.Name) - len(u.Rel)
	if rel < 0 || u.Name[rel:] != u.Rel {
		rel, text = len(u.Name), text+len(u.Rel)
	}
	if last := len(l.texts) - 1; last < 0 || cap(l.texts[last])-len(l.texts[last]) < text {
		l.texts = append(l.texts, make([]byte, 0, max(text, min(chunkLen, firstChunk+len(l.texts)*chunkLen))))
	}
	last := len(l.texts) - 1
	e := entry{size: u.Size, chunk: uint32(last), at: uint32(len(l.texts[last])), name: uint32(len(u.Name)), end: uint32(text), rel: uint32(rel)}
	l.texts[last] = append(l.texts[last], u.Name...)
	if rel == len(u.Name) {
		l.texts[last] = append(l.texts[last], u.Rel...)
	}
	if n := len(l.blocks); n == 0 || len(l.blocks[n-1]) == blockLen {
		if n == longList {
			debug.SetGCPercent(25)
		}
		l.blocks = append(l.blocks, make([]entry, 0, min(blockLen, 1+n*blockLen)))
	}
	n := len(l.blocks) - 1
	l.blocks[n] = append(l.blocks[n], e)
	l.Bytes += e.size
}

// entry is that of unit i.
func (l *List) entry(i int) *entry {
	if l.order != nil {
		i = int(l.order[i])
	}
	return &l.blocks[i/blockLen][i%blockLen]
}

func (l *List) text(e *entry) []byte { return l.texts[e.chunk][e.at : e.at+e.end] }

func (l *List) rel(e *entry) []byte { return l.text(e)[e.rel:] }

// At is unit i.
func (l *List) At(i int) Unit {
	e := l.entry(i)
	text := string(l.text(e))
	return Unit{Name: text[:e.name], Rel: text[e.rel:], Size: e.size}
}

// All are the units in their order.
func (l *List) All() iter.Seq[Unit] {
	return func(yield func(Unit) bool) {
		for i := range l.Len() {
			if !yield(l.At(i)) {
				return
			}
		}
	}
}

// Names are those by which the units are opened.
func (l *List) Names() []string {
	names := make([]string, 0, l.Len())
	for u := range l.All() {
		names = append(names, u.Name)
	}
	return names
}

// sortFrom sorts the units from number first on by their names.
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

// Take is the list of the units of a share, in their order. The names of all stay in memory.
func (l *List) Take(s Share) *List {
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

// number is that of the entry of unit i.
func (l *List) number(i int) uint32 {
	if l.order != nil {
		return l.order[i]
	}
	return uint32(i)
}

// smallest is the size in bytes below which the order of the units does not matter, because none of them takes long.
const smallest = 1 << 20

// Order puts large units first, so that the last one to end is a small one. Units whose sizes have the same power of two keep their order:
// neighbors in a folder are read and written together.
func (l *List) Order() {
	var classes [65][]uint32
	for i := range l.Len() {
		class := bits.Len64(uint64(max(smallest, l.entry(i).size)))
		classes[class] = append(classes[class], l.number(i))
	}
	slices.Reverse(classes[:])
	l.order = append([]uint32{}, slices.Concat(classes[:]...)...) // not nil, which is all: a share may have no units
}

// Alike yields groups of units whose keys are equal, in no particular order. Keys are compared by a hash, so that a group may rarely hold
// units whose keys differ.
func (l *List) Alike(key func(rel string) string) iter.Seq[[]Unit] {
	return func(yield func([]Unit) bool) {
		hashes := make([]uint64, l.Len())
		hash := func(i int) uint64 { return hashOf([]byte(key(string(l.rel(l.entry(i)))))) }
		for i := range hashes {
			hashes[i] = hash(i)
		}
		slices.Sort(hashes)
		groups := map[uint64][]Unit{}
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
