package kernel

// Kernels are the kernels of one instruction set.
type Kernels struct {
	Level Level
	lanes int // how many items of 16 bytes a vector holds; 0 without vectors
	vbmi  bool
}

// Options are what a caller knows of the memory around a block.
type Options struct {
	// Stream writes whole lines of 64 bytes past the caches, where the kernel can: right for destinations that are
	// larger than the caches and not read again soon. Call Fence before others read them.
	Stream bool
	// Room is where rows are put together that do not begin with a line; nil to do without.
	Room *Room
	// Elsewhere stands for rows that are Nowhere; nil where there are none.
	Elsewhere *Elsewhere
}

// Transpose copies a matrix whose rows lie anywhere and whose columns lie side by side, and writes it transposed:
//
//	for i in dstRows: for j in srcRows: dst[dstRows[i] + j·size] = src[srcRows[j] + i·size]
//
// for size bytes each: a row of the source has len(dstRows) items, a row of the destination has len(srcRows).
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
		if o.Elsewhere != nil {
			o.Elsewhere.plain(dst, dstRows, src, srcRows, size)
			return
		}
		genericTranspose(dst, dstRows, src, srcRows, size)
		return
	}
	if e := o.Elsewhere; e != nil {
		srcRows, dstRows = found(srcRows, src, e.pad, &e.src), found(dstRows, dst, e.waste, &e.dst)
	}
	m := matrix{dst: dst, dstRows: dstRows, src: src, srcRows: srcRows, size: size}
	even := k.lanes == 4 && aligned(dst, dstRows)
	if o.Room != nil && k.lanes == 4 && !even && len(srcRows)*size >= stagedFrom {
		m.staged(o.Room, o.Stream)
		return
	}
	m.transpose(lanes, o.Stream && even && lanes == 4)
}

// Interleave joins few rows into one (planar to pixels): the transposition whose destination rows lie side by side.
//
//	for i in 0…n: for j in srcRows: dst[(i·len(srcRows) + j)·size] = src[srcRows[j] + i·size]
func (k *Kernels) Interleave(dst []byte, src []byte, srcRows []int, n, size int, o Options) {
	pixels{packed: dst, planar: src, rows: srcRows, n: n, size: size, join: true, elsewhere: o.Elsewhere}.move(k, o.Stream)
}

// Deinterleave splits one row into few (pixels to planar): the transposition whose source rows lie side by side.
//
//	for i in 0…n: for j in dstRows: dst[dstRows[j] + i·size] = src[(i·len(dstRows) + j)·size]
func (k *Kernels) Deinterleave(dst []byte, dstRows []int, src []byte, n, size int, o Options) {
	pixels{packed: src, planar: dst, rows: dstRows, n: n, size: size, elsewhere: o.Elsewhere}.move(k, o.Stream)
}

// Copy copies len(src) bytes; the slices do not overlap.
func (k *Kernels) Copy(dst, src []byte, o Options) {
	if o.Stream && k.lanes >= 2 && len(src) >= streamsFrom {
		copyStream(dst[:len(src)], src)
		return
	}
	copy(dst[:len(src)], src)
}

// Fence orders streaming stores before everything that follows.
func (k *Kernels) Fence() {
	if k.lanes >= 2 {
		fence()
	}
}
