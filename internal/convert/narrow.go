package convert

import "github.com/tlayout/tlayout/internal/convert/kernel"

// unwanted is how many items of the source lie between its runs, where the next run follows within a few: the last of
// them, too, may be read if room bytes follow the last item that is wanted. Dst is the source here.
//
//	3 of 4 channels of each image   |c0 c1 c2 —|c0 c1 c2 —|…
func unwanted(loops []Loop, item, room int) int {
	n := len(loops)
	if n < 2 || loops[n-1].Dst != item {
		return 0
	}
	between := loops[n-2].Dst/item - loops[n-1].N
	if loops[n-2].Dst%item != 0 || between <= 0 || between > maxItem || between*item > room {
		return 0
	}
	return between
}

// narrow finds the kind of a matrix of few rows or few columns. Columns that lie in the source between those that are
// wanted, or behind them, where room bytes follow the last one, may be read too and go nowhere.
//
//	3 of 4 channels   |r0 g0 b0 a0|r1 g1 b1 a1|…   →   |r0 r1 …|  |g0 g1 …|  |b0 b1 …|  nowhere
func (m *matrix) narrow(room int) {
	few := maxItem / m.item
	if step, even := m.cols.step(); even && m.rows.n == len(m.rows.table) && m.rows.n < few && step == m.rows.n*m.item {
		m.kind = interleaved
	}
	if m.kind != transposed || m.cols.n >= few || m.cols.n != len(m.cols.table) {
		return
	}
	read := few
	step, even := m.rows.step()
	even = even && step%m.item == 0 && step >= m.cols.n*m.item && step < few*m.item
	if even {
		read = step / m.item
	}
	if (read-m.cols.n)*m.item > room {
		return
	}
	if even {
		m.kind = deinterleaved
	}
	for m.cols.n < read {
		m.cols.table = append(m.cols.table, kernel.NoRow)
		m.cols.n++
	}
}
