package render

import (
	"github.com/clipperhouse/displaywidth"
)

// widest is the width of the widest text in columns.
func widest(bars []Bar, text func(Bar) string) int {
	columns := 0
	for _, b := range bars {
		columns = max(columns, displaywidth.String(text(b)))
	}
	return columns
}

func labelOf(b Bar) string { return b.Label }

func textOf(b Bar) string { return b.Text }
