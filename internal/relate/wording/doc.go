// Package wording says in a few words of which rows of which tensors another is made.
//
//	rows.go    one source, several, in turn, by head, stacked
//	ranges.go  which rows: 0:16, 0:16 of every 32, blocks in another order
//	names.go   what sources, rows and their order are called
package wording
