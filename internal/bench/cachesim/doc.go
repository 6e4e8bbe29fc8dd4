// Package cachesim is a model of a cache hierarchy and a TLB. It counts the misses of reading memory in some order, the
// same on every machine and in every run.
//
//	Parse      sizes, ways and lines of the levels              geometry.go
//	table      one level: sets of lines, most recent first      sim.go
//	Sim        all levels; Read accesses them, Counts reports   sim.go
//	NewSample  a sample of the sets, with an error estimate     sample.go
//
// Levels are set-associative with LRU replacement. A line is filled into every level that missed it, and an eviction leaves
// the other levels alone, as in Valgrind's cachegrind, whose counts these are (testdata/cachegrind.json).
//
// There is no prefetcher, and there are no writes or latencies: misses are counted, not weighted. Addresses are offsets in the
// storage, whose byte 0 starts a page.
package cachesim
