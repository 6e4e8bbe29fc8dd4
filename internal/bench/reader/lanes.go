package reader

// Lanes are sums modulo 2 of bits, by their place in a row: the exclusive or of all rows.
type Lanes [64]byte

// Sum folds the lanes to the bytes of an item: byte k is the sum modulo 2, bit by bit, of all bytes read that are byte k
// of an item of `item` bytes.
//
//	Sum(item)[k] = ⊕ over lanes with place mod item = k,    for item = 1, 2, 4, … 64 and rows of whole items
//
// Items of other sizes are taken for several items of their greatest power of two, at most 64: 4 bytes for item = 12. It
// is what rows may be long then, beginning at a whole number of them.
func (l *Lanes) Sum(item int) []byte {
	sum := make([]byte, min(item&-item, len(l)))
	for i, b := range l {
		sum[i%len(sum)] ^= b
	}
	return sum
}
