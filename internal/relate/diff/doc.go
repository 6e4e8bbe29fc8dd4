// Package diff compares two tensors element by element, whatever their layouts.
//
//	both sides are read in one order, tile by tile, as a conversion would write it (order.go, convert.Meet)
//	elements repeated by both sides' broadcasts are compared once
//	runs with equal bytes are done; in others the elements are compared one by one (worker.go)
//	all that differ are counted, and the smallest coordinates are kept (found.go)
//
// What "the same" means is a Rule (rule.go): equal bits, equal numbers, or numbers that are close.
package diff
