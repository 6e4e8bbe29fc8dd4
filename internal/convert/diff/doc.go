// Package diff tells whether two tensors are the same, element by element, whatever their layouts.
//
//	Run cuts both tensors into the same tiles, boxes of coordinates
//	each side's tile is gathered into one packed run of bytes, or taken as it lies where it is one (gather.go)
//	runs that are equal as bytes are done with; in others the elements are looked at one by one (tile.go)
//	the smallest coordinates that differ are kept, and all are counted (first.go)
//
// What "the same" means is a Rule (rule.go): equal bits, equal numbers, or numbers that are close.
package diff
