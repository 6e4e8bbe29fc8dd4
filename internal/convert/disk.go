package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// Disk is a source that may not be in memory. Offsets are bytes of the source. It is safe for concurrent use.
type Disk interface {
	// Resident reports whether a byte can be read without waiting.
	Resident(at int) bool
	// Fetch starts reading some bytes, and returns immediately.
	Fetch(from, to int)
	// Read reads len(p) bytes.
	Read(p []byte, from int) error
	// Forget releases bytes that are not needed again.
	Forget(from, to int)
}

// Unmapped is a source that is read piece by piece, so that a process keeps no more of it in memory than a piece.
type Unmapped struct{ Disk }

func (Unmapped) Resident(int) bool { return false }

func (Unmapped) Fetch(int, int) {}

func (Unmapped) Forget(int, int) {}

// nearBytes is the largest gap between two runs of the source to read as one: a page, which is read whole anyway.
const nearBytes = 4096

// extract is what a box reads: runs of one length, and the box that copies from them once they are adjacent.
//
//	source   ···|run|·····|run|·····|run|···   →   |run|run|run|
type extract struct {
	first    int    // first byte of the first run
	overRuns []Loop // loops over the runs, Src in bytes
	size     int    // bytes per run
	box      Box
}

// newExtract finds the runs of a box: the loops with gaps of more than near bytes step from run to run. at is the position of the runs in
// the extracted data, in elements.
func newExtract(b Box, itemSize, near, at int) extract {
	low, high := 0, 1
	e := extract{box: Box{Dst: b.Dst, Loops: slices.Clone(b.Loops), Pad: b.Pad}}
	var overRuns []*Loop
	for _, l := range rising(e.box.Loops) {
		if ints.Abs(l.Src) > high-low+near/itemSize {
			overRuns = append(overRuns, l)
			continue
		}
		low += min(0, (l.N-1)*l.Src)
		high += max(0, (l.N-1)*l.Src)
	}
	e.box.Src = at - low
	e.first = (b.Src + low) * itemSize
	e.size = (high - low) * itemSize
	runs := 1
	for _, l := range overRuns {
		e.overRuns = append(e.overRuns, Loop{N: l.N, Src: l.Src * itemSize})
		l.Src = runs * (high - low)
		runs *= l.N
	}
	return e
}

// runs yields the first bytes of runs, in the order of extraction.
func (e extract) runs(yield func(at int) bool) {
	for k := range elemsOf(e.overRuns) {
		at := e.first
		for _, l := range e.overRuns {
			at += k % l.N * l.Src
			k /= l.N
		}
		if !yield(at) {
			return
		}
	}
}

// extracts returns the extracts of a tile's boxes in order, and their total bytes.
func extracts(boxes []Box, itemSize, near int) (all []extract, bytes int) {
	for _, b := range boxes {
		e := newExtract(b, itemSize, near, bytes/itemSize)
		all = append(all, e)
		bytes += elemsOf(e.overRuns) * e.size
	}
	return all, bytes
}

// resident samples what boxes read: the first, a middle and the last run of each.
func resident(d Disk, all []extract) bool {
	for _, e := range all {
		middle := e.first
		last := e.first
		for _, l := range e.overRuns {
			middle = middle + l.N/2*l.Src
			last = last + (l.N-1)*l.Src
		}
		if !d.Resident(e.first) || !d.Resident(middle) || !d.Resident(last) {
			return false
		}
	}
	return true
}

// loader provides what boxes read, from the memory map or from disk. It is for one goroutine.
type loader struct {
	src      []byte
	disk     Disk // nil if src is in memory
	itemSize int
	near     int  // bytes between runs that are read along
	cached   int  // bytes that stay in a core's own cache
	once     bool // no byte is needed twice, so read bytes can be forgotten
	loaded   []byte
}

func newLoader(p *Plan, src []byte, o Options) loader {
	return loader{src: src, disk: o.Disk, itemSize: p.ItemSize, near: o.near, cached: 2 * o.tile, once: p.Elems()*p.ItemSize <= len(src)}
}

// maxLoad bounds the bytes to read for a tile, as a multiple of its size; beyond it, pages are read on access.
const maxLoad = 2

// shortRun is the length in bytes up to which runs in memory are mapped. Reading longer ones takes less time than mapping and unmapping
// their pages, if the cache holds them.
const shortRun = 16 << 10

// missing returns the extracts of boxes that hold tileBytes, and their bytes; nil if they are read through the map. cold means that they
// are not in memory.
func (d *loader) missing(boxes []Box, tileBytes int) (all []extract, bytes int, cold bool) {
	if d.disk == nil {
		return nil, 0, false
	}
	all, bytes = extracts(boxes, d.itemSize, d.near)
	if bytes > maxLoad*tileBytes {
		return nil, 0, false
	}
	if !resident(d.disk, all) {
		return all, bytes, true
	}
	if bytes > d.cached || slices.ContainsFunc(all, func(e extract) bool { return e.size < shortRun }) {
		return nil, 0, false
	}
	return all, bytes, false
}

// fetch starts reading what boxes need next.
func (d *loader) fetch(boxes []Box, tileBytes int) {
	all, _, cold := d.missing(boxes, tileBytes)
	if !cold {
		return
	}
	for _, e := range all {
		for at := range e.runs {
			d.disk.Fetch(at, at+e.size)
		}
	}
}

// load returns a source in memory, and the boxes that copy from it: the map and the boxes themselves, or the read bytes and adjusted boxes.
// Both are valid until the next call.
func (d *loader) load(boxes []Box, tileBytes int) ([]Box, []byte, error) {
	all, bytes, cold := d.missing(boxes, tileBytes)
	if len(all) == 0 {
		return boxes, d.src, nil
	}
	if len(d.loaded) < bytes {
		d.loaded = make([]byte, bytes)
	}
	loaded, rest := make([]Box, len(all)), d.loaded[:bytes]
	for i, e := range all {
		loaded[i] = e.box
		for at := range e.runs {
			if err := d.disk.Read(rest[:e.size], at); err != nil {
				return nil, nil, err
			}
			if d.once && cold {
				d.disk.Forget(at, at+e.size)
			}
			rest = rest[e.size:]
		}
	}
	return loaded, d.loaded[:bytes], nil
}
