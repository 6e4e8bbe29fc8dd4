package convert

import "slices"

// Disk is a source that may not be in memory. Offsets are bytes of the source. It serves many goroutines at once.
type Disk interface {
	// Resident reports whether a byte can be had without waiting.
	Resident(at int) bool
	// Fetch begins to read some bytes, and does not wait for them.
	Fetch(from, to int)
	// Read reads len(p) bytes.
	Read(p []byte, from int) error
	// Forget tells that some bytes are not needed again.
	Forget(from, to int)
}

// nearBytes is how far apart two runs of the source may lie to be read as one: a page, which is read as a whole.
const nearBytes = 4096

// extract is what a box reads: runs of one length, and the box that copies from them where they lie side by side.
//
//	source   ···|run|·····|run|·····|run|···   →   |run|run|run|
type extract struct {
	runs []int // bytes at which they begin
	size int   // bytes of a run
	box  Box
}

// newExtract finds the runs of a box: the loops that leave gaps of more than a page go from run to run. at is where in
// the extracted bytes, in elements, its runs come.
func newExtract(b Box, itemSize, at int) extract {
	low, high := 0, 1
	out := Box{Dst: b.Dst, Loops: make([]Loop, len(b.Loops)), Pad: b.Pad}
	copy(out.Loops, b.Loops)
	var apart []*Loop
	for _, l := range rising(out.Loops) {
		if abs(l.Src) > high-low+nearBytes/itemSize {
			apart = append(apart, l)
			continue
		}
		low += min(0, (l.N-1)*l.Src)
		high += max(0, (l.N-1)*l.Src)
	}
	out.Src = at - low
	e := extract{size: (high - low) * itemSize, runs: []int{(b.Src + low) * itemSize}}
	for _, l := range apart {
		step, n := l.Src*itemSize, len(e.runs)
		l.Src = n * (high - low)
		for k := 1; k < l.N; k++ {
			for _, r := range e.runs[:n] {
				e.runs = append(e.runs, r+k*step)
			}
		}
	}
	e.box = out
	return e
}

// rising orders loops by their steps in the source.
func rising(loops []Loop) []*Loop {
	sorted := make([]*Loop, len(loops))
	for i := range loops {
		sorted[i] = &loops[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Loop) int { return abs(a.Src) - abs(b.Src) })
	return sorted
}

// extracts are those of a tile's boxes, one behind the other, and how many bytes they have together.
func extracts(boxes []Box, itemSize int) (all []extract, bytes int) {
	for _, b := range boxes {
		e := newExtract(b, itemSize, bytes/itemSize)
		all = append(all, e)
		bytes += len(e.runs) * e.size
	}
	return all, bytes
}

// resident looks at some places of what boxes read.
func resident(d Disk, all []extract) bool {
	for _, e := range all {
		for _, k := range []int{0, len(e.runs) / 2, len(e.runs) - 1} {
			if !d.Resident(e.runs[k]) {
				return false
			}
		}
	}
	return true
}

// loader gets what boxes read, from the map or from disk. It serves one goroutine.
type loader struct {
	src      []byte
	disk     Disk // nil where src is in memory
	itemSize int
	loaded   []byte
}

// maxLoad is how many times the bytes of a tile may be read for it; where it would take more, pages come when touched.
const maxLoad = 2

// missing are the extracts of boxes that hold tileBytes, and their bytes; none where they are in memory.
func (d *loader) missing(boxes []Box, tileBytes int) ([]extract, int) {
	if d.disk == nil {
		return nil, 0
	}
	all, bytes := extracts(boxes, d.itemSize)
	if bytes > maxLoad*tileBytes || resident(d.disk, all) {
		return nil, 0
	}
	return all, bytes
}

// fetch begins to read what boxes will need.
func (d *loader) fetch(boxes []Box, tileBytes int) {
	all, _ := d.missing(boxes, tileBytes)
	for _, e := range all {
		for _, at := range e.runs {
			d.disk.Fetch(at, at+e.size)
		}
	}
}

// load returns a source that is in memory, and the boxes that copy from it: the boxes themselves, or what was read for
// them. It stays valid until the next call.
func (d *loader) load(boxes []Box, tileBytes int) ([]Box, []byte, error) {
	all, bytes := d.missing(boxes, tileBytes)
	if len(all) == 0 {
		return boxes, d.src, nil
	}
	if len(d.loaded) < bytes {
		d.loaded = make([]byte, bytes)
	}
	loaded, rest := make([]Box, len(all)), d.loaded[:bytes]
	for i, e := range all {
		loaded[i] = e.box
		for _, at := range e.runs {
			if err := d.disk.Read(rest[:e.size], at); err != nil {
				return nil, nil, err
			}
			d.disk.Forget(at, at+e.size)
			rest = rest[e.size:]
		}
	}
	return loaded, d.loaded[:bytes], nil
}
