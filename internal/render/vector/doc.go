// Package vector is pictures made of rectangles, lines and words, in colours that have a purpose instead of a number.
// One Drawing has two writers: SVG and PNG.
//
//	Drawing ──► SVG   real text, light or dark as its reader's system is
//	        └─► PNG   the same marks, with a font that is built in
package vector
