package pytorch

import "github.com/tlayout/tlayout/internal/graph"

// Exchanged returns the permutation of dims that a view makes, which its strides tell; dims with equal strides and sizes stay in order.
func Exchanged(from, to *graph.Tensor) []int {
	a, _ := from.Layout.Strided()
	b, _ := to.Layout.Strided()
	if len(a.Shape) != len(b.Shape) {
		return nil
	}
	used := make([]bool, len(a.Shape))
	perm := make([]int, len(a.Shape))
	for d := range b.Shape {
		perm[d] = -1
		for e := range a.Shape {
			same := a.Shape[e] == b.Shape[d] && a.Strides[e] == b.Strides[d]
			if same && !used[e] {
				perm[d] = e
				used[e] = true
				break
			}
		}
	}
	return perm
}
