package kernel

import "testing"

// TestPadded: blocks with a pattern of padding in source rows, and with some destination rows omitted, equal the plain loop; programs move
// some of them.
func TestPadded(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		programs, turn := 0, 0
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, every := range []int{2, 4, 16} { // rows, one or more of them padding
				for _, rows := range []int{every, 5 * every, 20 * every, 64/size*every + every} {
					for _, cols := range []int{1, 3, 8, 17} {
						turn++
						b, m, whole := padded(k, rows, cols, size, every, turn)
						if _, ok := b.method.(*program); ok {
							programs++
						}
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad, m.stores)
							k.Fence()
						})
					}
				}
			}
		}
		if k.width > 0 && programs < turn/8 {
			t.Errorf("%d of %d blocks have a program", programs, turn)
		}
	})
}

// padded is a block in which the last row of every group, or all but the first, are padding, and in every third case some destination rows
// are omitted.
func padded(k *Kernels, rows, cols, size, every, turn int) (b *Block, m move, whole []byte) {
	srcRows, srcExtent := spaced(rows, cols*size, cols*size)
	for i := range srcRows {
		if i%every == every-1 || turn%2 == 0 && i%every > 0 {
			srcRows[i] = NoRow
		}
	}
	dstRows, dstExtent := spaced(cols, rows*size, rows*size+turn%4*size)
	if turn%3 == 0 {
		for i := 1; i < cols-1; i += 2 {
			dstRows[i] = NoRow
		}
	}
	m = move{srcRows: srcRows, dstRows: dstRows, size: size, stores: Stores(turn / 2 % 2), pad: []byte("the pad of a test")[:size]}
	m.jobs = []Job{{0, 64}, {dstExtent, 64 + srcExtent}}
	_, m.src = at(2*srcExtent+128, turn)
	whole, m.dst = at(2*dstExtent, turn%2*size)
	return k.NewBlock(srcRows, dstRows, size), m, whole
}
