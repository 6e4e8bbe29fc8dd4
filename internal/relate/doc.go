// Package relate finds the layout mistake that turned one tensor into another: the map from positions of B's memory to offsets of A.
//
//	relation.go     Find, and the Relation that it returns
//	lens.go         when an element of B is one of A: equal bits, swapped bytes, converted numbers
//	scale.go        or a constant factor and offset
//	noise.go        or near, as numbers of another engine are
//	nest.go         the map as nested loops, with padding where they overlap
//	search.go       nests are tried on a sample, and counted in full if they pass (tally.go)
//	hypotheses.go   the nests that mistakes make, where values repeat
//	rows.go         the nest that rows show, which hardly repeat; the rows of a tensor among those of others
//	learn.go        the nest that elements show which hardly repeat
//	describe.go     what the nest means for A's dims: order, layout
//	mistakes.go     the mistakes that it shows, a row each: kind, sentence, what undoes it
//	fingerprint.go  do two tensors have the same elements, whatever their order
//	pair.go         which tensors of two checkpoints do, under any names
package relate
