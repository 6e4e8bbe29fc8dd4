package cli

import (
	"bytes"
	"io"

	"github.com/tlayout/tlayout/internal/render"
)

// Format is how results are written.
type Format string

// The formats; GoBench is bench's alone.
const (
	Table    Format = "table"
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "markdown"
	GoBench  Format = "gobench"
)

// Report is what a command has to say, as a value that encoding/json writes as its document. Its warnings are part of
// the document; in all other formats they go to standard error.
type Report interface {
	Rows() render.Table // for CSV
	Page(*Page)
	Warned() []string
}

// A Report that implements Streamed writes its document, or its rows, piece by piece: they may be of any length.
// Alone says that the document is the only one, and may take more than one line.
type Streamed interface {
	WriteJSON(w io.Writer, alone bool) error
	WriteCSV(w io.Writer) error
}

// A Report that implements Benchmarked can be written in the format of Go's benchmarks.
type Benchmarked interface{ WriteGoBench(w io.Writer) error }

// Write writes a command's only report.
func (a *App) Write(r Report) error { return a.Reports(true).Write(r) }

// Reports writes one report or several, one after the other: a JSON document a line, and CSV under one header for all.
type Reports struct {
	Apart bool // a blank line parts a page from the one before

	app    *App
	alone  bool
	pages  int
	header string // of the CSV table that was written last
}

// Reports begins the output of a command; alone says that it has one report.
func (a *App) Reports(alone bool) *Reports { return &Reports{app: a, alone: alone} }

// Write writes a report in the format asked for, and its warnings.
func (w *Reports) Write(r Report) error {
	w.WriteWarnings(r)
	a := w.app
	streamed, streams := r.(Streamed)
	switch {
	case a.Format == JSON && streams:
		return streamed.WriteJSON(a.Stdout, w.alone)
	case a.Format == JSON:
		return WriteJSON(a.Stdout, r, w.alone)
	case a.Format == CSV && streams:
		return streamed.WriteCSV(&underHeader{reports: w})
	case a.Format == CSV:
		return r.Rows().CSV(&underHeader{reports: w})
	case a.Format == GoBench:
		return r.(Benchmarked).WriteGoBench(a.Stdout)
	}
	if w.pages++; w.Apart && w.pages > 1 {
		io.WriteString(a.Stdout, "\n")
	}
	return a.page(a.Stdout, r)
}

// WriteMarkdown writes a report's page as Markdown, whatever the format asked for.
func (a *App) WriteMarkdown(w io.Writer, r Report) error {
	as := *a
	as.Format = Markdown
	return as.page(w, r)
}

func (a *App) page(w io.Writer, r Report) error {
	p := &Page{app: a, out: w}
	r.Page(p)
	return p.err
}

// WriteWarnings writes the warnings of a report, for one that is not written itself.
func (w *Reports) WriteWarnings(r Report) {
	if w.app.Format != JSON {
		w.app.Warn(r.Warned())
	}
}

// underHeader passes a CSV table on, without its header where that is the one that was written last.
type underHeader struct {
	reports *Reports
	first   []byte // of the header, as far as it came
	begun   bool   // the header is complete
}

func (u *underHeader) Write(text []byte) (int, error) {
	n, w := len(text), u.reports
	if !u.begun {
		line, rest, complete := bytes.Cut(text, []byte("\n"))
		u.first = append(u.first, line...)
		if u.begun = complete; !complete {
			return n, nil
		}
		text = rest
		if header := string(u.first); header != w.header {
			w.header = header
			if _, err := io.WriteString(w.app.Stdout, header+"\n"); err != nil {
				return 0, err
			}
		}
	}
	_, err := w.app.Stdout.Write(text)
	return n, err
}
