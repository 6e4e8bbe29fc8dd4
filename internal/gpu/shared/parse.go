package shared

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Parse reads a pattern of accesses to a layout of elements of size bytes. Warps of 32 threads access each element once.
//
//	h, h:16           threads along dim H, an element or 16 bytes each; then along the other dims, from the last to the first
//	rows, rows:8      threads along the last dim
//	columns           threads along the last dim but one
//	ldmatrix          8 rows of 16 bytes at a time: the 8x8 matrices of ldmatrix and stmatrix; .x2 and .x4 take several in turn,
//	stmatrix.x4       and .trans transposes in registers. (PTX ISA 8.5, "ldmatrix" and "stmatrix": 8 threads have the addresses
//	                  of the rows; forums.developer.nvidia.com/t/278716: their 128 bytes are a transaction)
//	((4,8),(2,2)):…   a thread-value layout of the tile, or of a part that is repeated: values in order, as many at once as are consecutive
//
// Vectors are along the dim of stride 1. Parse fails with Usage if the layout lacks one, a dim does not divide into vectors, matrices or
// parts, or a vector is not one aligned run; with Unsupported above 2²⁰ elements.
func Parse(s string, l tensor.Layout, size int) (Pattern, error) {
	p := Pattern{Text: s, shape: l.Shape(), size: size}
	rowMajor, err := tensor.Packed(p.shape)
	if err != nil {
		return p, err
	}
	p.steps = rowMajor.Strides
	if size < 1 || size > maxVector || size&(size-1) != 0 {
		return p, tooWide(size, size)
	}
	if !l.InBounds() {
		return p, fault.New(fault.Usage, "layout %s exceeds its storage", l)
	}
	if l.Numel() > maxElements {
		return p, fault.New(fault.Unsupported, "a tensor of %d elements is too large for shared memory: the limit is %d", l.Numel(), maxElements)
	}
	if matrixOp.Get().MatchString(s) {
		return p, p.matrices(s, l)
	}
	name, digits, sized := strings.Cut(s, ":")
	dim := dimOf(l, name)
	if dim < 0 {
		return p, p.threadValues(s, l)
	}
	bytes := size
	if sized {
		bytes, err = strconv.Atoi(digits)
		if err != nil {
			return p, fault.New(fault.Usage, "%s is not a number of bytes", text.Quoted(text.Cut(digits, 81))).
				WithHint("threads access 1, 2, 4, 8 or 16 bytes: %s:16", name)
		}
	}
	return p, p.lines(l, dim, bytes)
}

// dimOf returns the dim along which a pattern of this name has its threads; negative without one.
func dimOf(l tensor.Layout, name string) int {
	if d := slices.IndexFunc(l.Names(), func(n string) bool { return strings.EqualFold(n, name) }); d >= 0 {
		return d
	}
	switch strings.ToLower(name) {
	case "rows":
		return l.Rank() - 1
	case "columns":
		return l.Rank() - 2
	}
	return -1
}

func tooWide(bytes, size int) error {
	return fault.New(fault.Usage, "a thread cannot access %s of %d-byte elements at once", text.Count(bytes, "byte"), size).
		WithHint("threads access 1, 2, 4, 8 or 16 bytes")
}

// lines makes the pattern of threads along a dim that take bytes each.
func (p *Pattern) lines(l tensor.Layout, dim, bytes int) error {
	if bytes < p.size || bytes > maxVector || bytes&(bytes-1) != 0 {
		return tooWide(bytes, p.size)
	}
	p.n = bytes / p.size
	p.about = "threads along " + l.Dim(dim).Name
	order := []int{dim}
	for d := l.Rank() - 1; d >= 0; d-- {
		if d != dim {
			order = append(order, d)
		}
	}
	along := runOf(l)
	if p.n > 1 && along < 0 {
		return fault.New(fault.Usage, "a thread cannot access %d elements at once: no dim of %s has stride 1", p.n, l)
	}
	if p.n > 1 && l.Dim(along).Size%p.n != 0 {
		return indivisible(l.Dim(along), "the vector length", p.n)
	}
	p.fill(l.Numel()/p.n, p.n, func(thread, value int) int {
		e := 0
		for _, d := range order {
			n := 1
			size := p.shape[d]
			if d == along {
				n, size = p.n, size/p.n
				e += value * p.steps[d]
			}
			e = e + thread%size*n*p.steps[d]
			thread = thread / size
		}
		return e
	})
	_, err := p.count(offsetsOf(l.Plain()), l.Swizzle(), nil, math.MaxInt)
	return err
}

