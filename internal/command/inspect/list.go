package inspect

import (
	"cmp"
	"slices"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// list has a line for each of several sources, and for each array of the archives among them.
type list struct {
	app    *cli.App
	o      *options
	set    *source.Set // that has all of them; nil if each is opened
	picked []int       // those of set
	err    error       // of the first source that cannot be read
}

// Warned is empty: Page writes the warnings of each source when it opens it.
func (l *list) Warned() []string { return nil }

// Page writes the lines as it reads the sources. One that cannot be read is an error line on standard error.
func (l *list) Page(p *cli.Page) {
	w := &measured{page: p, columns: render.Columns{
		Header: []string{"source", "dtype", "shape", "size", "layout", "order", "news"}, Numbers: []int{3}}, drop: [][]int{{5}, {1}, {3}}}
	if l.set != nil {
		l.rows(p, w, l.set, l.picked)
	} else {
		for _, name := range l.o.sources {
			l.source(p, w, name)
		}
	}
	if p.Fail(w.Close()); l.err == nil || w.begun() {
		p.More("--all")
	}
}

// source has the rows of a source.
func (l *list) source(p *cli.Page, w *measured, name string) {
	set, pattern, err := source.Open(name, l.o.Options(l.app))
	if err != nil {
		l.fail(err)
		return
	}
	defer set.Close()
	picked, err := set.Match(pattern)
	l.fail(err)
	l.rows(p, w, set, picked)
}

// rows has the rows of tensors of a set.
func (l *list) rows(p *cli.Page, w *measured, set *source.Set, picked []int) {
	for _, i := range picked {
		row, err := l.row(set, i)
		if l.fail(err); err == nil {
			p.Fail(w.Row(row...))
		}
	}
}

// fail prints an error that is not nil, and keeps the first.
func (l *list) fail(err error) {
	if err != nil {
		l.app.PrintError(err)
		l.err = cmp.Or(l.err, err)
	}
}

// row is the line of a tensor.
func (l *list) row(set *source.Set, i int) ([]string, error) {
	opts := l.o.Options(l.app)
	opts.HeaderOnly = true
	t, err := set.Tensor(i, opts)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	x := inspect.NewLine(t)
	for _, warning := range x.Warnings {
		l.app.Warn([]string{words.Quote(set.Name(i)) + ": " + warning})
	}
	return []string{x.Source, x.DType, x.Shape, x.Size, x.Layout, x.Order, x.News}, nil
}

// maxHeld is how many rows are measured before the first is written.
const maxHeld = 200

// measured writes rows in columns that are as wide as the first rows need. It holds no more than these.
type measured struct {
	page    *cli.Page
	columns render.Columns
	drop    [][]int // columns that a narrow terminal has no room for, the least important first
	held    [][]string
	kept    []int            // the columns that are written
	out     render.RowWriter // nil while rows are held
}

// Row writes a row, or holds it.
func (w *measured) Row(cells ...string) error {
	if w.out != nil {
		return w.write(cells)
	}
	if w.held = append(w.held, cells); len(w.held) < maxHeld {
		return nil
	}
	return w.begin(true)
}

// begin writes the rows that are held. If more follow, a column that is empty so far is kept.
func (w *measured) begin(more bool) error {
	c := &w.columns
	c.Widths = make([]int, len(c.Header))
	for i, name := range c.Header {
		if more {
			c.Widths[i] = displaywidth.String(name)
		}
		for _, row := range w.held {
			c.Widths[i] = max(c.Widths[i], displaywidth.String(row[i]))
		}
	}
	w.kept = c.Fit(w.page.Columns(), w.drop...)
	var kept render.Columns
	for k, i := range w.kept {
		kept.Header, kept.Widths = append(kept.Header, c.Header[i]), append(kept.Widths, c.Widths[i])
		if slices.Contains(c.Numbers, i) {
			kept.Numbers = append(kept.Numbers, k)
		}
	}
	w.out = w.page.Rows("", kept)
	for _, row := range w.held {
		if err := w.write(row); err != nil {
			return err
		}
	}
	w.held = nil
	return nil
}

// write writes the cells of the columns that are kept.
func (w *measured) write(cells []string) error {
	row := make([]string, len(w.kept))
	for k, i := range w.kept {
		row[k] = cells[i]
	}
	return w.out.Row(row...)
}

// begun reports whether a row was written.
func (w *measured) begun() bool { return w.out != nil }

// Close writes what is held.
func (w *measured) Close() error {
	if w.out == nil && len(w.held) > 0 {
		if err := w.begin(false); err != nil {
			return err
		}
	}
	if w.out == nil {
		return nil
	}
	return w.out.Close()
}
