package render

import "io"

func (t Table) drawText(w io.Writer, width int, unicode bool) error {
	return t.gridText(w, width, unicode)
}

func (t Table) drawMarkdown(w io.Writer) error { return t.gridMarkdown(w) }
