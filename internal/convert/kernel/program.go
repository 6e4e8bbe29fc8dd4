package kernel

import (
	"bytes"
	"encoding/binary"
	"iter"
	"slices"
	"unsafe"
)

// program moves bytes by shuffling vectors: every vector of the destination is the union of some vectors of the source, each
// with its bytes permuted. It is compiled from the addresses of a block's bytes, so that few channels, padding between them
// and ragged edges are all one case:
//
//	RGB to planes   in: |rgbr|gbrg|brgb|   out: |rrrr| = rgbr[0 3] | gbrg[2] | brgb[1] …
//
// A period, of some columns or some rows, is repeated along the block; the last one overlaps the one before it.
type program struct {
	width   int // bytes of a vector
	outs    []out
	sources []int  // of every term: its vector's offset in the source; of width 64 two vectors, unless dense
	index   []byte // of every term, width bytes: which of its bytes go where, bit 7 marks those (width 64, and bit 6 those of the second) or all others (width 16)
	inputs  []int  // vectors of the source
	bases   []byte // of every out, width bytes: padding, elsewhere zeros

	reps             int // periods
	dstStep, srcStep int
	dstLast, srcLast int // of the last period, if it overlaps
	last             bool
	low, high        int   // bytes before the job's source and up to which it reads
	dense            int   // vectors of the source, if the kernel that holds them and their indices in registers runs it; else 0
	held             int   // vectors of the source, an even number, if one that holds only them does; else 0
	lines            bool  // every vector is a line, if the block begins with one
	cost             int   // of a line of the destination
	ahead            []int // lines of a block's source to prefetch, as many for each period; none if stores do not stream
}

// out is a vector of the destination and how many terms it has. One word each.
type out struct{ at, terms int }

// Programs of so many vectors are run with all of them in registers, and those of up to maxHeld of the source with these.
const minDense, maxDense, maxHeld = 2, 4, 16

// makeDense arranges the index vectors for a kernel with all vectors in registers: of each vector of the destination those
// for all vectors of the source, in their order, if there are as many of both and no padding.
func (p *program) makeDense() {
	n := len(p.inputs)
	if p.width != cacheLine || len(p.outs) != n || n < minDense || n > maxDense || bytes.IndexByte(p.bases, 0xFF) >= 0 {
		return
	}
	p.dense = n
	inOrder := len(p.sources) == n*n
	for term, source := range p.sources {
		inOrder = inOrder && source == p.inputs[term%n]
	}
	if inOrder {
		return
	}
	index := make([]byte, n*n*p.width)
	term := 0
	for o, out := range p.outs {
		for range out.terms {
			i := slices.Index(p.inputs, p.sources[term])
			copy(index[(o*n+i)*p.width:], p.index[term*p.width:][:p.width])
			term++
		}
	}
	p.index, p.sources = index, p.inputs
}

// pair makes terms of two vectors of the source: for all of them, where a kernel holds them in registers, or for those that the vector of
// the destination has bytes of.
func (p *program) pair() {
	if p.holds(len(p.sources)) {
		p.held = (len(p.inputs) + 1) / 2 * 2
	}
	most := len(p.sources) + len(p.outs)
	if p.held > 0 {
		most = p.held * len(p.outs)
	}
	sources, index := make([]int, 0, most), make([]byte, 0, most/2*p.width)
	for o, term := 0, 0; o < len(p.outs); o++ {
		n := p.outs[o].terms
		own, ownIndex := p.sources[term:term+n], p.index[term*p.width:]
		term += n
		vectors := own
		if p.held > 0 {
			vectors = p.inputs
		}
		for i := 0; i < len(vectors); i += 2 {
			pair := vectors[i:min(i+2, len(vectors))]
			sources = append(sources, pair[0], pair[len(pair)-1])
			index = append(index, none64...)
			for k, source := range pair {
				if at := slices.Index(own, source); at >= 0 {
					takeFrom(index[len(index)-p.width:], ownIndex[at*p.width:], k)
				}
			}
		}
		p.outs[o].terms = (len(vectors) + 1) / 2
	}
	if p.held > 0 {
		sources = append(slices.Clone(p.inputs), p.inputs[len(p.inputs)-1])
	}
	p.sources, p.index = sources, index
}

// takeFrom adds the bytes that an index vector takes to those of a pair, of its first or its second vector.
func takeFrom(both, own []byte, second int) {
	const taken = 0x8080808080808080
	for i := 0; i < cacheLine; i += 8 {
		from := binary.LittleEndian.Uint64(own[i:])
		if second > 0 {
			from |= from & taken >> 1
		}
		binary.LittleEndian.PutUint64(both[i:], binary.LittleEndian.Uint64(both[i:])|from)
	}
}

