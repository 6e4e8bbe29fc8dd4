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

// Compacted is the tensors of a container in storages without the bytes that no tensor uses.
//
// The bytes between a tensor's first and last element are its extent. Extents that overlap join: they are a part of the storage
// that stays as it is, so that elements which two tensors shared are still shared. What is in no extent is cut out, and the parts
// move together. A storage stays one storage: tensors that shared it still do.
//
// A tensor with gaps in its extent that overlaps no other, such as x[:, :2], is packed: its elements stay in their order in memory,
// its dims of stride 0 stay so. Where several tensors are in an extent, its gaps remain. So do those of a tensor whose other strides do
// not nest, each beyond the reach of all smaller ones: its own elements may overlap.
//
// A storage of a tensor that is not shown stays as it is; one that no tensor uses becomes empty.
type Compacted struct {
	Tensors  []Tensor // in the container's order, with its indices of storages
	Storages []Cut    // beside the container's
}

// Cut is a new storage, made of parts of an old one.
type Cut struct {
	Bytes int64
	Parts []Part // by At; bytes between them are 0
}

// Part is runs of an old storage's bytes, consecutive in the new one.
type Part struct {
	At     int64   // its first byte in the new storage
	From   int64   // its first byte in the old storage
	Run    int64   // bytes that follow each other in both
	Counts []int   // how many runs there are, outermost dim first; none: one run
	Steps  []int64 // beside Counts: bytes from one run to the next in the old storage, at least those of all dims inside
}

// Compact finds the parts. Tensors must be within their storages, with strides of at least 0.
func Compact(c *Container) *Compacted {
	out := &Compacted{Tensors: slices.Clone(c.Tensors), Storages: make([]Cut, len(c.Storages))}
	of, whole := make([][]extent, len(c.Storages)), make([]bool, len(c.Storages))
	for _, r := range c.Refused {
		for _, s := range r.Storages {
			whole[s] = true
		}
	}
	for i, t := range c.Tensors {
		if t.View.Empty() && !whole[t.Storage] {
			out.Tensors[i].View.Offset = 0
			continue
		}
		of[t.Storage] = append(of[t.Storage], extentOf(t, i))
	}
	for i, s := range c.Storages {
		if whole[i] {
			out.Storages[i] = Cut{s.Bytes, []Part{{Run: s.Bytes}}}
			continue
		}
		out.cut(&out.Storages[i], of[i])
	}
	return out
}

// extent is the bytes [from, to) of the storage.
type extent struct {
	from, to int64
	tensor   int // index
}

func extentOf(t Tensor, index int) extent {
	item := int64(t.Type.ItemSize())
	e := extent{int64(t.View.Offset) * item, int64(t.View.Offset+1) * item, index}
	for d, n := range t.View.Shape {
		e.to += int64(n-1) * int64(t.View.Strides[d]) * item
	}
	return e
}

