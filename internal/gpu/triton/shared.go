package triton

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const (
	maxBox     = 256 // largest size of what TMA copies at once: boxDim of cuTensorMapEncodeTiled, CUDA Driver API
	maxPadding = 256 // elements
	maxBits    = 20  // of an offset without padding: more than any GPU's shared memory
)

// Layout returns where a tensor of these sizes is in shared memory, in elements; its dims are d0, d1, …. With one more size than the
// layout has dims, the first one counts buffers.
//
// It fails with Usage if the sizes do not fit, and with Unsupported if the layout is not digits and a swizzle.
func (a Attribute) Layout(sizes []int) (tensor.Layout, error) {
	shape := sizes
	if len(sizes) == a.rank()+1 {
		shape = sizes[1:]
	}
	b := newBuilder(a, shape)
	b.build(a.IsShared())
	dims := b.place(sizes)
	if b.err != nil {
		return tensor.Layout{}, b.err
	}
	l, err := tensor.New(dims, 0, tensor.Unbounded)
	if err != nil || b.swizzle.IsZero() {
		return l, err
	}
	return l.Swizzled(b.swizzle, tensor.Unbounded)
}

// rank returns the number of dims; 0 if the text does not say.
func (a Attribute) rank() int {
	for _, name := range []string{"order", "offset"} {
		if rows := a.fields[name]; len(rows) > 0 {
			return len(rows[0])
		}
	}
	if rows := a.fields["rank"]; len(rows) > 0 && len(rows[0]) > 0 {
		return rows[0][0]
	}
	if a.kind.name == "nvmma_shared" {
		return 2
	}
	return 0
}

// swizzled permutes the vectors of a row, of C columns, by XOR with a phase of the row; a phase that exceeds the row is cut.
//
//	phase = row / perPhase mod maxPhase,   offset = row·C + (column ⊕ phase·vec mod C)
func (b *builder) swizzled() {
	order := b.order()
	vec := b.numbers("vec", 1)[0]
	perPhase := b.numbers("perPhase", 1)[0]
	maxPhase := b.numbers("maxPhase", 1)[0]
	if b.option("hasLeadingOffset", 0) != 0 {
		b.fail(fault.Unsupported, "shared with hasLeadingOffset is not supported: newer versions call it nvmma_shared")
	}
	b.extendAll(offset, order, b.shape)
	if !isPower(vec) || !isPower(perPhase) || !isPower(maxPhase) {
		b.fail(fault.Usage, "vec, perPhase and maxPhase of %s are powers of two", b.kind.name)
		return
	}
	if len(order) > 1 {
		columns := b.shape[order[0]]
		rows := b.shape[order[1]]
		b.xor(max(1, min(maxPhase, columns/vec, rows/perPhase)), vec, columns*perPhase)
	}
}

// xor sets the swizzle: so many phases, powers of two, from element row on, permute vectors.
func (b *builder) xor(phases, vec, row int) {
	z, err := tensor.NewSwizzle(log2(phases), log2(vec), log2(row)-log2(vec))
	b.swizzle = z
	if err != nil {
		b.fail(fault.Unsupported, "%s", err)
	}
}

// nvmma is the layout that TMA writes and tensor cores read: panels as wide as the swizzle, in boxes of at most 256 per dim.
func (b *builder) nvmma() {
	rank := len(b.shape)
	transposed := b.option("transposed", 0) != 0
	if given := b.option("rank", rank); given != rank {
		b.fail(fault.Usage, "nvmma_shared has %s, the tensor %d", text.Count(given, "dim"), rank)
	}
	width := b.numbers("swizzlingByteWidth", 1)[0]
	element := b.numbers("elementBitWidth", 1)[0]
	if !b.isNVMMA(width, element, transposed) {
		b.fail(fault.Unsupported, "nvmma_shared of %d dims, %d bytes and %d bits is not supported: want 0, 32, 64 or 128 bytes, 8, 16, 32 or "+
			"64 bits, without fp4Padded, and transposed only of 2 dims", rank, width, element)
		return
	}
	order := matrixOrder(rank, !transposed)
	box := make([]int, rank)
	for d, n := range b.shape {
		box[d] = min(n, maxBox)
	}
	rows := 1
	for _, d := range order[1:] {
		rows *= box[d]
	}
	if width > 0 {
		box[order[0]] = 8 * width / element
	}
	b.extendAll(offset, order, box)
	if width > 0 {
		if rows < 8 || box[order[0]] > b.shape[order[0]] {
			b.fail(fault.Usage, "nvmma_shared of %d bytes needs at least 8 rows of %d elements, the sizes are %s", width, box[order[0]],
				tensor.Tuple(b.shape))
		}
		slices.Sort(order)
		b.xor(width/16, 128/element, 8*128/element)
	}
	b.fit(offset, order)
}

