// Package cachesim is a model of a hierarchy of caches and of a table of page translations. It counts what reading
// memory in some order costs: the same on every machine and in every run.
//
//	Parse      how large the caches are, and in how many ways a line can be kept    geometry.go, parse.go
//	table      one level: sets of lines, the most recent first                      table.go
//	Sim        all levels; Read asks them, Counts says how often each missed        sim.go
//	NewSample  some of the sets only, and how far off that may be                   sample.go
//
// Each level keeps the lines that were asked for last (least recently used goes first) and asks the next one for what
// it does not have. A line goes into every level that missed it, and what leaves a level stays in the others, as in
// Valgrind's cachegrind, whose figures these are (testdata/cachegrind.json).
//
// There is no prefetcher, there are no writes, and nothing takes time: misses are counted, not weighed. Addresses are
// those of the storage, whose byte 0 begins a page.
package cachesim
