package kernel

// rows is what a kernel works on that copies rows to anywhere. _asm knows the order of the fields, which are words.
// It reads up to 63 bytes before and behind each row of the source.
type rows struct {
	dst     *byte
	dstRows *int
	src     *byte
	pitch   int // bytes from row to row of the source
	rows    int
	bytes   int // of a row, at least 64
}

const (
	stagedFrom  = 128      // bytes of a row from which it is worth being staged
	stagedBytes = 24 << 10 // that are staged at once
	stagedEdge  = 64       // bytes that are read before the first and behind the last row
)

// Room is memory in which Transpose puts rows together that begin anywhere. It serves one goroutine.
type Room struct {
	bytes   [stagedBytes + 3*stagedEdge]byte
	start   int // of the first line in bytes
	offsets [stagedBytes / stagedEdge]int
	pitch   int // from offset to offset
}

func NewRoom() *Room {
	r := new(Room)
	r.start = stagedEdge + lineStart(r.bytes[stagedEdge:])
	return r
}

// rows returns the offsets of many rows, pitch bytes apart.
func (r *Room) rows(many, pitch int) []int {
	if r.pitch != pitch {
		for i := range r.offsets {
			r.offsets[i] = i * pitch
		}
		r.pitch = pitch
	}
	return r.offsets[:many]
}

// staged transposes a few columns at a time to where rows begin with a line of 64 bytes, and copies them from there to
// where they do not, line by line: a store that crosses a line costs two, and cannot go past the caches.
//
//	source → |row 0        |pitch    → destination      |…row 0…|
//	         |row 1        |                        |…row 1…|
func (m *matrix) staged(room *Room, stream bool) {
	// A line's columns together, so that the source's lines are read once, each with up to 128 bytes to spare.
	most := (stagedBytes - 64*128/m.size) / 64 &^ 63 // rows
	part := *m
	for len(part.srcRows) > most {
		many := min(most, len(part.srcRows)-stagedFrom) // the rest is long enough too
		panel := part
		panel.srcRows = part.srcRows[:many]
		panel.stagedIn(room, stream)
		part.dst, part.srcRows = part.dst[many*m.size:], part.srcRows[many:]
	}
	part.stagedIn(room, stream)
}

// stagedIn stages all columns of rows of which at least a square fits into the room.
func (m *matrix) stagedIn(room *Room, stream bool) {
	bytes, n := len(m.srcRows)*m.size, m.square()
	pitch := (bytes + 127) &^ 63 // room for a line more, and no power of two, so that rows do not displace each other
	many := stagedBytes / pitch &^ (n - 1)
	offsets := room.rows(many, pitch)
	lanes := 4
	for lanes*n > len(m.srcRows) {
		lanes /= 2
	}
	part := matrix{dst: room.bytes[room.start:], srcRows: m.srcRows, size: m.size}
	r := rows{dst: &m.dst[0], src: &room.bytes[room.start], pitch: pitch, bytes: bytes}
	for first := 0; first < len(m.dstRows); first += many {
		first = min(first, len(m.dstRows)-min(n, len(m.dstRows))) // at least a square, be it that some come again
		cols := m.dstRows[first:min(first+many, len(m.dstRows))]
		part.dstRows, part.src = offsets[:len(cols)], m.src[first*m.size:]
		part.transpose(lanes, false)
		r.dstRows, r.rows = &cols[0], len(cols)
		r.run(stream)
	}
}
