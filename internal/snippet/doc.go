// Package snippet writes code that makes a layout in the frameworks: statements of Python for PyTorch and NumPy, C++ for
// DirectML. It knows layouts and memory orders, nothing of who asks.
package snippet

// Code are statements that make y, of a layout's memory, from a logical x, and x from y.
type Code struct {
	Make []string
	Back []string
}
