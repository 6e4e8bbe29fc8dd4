package kernel

// rows is the argument of a kernel that copies rows to any offsets. _asm relies on the order of the fields, one word
// each. The kernel reads up to 63 bytes before and after each source row.
type rows struct {
	dst     *byte
	dstRows *int
	src     *byte
	pitch   int // bytes from one source row to the next
	rows    int
	bytes   int // of a row, at least a cache line
}

const (
	stagedFrom  = 128       // bytes of a row from which staging pays off
	stagedBytes = 24 << 10  // bytes staged at once
	stagedEdge  = cacheLine // bytes that may be read before the first and after the last row
)

// Staging is memory in which Transpose assembles rows that do not start at a cache line. It serves one goroutine.
type Staging struct {
	bytes   [stagedBytes + 3*stagedEdge]byte
	start   int // offset of the first line
	offsets [stagedBytes / stagedEdge]int
	pitch   int // difference of consecutive offsets
}

// NewStaging finds the first cache line in new memory.
func NewStaging() *Staging {
	s := new(Staging)
	s.start = stagedEdge + lineStart(s.bytes[stagedEdge:])
	return s
}

// rows returns the offsets of count rows, pitch bytes apart.
func (s *Staging) rows(count, pitch int) []int {
	if s.pitch != pitch {
		for i := range s.offsets {
			s.offsets[i] = i * pitch
		}
		s.pitch = pitch
	}
	return s.offsets[:count]
}

// staged transposes a few columns at a time into rows that start at a cache line, and copies these line by line to rows
// that do not: a store that crosses a line costs two, and cannot go past the caches.
//
//	source → |row 0        |pitch    → destination      |…row 0…|
//	         |row 1        |                        |…row 1…|
func (m *matrix) staged(s *Staging, stream bool) {
	// All columns of a line together, so that each source line is read once; a row takes up to 128 bytes more.
	maxRows := (stagedBytes - 64*128/m.size) / 64 &^ 63
	part := *m
	for len(part.srcRows) > maxRows {
		many := min(maxRows, len(part.srcRows)-stagedFrom) // leaves the rest long enough to be staged
		panel := part
		panel.srcRows = part.srcRows[:many]
		panel.stagedIn(s, stream)
		part.dst, part.srcRows = part.dst[many*m.size:], part.srcRows[many:]
	}
	part.stagedIn(s, stream)
}

// stagedIn stages all columns of rows short enough for the memory to hold a square of them.
func (m *matrix) stagedIn(s *Staging, stream bool) {
	bytes, n := len(m.srcRows)*m.size, m.square()
	pitch := (bytes + 127) &^ 63 // one line more, and not a power of two, so that rows do not conflict in the cache
	many := stagedBytes / pitch &^ (n - 1)
	offsets := s.rows(many, pitch)
	lanes := 4
	for lanes*n > len(m.srcRows) {
		lanes /= 2
	}
	part := matrix{dst: s.bytes[s.start:], srcRows: m.srcRows, size: m.size}
	r := rows{dst: &m.dst[0], src: &s.bytes[s.start], pitch: pitch, bytes: bytes}
	for first := 0; first < len(m.dstRows); first += many {
		first = min(first, len(m.dstRows)-min(n, len(m.dstRows))) // at least a square, even if some rows are redone
		cols := m.dstRows[first:min(first+many, len(m.dstRows))]
		part.dstRows, part.src = offsets[:len(cols)], m.src[first*m.size:]
		part.transpose(lanes, false)
		r.dstRows, r.rows = &cols[0], len(cols)
		r.run(stream)
	}
}
