package convert

import (
	"cmp"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/safetensors"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// window is how many bytes of a tensor are assembled, summed up and written at once, within --memory: they stay in a core's caches.
const window = 512 << 10

// large is how many bytes a tensor has that takes all threads; others are converted side by side, each by one thread.
const large = 64 << 20

// threads is how many tensors are converted at once. An archive is read by one thread.
func (w *whole) threads() int {
	if w.model.checkpoint == nil {
		return 1
	}
	return min(cmp.Or(w.options.threads, runtime.GOMAXPROCS(0)), int(max(1, w.options.memory.N/(8*window))))
}

// each calls do for every number below n, on several threads.
func (w *whole) each(n int, do func(i int) error) error {
	unguarded := func(f func() error) error { return f() }
	return convert.Parallel(w.threads(), n, unguarded, func(int) func(i int) error { return do })
}

// emit writes the elements of a tensor in their new order, and its padding, in windows.
func (w *whole) emit(i int, out io.Writer, bar func(bytes int)) error {
	p := &w.pieces[i]
	if p.swap > 0 {
		out = &swapper{out: out, size: p.swap}
	}
	counted := writerFunc(func(b []byte) (int, error) {
		bar(len(b))
		return out.Write(b)
	})
	return w.take(i, func(t *source.Tensor) error {
		size := p.tensor.Type.ItemSize()
		if !p.moved {
			return w.copyData(counted, t, int64(p.from.Offset())*int64(size), p.bytes())
		}
		plan, err := convert.NewPlan(p.target.Layout, p.from, size)
		if err != nil {
			return err
		}
		opts := convert.Options{Kernels: w.kernels, Threads: w.options.threads, Guard: t.Guard, Disk: t}
		if p.bytes() < large && w.threads() > 1 {
			opts.Threads = 1
		}
		if w.model.checkpoint != nil && p.inStep() {
			opts.Disk = read{t}
		}
		data, err := t.Data()
		if err != nil {
			return err
		}
		share := w.options.memory.N / int64(w.threads())
		if p.inStep() {
			return plan.Write(counted, data, nil, min(share, 3*window), opts)
		}
		if a, ok := out.(*at); ok { // tiles have long runs on both sides, but no order
			opts.Done = bar
			return plan.WriteAt(a.file, a.at, data, nil, share, opts)
		}
		return plan.Write(counted, data, nil, share, opts)
	})
}

// read is a source whose bytes are read instead of mapped: that takes less time where they are read once, run by run.
type read struct{ *source.Tensor }

func (read) Resident(int) bool { return false }

func (read) Fetch(int, int) {}

func (read) Forget(int, int) {}

// inStep reports whether both layouts have the same outermost dim, and no gaps in it: then a window of one is a window of the other.
func (p *piece) inStep() bool {
	from, ok := p.from.Strided()
	to, also := p.target.Layout.Strided()
	if !ok || !also || !from.NonOverlappingAndDense() {
		return false
	}
	order := sameDims(p.from.Names(), p.target.Layout.Names())
	a, b := outermost(from), outermost(to)
	return a >= 0 && b >= 0 && order[b] == a && to.Strides[b]*p.tensor.Type.ItemSize() <= window
}

// outermost is the dim of the largest stride; -1 if there is none.
func outermost(v tensor.Strided) int {
	at := -1
	for d, n := range v.Shape {
		if n > 1 && (at < 0 || v.Strides[d] > v.Strides[at]) {
			at = d
		}
	}
	return at
}

// block takes n bytes of those that were used before, if they suffice. What is taken is at most a block for each thread.
func (w *whole) block(n int) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.blocks) - 1; last >= 0 {
		b := w.blocks[last]
		w.blocks = w.blocks[:last]
		if cap(b) >= n {
			return b[:n]
		}
	}
	return make([]byte, n)
}

func (w *whole) free(b []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocks = append(w.blocks, b)
}

type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// copyData writes bytes of a tensor's data as they are. Those of an archive are compared with its checksum first.
func (w *whole) copyData(out io.Writer, t *source.Tensor, from, n int64) error {
	var data []byte
	if w.model.checkpoint == nil {
		var err error
		if data, err = t.Data(); err != nil {
			return err
		}
	}
	block := w.block(int(min(n, window/2)))
	defer w.free(block)
	for n > 0 {
		block = block[:min(n, int64(len(block)))]
		if data != nil {
			copy(block, data[from:])
		} else if err := t.Read(block, int(from)); err != nil {
			return err
		}
		if _, err := out.Write(block); err != nil {
			return err
		}
		from, n = from+int64(len(block)), n-int64(len(block))
	}
	return nil
}

// timed runs what writes the tensors, with a progress bar over their bytes.
func (w *whole) timed(bytes int64, write func(bar func(bytes int)) error) error {
	start := time.Now()
	bar := cli.NewProgress(w.app.Streams, "writing", bytes)
	defer bar.End()
	err := write(bar.Add)
	w.done.seconds, w.done.written = time.Since(start).Seconds(), bytes
	return err
}

// finish publishes a complete draft.
func (w *whole) finish(file *publish.File) error {
	if err := w.model.unchanged(); err != nil {
		return err
	}
	err := file.Commit()
	w.count(file)
	return err
}

// count notes whether an output was kept.
func (w *whole) count(file *publish.File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done.outputs++; file.UpToDate() {
		w.done.kept++
	}
}