// holds reports whether a kernel that holds all vectors of the source is the faster one for so many terms.
func (p *program) holds(terms int) bool {
	n := len(p.inputs)
	return n <= maxHeld && heldCost*n+heldStore < termCost*terms/len(p.outs)+shuffle
}

// maxIndex bounds the bytes of a program's index vectors: they stay in the first cache. maxWhole is how many bytes of a block
// become a program of one period.
const (
	maxIndex = 16 << 10
	maxWhole = 2048
)

// permutation is the argument of a program's kernel, see permuter in _asm. One word each, in this order.
type permutation struct {
	dst, src         *byte
	dstAt, srcAt     int  // bytes from each job to its first period
	jobs             *Job // one more than many; moves on
	many             int
	reps             int
	dstStep, srcStep int
	outs             *out
	count            int
	sources          *int
	index            *byte
	bases            *byte
	ahead            *int // lines of the next job to prefetch where stores stream, so many in each period
	aheadCount       int
}

// newProgram compiles the cheaper program for a block, along its columns or its rows, or of all of it if it is short; nil if
// there is none that costs less than limit.
func newProgram(b *Block, limit int) (best *program) {
	width, rows, cols := b.kernels.width, len(b.srcRows), len(b.dstRows)
	if width == 0 {
		return nil
	}
	try := func(r, c int) {
		if leastCost(b, width, r, c) >= limit {
			return
		}
		if p := compile(b, width, r, c, limit); p != nil {
			best, limit = p, p.cost
		}
	}
	along := width / b.size
	if along < cols && evenly(b.dstRows, along) {
		try(rows, along)
	}
	if along < rows && evenly(b.srcRows, along) {
		try(along, cols)
	}
	if best == nil && rows*cols*b.size <= maxWhole {
		try(rows, cols)
	}
	return best
}

// Costs of a term, half as much again as a shuffle; of a vector of the source that a kernel holds, half a shuffle; and of a vector of the
// destination that such a kernel makes.
const termCost, heldCost, heldStore = 3 * shuffle / 2, shuffle / 2, 5 * shuffle

// leastCost is less than a program of so many rows and columns costs, or as much: its source has at least as many vectors as its destination,
// and each of these has elements of so many rows, as long rows share no vector.
func leastCost(b *Block, width, rows, cols int) int {
	terms, inputs := min(rows, width/b.size)*min(cols*b.size, width)/width, (rows*cols*b.size+width-1)/width
	if b.padded {
		inputs = 1
	}
	switch {
	case width < cacheLine:
		return narrowCost(terms, 1)
	case inputs <= maxDense:
		return min(termCost*terms, heldCost*inputs+heldStore)
	case inputs <= maxHeld:
		return min(termCost*terms+shuffle, heldCost*inputs+heldStore)
	}
	return termCost*terms + shuffle
}

// narrowCost is what so many terms of so many vectors of 16 bytes cost. Kernels that move one period at once, not two, take twice the
// instructions.
func narrowCost(terms, outs int) int { return termCost * terms * 4 * 2 / (outs * periods16) }

// costs is what the program costs: its terms and its stores.
func (p *program) costs() int {
	terms := 0
	for _, o := range p.outs {
		terms += o.terms
	}
	switch {
	case p.width < cacheLine:
		return narrowCost(terms, len(p.outs))
	case p.dense > 0:
		return termCost * terms / len(p.outs)
	case p.held > 0:
		return heldCost*p.held + heldStore
	}
	return 2*termCost*terms/len(p.outs) + shuffle // each is a pair
}

// evenly reports whether every period of a table, and one that ends with it, is the first one moved.
func evenly(table []int, period int) bool {
	whole := len(table) / period * period
	return moved(table[period:whole], table) && (whole == len(table) || moved(table[len(table)-period:], table))
}

// moved reports whether the entries are those that another table begins with, plus the same; NoRow is in the same places.
func moved(table, from []int) bool {
	if len(table) == 0 {
		return true
	}
	by := 0
	if i := slices.IndexFunc(table, func(at int) bool { return at != NoRow }); i >= 0 {
		by = table[i] - from[i]
	}
	for i, at := range table {
		if d := at - from[i]; d != by && (d != 0 || at != NoRow) {
			return false
		}
	}
	return true
}

// movedBy is by how much the entries of a table from one on are those that it begins with moved.
func movedBy(table []int, from int) int {
	for i, at := range table[:len(table)-from] {
		if at != NoRow {
			return table[from+i] - at
		}
	}
	return 0
}

// segment is bytes of memory side by side.
type segment struct{ from, to int }

