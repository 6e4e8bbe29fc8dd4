package checkpoint

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Compacted holds a container's tensors in storages without unused bytes.
//
// The bytes between a tensor's first and last element are its extent. Overlapping extents form a part of the storage that does not
// change, so that shared elements stay shared. Bytes outside all extents are cut out, and the parts move together. A storage stays one
// storage: tensors that shared it still do.
//
// A tensor with gaps that overlaps no other, such as x[:, :2], is packed: its elements keep their memory order, and strides of 0 stay
// 0. Equal views are packed together. Gaps remain where different views overlap, and in a tensor whose nonzero strides do not nest,
// each beyond the reach of all smaller ones: its own elements may overlap.
//
// A storage of a refused tensor does not change; an unused one becomes empty.
type Compacted struct {
	Tensors  []Tensor // in the container's order, with its storage indices
	Storages []Cut    // parallel to the container's
}

// Cut is a new storage made from parts of an old one.
type Cut struct {
	Bytes int64
	Parts []Part // by At; bytes between them are 0
}

// Part is runs of an old storage's bytes, consecutive in the new one.
type Part struct {
	At     int64   // its first byte in the new storage
	From   int64   // its first byte in the old storage
	Run    int64   // bytes that are consecutive in both
	Counts []int   // number of runs, outermost dim first; empty: one run
	Steps  []int64 // parallel to Counts: bytes from one run to the next in the old storage, at least those of all dims inside
}

// Compact finds the parts. Tensors must be within their storages, with strides of at least 0.
func Compact(c *Container) *Compacted {
	out := &Compacted{Tensors: slices.Clone(c.Tensors), Storages: make([]Cut, len(c.Storages))}
	refused := c.refused()
	for i, t := range c.Tensors {
		if t.View.Empty() && refused[t.Storage] < 0 {
			out.Tensors[i].View.Offset = 0
		}
	}
	for i, sorted := range extents(c.Tensors, len(c.Storages)) {
		if refused[i] >= 0 {
			s := c.Storages[i]
			out.Storages[i] = Cut{s.Bytes, []Part{{Run: s.Bytes}}}
			continue
		}
		for group := range overlapping(sorted) {
			out.join(&out.Storages[i], group)
		}
	}
	return out
}

// Saves returns how many bytes of c's storages the compacted ones save, and how many of these still belong to no tensor: gaps of
// overlapping tensors, and alignment of elements of different sizes.
func (c *Compacted) Saves(old *Container) (dropped, kept int64) {
	compacted := &Container{Tensors: c.Tensors, Refused: old.Refused}
	for i, s := range c.Storages {
		dropped += old.Storages[i].Bytes - s.Bytes
		compacted.Storages = append(compacted.Storages, Storage{Bytes: s.Bytes})
	}
	for i, u := range Usage(compacted) {
		kept += compacted.Storages[i].Bytes - u.Bytes
	}
	return dropped, kept
}

// join appends a part: overlapping extents.
func (c *Compacted) join(s *Cut, group []extent) {
	from := group[0].from
	to := int64(0)
	unit := 1 // the part moves by a common multiple of its itemsizes
	for _, e := range group {
		to = max(to, e.to)
		unit = ints.LCM(unit, max(c.Tensors[e.tensor].Type.ItemSize(), 1))
	}
	if t := c.Tensors[group[0].tensor]; c.sameView(group) {
		if p, ok := t.packed(); ok {
			p.At = ints.CeilDiv(s.Bytes, int64(unit)) * int64(unit)
			p.From = from
			for _, e := range group {
				v := &c.Tensors[e.tensor].View
				v.Offset = int(p.At / int64(unit))
				v.Strides = slices.Clone(t.View.Strides)
			}
			s.Bytes = p.At + p.bytes()
			s.Parts = append(s.Parts, p)
			return
		}
	}
	shift := (from - s.Bytes) / int64(unit) * int64(unit)
	if last := s.lastRun(); last != nil && last.At+shift == last.From {
		last.Run = to - last.From // nothing was cut
	} else {
		s.Parts = append(s.Parts, Part{At: from - shift, From: from, Run: to - from})
	}
	s.Bytes = to - shift
	for _, e := range group {
		t := &c.Tensors[e.tensor]
		t.View.Offset -= int(shift / int64(max(t.Type.ItemSize(), 1)))
	}
}

// lastRun returns the last part, if it is one run; otherwise nil.
func (s *Cut) lastRun() *Part {
	if len(s.Parts) == 0 {
		return nil
	}
	last := &s.Parts[len(s.Parts)-1]
	if len(last.Counts) > 0 {
		return nil
	}
	return last
}

// sameView reports whether all are the same view.
func (c *Compacted) sameView(group []extent) bool {
	t := c.Tensors[group[0].tensor]
	for _, e := range group[1:] {
		u := c.Tensors[e.tensor]
		if u.Type.ItemSize() != t.Type.ItemSize() || u.View.Offset != t.View.Offset {
			return false
		}
		if !slices.Equal(u.View.Shape, t.View.Shape) || !slices.Equal(u.View.Strides, t.View.Strides) {
			return false
		}
	}
	return true
}