// upToDate reports whether nothing had to be written.
func (w *whole) upToDate() bool { return w.done.outputs > 0 && w.done.kept == w.done.outputs }

// draft writes one file of w.size bytes by fill.
func (w *whole) draft(bytes int64, fill func(file *publish.File, bar func(bytes int)) error) error {
	if w.options.verify && publish.IsNull(w.out) {
		return unverifiable()
	}
	file, err := w.options.create(w.out, w.size)
	if err != nil {
		return err
	}
	defer file.Discard()
	if file.UpToDate() || w.options.dryRun {
		w.count(file)
		return nil
	}
	if err := w.timed(bytes, func(bar func(int)) error { return fill(file, bar) }); err != nil {
		return err
	}
	if w.options.verify {
		if err := w.verify(file); err != nil {
			return err
		}
	}
	return w.finish(file)
}

// at writes to a file from a byte on.
type at struct {
	file io.WriterAt
	at   int64
	sum  uint32 // CRC-32
}

func (a *at) Write(b []byte) (int, error) {
	n, err := a.file.WriteAt(b, a.at)
	a.at += int64(n)
	return n, err
}

// summed is at with a checksum.
type summed struct{ at }

func (s *summed) Write(b []byte) (int, error) {
	s.sum = crc32.Update(s.sum, crc32.IEEETable, b)
	return s.at.Write(b)
}

// safetensorsFile is an output of that format.
type safetensorsFile struct {
	*whole
	header *safetensors.Header
	bytes  int64
}

func (w *whole) newSafetensors() (sink, error) {
	s := &safetensorsFile{whole: w}
	items := make([]safetensors.Item, len(w.pieces))
	for i, p := range w.pieces {
		items[i] = safetensors.Item{Name: p.tensor.Name, Type: p.tensor.Type, Shape: p.shape()}
		s.bytes += p.bytes()
	}
	texts := w.model.metadata
	if w.model.pickled() && !w.permutes() {
		texts = []checkpoint.Entry{{Key: "format", Value: "pt"}} // without it, transformers refuses the file
	}
	var err error
	if s.header, err = safetensors.NewHeader(items, texts, alignOr(w.options.align, 64)); err != nil {
		return nil, err
	}
	w.size = s.header.Size
	for i, p := range w.pieces {
		if p.bytes() > 0 {
			w.align = minAlign(w.align, safetensors.Alignment(s.header.At[i]))
		}
	}
	w.duplicates("safetensors")
	return s, nil
}

func alignOr(align, other int) int {
	if align == 0 {
		return other
	}
	return align
}

// minAlign is the smaller of two alignments, of which 0 is none.
func minAlign(a, b int64) int64 {
	if a == 0 {
		return b
	}
	return min(a, b)
}

func (s *safetensorsFile) write() error {
	return s.draft(s.bytes, func(file *publish.File, bar func(int)) error {
		if _, err := file.WriteAt(s.header.Text, 0); err != nil {
			return err
		}
		return s.each(len(s.pieces), func(i int) error {
			return s.emit(i, &at{file: file, at: s.header.At[i]}, bar)
		})
	})
}

// archive is an .npz.
type archive struct {
	*whole
	box *container
}

func (w *whole) newArchive() (sink, error) {
	parts := make([]part, len(w.pieces))
	for i := range w.pieces {
		p := &w.pieces[i]
		var err error
		if parts[i], err = w.newArray(p); err != nil {
			return nil, err
		}
		if parts[i].member = w.memberName(p); parts[i].member == "" {
			return nil, fault.New(fault.Unsupported, "a tensor without a name cannot be a member of an archive").WithHint("write .pt or .safetensors")
		}
	}
	box, err := newContainer(true, parts)
	if err != nil {
		return nil, err
	}
	w.size = box.size
	w.duplicates("npz")
	return &archive{w, box}, nil
}

// newArray is a tensor as a .npy file. A layout is recorded where the file's shape does not say it, and the dtype where .npy has none.
func (w *whole) newArray(p *piece) (part, error) {
	header, err := npy.AppendHeader(nil, p.tensor.Type, p.target.Fortran, p.shape())
	if err != nil {
		return part{}, fault.In(words.Quoted(words.Cut(p.tensor.Name, 200)), err)
	}
	made := part{header: header, bytes: int64(len(header)) + p.bytes()}
	if p.named || unspelled(p.tensor.Type) {
		record := source.NewArrayRecord(p.tensor.Type, p.shape(), p.target.Layout, p.target.Order)
		made.record = &record
	}
	return made, nil
}

// unspelled reports whether a dtype has no name in a .npy header, as bfloat16, which is written as bytes.
func unspelled(d dtype.Type) bool {
	return d.Kind() != dtype.Void && strings.Contains(d.Typestr(), "V")
}

func (a *archive) write() error {
	bytes := int64(0)
	for i := range a.pieces {
		bytes += a.pieces[i].bytes()
	}
	return a.draft(bytes, func(file *publish.File, bar func(int)) error {
		crcs := make([]uint32, len(a.pieces))
		err := a.each(len(a.pieces), func(i int) error {
			out := &summed{at{file: file, at: a.box.at(i)}}
			if _, err := out.Write(a.box.parts[i].header); err != nil {
				return err
			}
			err := a.emit(i, out, bar)
			crcs[i] = out.sum
			return err
		})
		if err != nil {
			return err
		}
		return a.box.end(file, crcs)
	})
}
