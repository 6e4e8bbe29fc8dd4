// Package convert moves a tensor from one layout into another.
//
//	NewPlan pairs the digits of both layouts into loops {n, src, dst}
//	Plan.Run copies from memory to memory, Plan.WriteAt into a file within a memory budget, Plan.Write into a stream
//	Explain tells how a plan comes about
//
// A plan is a list of boxes, each a nest of loops that copies a region in which both layouts move evenly: the whole
// tensor is one box unless a dim ends inside a block. The passes that make it stand in passes.go, one function each.
//
// What runs is a tile of the destination at a time (tile.go, clip.go), in it a matrix (matrix.go, axis.go), of it a
// block (mover.go), by a kernel. ARCHITECTURE.md has the picture.
package convert
