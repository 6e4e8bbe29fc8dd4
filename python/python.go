// Package python holds the file of the Python module that the program runs: an installed module of another version cannot disagree with it.
package python

import _ "embed"

// Bench is the text of tlayout/bench.py, for python3 -c.
//
//go:embed tlayout/bench.py
var Bench string