// compile makes the program whose period is the first rows and columns of a block; nil if it costs as much as limit.
func compile(b *Block, width, rows, cols, limit int) *program {
	p := &program{width: width, reps: 1}
	if p.inputs = p.cover(b, rows, cols); len(p.inputs) == 0 {
		return nil
	}
	outs := (rows*cols*b.size + width - 1) / width
	terms := min(maxIndex/width, limit*outs/heldCost) // as many as the limit allows
	p.outs, p.bases = make([]out, 0, outs), make([]byte, 0, outs*width)
	most := min(terms, outs*len(p.inputs))
	p.sources, p.index = make([]int, 0, most), make([]byte, 0, most*width)
	lines, elem := true, 0
	for run := range runsOf(b.dstRows[:cols], rows*b.size) {
		if run.from == NoRow {
			elem += rows
			continue
		}
		if run.to-run.from < width {
			return nil
		}
		for from := run.from; from < run.to; from += width {
			at := min(from, run.to-width)
			lines = lines && at%cacheLine == 0
			if !p.out(b, at, elem+(at-run.from)/b.size, rows) || len(p.sources) > terms {
				return nil
			}
		}
		elem += (run.to - run.from) / b.size
	}
	p.lines = lines && width == cacheLine
	p.repeat(b, rows, cols)
	if p.makeDense(); p.width == cacheLine && p.dense == 0 {
		p.pair()
	}
	if p.cost = p.costs(); p.cost >= limit {
		return nil
	}
	return p
}

// runsOf joins segments of one length that follow each other.
func runsOf(starts []int, length int) iter.Seq[segment] {
	return func(yield func(segment) bool) {
		for len(starts) > 0 {
			n := 1
			for n < len(starts) && starts[n] == starts[n-1]+length {
				n++
			}
			if !yield(segment{starts[0], starts[n-1] + length}) {
				return
			}
			starts = starts[n:]
		}
	}
}

// cover returns the vectors that cover the period's source, by rising offsets. Short rows are read beyond their end.
func (p *program) cover(b *Block, rows, cols int) (inputs []int) {
	starts := slices.DeleteFunc(append(make([]int, 0, 64), b.srcRows[:rows]...), func(at int) bool { return at == NoRow })
	slices.Sort(starts)
	starts = slices.Compact(starts)
	inputs = make([]int, 0, len(starts)*((cols*b.size+p.width-1)/p.width))
	covered := 0
	for run := range runsOf(starts, cols*b.size) {
		from := run.from + max(0, covered-run.from)/b.size*b.size // no element is in two vectors
		for ; from < run.to; from += p.width {
			at := from
			if from+p.width > run.to && run.to-p.width >= run.from {
				at = run.to - p.width
			}
			inputs = append(inputs, at)
			p.high = max(p.high, at+p.width)
			covered = at + p.width
		}
	}
	return inputs
}

// out adds a vector of the destination, which begins with an element of the period: column by column, rows of each; false if
// an element is in two vectors of the source, as in a view whose rows overlap by parts of elements.
func (p *program) out(b *Block, at, elem, rows int) bool {
	first, from, n, taken := len(p.sources), len(p.bases), p.width/b.size, byte(0)
	if p.width == cacheLine {
		taken = 0x80
	}
	p.bases = append(p.bases, make([]byte, p.width)...)
	input := NoRow   // the vector of the source that the element before is in
	var index []byte // of its term
	i, row := elem/rows, elem%rows
	for j := range min(rows, n) {
		if row == rows {
			i, row = i+1, 0
		}
		origin := b.srcRows[row]
		row++
		if origin == NoRow {
			for k := j; k < n; k += rows {
				for byteOf := range b.size {
					p.bases[from+k*b.size+byteOf] = 0xFF // basesOf puts the padding here
				}
			}
			continue
		}
		origin += i * b.size
		for k := j * b.size; k < p.width; k += rows * b.size {
			if origin < input || origin+b.size > input+p.width {
				if input = p.inputOf(origin); origin+b.size > input+p.width {
					return false
				}
				index = p.term(first, input)
			}
			for byteOf := range b.size {
				index[k+byteOf] = byte(origin-input+byteOf) | taken
			}
			origin += b.size
		}
	}
	if len(p.sources) == first { // all padding: kernels run at least one term
		p.term(first, p.inputs[0])
	}
	p.outs = append(p.outs, out{at, len(p.sources) - first})
	return true
}

// inputOf is the last vector of the source that begins at origin or before it.
func (p *program) inputOf(origin int) int {
	at, exact := slices.BinarySearch(p.inputs, origin)
	if !exact {
		at--
	}
	return p.inputs[at]
}

// Index vectors that take no byte.
var none16, none64 = bytes.Repeat([]byte{0x80}, 16), make([]byte, cacheLine)

