// Package convert moves a tensor from one layout into another.
//
//	NewPlan pairs the digits of both layouts into loops {n, src, dst}
//	Plan.Fill writes any window of the destination's storage from the source's
//
// A plan is a list of boxes, each a nest of loops that copies a region in which both layouts move evenly: the whole
// tensor is one box unless a dim ends inside a block. The passes that make it stand in passes.go, one function each.
package convert
