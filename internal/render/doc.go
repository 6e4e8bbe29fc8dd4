// Package render writes tables for a terminal, for Markdown and for programs. It knows nothing of what they say.
package render