// runOf returns the dim of stride 1, along which neighbors are neighbors in memory; -1 if no dim has it.
func runOf(l tensor.Layout) int {
	return slices.IndexFunc(ints.Range(l.Rank()), func(d int) bool { return l.Dim(d).Digits[0].Stride == 1 && l.Dim(d).Size > 1 })
}

func indivisible(d tensor.Dim, what string, n int) error {
	return fault.New(fault.Usage, "size %d of %s is not a multiple of %s %d", d.Size, d.Name, what, n)
}

// matrixOp starts or is within the names of instructions that access matrices; matrixOf8 is one that has 8x8 matrices of 16 bits.
var (
	matrixOp  = lazy.Regexp(`(?i)^(?:ld|st)matrix|_(?:LDSM|STSM)_`)
	matrixOf8 = lazy.Regexp(`(?i)^(?:ld|st)matrix(?:\.(?:sync|aligned|m8n8|x[124]|trans|shared|b16))*$|` +
		`^SM(?:75|90)_U(?:32|16)x[1248]_(?:LDSM|STSM)_[NT]$`)
)

// matrices makes the pattern of an instruction that accesses matrices of 8 rows.
func (p *Pattern) matrices(op string, l tensor.Layout) error {
	if !matrixOf8.Get().MatchString(op) {
		return fault.New(fault.Usage, "%s does not access 8x8 matrices of 16 bits", text.Quoted(text.Cut(op, 81))).
			WithHint("write ldmatrix, ldmatrix.x4.trans, stmatrix or SM75_U32x4_LDSM_N")
	}
	run := runOf(l)
	across := l.Rank() - 1
	if across == run {
		across--
	}
	if run < 0 || across < 0 {
		return fault.New(fault.Usage, "matrices have rows of 16 bytes: they need two dims, one of stride 1; the layout is %s", l)
	}
	if l.Dim(across).Size%8 != 0 {
		return indivisible(l.Dim(across), "the rows of a matrix,", 8)
	}
	err := p.lines(l, across, maxVector)
	p.about = "8x8 matrices: " + p.about
	return err
}

// threadValues makes the pattern of a thread-value layout.
func (p *Pattern) threadValues(s string, l tensor.Layout) error {
	tv, err := threads.Parse(s, p.shape)
	if part, partErr := threads.Parse(s, nil); err != nil && partErr == nil {
		tv = part
		err = nil
	}
	if err == nil {
		return p.parts(tv, l)
	}
	if !strings.ContainsAny(s, "(<_.") {
		return fault.New(fault.Usage, "unknown access %s", text.Quoted(text.Cut(s, 81))).
			WithHint("want rows, columns, a dim (%s), with a number of bytes as rows:16, ldmatrix, stmatrix or a thread-value layout",
				strings.Join(l.Names(), ", "))
	}
	return err
}

// parts makes the pattern of a thread-value layout that accesses each part of the tile in turn.
func (p *Pattern) parts(tv threads.Layout, l tensor.Layout) error {
	if tv.InMemory {
		return fault.New(fault.Usage, "the layout is one of tensor memory, which has no banks")
	}
	if tv.Warp != Warp {
		return fault.New(fault.Unsupported, "a warp of %d threads is not NVIDIA's: its banks are not counted", tv.Warp)
	}
	if len(tv.Tile) != len(p.shape) {
		return fault.New(fault.Usage, "the accesses cover %s, the tensor has shape %s", tensor.Tuple(tv.Tile), tensor.Tuple(p.shape))
	}
	parts := tensor.Strided{}
	for d, n := range tv.Tile {
		if p.shape[d]%n != 0 {
			return indivisible(l.Dim(d), "the thread-value layout's", n)
		}
		parts.Shape = append(parts.Shape, p.shape[d]/n)
		parts.Strides = append(parts.Strides, p.steps[d]*n)
	}
	origins, err := parts.Layout(nil, tensor.Unbounded)
	if n := tv.Threads * tv.Values; err == nil && origins.Numel() > maxElements/n {
		err = fault.New(fault.Unsupported, "%d parts of %d values: the limit is %d", origins.Numel(), n, maxElements)
	}
	if err != nil {
		return err
	}
	p.about = text.Count(tv.Threads, "thread")
	p.n = maxVector / p.size
	element := func(origin int, coord []int) int {
		for d, i := range coord {
			origin += i * p.steps[d]
		}
		return origin
	}
	offsets := offsetsOf(l)
	for _, origin := range origins.Logical() {
		p.n = min(p.n, tv.Run(func(coord []int) int { return offsets[element(origin, coord)] }))
	}
	for _, origin := range origins.Logical() {
		p.fill(tv.Threads, tv.Values, func(thread, value int) int { return element(origin, tv.At(thread, value)) })
	}
	return nil
}