// term returns the index vector of an input for the vector being made, whose terms begin with first.
func (p *program) term(first, input int) []byte {
	i := slices.Index(p.sources[first:], input)
	if i < 0 {
		i = len(p.sources) - first
		p.sources = append(p.sources, input)
		if p.width == cacheLine {
			p.index = append(p.index, none64...)
		} else {
			p.index = append(p.index, none16...)
		}
	}
	return p.index[(first+i)*p.width:][:p.width]
}

// repeat repeats the period along the block.
func (p *program) repeat(b *Block, rows, cols int) {
	switch {
	case cols < len(b.dstRows):
		n := len(b.dstRows)
		p.reps, p.last = n/cols, n%cols > 0
		p.srcStep, p.dstStep = cols*b.size, movedBy(b.dstRows, cols)
		p.srcLast, p.dstLast = (n-cols)*b.size, movedBy(b.dstRows, n-cols)
	case rows < len(b.srcRows):
		n := len(b.srcRows)
		p.reps, p.last = n/rows, n%rows > 0
		p.srcStep, p.dstStep = movedBy(b.srcRows, rows), rows*b.size
		p.srcLast, p.dstLast = movedBy(b.srcRows, n-rows), (n-rows)*b.size
	}
	p.lines = p.lines && p.dstStep%cacheLine == 0
	p.low = min(0, (p.reps-1)*p.srcStep, p.srcLast)
	p.high += max(0, (p.reps-1)*p.srcStep, p.srcLast)
}

// run runs the program on all jobs but the last. Those whose vectors reach outside of the source move by elements.
func (p *program) run(w *Worker, b *Block, dst, src []byte, jobs []Job, pad []byte) {
	jobs = jobs[:len(jobs)-1]
	inside := func(j Job) bool { return j.Src+p.low >= 0 && j.Src+p.high <= len(src) }
	for len(jobs) > 0 {
		n := slices.IndexFunc(jobs, func(j Job) bool { return !inside(j) })
		if n == 0 {
			b.byElements(dst, src, jobs[0], pad)
			jobs = jobs[1:]
			continue
		}
		if n < 0 {
			n = len(jobs)
		}
		p.runInside(w, b, dst, src, jobs[:n], pad)
		jobs = jobs[n:]
	}
}

// runInside runs the program on jobs all of whose vectors are inside the source.
func (p *program) runInside(w *Worker, b *Block, dst, src []byte, jobs []Job, pad []byte) {
	stream := b.stores == Streaming && p.lines && allLines(dst, jobs)
	bases := p.bases
	if b.padded {
		bases = w.basesOf(p, pad)
	}
	w.perm = permutation{src: unsafe.SliceData(src), dst: unsafe.SliceData(dst), outs: &p.outs[0], count: len(p.outs),
		sources: &p.sources[0], index: &p.index[0], bases: &bases[0], dstStep: p.dstStep, srcStep: p.srcStep}
	if stream = stream && len(p.ahead) > 0; stream {
		w.perm.ahead, w.perm.aheadCount = &p.ahead[0], len(p.ahead)/p.reps
	}
	w.permute(jobs, p, p.reps, stream)
	if p.last {
		w.perm.srcAt, w.perm.dstAt, w.perm.srcStep, w.perm.dstStep = p.srcLast, p.dstLast, 0, 0
		w.permute(jobs, p, 1, false)
	}
}

// basesOf are the program's bases with the bytes of pad, one element, where padding is: vectors begin with an element.
func (w *Worker) basesOf(p *program, pad []byte) []byte {
	padding := w.padding(pad, p.width)
	w.bases = append(w.bases[:0], p.bases...)
	for i, mask := range p.bases {
		w.bases[i] = mask & padding[i%p.width]
	}
	return w.bases
}

// permute runs the kernel. That of 16 bytes may move two periods at once; an odd last one is moved with the one before it, or
// twice.
func (w *Worker) permute(jobs []Job, p *program, reps int, stream bool) {
	w.perm.jobs, w.perm.many, w.perm.reps = &jobs[0], len(jobs), reps
	switch {
	case p.width == cacheLine:
		w.perm.run(p.dense, p.held, stream)
		return
	case periods16 == 1:
		w.perm.run16()
		return
	}
	if w.perm.reps = reps / 2; reps > 1 {
		w.perm.run16()
	}
	if reps%2 == 1 {
		w.perm.jobs, w.perm.many, w.perm.reps = &jobs[0], len(jobs), 1
		w.perm.srcAt += (reps - 1) * w.perm.srcStep
		w.perm.dstAt += (reps - 1) * w.perm.dstStep
		w.perm.srcStep, w.perm.dstStep = 0, 0
		w.perm.run16()
	}
}
