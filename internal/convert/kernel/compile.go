package kernel

import (
	"bytes"
	"iter"
	"slices"
)

// maxIndex bounds the bytes of a program's index vectors, so that they stay in L1. Blocks of up to maxWhole bytes may become a
// single-period program.
const (
	maxIndex = 16 << 10
	maxWhole = 2048
)

// segment is a range of bytes.
type segment struct{ from, to int }

// compile makes the program whose period is the block's first rows and columns. It returns nil if its cost is limit or more.
func compile(b *Block, width, rows, cols, limit int) *program {
	p := &program{block: b, width: width, reps: 1}
	p.inputs = p.cover(rows, cols)
	if len(p.inputs) == 0 {
		return nil
	}
	outs := (rows*cols*b.size + width - 1) / width
	terms := min(maxIndex/width, limit*outs/termCost) // as many as the limit allows
	p.outs = make([]out, 0, outs)
	p.bases = make([]byte, 0, outs*width)
	most := min(terms, outs*len(p.inputs))
	p.sources = make([]int, 0, most)
	p.index = make([]byte, 0, most*width)
	lines := true
	elem := 0
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
			if !p.out(at, elem+(at-run.from)/b.size, rows) || len(p.sources) > terms {
				return nil
			}
		}
		elem += (run.to - run.from) / b.size
	}
	if len(p.outs) == 0 { // no column is written
		return nil
	}
	p.lines = lines
	p.repeat(rows, cols)
	if p.makeDense(); p.width == cacheLine && p.dense == 0 {
		p.pair()
	}
	all := len(b.srcRows)
	period := rows
	if cols < len(b.dstRows) {
		all = len(b.dstRows)
		period = cols
	}
	p.cost = p.costs(all, period)
	if p.cost >= limit {
		return nil
	}
	return p
}

// runsOf merges adjacent segments of one length.
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

// cover returns the offsets of the vectors that cover the period's source, rising. Short rows are read past their end.
func (p *program) cover(rows, cols int) (inputs []int) {
	b := p.block
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

// out adds a destination vector that starts with element elem of the period, counted column by column. It returns false if an element is in
// two source vectors, as in a view whose rows overlap by parts of elements.
func (p *program) out(at, elem, rows int) bool {
	b := p.block
	first := len(p.sources)
	from := len(p.bases)
	n := p.width / b.size
	taken := byte(0)
	if p.width == cacheLine {
		taken = 0x80
	}
	p.bases = append(p.bases, make([]byte, p.width)...)
	input := NoRow   // the source vector of the previous element
	var index []byte // of its term
	i := elem / rows
	row := elem % rows
	for j := range min(rows, n) {
		if row == rows {
			i = i + 1
			row = 0
		}
		origin := b.srcRows[row]
		row++
		if origin == NoRow {
			for k := j; k < n; k += rows {
				for byteOf := range b.size {
					p.bases[from+k*b.size+byteOf] = 0xFF // basesOf replaces this by padding
				}
			}
			continue
		}
		origin += i * b.size
		for k := j * b.size; k < p.width; k += rows * b.size {
			if origin < input || origin+b.size > input+p.width {
				input = p.inputOf(origin)
				if origin+b.size > input+p.width {
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

// inputOf returns the last source vector that starts at or before origin.
func (p *program) inputOf(origin int) int {
	at, exact := slices.BinarySearch(p.inputs, origin)
	if !exact {
		at--
	}
	return p.inputs[at]
}

// Index vectors that select no byte.
var none16, none64 = bytes.Repeat([]byte{0x80}, 16), make([]byte, cacheLine)

// term returns the index vector with which the current destination vector, whose terms start with first, selects bytes of input.
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
func (p *program) repeat(rows, cols int) {
	b := p.block
	if cols < len(b.dstRows) {
		n := len(b.dstRows)
		p.cols = cols
		p.reps = n / cols
		p.last = n%cols > 0
		p.srcStep = cols * b.size
		p.dstStep = movedBy(b.dstRows, cols)
		p.srcLast = (n - cols) * b.size
		p.dstLast = movedBy(b.dstRows, n-cols)
	} else if rows < len(b.srcRows) {
		n := len(b.srcRows)
		p.reps = n / rows
		p.last = n%rows > 0
		p.srcStep = movedBy(b.srcRows, rows)
		p.dstStep = rows * b.size
		p.srcLast = movedBy(b.srcRows, n-rows)
		p.dstLast = (n - rows) * b.size
	}
	if p.width == cacheLine {
		p.lines = p.lines && p.dstStep%cacheLine == 0
	} else {
		p.lines = p.fillsLines(rows, cols)
	}
	p.low = min(0, (p.reps-1)*p.srcStep, p.srcLast)
	p.high += max(0, (p.reps-1)*p.srcStep, p.srcLast)
}

// fillsLines reports whether a dense kernel of 16 bytes writes whole lines, of four periods that follow each other or one vector after the other.
func (p *program) fillsLines(rows, cols int) bool {
	b := p.block
	if !p.fitsRegisters() || p.reps < 4 {
		return false
	}
	if !p.adjacent() {
		return b.packed && p.dstStep == rows*cols*b.size
	}
	return len(b.srcRows)*b.size%cacheLine == 0 && b.startsLines()
}
