package shared

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/threads"
	"github.com/tlayout/tlayout/internal/text"
)

// Parse reads a pattern of accesses to a layout of elements of size bytes. Warps of 32 threads access each element once.
//
//	h, h:16           threads along dim H, an element or 16 bytes each; then along the other dims, from the last to the first
//	rows, rows:8      threads along the last dim
//	columns           threads along the last dim but one
//	ldmatrix          8 rows of 16 bytes at a time, the 8x8 matrices of ldmatrix and stmatrix; .x2 and .x4 load several one after another,
//	stmatrix.x4       and .trans transposes in registers (PTX ISA 8.5, "ldmatrix": each thread of 8 has the address of a row)
//	((4,8),(2,2)):…   a thread-value layout of the tile, or of a part that is repeated: values in order, as many at once as are consecutive
//
// Vectors are along the dim of stride 1. Parse fails with Usage if there is no such dim, a dim does not divide into vectors, matrices or
// parts, or a vector is not one aligned run; with Unsupported above 2²⁰ elements.
func Parse(s string, l tensor.Layout, size int) (Pattern, error) {
	p := Pattern{Text: s, shape: l.Shape(), size: size, n: 1}
	rowMajor, err := tensor.Packed(p.shape)
	switch p.steps = rowMajor.Strides; {
	case err != nil:
		return p, err
	case size < 1 || size > maxVector || size&(size-1) != 0:
		return p, tooWide(size, size)
	case !l.InBounds():
		return p, fault.New(fault.Usage, "layout %s exceeds its storage", l)
	case l.Numel() > maxElements:
		return p, fault.New(fault.Unsupported, "a tensor of %d elements is too large for shared memory: the limit is %d", l.Numel(), maxElements)
	}
	if op, rest, _ := strings.Cut(strings.ToLower(s), "."); op == "ldmatrix" || op == "stmatrix" {
		return p, p.matrices(op, rest, l)
	}
	name, bytes, sized := strings.Cut(s, ":")
	if dim := dimOf(name, l); dim >= 0 {
		if !sized {
			return p, p.lines(l, dim, size)
		}
		n, err := strconv.Atoi(bytes)
		if err != nil {
			return p, fault.New(fault.Usage, "%s is not a number of bytes", text.Quoted(text.Cut(bytes, 81))).
				WithHint("threads access 1, 2, 4, 8 or 16 bytes: %s:16", name)
		}
		return p, p.lines(l, dim, n)
	}
	return p, p.threadValues(s, l)
}

func tooWide(bytes, size int) error {
	return fault.New(fault.Usage, "a thread cannot access %d bytes of %d-byte elements at once", bytes, size).
		WithHint("threads access 1, 2, 4, 8 or 16 bytes")
}

// dimOf returns the dim along which a word numbers threads; negative if none.
func dimOf(name string, l tensor.Layout) int {
	dim := slices.IndexFunc(l.Names(), func(n string) bool { return strings.EqualFold(n, name) })
	switch {
	case dim < 0 && strings.EqualFold(name, "rows"):
		return l.Rank() - 1
	case dim < 0 && strings.EqualFold(name, "columns"):
		return l.Rank() - 2
	}
	return dim
}

// lines makes the pattern of threads along a dim that take bytes each.
func (p *Pattern) lines(l tensor.Layout, dim, bytes int) error {
	if bytes < p.size || bytes%p.size != 0 || bytes&(bytes-1) != 0 || bytes > maxVector {
		return tooWide(bytes, p.size)
	}
	p.n, p.about = bytes/p.size, "threads along "+l.Dim(dim).Name
	order := []int{dim}
	for d := l.Rank() - 1; d >= 0; d-- {
		if d != dim {
			order = append(order, d)
		}
	}
	along := -1
	if p.n > 1 {
		if along = runOf(l, order); along < 0 {
			return fault.New(fault.Usage, "a thread cannot access %d elements at once: no dim of %s has stride 1", p.n, l)
		}
		if err := p.divides(l, along, p.n, "the vector length"); err != nil {
			return err
		}
	}
	return p.walk(l, order, along)
}

// runOf returns the first of the dims along which neighbors are neighbors in memory; negative if there is none.
func runOf(l tensor.Layout, dims []int) int {
	for _, d := range dims {
		if l.Dim(d).Digits[0].Stride == 1 && l.Dim(d).Size > 1 {
			return d
		}
	}
	return -1
}

// divides returns an error unless n divides the size of a dim.
func (p *Pattern) divides(l tensor.Layout, dim, n int, what string) error {
	if l.Dim(dim).Size%n != 0 {
		return fault.New(fault.Usage, "size %d of %s is not a multiple of %s %d", l.Dim(dim).Size, l.Dim(dim).Name, what, n)
	}
	return nil
}

