package kernel

// staged writes rows of the destination that follow each other, but do not begin with a line, past the caches: some columns of a block at
// a time, or some blocks that follow each other, into memory that stays in the first cache, and from there by whole lines. What is
// left of the last line is the beginning of the next.
//
//	line          |          |          |          |
//	destination       |row 0 |row 1 |row 2 |row 3 |row 4 …
//	staged        |   |row 0 |row 1 |row 2 |
//	                                    |row 3 |row 4 …
type staged struct {
	block *Block
	lines *grid  // for jobs that begin with a line, if its tiles are whole lines then; nil if not
	part  *Block // of some columns, at the offsets of staging memory
	rest  *Block // of the last ones, if they are fewer
	many  int    // columns of part
	bytes int    // of all columns
}

const (
	stagedFrom  = 128      // bytes of a block from which staging pays off
	stagedBytes = 20 << 10 // of staging memory
	stagedPart  = 8 << 10  // about how much is staged at once: reading a part overlaps with writing the one before, if both are short,
	stagedLines = 8        // but so many lines of a source row, if there is room
)

// newStaged cuts a block into columns that staging memory holds; nil if a line of source rows is too much for that
// or the block is too short.
func newStaged(b *Block) *staged {
	all, line, row := len(b.dstRows), cacheLine/b.size, b.rowBytes()
	s := &staged{block: b, bytes: all * row, many: all}
	if s.bytes < stagedFrom {
		return nil
	}
	if s.bytes > stagedPart { // whole lines of source rows, about as many each time
		most := min(stagedBytes, max(stagedPart, stagedLines*line*row)) / row / line * line
		if most == 0 {
			return nil
		}
		parts := (all + most - 1) / most
		s.many = min(most, all, ((all+parts-1)/parts+line-1)/line*line)
	}
	s.part = s.cut(s.many)
	if rest := all % s.many; rest > 0 {
		s.rest = s.cut(rest)
	}
	return s
}

// cut makes the block of the first columns, in staging memory.
func (s *staged) cut(cols int) *Block {
	b, rows := s.block, make([]int, cols)
	for i := range rows {
		rows[i] = i * b.rowBytes()
	}
	cut := b.kernels.NewBlock(b.srcRows, rows, b.size, Cached)
	if g, tiles := cut.method.(*grid); tiles {
		g.fetch()
	}
	return cut
}

func (s *staged) String() string {
	if s.lines != nil {
		return s.lines.String()
	}
	return "staged " + s.part.Method()
}

// run moves all jobs but the last: staged, but those that begin with a line where tiles are lines.
func (s *staged) run(w *Worker, dst, src []byte, jobs []Job, pad []byte) {
	if s.lines == nil {
		s.stage(w, dst, src, jobs, pad)
		return
	}
	for head, some := range s.block.heads.of(dst, jobs) {
		if head == 0 {
			s.lines.run(w, dst, src, some, pad)
		} else {
			s.stage(w, dst, src, some, pad)
		}
	}
}

// stage moves all jobs but the last: at once those that follow each other in the destination.
func (s *staged) stage(w *Worker, dst, src []byte, jobs []Job, pad []byte) {
	b := s.block
	for len(jobs) > 1 {
		n := 1
		for n < len(jobs)-1 && jobs[n].Dst == jobs[n-1].Dst+s.bytes {
			n++
		}
		f := newFlow(w, b.kernels.Level, dst, jobs[0].Dst)
		if s.rest == nil && s.many == len(b.dstRows) {
			s.blocks(w, &f, src, jobs[:n+1], pad)
		} else {
			s.columns(w, &f, src, jobs[:n+1], pad)
		}
		f.end()
		jobs = jobs[n:]
	}
}

// blocks stages several whole blocks at a time.
func (s *staged) blocks(w *Worker, f *flow, src []byte, jobs []Job, pad []byte) {
	for len(jobs) > 1 {
		n := min(len(jobs)-1, max(1, stagedPart/s.bytes))
		w.stageJobs = w.stageJobs[:0]
		for i, j := range jobs[:n+1] {
			w.stageJobs = append(w.stageJobs, Job{f.filled + i*s.bytes, j.Src})
		}
		s.part.Run(w, f.stage[:], src, w.stageJobs, pad)
		f.add(n * s.bytes)
		jobs = jobs[n:]
	}
}

// columns stages some columns at a time.
func (s *staged) columns(w *Worker, f *flow, src []byte, jobs []Job, pad []byte) {
	b := s.block
	for i, j := range jobs[:len(jobs)-1] {
		for col := 0; col < len(b.dstRows); col += s.many {
			cut, next := s.part, j.Src+(col+s.many)*b.size
			if col+s.many > len(b.dstRows) {
				cut = s.rest
			}
			if col+s.many >= len(b.dstRows) {
				next = jobs[i+1].Src
			}
			w.stageJobs = append(w.stageJobs[:0], Job{f.filled, j.Src + col*b.size}, Job{Src: next})
			cut.Run(w, f.stage[:], src, w.stageJobs, pad)
			f.add(len(cut.dstRows) * b.rowBytes())
		}
	}
}

// flow is bytes on their way to the destination, past the caches by lines. Staging memory begins with the line that they are to
// continue, whose first bytes may be others'.
type flow struct {
	level  Level
	dst    []byte
	stage  *[stagedBytes + 2*cacheLine]byte // what is staged, and a line before and after it
	at     int                              // of the destination, where stage begins
	others int                              // bytes of the first line
	filled int                              // bytes of stage, others' included
}

// newFlow begins at an offset of the destination.
func newFlow(w *Worker, level Level, dst []byte, at int) flow {
	past := pastLine(dst, at)
	stage := (*[stagedBytes + 2*cacheLine]byte)(aligned(&w.staging, stagedBytes+2*cacheLine))
	return flow{level, dst, stage, at - past, past, past}
}

// add takes so many bytes more, and writes whole lines.
func (f *flow) add(n int) {
	f.filled += n
	whole := f.filled / cacheLine * cacheLine
	if whole == 0 {
		return
	}
	from := 0
	if f.others > 0 {
		from = copy(f.dst[f.at+f.others:f.at+cacheLine], f.stage[f.others:]) + f.others
	}
	if whole > from {
		c := copying{dst: &f.dst[f.at+from], src: &f.stage[from], n: (whole - from) / cacheLine}
		c.lines(f.level, true)
	}
	*(*[cacheLine]byte)(f.stage[:]) = *(*[cacheLine]byte)(f.stage[whole:])
	f.at, f.others, f.filled = f.at+whole, 0, f.filled-whole
}

// end writes what is left.
func (f *flow) end() {
	copy(f.dst[f.at+f.others:f.at+f.filled], f.stage[f.others:])
}
