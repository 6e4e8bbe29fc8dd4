// Package picture selects what to draw of a tensor: planes, rows, lines of memory, labels and colors of cells, and the path. The result is
// a scene.Scene; package scene decides how it looks.
package picture
