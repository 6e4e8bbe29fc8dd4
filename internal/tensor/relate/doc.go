// Package relate finds the layout mistake that turned one tensor into another: the map from positions of B's memory to offsets of A.
//
//	relation.go     Find: the map as a mixed-radix numeral, and what is said of it
//	fingerprint.go  do two tensors have the same elements, whatever their order
package relate