// cut makes a storage of these extents.
func (c *Compacted) cut(s *Cut, of []extent) {
	slices.SortStableFunc(of, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	for len(of) > 0 {
		n, to := 1, of[0].to
		for n < len(of) && of[n].from < to {
			to = max(to, of[n].to)
			n++
		}
		c.join(s, of[:n], to)
		of = of[n:]
	}
}

// join appends a part: extents that overlap, up to byte to.
func (c *Compacted) join(s *Cut, of []extent, to int64) {
	from, unit := of[0].from, 1 // the part moves by a multiple of all its elements' sizes
	for _, e := range of {
		unit = ints.LCM(unit, max(c.Tensors[e.tensor].Type.ItemSize(), 1))
	}
	if t := &c.Tensors[of[0].tensor]; len(of) == 1 {
		if p, ok := t.packed(); ok {
			p.At = ints.CeilDiv(s.Bytes, int64(unit)) * int64(unit)
			p.From = from
			t.View.Offset = int(p.At / int64(unit))
			s.Bytes = p.At + p.bytes()
			s.Parts = append(s.Parts, p)
			return
		}
	}
	shift := (from - s.Bytes) / int64(unit) * int64(unit)
	if last := len(s.Parts) - 1; last >= 0 && len(s.Parts[last].Counts) == 0 && s.Parts[last].At+shift == s.Parts[last].From {
		s.Parts[last].Run = to - s.Parts[last].From // nothing was between them
	} else {
		s.Parts = append(s.Parts, Part{At: from - shift, From: from, Run: to - from})
	}
	s.Bytes = to - shift
	for _, e := range of {
		t := &c.Tensors[e.tensor]
		t.View.Offset -= int(shift / int64(max(t.Type.ItemSize(), 1)))
	}
}

// packed gives a tensor with gaps the strides that it has without, and returns its runs; false if it has none, or if its strides
// do not nest.
func (t *Tensor) packed() (Part, bool) {
	var moving []int // dims
	for d, n := range t.View.Shape {
		if n > 1 && t.View.Strides[d] > 0 {
			moving = append(moving, d)
		}
	}
	slices.SortFunc(moving, func(a, b int) int { return cmp.Compare(t.View.Strides[a], t.View.Strides[b]) })
	reach, numel := 0, 1
	for _, d := range moving {
		if t.View.Strides[d] <= reach {
			return Part{}, false
		}
		reach += (t.View.Shape[d] - 1) * t.View.Strides[d]
		numel *= t.View.Shape[d]
	}
	if reach+1 == numel {
		return Part{}, false
	}
	p := Part{Run: int64(t.Type.ItemSize())}
	for _, d := range moving {
		count, step := t.View.Shape[d], int64(t.View.Strides[d])*int64(t.Type.ItemSize())
		if len(p.Counts) == 0 && step == p.Run {
			p.Run *= int64(count)
			continue
		}
		p.Counts, p.Steps = append(p.Counts, count), append(p.Steps, step)
	}
	slices.Reverse(p.Counts)
	slices.Reverse(p.Steps)
	t.View.Strides = dense(t.View)
	return p, true
}

// dense returns strides without gaps in the same order, as clone makes them, but for those of 0, which stay.
func dense(v tensor.Strided) []int {
	var kept tensor.Strided
	for d, stride := range v.Strides {
		if stride != 0 {
			kept.Shape, kept.Strides = append(kept.Shape, v.Shape[d]), append(kept.Strides, stride)
		}
	}
	kept.Strides = kept.InferDense()
	strides := slices.Clone(v.Strides)
	for d := range strides {
		if strides[d] != 0 {
			strides[d], kept.Strides = kept.Strides[0], kept.Strides[1:]
		}
	}
	return strides
}

// bytes is the part's size in the new storage.
func (p Part) bytes() int64 {
	n := p.Run
	for _, count := range p.Counts {
		n *= int64(count)
	}
	return n
}

// window is how many bytes Copy reads and writes at once.
const window = 1 << 18

// Copy writes the new storage's bytes; old begins at the first byte of the old storage.
func (c Cut) Copy(w io.Writer, old io.ReaderAt) error {
	r := &forward{old: old, b: bufio.NewReaderSize(nil, window)}
	out, at := bufio.NewWriterSize(w, window), int64(0)
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

// copy visits the runs in the order of their addresses.
func (p Part) copy(w *bufio.Writer, r *forward) error {
	index, at := make([]int, len(p.Counts)), p.From
	r.begin(p)
	for {
		if err := r.copy(w, at, p.Run); err != nil {
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

// forward reads runs of bytes, each behind the one before, through a window.
type forward struct {
	old io.ReaderAt
	b   *bufio.Reader
	at  int64 // the byte that b has next; -1 for none
	far bool  // no two runs are in one window: what is between them is not read
}

func (r *forward) begin(p Part) {
	last := len(p.Steps) - 1
	r.at, r.far = -1, last >= 0 && p.Steps[last] >= window
}

func (r *forward) copy(w *bufio.Writer, at, n int64) error {
	switch skip := at - r.at; {
	case r.far:
		r.b.Reset(io.NewSectionReader(r.old, at, n))
	case r.at >= 0 && skip <= int64(r.b.Buffered()):
		r.b.Discard(int(skip)) //nolint:errcheck // they are in the buffer
	default:
		r.b.Reset(io.NewSectionReader(r.old, at, math.MaxInt64-at))
	}
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

// whole is err, where the end of the file is one.
func whole(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
