package scene

import (
	"strings"
)

// glyphs are what a scene is drawn with.
type glyphs struct {
	top, bottom [2]string // corners of a plane
	across      string    // its upper and lower side
	down        string    // its left and right side
	edges       [3]string // between cells of memory: 0, 1, more axes start over
	lines       [3]string // the same where a cache line begins too
	hatch       string    // padding
	outside     string    // of the tensor
	shared      string    // behind a label
	hit         string    // before a row of memory
	under       string    // below cells whose line is fetched, where that is not all of the row
	step        string    // before the number of a step
	tail        string    // of text that is cut
}

var (
	unicodeScene = glyphs{[2]string{"┌", "┐"}, [2]string{"└", "┘"}, "─", "│", [3]string{" ", "│", "┃"},
		[3]string{"╎", "┼", "╂"}, "░", "·", "'", "►", "▔", "#", "…"}
	asciiScene = glyphs{[2]string{"+", "+"}, [2]string{"+", "+"}, "-", "|", [3]string{" ", "|", "#"},
		[3]string{":", "+", "*"}, "x", ".", "'", ">", "^", "@", ".."}
)

var inASCII = strings.NewReplacer("…", "..", "⋮", ":", "×", "x", "·", "*", "→", "->", "≥", ">=", "≤", "<=", "−", "-", "÷", "/",
	"⌊", "floor(", "⌋", ")", "⌈", "ceil(", "⌉", ")")

// toASCII spells the signs that sentences are written with; other characters, as of names, stay.
func toASCII(s string) string { return inASCII.Replace(s) }
