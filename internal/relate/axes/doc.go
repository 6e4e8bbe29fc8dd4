// Package axes finds which axes of an array of images or activations are N, C, H and W, by its values.
//
//	images.go     the orders of axes that the values show
//	roughness.go  which axes are H and W: along them neighbors are alike
//	planes.go     which axis is C: along it planes share edges
package axes
