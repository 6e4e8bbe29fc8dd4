package cli

import (
	"bytes"
	"io"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// Format is an output format.
type Format string

// The output formats; only bench has GoBench.
const (
	Table    Format = "table"
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "markdown"
	GoBench  Format = "gobench"
)

// Report is the result of a command, which encoding/json writes as its document. A Report is also Tabled or Streamed.
type Report interface{ Page(*Page) }

// Warning is a Report whose document has warnings. Other formats print them to standard error.
type Warning interface{ Warned() []string }

// Tabled is a Report whose CSV is one table.
type Tabled interface{ Rows() render.Table }

// Streamed is a Report of any length that writes its document and its CSV piece by piece. A document that is alone may take several lines.
type Streamed interface {
	WriteJSON(w io.Writer, alone bool) error
	WriteCSV(w io.Writer) error
}

// Failing is a Report with a possibly negative answer, which is printed even with --quiet.
type Failing interface{ Failed() bool }

// Benchmarked is a Report with a form in Go's benchmark format.
type Benchmarked interface{ WriteGoBench(w io.Writer) error }

// Write writes a command's only report.
func (a *App) Write(r Report) error { return a.Reports(true).Write(r) }

// Reports writes one or more reports in sequence: one JSON document per line, or CSV with one header.
type Reports struct {
	Spaced bool // a blank line separates pages

	app    *App
	out    io.Writer
	alone  bool
	pages  int
	header string // of the last CSV table
}

// Reports begins the output of a command; alone if it has one report.
func (a *App) Reports(alone bool) *Reports {
	return &Reports{app: a, out: text.InertWriter(a.Stdout), alone: alone}
}

// Write writes a report in the selected format, and its warnings.
func (w *Reports) Write(r Report) error {
	a := w.app
	if failing, may := r.(Failing); a.Quiet && !(may && failing.Failed()) {
		return nil
	}
	w.WriteWarnings(r)
	switch a.Format {
	case JSON:
		if streamed, ok := r.(Streamed); ok {
			return streamed.WriteJSON(w.out, w.alone)
		}
		return WriteJSON(w.out, r, w.alone)
	case CSV:
		if streamed, ok := r.(Streamed); ok {
			return streamed.WriteCSV(&underHeader{reports: w})
		}
		return r.(Tabled).Rows().CSV(&underHeader{reports: w})
	case GoBench:
		return r.(Benchmarked).WriteGoBench(w.out)
	}
	return w.writePage(r)
}

// writePage writes a report as a page.
func (w *Reports) writePage(r Report) error {
	w.pages++
	p := &Page{app: w.app, out: w.out, gap: w.pages == 1}
	if !p.Markdown() {
		p.out = w.app.Streams.plain(w.out)
	}
	if w.Spaced {
		p.Blank()
	}
	r.Page(p)
	return p.err
}

// End writes the CSV header if no report did, so that an empty table is a table.
func (w *Reports) End(header ...string) error {
	if w.app.Format != CSV || w.header != "" {
		return nil
	}
	return render.Table{Header: header}.CSV(w.out)
}

// WriteAs writes a report and its warnings in any format but GoBench, regardless of the selected one. With all, pages are complete.
func (a *App) WriteAs(w io.Writer, f Format, all bool, r Report) error {
	as := *a
	streams := *a.Streams
	streams.Width = 0
	streams.Err = io.Discard
	as.Streams = &streams
	as.Stdout = w
	as.Format = f
	as.Color = ColorNever
	as.Quiet = false
	as.All = a.All || all
	return as.Write(r)
}

// WriteWarnings writes only the warnings of a report.
func (w *Reports) WriteWarnings(r Report) {
	if warning, may := r.(Warning); may && w.app.Format != JSON && !w.app.Quiet {
		w.app.Warn(warning.Warned())
	}
}

// underHeader writes a CSV table, without its header if that equals the last one.
type underHeader struct {
	reports *Reports
	first   []byte // of the header, so far
	begun   bool   // the header is complete
}

func (u *underHeader) Write(text []byte) (int, error) {
	n := len(text)
	w := u.reports
	if !u.begun {
		line, rest, complete := bytes.Cut(text, []byte("\n"))
		u.first = append(u.first, line...)
		u.begun = complete
		if !complete {
			return n, nil
		}
		text = rest
		if header := string(u.first); header != w.header {
			w.header = header
			if _, err := io.WriteString(w.out, header+"\n"); err != nil {
				return 0, err
			}
		}
	}
	_, err := w.out.Write(text)
	return n, err
}
