// Package vector is pictures of rectangles, lines and words, in colors by purpose. A Drawing has two writers: SVG and PNG.
//
//	Drawing ──► SVG   real text, in the reader's light or dark scheme
//	        └─► PNG   the same marks, with a built-in font
package vector
