package kernel

// shifted writes rows of the destination that do not begin with a line past the caches, line by line: a kernel keeps the last vector of
// each row, its carry, and joins the end of it with the vector that follows.
//
//	line       |          |          |          |
//	row            |first     |…         |last      |
//	stored         |──────────|         cached: the row has only a part of its first line, which others may write too,
//	                      |──────────|  past the caches, and so on
//	                                            |───|  cached, from the carry
//
// Blocks whose rows continue those of the block before are one run of it.
type shifted struct {
	grid        *grid
	first, rest sweep // tiles of the first row group, and of the others that are whole
	whole       sweep // both
	last        sweep // of a row group that overlaps the one before
	row, end    int   // bytes of a destination row of a block, and of those in whole row groups
}

// shiftedFrom is how many row groups pay for writing the first and the last line of a row through the caches.
const shiftedFrom = 4

// newShifted cuts a block into tiles; nil if its rows are short or there are no kernels.
func newShifted(b *Block, shape tileShape) *shifted {
	high, _ := shape.of(b.size)
	whole := len(b.srcRows) / high
	if shape.shifting == nil || b.kernels.width != cacheLine || whole < shiftedFrom { // they permute bytes as programs do
		return nil
	}
	s := &shifted{grid: newGrid(b, shape), row: b.rowBytes(), end: whole * high * b.size}
	s.grid.order(groups{}, s.grid.groups)
	for _, t := range s.grid.all.tiles {
		switch group := t.rows / (8 * (high + 1)); {
		case group == whole:
			s.last.tiles = append(s.last.tiles, t)
			continue
		case group == 0:
			s.first.tiles = append(s.first.tiles, t)
		default:
			s.rest.tiles = append(s.rest.tiles, t)
		}
		s.whole.tiles = append(s.whole.tiles, t)
	}
	lines := sourceLines(b)
	s.rest, s.whole = shape.newSweep(s.rest.tiles, lines, b.size), shape.newSweep(s.whole.tiles, lines, b.size)
	return s
}

func (s *shifted) String() string { return "shifted " + s.grid.String() }

// run moves all jobs but the last. There is no padding.
func (s *shifted) run(w *Worker, dst, src []byte, jobs []Job, _ []byte) {
	for g := s.grid; len(jobs) > 1; {
		n := 1
		if g.outside(src, jobs[0]) {
			g.call(w, g.cached, g.all, dst, src, jobs[:2], g.rowsOf(w, src, jobs[0], nil))
		} else {
			for len(s.last.tiles) == 0 && n < len(jobs)-1 && jobs[n].Dst == jobs[n-1].Dst+s.row && !g.outside(src, jobs[n]) {
				n++
			}
			s.follow(w, dst, src, jobs[:n+1])
		}
		jobs = jobs[n:]
	}
}

// follow moves all jobs but the last, each of which continues the rows of the one before.
func (s *shifted) follow(w *Worker, dst, src []byte, jobs []Job) {
	g, last := s.grid, jobs[len(jobs)-2]
	g.call(w, g.cached, s.first, dst, src, jobs[:2], g.rows)
	carry := aligned(&w.carry, len(g.cols)*cacheLine)
	for word, at := range g.columns() {
		copy(carry[word*cacheLine:][:cacheLine], dst[jobs[0].Dst+at:])
	}
	g.call(w, g.shape.shifting, s.rest, dst, src, jobs[:2], g.rows)
	g.call(w, g.shape.shifting, s.whole, dst, src, jobs[1:], g.rows)
	for word, at := range g.columns() {
		end := last.Dst + at + s.end
		past := pastLine(dst, end)
		copy(dst[end-past:end], carry[(word+1)*cacheLine-past:])
	}
	g.call(w, g.cached, s.last, dst, src, jobs[len(jobs)-2:], g.rows)
}

// counting is 0 to 127: from 64-n on, it is the index vector that takes the last n bytes of one vector and the first ones of another.
var counting = func() (c [2 * cacheLine]byte) {
	for i := range c {
		c[i] = byte(i)
	}
	return c
}()
