package convert

import (
	"io"
	"sync"
)

// longRun is the length in bytes beyond which longer reads and writes gain little.
const longRun = 128 << 10

// WriteAt writes the destination's storage into file, starting at byte at: tile by tile, in any order, as many at once as threads and
// memory allow. All tiles, and what is read for them, use at most memory bytes together, or one run of the destination with its padding per
// thread.
//
// Tiles are half of a core's own cache, so that they are written from it, or larger if their runs would be short.
func (p *Plan) WriteAt(file io.WriterAt, at int64, src, pad []byte, memory int64, o Options) error {
	o = o.withDefaults()
	if p.ItemSize == 0 || p.Alloc == 0 {
		return nil
	}
	pad = p.orZeros(pad)
	s := p.Schedule(memory, o)
	t := s.tiling
	q := queue{file: file, at: at, idle: make(chan *stage, s.Threads), full: make(chan filled, s.Threads)}
	for range s.Threads {
		q.idle <- newStage(p, t, src, pad, o)
	}
	return Parallel(s.Threads, s.Tiles, o.Guard, func(int) func(int) error {
		return func(k int) error {
			if err := q.fill(<-q.idle, k, s.Threads); err != nil {
				return err
			}
			return q.write(o.Done)
		}
	})
}

// queue holds filled tiles until they are written. A file has a lock that lets one thread write; the others fill tiles instead of waiting.
//
// Each thread has a stage: idle, being filled, full or being written. Nobody waits for an idle one forever, because a failing thread makes
// its stage idle, and the holder of the lock looks for full ones after releasing it, or makes its own idle.
type queue struct {
	file    io.WriterAt
	at      int64
	idle    chan *stage
	full    chan filled
	writing sync.Mutex
}

type filled struct {
	*stage
	tile  tile
	bytes []byte
}

// fill fills tile k and starts reading what a later one needs.
func (q *queue) fill(s *stage, k, threads int) error {
	queued := false
	defer func() {
		if !queued { // an error, or a memory fault
			q.idle <- s
		}
	}()
	if k < threads {
		s.fetch(k)
	}
	s.fetch(k + threads)
	w := s.tiling.at(k)
	bytes, err := s.fill(w)
	if err != nil {
		return err
	}
	q.full <- filled{s, w, bytes}
	queued = true
	return nil
}

// write writes full tiles, including those of other threads, unless another thread does.
func (q *queue) write(done func(bytes int)) error {
	for len(q.full) > 0 && q.writing.TryLock() {
		select {
		case f := <-q.full:
			err := q.put(f)
			q.writing.Unlock() // before others can fill the stage
			q.idle <- f.stage
			if err != nil {
				return err
			}
			done(len(f.bytes))
		default:
			q.writing.Unlock()
		}
	}
	return nil
}

func (q *queue) put(f filled) error {
	size := f.plan.ItemSize
	return f.tiling.segments(f.tile, func(storage, packed, n int) error {
		_, err := q.file.WriteAt(f.bytes[packed*size:(packed+n)*size], q.at+int64(storage)*int64(size))
		return err
	})
}

// workerBytes is an upper bound on a worker's memory besides its tiles.
const workerBytes = 256 << 10

// Schedule is how WriteAt runs a plan: the number of threads, the number of tiles, and their maximum bytes.
type Schedule struct {
	Threads, Tiles, TileBytes int
	tiling                    tiling
}

// Schedule returns how WriteAt runs the plan: tiles, and what is read for them, use at most memory bytes together.
func (p *Plan) Schedule(memory int64, o Options) Schedule {
	o = o.withDefaults()
	if p.ItemSize == 0 || p.Alloc == 0 {
		return Schedule{}
	}
	threads := int(min(int64(o.Threads), max(1, memory/workerBytes)))
	t := p.fileTiling(memory/int64(threads)/(1+maxLoad), o)
	return Schedule{Threads: min(threads, t.count()), Tiles: t.count(), TileBytes: t.elems() * p.ItemSize, tiling: t}
}

// fileTiling returns the smallest tiling with long runs on both sides, of at most memory bytes per tile.
func (p *Plan) fileTiling(memory int64, o Options) tiling {
	elems := max(1, int(min(memory, int64(o.tile)))/p.ItemSize)
	for {
		t := newTiling(elems, p)
		_, written := t.nextDst()
		_, read := t.nextSrc(rising(p.largest().Loops))
		if min(written, read)*p.ItemSize >= longRun || elems >= p.Alloc || int64(elems)*int64(p.ItemSize) > memory/2 {
			return t
		}
		elems *= 2
	}
}

// Write writes the destination's storage to a stream, in order, in windows of at most memory bytes, or of one element.
func (p *Plan) Write(w io.Writer, src, pad []byte, memory int64, o Options) error {
	o = o.withDefaults()
	if p.ItemSize == 0 || p.Alloc == 0 {
		return nil
	}
	if o.Disk != nil {
		memory /= 1 + maxLoad
	}
	t := p.windows(int(min(int64(p.Alloc), max(1, memory/int64(p.ItemSize)))))
	pad = p.orZeros(pad)
	s := newStage(p, t, src, pad, o)
	for k := range t.count() {
		part := t.at(k)
		inside := Plan{ItemSize: p.ItemSize, Alloc: part.elems(), Pitch: p.Pitch, Gaps: p.Gaps, matrices: p.matrices}
		window := s.buffer[:inside.Alloc*p.ItemSize]
		boxes, source, err := s.source.load(t.boxes(p, part), len(window))
		if err != nil {
			return err
		}
		s.fetch(k + 1)
		inside.Boxes = boxes
		if err := inside.Run(window, source, pad, o); err != nil {
			return err
		}
		if _, err := w.Write(window); err != nil {
			return err
		}
	}
	return nil
}

// windows cuts the storage into parts of one run each, made of whole runs with their padding.
func (p *Plan) windows(elems int) tiling {
	if p.Pitch > 0 {
		elems = max(p.Pitch, elems/p.Pitch*p.Pitch)
	}
	return tiling{pitch: []int{1}, radix: []int{p.Alloc}, size: []int{elems}}
}
