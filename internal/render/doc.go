// Package render writes tables and charts for a terminal, for Markdown, for programs and as SVG. It knows nothing of what
// they say.
package render
