// Package convert moves a tensor from one layout into another.
//
//	NewPlan pairs the digits of both layouts into loops {n, src, dst}
//	Plan.Run copies from memory to memory, Plan.WriteAt into a file within a memory budget, Plan.Write into a stream
//	Explain makes a plan and explains each step
//
// A plan is a list of boxes, each a nest of loops that copies a region in which both layouts have constant steps: the whole
// tensor is one box unless a dim ends inside a block. The passes that simplify a nest are in plan.go, one function each.
//
// A box is run as a matrix, whose choice the plan holds (matrix.go), several small ones as one (chunk.go): blocks, in pieces that
// threads share (run.go, parallel.go), by kernels that are given many blocks at once (mover.go). Files are written tile by tile
// (tile.go, write.go). ARCHITECTURE.md has the picture.
package convert
