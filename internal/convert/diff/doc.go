// Package diff compares two tensors element by element, whatever their layouts.
//
//	Run leaves out what repeats because both sides broadcast it (repeat.go)
//	it cuts both tensors into the same tiles, boxes of coordinates (tiling.go)
//	each side's tile is gathered into one packed run of bytes, or used in place if it is one already (gather.go)
//	runs with equal bytes are done; in others the elements are compared one by one (worker.go)
//	all that differ are counted, and the smallest coordinates are kept
//
// What "the same" means is a Rule (rule.go): equal bits, equal numbers, or numbers that are close.
package diff
