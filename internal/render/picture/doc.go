// Package picture decides what is drawn of a tensor: which planes, rows and lines of memory, the labels and colors of
// cells, and the path. The result is a scene.Scene; package scene decides how it looks.
package picture