// isNVMMA reports whether nvmma_shared is supported with a swizzle of so many bytes and elements of so many bits.
func (b *builder) isNVMMA(width, element int, transposed bool) bool {
	if !slices.Contains([]int{0, 32, 64, 128}, width) || !slices.Contains([]int{8, 16, 32, 64}, element) {
		return false
	}
	if b.option("fp4Padded", 0) != 0 {
		return false
	}
	return !transposed || len(b.shape) == 2
}

// padded has intervals with paddings, and the order or the bases of the elements in between.
func (b *builder) padded() {
	if b.fields["shape"] != nil && !slices.Equal(b.Shape, b.shape) {
		b.fail(fault.Usage, "padded_shared is of shape %s, the sizes are %s", tensor.Tuple(b.Shape), tensor.Tuple(b.shape))
	}
	pairs := b.vectors("intervals", 2)
	for i, pair := range pairs {
		if slices.ContainsFunc(pairs[:i], func(other []int) bool { return other[0] == pair[0] }) {
			b.fail(fault.Usage, "padded_shared has two paddings after %d elements", pair[0])
		}
		if !isPower(pair[0]) || pair[1] > maxPadding {
			b.fail(fault.Usage, "padding of %d after %d elements: want at most %d, after a power of two", pair[1], pair[0], maxPadding)
		}
	}
	if b.fields["offset"] != nil {
		b.explicit()
		return
	}
	b.extendAll(offset, b.order(), b.shape)
}

// explicit has the basis of each bit of the offset.
func (b *builder) explicit() { b.bases[offset] = b.vectors("offset", len(b.shape)) }

// stride returns the distance of elements whose offsets without padding differ in bit k.
//
//	2^k + Σ 2^k / interval · padding    intervals are powers of two, so that bits add up to ⌊offset / interval⌋
func (b *builder) stride(k int) int {
	sum := 1 << k
	for _, pair := range b.fields["intervals"] {
		sum += 1 << k / pair[0] * pair[1]
	}
	return sum
}

// complete checks that each bit of each dim has one basis.
func (b *builder) complete() {
	for d, n := range b.shape {
		has := map[int]bool{}
		for _, basis := range b.bases[offset] {
			if x := basis[d]; x > 0 && has[x] {
				b.fail(fault.Usage, "two bases of %s have %d in dim %d", b.kind.name, x, d)
			}
			has[basis[d]] = true
		}
		for x := 1; x < n; x *= 2 {
			if !has[x] {
				b.fail(fault.Usage, "no basis of %s has %d in dim %d, of size %d", b.kind.name, x, d, n)
			}
		}
	}
}

// place inverts the bases: bit k of the offset is a digit of the dim along which basis k moves. Bits become one digit if their strides
// double.
func (b *builder) place(sizes []int) []tensor.Dim {
	if len(b.bases[offset]) > maxBits {
		b.fail(fault.Unsupported, "%s of 2^%d elements: the limit is 2^%d", b.kind.name, len(b.bases[offset]), maxBits)
	}
	if b.err != nil {
		return nil
	}
	dims := make([]tensor.Dim, len(b.shape))
	for k, basis := range b.bases[offset] {
		moves := func(x int) bool { return x != 0 }
		d := slices.IndexFunc(basis, moves)
		if d < 0 || slices.ContainsFunc(basis[d+1:], moves) {
			b.fail(fault.Unsupported, "basis %v of %s does not move along one dim", basis, b.kind.name)
			return nil
		}
		dims[d].Digits = appendBit(dims[d].Digits, basis[d], b.stride(k))
	}
	b.complete()
	if len(sizes) > len(dims) && b.err == nil {
		g := tensor.Digit{Div: 1, Extent: sizes[0], Stride: b.stride(len(b.bases[offset]))}
		dims = slices.Insert(dims, 0, tensor.Dim{Digits: []tensor.Digit{g}})
	}
	for d := range dims {
		dims[d].Name = "d" + strconv.Itoa(d)
		dims[d].Size = sizes[d]
		sorting.By(dims[d].Digits, func(x, y tensor.Digit) int { return cmp.Compare(x.Div, y.Div) })
		if dims[d].Digits == nil {
			dims[d].Digits = []tensor.Digit{{Div: 1, Extent: 1, Stride: 1}}
		}
	}
	return dims
}

// appendBit appends a digit of one bit, or doubles the last digit if the bit continues it.
func appendBit(digits []tensor.Digit, div, stride int) []tensor.Digit {
	if len(digits) > 0 {
		last := &digits[len(digits)-1]
		if last.Div*last.Extent == div && last.Stride*last.Extent == stride {
			last.Extent *= 2
			return digits
		}
	}
	return append(digits, tensor.Digit{Div: div, Extent: 2, Stride: stride})
}
