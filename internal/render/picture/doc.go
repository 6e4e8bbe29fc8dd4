// Package picture decides what of a tensor is drawn: which planes, rows and lines of memory, what is written on each
// cell, what its colour means, and which way a path takes. The result is a render.Scene; how it looks is not decided
// here.
package picture
