// Package render writes tables, charts and scenes: for a terminal, for Markdown, for programs, and as drawings, which
// package vector makes SVG and PNG of. It knows nothing of what they say.
//
//	Table         rows and columns                 text, Markdown, CSV
//	Chart         bars                             text, drawing
//	Scene         a tensor beside its memories     text, drawing
//	StreamMemory  a memory of any length           text, row by row
package render
