package convertcmd

import (
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// write writes the output: a draft that gets its name once it is complete, and verified if requested.
func (j *job) write() error {
	bar := cli.NewProgress(j.app.Streams, "writing", j.place.data)
	start := time.Now()
	defer bar.End()
	if j.container.split {
		err := j.writeFolder(bar.Add)
		j.done.seconds = time.Since(start).Seconds()
		return err
	}
	if j.out.isStdout() {
		return j.writeStream(bar.Add)
	}
	return j.writeFile(j.out.path, j.place, j.tasks, bar.Add)
}

// writeFile writes one file.
func (j *job) writeFile(n name.Name, p *placement, tasks []task, bar func(bytes int)) error {
	file, err := j.create(n, p.size)
	if err != nil {
		return err
	}
	defer file.Discard()
	if file.UpToDate() || j.options.dryRun {
		j.count(file, 0)
		return nil
	}
	start := time.Now()
	if err := j.fill(file, p, bar); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	if j.options.verify {
		if err := j.verify(n, file.Draft(), tasks); err != nil {
			return err
		}
	}
	if err := j.in.set.Unchanged(); err != nil {
		return err
	}
	err = file.Commit()
	j.count(file, seconds)
	return err
}

// count records the result of an output.
func (j *job) count(file *publish.File, seconds float64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done.seconds += seconds
	if j.done.outputs++; file.UpToDate() {
		j.done.skipped++
	}
}

// create creates an output of size bytes.
func (j *job) create(n name.Name, size int64) (*publish.File, error) {
	o := j.options
	d := j.destination
	opts := publish.Options{Replace: o.force, Update: o.update, Inputs: j.inputs, Derived: d.out.IsZero() || d.place != nil, Durable: o.durable, Size: size}
	if d.place != nil {
		j.done.path = n
		j.done.bytes = size
		if ready, err := d.place.ready(o.dryRun); err != nil || !ready {
			return publish.Unwritten(n), err
		}
	}
	file, err := publish.Create(n, opts)
	var e *fault.Error
	if j.settings.second && errors.As(err, &e) && e.Hint == store.Exists("").Hint {
		return nil, e.WithHint("the second argument of convert is its output; --force replaces %s", n.Arg())
	}
	return file, err
}

// fill writes all items in parallel, and then the frame.
func (j *job) fill(file *publish.File, p *placement, bar func(bytes int)) error {
	sums := make([]uint32, len(p.items))
	err := convert.Parallel(j.threads(), len(p.items), unguarded, func(int) func(int) error {
		return func(i int) (err error) {
			sums[i], err = j.put(&p.items[i], file, p.sum, bar)
			return err
		}
	})
	if err != nil || p.frame == nil {
		return err
	}
	return p.frame(file, sums)
}

func unguarded(f func() error) error { return f() }

// large is the size in bytes from which a tensor uses all threads; smaller ones are converted in parallel, one thread each.
const large = 64 << 20

// window is the number of bytes assembled, checksummed and written at once, within --memory: they stay in a core's caches.
const window = 512 << 10

// threads returns how many tensors are converted at once.
func (j *job) threads() int {
	return min(len(j.place.items), cmp.Or(j.settings.threads, runtime.GOMAXPROCS(0)), int(max(1, j.settings.memory/(8*window))))
}

// put writes an item at its offset, and returns the CRC-32 of its header and bytes if sum is set.
func (j *job) put(it *item, file *publish.File, sum bool, bar func(bytes int)) (crc uint32, err error) {
	w := &section{file: file, at: it.at, sum: sum, bar: bar}
	if _, err := w.Write(it.header); err != nil {
		return 0, err
	}
	if it.task != nil {
		err = j.emit(it.task, w, sum)
	} else {
		err = j.copyStorage(it, w)
	}
	return w.crc, err
}

// copyStorage writes a storage of the source, whole or in the parts that tensors use.
func (j *job) copyStorage(it *item, w *section) error {
	if it.cut.IsWhole() {
		return w.copy(j.in.storage(it.storage), 0, it.cut.Bytes)
	}
	return it.cut.Copy(w, j.in.storage(it.storage))
}

// emit writes the elements and padding of a tensor in their new order; from first to last byte if ordered is set.
func (j *job) emit(k *task, w *section, ordered bool) error {
	if !k.action.moves() && k.swap == 0 && !k.dtype.Packed() {
		return j.copy(k, w)
	}
	return j.read(k, func(t *source.Tensor) error {
		data, err := t.Data()
		if err != nil {
			return err
		}
		plan, err := convert.NewPlan(k.target.Layout, k.from, k.dtype.ItemSize())
		if err != nil {
			return err
		}
		opts := convert.Options{Kernels: j.kernels, Threads: j.settings.threads, Guard: t.Guard, Disk: t}
		w.bar = releasing(w.bar, func() { t.Release(0, len(data)) })
		if k.bytes() < large && j.threads() > 1 {
			opts.Threads = 1
		}
		share := j.settings.memory / int64(j.threads())
		if k.inStep() {
			ordered = true
			share = min(share, 3*window)
			if !j.in.isArrays() {
				opts.Disk = convert.Unmapped{Disk: t}
			}
		}
		if k.dtype.Packed() {
			out := &packer{out: w, dtype: k.dtype}
			if err := plan.Write(out, data, k.pad, share, opts); err != nil {
				return err
			}
			return out.flush()
		}
		if k.swap > 0 {
			return plan.Write(&swapper{out: w, size: k.swap}, data, k.pad, share, opts)
		}
		if ordered {
			return plan.Write(w, data, k.pad, share, opts)
		}
		opts.Done = w.bar
		return plan.WriteAt(w.file, w.at, data, k.pad, share, opts)
	})
}

// maxMapped is the number of bytes after which what was read of a mapped file is unmapped. It stays in the system's cache.
const maxMapped = 48 << 20

// releasing returns bar, which also calls release after every maxMapped bytes.
func releasing(bar func(bytes int), release func()) func(bytes int) {
	var done atomic.Int64
	return func(bytes int) {
		bar(bytes)
		if crosses(done.Add(int64(bytes)), int64(bytes)) {
			release()
		}
	}
}

// crosses reports whether the last n of sum bytes reached a multiple of maxMapped.
func crosses(sum, n int64) bool { return sum/maxMapped != (sum-n)/maxMapped }

// copy writes the bytes of a tensor unchanged. An archive's data is checked against its CRC first; other data is read, not mapped, which is faster
// for a single pass.
func (j *job) copy(k *task, w *section) error {
	from := k.from.Offset() * k.dtype.ItemSize()
	if !j.reopens() {
		return w.copy(readerAt(k.tensor.Read), int64(from), k.bytes())
	}
	return j.read(k, func(t *source.Tensor) error {
		data, err := t.Data()
		if err != nil || k.bytes() == 0 {
			return err
		}
		_, err = w.Write(data[from:][:k.bytes()])
		return err
	})
}

// inStep reports whether both layouts have the same outermost dim without gaps, so that windows of source and target match.
func (k *task) inStep() bool {
	from, ok := k.from.Strided()
	to, also := k.target.Layout.Strided()
	if !ok || !also || !from.NonOverlappingAndDense() {
		return false
	}
	order := sameDims(k.from.Names(), k.target.Layout.Names())
	a, b := outermost(from), outermost(to)
	return a >= 0 && b >= 0 && order[b] == a && to.Strides[b]*k.dtype.ItemSize() <= window
}

// outermost returns the dim with the largest stride; -1 if there is none.
func outermost(v tensor.Strided) int {
	at := -1
	for d, n := range v.Shape {
		if n > 1 && (at < 0 || v.Strides[d] > v.Strides[at]) {
			at = d
		}
	}
	return at
}

// section writes to a file from an offset on, and computes the CRC-32.
type section struct {
	file io.WriterAt
	at   int64
	sum  bool
	crc  uint32
	bar  func(bytes int)
}

// atOnce is the number of bytes that are written and checksummed while they are in cache.
const atOnce = 256 << 10

func (s *section) Write(b []byte) (written int, err error) {
	for err == nil && written < len(b) {
		var n int
		part := b[written:min(len(b), written+atOnce)]
		n, err = s.file.WriteAt(part, s.at)
		if s.sum {
			s.crc = crc32.Update(s.crc, crc32.IEEETable, part[:n])
		}
		s.at = s.at + int64(n)
		written = written + n
	}
	s.bar(written)
	return written, err
}

// copy writes n bytes of a source, from an offset on.
func (s *section) copy(source io.ReaderAt, from, n int64) error {
	block := blocks.Get().(*[atOnce]byte)
	defer blocks.Put(block)
	_, err := io.CopyBuffer(struct{ io.Writer }{s}, io.NewSectionReader(source, from, n), block[:])
	return err
}

var blocks = sync.Pool{New: func() any { return new([atOnce]byte) }}

// readerAt reads exactly len(p) bytes at an offset, or returns an error.
type readerAt func(p []byte, from int) error

func (r readerAt) ReadAt(p []byte, from int64) (int, error) {
	if err := r(p, int(from)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// swapper reverses the bytes of numbers that are size bytes long.
type swapper struct {
	out  io.Writer
	size int
	rest []byte // of an incomplete number
}

func (s *swapper) Write(b []byte) (int, error) {
	all := append(s.rest, b...)
	whole := len(all) - len(all)%s.size
	for number := range slices.Chunk(all[:whole], s.size) {
		slices.Reverse(number)
	}
	if _, err := s.out.Write(all[:whole]); err != nil {
		return 0, err
	}
	s.rest = append([]byte{}, all[whole:]...)
	return len(b), nil
}

// packer packs values below a byte, of which it gets a byte each.
type packer struct {
	out   io.Writer
	dtype dtype.Type
	rest  []byte // values of an incomplete byte
}

func (p *packer) Write(b []byte) (int, error) {
	all := append(p.rest, b...)
	whole := len(all) - len(all)%p.dtype.PerByte()
	p.rest = append([]byte{}, all[whole:]...)
	return len(b), p.write(all[:whole])
}

// flush writes the last byte, if the values do not fill it.
func (p *packer) flush() error { return p.write(p.rest) }

func (p *packer) write(values []byte) error {
	packed := make([]byte, p.dtype.Size(int64(len(values))))
	p.dtype.Pack(packed, values)
	_, err := p.out.Write(packed)
	return err
}

// writeStream writes the only tensor to standard output, unless that is a terminal.
func (j *job) writeStream(bar func(bytes int)) error {
	if cli.TerminalWidth(j.app.Streams.Out) > 0 {
		return fault.New(fault.Usage, "refusing to write binary data to a terminal").WithHint("redirect it, or use -o FILE")
	}
	if err := j.app.RefuseStdout(j.inputs); err != nil || j.options.dryRun {
		return err
	}
	it := &j.place.items[0]
	w := &section{file: &stream{j.app.Stdout}, bar: bar}
	if _, err := w.Write(it.header); err != nil {
		return err
	}
	return j.emit(it.task, w, true)
}

// stream is standard output as a sequential writer whose errors name it.
type stream struct{ io.Writer }

func (s *stream) WriteAt(p []byte, _ int64) (int, error) {
	n, err := s.Write(p)
	if err != nil && fault.ClassOf(err) == fault.Resource {
		err = fault.New(fault.Resource, "cannot write the output: %s", fault.Cause(err))
	}
	return n, err
}
