package check

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// report is what check says of one source.
type report struct {
	Schema     string      `json:"schema"`
	Source     string      `json:"source"`
	Raw        []byte      `json:"source_bytes,omitempty"` // base64, where the name is no UTF-8
	OK         bool        `json:"ok"`
	Assertions []assertion `json:"assertions"`
	Warnings   []string    `json:"warnings"`
}

func newReport(a *cli.App, o *options, t *source.Tensor) (*report, error) {
	c := &report{Schema: "tlayout/check/v1", Source: t.Source, Raw: words.RawBytes(t.Source), OK: true}
	if o.want.layout.Layout != nil {
		c.Assertions = append(c.Assertions, o.ordered(t)) // before all others: it may name the axes
	}
	r := inspect.New(t)
	c.Warnings = r.Warnings
	c.Assertions = append(c.Assertions, o.want.items(r, t)...)
	if o.want.strides.set {
		c.Assertions = append(c.Assertions, o.want.strided(r))
	}
	if o.want.contiguous.word != "" {
		c.Assertions = append(c.Assertions, o.contiguity(r, t))
	}
	c.Assertions = append(c.Assertions, o.want.memory(r, t)...)
	if o.want.finite {
		answer, err := finite(r, t)
		if err != nil {
			return nil, err
		}
		c.Assertions = append(c.Assertions, answer)
	}
	for i := range c.Assertions {
		x := &c.Assertions[i]
		if c.OK = c.OK && x.OK; x.OK {
			x.Hint = ""
		}
	}
	return c, nil
}

// line says what does not hold: x.npy: contiguous=channels_last: no: C-contiguous; C-stride is 20, expected 1.
func (x assertion) line(name string) string {
	what := strings.TrimSuffix(x.Name+"="+words.Quote(x.Expected), "=")
	found := x.Found
	switch {
	case x.Name == "contiguous" || found == "no", found == unknown:
		found = x.Why
	case x.Why != "":
		found += "; " + x.Why
	}
	return fmt.Sprintf("%s: %s: no: %s", name, what, found)
}

// lines are one for each assertion that does not hold, with a hint where a command mends it; or one that all do.
func (c *report) lines() []string {
	var lines []string
	read, name := "", source.DisplayName(c.Source)
	for _, x := range c.Assertions {
		if x.OK && x.Name == "layout" && x.Why != "" {
			read = "; " + x.Why
		}
		if x.OK && x.Name == "accepted-by" && x.Why != "" {
			read += "; " + x.Expected + ": " + x.Why
		}
		if x.OK {
			continue
		}
		lines = append(lines, x.line(name))
		if x.Hint != "" {
			lines = append(lines, "  hint: "+x.Hint)
		}
	}
	if c.OK {
		lines = append(lines, fmt.Sprintf("%s: ok, %d of %d hold%s", name, len(c.Assertions), len(c.Assertions), read))
	}
	return lines
}

// writer writes the reports one by one in the format asked for.
type writer struct {
	a     *cli.App
	quiet bool
	alone bool
	rows  render.RowWriter
}

func newWriter(a *cli.App, o *options) *writer {
	w := &writer{a: a, quiet: o.quiet, alone: len(o.sources) < 2}
	columns := render.Columns{Header: strings.Split("source,assertion,expected,found,ok,why,hint", ",")}
	switch a.Format {
	case cli.CSV:
		w.rows = render.StreamCSV(a.Stdout, columns)
	case cli.Markdown:
		w.rows = &markdownRows{a.Stdout, render.Table{Header: columns.Header}}
	}
	return w
}

func (w *writer) write(c *report) error {
	if w.a.Format != cli.JSON {
		w.a.Warn(c.Warnings)
	}
	switch {
	case c.OK && w.quiet:
		return nil
	case w.a.Format == cli.JSON:
		return cli.WriteJSON(w.a.Stdout, c, w.alone)
	case w.rows == nil:
		for _, line := range c.lines() {
			if _, err := io.WriteString(w.a.Stdout, w.a.FoldIndented(line)+"\n"); err != nil {
				return err
			}
		}
		return nil
	}
	for _, x := range c.Assertions {
		if err := w.rows.Row(cmp.Or(words.Quote(c.Source), "tensor"), x.Name, x.Expected, x.Found, fmt.Sprint(x.OK), x.Why, x.Hint); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) close() error {
	if w.rows == nil {
		return nil
	}
	return w.rows.Close()
}

// markdownRows are a table that is written when all of it is there.
type markdownRows struct {
	w     io.Writer
	table render.Table
}

func (m *markdownRows) Row(cells ...string) error {
	m.table.Add(cells...)
	return nil
}

func (m *markdownRows) Close() error { return m.table.Markdown(m.w) }