// walk adds the accesses of threads numbered along order[0] first, each with a vector along a dim.
func (p *Pattern) walk(l tensor.Layout, order []int, along int) error {
	vectors, step := tensor.Strided{}, 0
	for _, d := range slices.Backward(order) {
		n := 1
		if d == along {
			n, step = p.n, p.steps[d]
		}
		vectors.Shape, vectors.Strides = append(vectors.Shape, p.shape[d]/n), append(vectors.Strides, p.steps[d]*n)
	}
	first, err := vectors.Layout(nil, tensor.Unbounded)
	if err != nil {
		return err
	}
	thread := 0
	for _, e := range first.Logical() {
		p.add(thread, func(k int) int { return e + k*step })
		thread++
	}
	_, err = p.Count(l)
	return err
}

// add adds the vector of a thread: value k is the element at(k). Thread 0 begins an access.
func (p *Pattern) add(thread int, at func(k int) int) {
	if thread%Served(p.n*p.size) == 0 {
		p.accesses = append(p.accesses, nil)
	}
	access := &p.accesses[len(p.accesses)-1]
	for k := range p.n {
		*access = append(*access, int32(at(k)))
	}
}

// matrixWords are the words that PTX writes after ldmatrix, with the number of matrices.
var matrixWords = map[string]int{"": 1, "x1": 1, "x2": 2, "x4": 4, "trans": 1, "sync": 1, "aligned": 1, "m8n8": 1, "shared": 1, "b16": 1}

// matrices makes the pattern of an instruction that accesses matrices of 8 rows.
func (p *Pattern) matrices(op, words string, l tensor.Layout) error {
	matrices := 1
	for word := range strings.SplitSeq(words, ".") {
		n, ok := matrixWords[word]
		if !ok {
			return fault.New(fault.Usage, "unknown %s of %s", text.Quoted(text.Cut(word, 81)), op).
				WithHint("write %s, %s.x4 or %s.x4.trans", op, op, op)
		}
		matrices = max(matrices, n)
	}
	run, across := runOf(l, ints.Range(l.Rank())), l.Rank()-1
	if across == run {
		across--
	}
	if run < 0 || across < 0 {
		return fault.New(fault.Usage, "%s needs rows of 16 bytes: two dims, one of stride 1; the layout is %s", op, l)
	}
	if err := p.divides(l, across, 8, "the rows of a matrix,"); err != nil {
		return err
	}
	if err := p.lines(l, across, maxVector); err != nil {
		return err
	}
	p.about = fmt.Sprintf("%s: threads along %s", op, l.Dim(across).Name)
	if n := len(p.accesses); n%matrices != 0 {
		return fault.New(fault.Usage, "%s.x%d does not divide the tile's %s", op, matrices, text.Count(n, "matrix"))
	}
	return nil
}

// threadValues makes the pattern of a thread-value layout, over each part of the tile in turn.
func (p *Pattern) threadValues(s string, l tensor.Layout) error {
	tv, err := threads.Parse(s, p.shape)
	if err != nil {
		var ofPart error
		if tv, ofPart = threads.Parse(s, nil); ofPart != nil && strings.ContainsAny(s, "(<") {
			return err
		} else if ofPart != nil {
			return fault.New(fault.Usage, "no access %s, and no dim of that name", text.Quoted(text.Cut(s, 81))).
				WithHint("want rows, columns, a dim (%s), with a number of bytes as rows:16, ldmatrix, stmatrix or a thread-value layout",
					strings.Join(l.Names(), ", "))
		}
	}
	switch {
	case tv.Warp != Warp:
		return fault.New(fault.Unsupported, "a warp of %d threads is not NVIDIA's: its banks are not counted", tv.Warp)
	case len(tv.Tile) != len(p.shape):
		return fault.New(fault.Usage, "the accesses cover %s, the tensor has shape %s", tensor.Tuple(tv.Tile), tensor.Tuple(p.shape))
	}
	parts := tensor.Strided{}
	for d, n := range tv.Tile {
		if err := p.divides(l, d, n, "the accesses'"); err != nil {
			return err
		}
		parts.Shape, parts.Strides = append(parts.Shape, p.shape[d]/n), append(parts.Strides, p.steps[d]*n)
	}
	if n := tv.Threads * tv.Values; parts.Numel() > maxElements/n {
		return fault.New(fault.Unsupported, "%d parts of %d values: the limit is %d", parts.Numel(), n, maxElements)
	}
	origins, err := parts.Layout(nil, tensor.Unbounded)
	if err != nil {
		return err
	}
	p.about = text.Count(tv.Threads, "thread")
	for p.n = maxVector / p.size; ; p.n /= 2 {
		if tv.Values%p.n == 0 {
			p.values(tv, origins)
			if _, err := p.Count(l); err == nil {
				return nil
			}
		}
	}
}

// values sets the accesses of each part in turn, warp by warp.
func (p *Pattern) values(tv threads.Layout, origins tensor.Layout) {
	p.accesses = nil
	for _, origin := range origins.Logical() {
		for warp := 0; warp < tv.Threads; warp += Warp {
			for v := 0; v < tv.Values; v += p.n {
				for t := range min(Warp, tv.Threads-warp) {
					p.add(t, func(k int) int {
						e := origin
						for d, i := range tv.At(warp+t, v+k) {
							e += i * p.steps[d]
						}
						return e
					})
				}
			}
		}
	}
}
