// Package render writes tables and charts: for a terminal, for Markdown, for programs, and as drawings, which package
// vector makes SVG and PNG of. It knows nothing of what they say.
//
//	Table         rows and columns                 text, Markdown, CSV
//	Chart         bars                             text, drawing
package render
