package kernel

// Kernels are the kernels of one instruction set.
type Kernels struct {
	Level Level
	lanes int  // lanes of 16 bytes in a vector; 0 without vectors
	vbmi  bool // AVX-512 VBMI: byte shuffles of whole vectors
}

// Options describe the memory around a block.
type Options struct {
	// Stream writes whole cache lines past the caches, where the kernel can: for destinations that are larger than the
	// caches and not read again soon. Call Fence before others read them.
	Stream bool
	// Staging assembles rows that do not start at a cache line; nil writes them directly.
	Staging *Staging
	// Scratch replaces rows that are NoRow; nil if there are none.
	Scratch *ScratchRows
}

// Transpose copies a matrix with rows at any offsets and adjacent columns, and writes it transposed:
//
//	for i in dstRows: for j in srcRows: dst[dstRows[i] + j·size] = src[srcRows[j] + i·size]
//
// for size bytes each: a source row has len(dstRows) elements, a destination row len(srcRows).
// Destination rows do not overlap.
func (k *Kernels) Transpose(dst []byte, dstRows []int, src []byte, srcRows []int, size int, o Options) {
	if len(srcRows) == 0 || len(dstRows) == 0 {
		return
	}
	lanes := k.lanes
	for lanes*16 > len(srcRows)*size {
		lanes /= 2
	}
	if lanes == 0 || len(dstRows)*size < 16 {
		if o.Scratch != nil {
			o.Scratch.transpose(dst, dstRows, src, srcRows, size)
			return
		}
		genericTranspose(dst, dstRows, src, srcRows, size)
		return
	}
	if s := o.Scratch; s != nil {
		srcRows, dstRows = resolve(srcRows, src, s.pad, &s.src), resolve(dstRows, dst, s.waste, &s.dst)
	}
	m := matrix{dst: dst, dstRows: dstRows, src: src, srcRows: srcRows, size: size}
	even := k.lanes == 4 && aligned(dst, dstRows)
	if o.Staging != nil && k.lanes == 4 && !even && len(srcRows)*size >= stagedFrom {
		m.staged(o.Staging, o.Stream)
		return
	}
	m.transpose(lanes, o.Stream && even && lanes == 4)
}

// Interleave joins a few rows into one (planar to pixels): the transposition with adjacent destination rows.
//
//	for i in 0…n: for j in srcRows: dst[(i·len(srcRows) + j)·size] = src[srcRows[j] + i·size]
func (k *Kernels) Interleave(dst []byte, src []byte, srcRows []int, n, size int, o Options) {
	pixels{packed: dst, planar: src, rows: srcRows, n: n, size: size, join: true, scratch: o.Scratch}.move(k, o.Stream)
}

// Deinterleave splits one row into a few (pixels to planar): the transposition with adjacent source rows.
//
//	for i in 0…n: for j in dstRows: dst[dstRows[j] + i·size] = src[(i·len(dstRows) + j)·size]
func (k *Kernels) Deinterleave(dst []byte, dstRows []int, src []byte, n, size int, o Options) {
	pixels{packed: src, planar: dst, rows: dstRows, n: n, size: size, scratch: o.Scratch}.move(k, o.Stream)
}

// Copy copies len(src) bytes; the slices do not overlap.
func (k *Kernels) Copy(dst, src []byte, o Options) {
	if o.Stream && k.lanes >= 2 && len(src) >= streamsFrom {
		copyStream(dst[:len(src)], src)
		return
	}
	copy(dst[:len(src)], src)
}

// Fence makes streaming stores visible before any later store.
func (k *Kernels) Fence() {
	if k.lanes >= 2 {
		fence()
	}
}
