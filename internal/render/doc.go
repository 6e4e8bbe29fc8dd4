// Package render writes tables and charts, for terminals, Markdown and programs, and as drawings, which package vector
// writes as SVG and PNG.
//
//	Table         rows and columns                 text, Markdown, CSV
//	Chart         bars                             text, drawing
package render
