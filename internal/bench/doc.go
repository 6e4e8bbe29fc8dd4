// Package bench measures the cost of memory layouts: the same elements of the same tensor, visited in the same order, in
// every layout.
//
//	Pattern    the order of the visits, or an operator of PyTorch     pattern.go
//	nest       the loops of a walk over a layout's storage            nest.go
//	program    one pass over one tensor in one layout, and its check  walk.go, program.go
//	Worker     PyTorch in a process of its own, whose rows are programs  torch.go, process.go
//	Run        programs in rounds, each against the roof              run.go, measure.go, roof.go
//	Report     rows with samples, medians and intervals; the verdict  report.go, stats.go, verdict.go
//	Model      cache misses of a walk, simulated                      model.go
//	Gates      conditions on a report                                 figure.go, package gate
//
// Walks and conversions run on one thread, so that only the layout differs; PyTorch chooses its own threads. An access counts the bytes of
// each element once, whatever is read twice or written; a conversion counts the bytes read and written.
package bench
