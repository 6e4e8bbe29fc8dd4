// Package bench measures what a memory format costs: the same elements of the same tensor, visited in the same order, in
// every layout.
//
//	Patterns   in which order the elements are visited, and what is done with them    pattern.go
//	nest       the loops that a walk runs over a layout's storage                     nest.go
//	program    one pass over one tensor that lies in one layout; it can be checked    walk.go, op.go, program.go
//	Run        programs in turn, sample by sample, each against the roof              measure.go, roof.go
//	Report     rows with samples, medians and intervals; the model; the verdict       report.go, verdict.go
//	Gates      what a report must hold; Compare, what changed since an earlier one    gate.go, baseline.go
//
// One thread runs everything, so that what is compared is the layout. Bytes are counted as each element of the tensor
// once, whatever is read twice or written; a conversion counts what it reads and what it writes.
package bench
