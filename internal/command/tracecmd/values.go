package tracecmd

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// nested writes values in brackets nested as in Python, a line per run of the last dim, in columns. "…" replaces elements without
// values.
func nested(shape []int, values []string) []string {
	rank := len(shape)
	width := 0
	for _, v := range values {
		width = max(width, displaywidth.String(v))
	}
	if len(values) == 0 {
		return []string{"[]"}
	}
	var lines []string
	var line strings.Builder
	for k, v := range values {
		opened := edges(shape, k)
		if opened > 0 {
			line.WriteString(text.Blanks(rank-opened) + strings.Repeat("[", opened))
		}
		line.WriteString(text.Blanks(width-displaywidth.String(v)) + v)
		closed := edges(shape, k+1)
		line.WriteString(strings.Repeat("]", closed))
		if closed < rank {
			line.WriteByte(',')
		}
		if k == len(values)-1 && closed < rank {
			return append(lines, line.String()+" …")
		}
		if closed > 0 || rank == 0 {
			lines = append(lines, line.String())
			line.Reset()
			continue
		}
		line.WriteByte(' ')
	}
	return lines
}

// edges returns the number of innermost dims that begin at element k in logical order; as many end before it.
func edges(shape []int, k int) int {
	n := 0
	for d := len(shape) - 1; d >= 0; d-- {
		if k%shape[d] != 0 {
			break
		}
		k /= shape[d]
		n++
	}
	return n
}