// packed returns a tensor with gaps with its dense strides, and its runs; ok is false if it has no gaps, or if its strides do not nest.
func (t *Tensor) packed() (Part, bool) {
	p, nested := t.runs()
	if !nested || len(p.Counts) == 0 {
		return Part{}, false
	}
	t.View.Strides = dense(t.View)
	return p, true
}

// runs returns the bytes of a tensor's elements, each once if nested: then each stride exceeds the reach of all smaller ones. A tensor
// without gaps is one run.
func (t *Tensor) runs() (p Part, nested bool) {
	var moving []int // dims
	for d, n := range t.View.Shape {
		if n > 1 && t.View.Strides[d] != 0 {
			moving = append(moving, d)
		}
	}
	stride := func(d int) int { return ints.Abs(t.View.Strides[d]) }
	slices.SortFunc(moving, func(a, b int) int { return cmp.Compare(stride(a), stride(b)) })
	item := int64(t.Type.ItemSize())
	p = Part{Run: item}
	nested = true
	reach := 0
	for _, d := range moving {
		nested = nested && stride(d) > reach
		reach += (t.View.Shape[d] - 1) * stride(d)
		if step := int64(stride(d)) * item; len(p.Counts) == 0 && step <= p.Run {
			p.Run += int64(t.View.Shape[d]-1) * step
		} else {
			p.Counts = append(p.Counts, t.View.Shape[d])
			p.Steps = append(p.Steps, step)
		}
	}
	slices.Reverse(p.Counts)
	slices.Reverse(p.Steps)
	return p, nested
}

// dense returns dense strides in the same order, as clone makes them, keeping strides of 0.
func dense(v tensor.Strided) []int {
	var kept tensor.Strided
	for d, stride := range v.Strides {
		if stride != 0 {
			kept.Shape = append(kept.Shape, v.Shape[d])
			kept.Strides = append(kept.Strides, stride)
		}
	}
	kept.Strides = kept.InferDense()
	strides := slices.Clone(v.Strides)
	for d := range strides {
		if strides[d] != 0 {
			strides[d] = kept.Strides[0]
			kept.Strides = kept.Strides[1:]
		}
	}
	return strides
}

// bytes returns the part's size in the new storage.
func (p Part) bytes() int64 { return p.Run * p.runs() }

// runs returns the number of runs.
func (p Part) runs() int64 {
	n := int64(1)
	for _, count := range p.Counts {
		n *= int64(count)
	}
	return n
}

// IsWhole reports whether the new storage is the beginning of the old one.
func (c Cut) IsWhole() bool {
	if len(c.Parts) != 1 {
		return false
	}
	p := c.Parts[0]
	return len(p.Counts) == 0 && p.At == 0 && p.From == 0
}

// window is how many bytes Copy reads and writes at once.
const window = 1 << 18

// Copy writes the new storage's bytes; old begins at the old storage's first byte.
func (c Cut) Copy(w io.Writer, old io.ReaderAt) error {
	r := &forward{old: old, b: bufio.NewReaderSize(nil, window)}
	out := bufio.NewWriterSize(w, window)
	at := int64(0)
	for _, p := range c.Parts {
		for ; at < p.At; at++ {
			if err := out.WriteByte(0); err != nil {
				return err
			}
		}
		if err := p.copy(out, r); err != nil {
			return err
		}
		at += p.bytes()
	}
	return out.Flush()
}

func (p Part) copy(w *bufio.Writer, r *forward) error {
	r.begin(p)
	return p.each(func(from int64) error { return r.copy(w, from, p.Run) })
}

// each visits the first bytes of the runs, the last of Counts fastest: in address order, if the runs nest.
func (p Part) each(visit func(from int64) error) error {
	index := make([]int, len(p.Counts))
	at := p.From
	for {
		if err := visit(at); err != nil {
			return err
		}
		d := len(index) - 1
		for ; d >= 0; d-- {
			at += p.Steps[d]
			if index[d]++; index[d] < p.Counts[d] {
				break
			}
			at -= p.Steps[d] * int64(p.Counts[d])
			index[d] = 0
		}
		if d < 0 {
			return nil
		}
	}
}

// forward reads ascending runs of bytes through a window.
type forward struct {
	old io.ReaderAt
	b   *bufio.Reader
	at  int64 // the byte that b has next; -1: none
	far bool  // each window has at most one run: skip the gaps
}

func (r *forward) begin(p Part) {
	last := len(p.Steps) - 1
	r.at = -1
	r.far = last >= 0 && p.Steps[last] >= window
}

// seek moves to a run of n bytes.
func (r *forward) seek(at, n int64) {
	if r.far {
		r.b.Reset(io.NewSectionReader(r.old, at, n))
		return
	}
	skip := at - r.at
	if r.at >= 0 && skip <= int64(r.b.Buffered()) {
		r.b.Discard(int(skip)) //nolint:errcheck // they are in the buffer
		return
	}
	r.b.Reset(io.NewSectionReader(r.old, at, math.MaxInt64-at))
}

func (r *forward) copy(w *bufio.Writer, at, n int64) error {
	r.seek(at, n)
	r.at = at + n
	for n > 0 {
		b, err := r.b.Peek(int(min(n, window)))
		if len(b) == 0 {
			return whole(err)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		n -= int64(len(b))
		r.b.Discard(len(b)) //nolint:errcheck // they are in the buffer
	}
	return nil
}

// whole returns err, replacing an end of the file by a proper error.
func whole(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
