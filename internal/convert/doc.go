// Package convert moves a tensor from one layout into another.
//
//	NewPlan pairs the digits of both layouts into loops {n, src, dst}
//	Plan.Run copies from memory to memory, Plan.WriteAt into a file within a memory budget, Plan.Write into a stream
//	Explain makes a plan and explains each step
//
// A plan is a list of boxes, each a nest of loops that copies a region in which both layouts have constant steps: the whole
// tensor is one box unless a dim ends inside a block. The passes that simplify a nest are in plan.go, one function each.
//
// A box runs as a matrix of rows and columns (matrix.go, axis.go), several small ones as one (chunk.go). A matrix is cut into blocks, which
// threads share in pieces (run.go, parallel.go) and kernels move many at a time (mover.go). stores.go has the rule for streaming stores.
// Files are written tile by tile (tiling.go, write.go). ARCHITECTURE.md has the picture.
package convert
