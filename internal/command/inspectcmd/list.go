package inspectcmd

import (
	"cmp"
	"errors"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// list is the report with a line per source, or per array for archives.
type list struct {
	app    *cli.App
	o      *options
	set    *source.Set // the set of all sources; nil if each is opened
	picked []int       // indices in set
	err    error       // error of the first source that cannot be read
}

// Page writes the lines as it reads the sources, with their warnings. A source that cannot be read is an error line on standard error.
func (l *list) Page(p *cli.Page) {
	w := &measured{page: p, names: 3, columns: render.Columns{
		Header: []string{"source", "dtype", "shape", "size", "layout", "order", "notes"}, Numbers: []int{3}}, drop: [][]int{{5}, {3}, {1}}}
	if l.set != nil {
		l.rows(p, w, l.set, l.picked)
	} else {
		for _, n := range l.o.sources {
			l.source(p, w, n)
		}
	}
	if p.Fail(w.Close()); l.err == nil || w.begun() {
		p.More("--all")
	}
}

// source writes the rows of a source.
func (l *list) source(p *cli.Page, w *measured, n name.Name) {
	set, pattern, err := source.Open(n, l.o.Options(l.app))
	if err != nil {
		l.fail(n, err)
		return
	}
	defer set.Close()
	picked, err := set.Match(pattern)
	l.fail(n, err)
	l.rows(p, w, set, picked)
}

// rows writes the rows of tensors in a set, below the container's name. Among several sources, it writes only the first few and a count of the rest.
func (l *list) rows(p *cli.Page, w *measured, set *source.Set, picked []int) {
	grouped := len(picked) > 1 && !p.Markdown()
	if grouped {
		p.Fail(w.Row(set.Path.Quote(), "", text.Count(len(picked), "tensor"), "", "", "", ""))
	}
	shown := len(picked)
	if grouped && l.set == nil && shown > fewTensors+1 {
		shown = fewTensors
	}
	for n, i := range picked {
		row, err := l.row(set, i)
		if l.fail(set.Name(i), err); err != nil || n >= shown {
			continue
		}
		if grouped {
			row[0] = below + text.Quote(set.TensorName(i))
		}
		p.Fail(w.Row(row...))
	}
	if more := len(picked) - shown; more > 0 {
		p.Fail(w.end(below, more))
	}
}

// below is the indentation of tensors below their container.
const below = "  "

// fail prints a source's err, unless it is nil, in one line, and keeps the first one.
func (l *list) fail(n name.Name, err error) {
	if err == nil {
		return
	}
	l.err = cmp.Or(l.err, notShown(err))
	if e := (*fault.Error)(nil); errors.As(err, &e) {
		err = &fault.Error{Class: e.Class, Text: e.Text}
	}
	l.app.PrintErrorOf(n, err)
}

// notShown returns the error for one of several sources. The others are answers, so its class decides the exit code only if the source could not be
// read.
func notShown(err error) error {
	if fault.ClassOf(err) == fault.Resource {
		return err
	}
	return fault.New(fault.Unsupported, "%s", err)
}

// row returns the line of a tensor.
func (l *list) row(set *source.Set, i int) ([]string, error) {
	opts := l.o.Options(l.app)
	opts.HeaderOnly = true
	t, err := set.Tensor(i, opts)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	x := inspect.NewRow(t)
	for _, warning := range x.Warnings {
		l.app.Warn([]string{set.Name(i).Quote() + ": " + warning})
	}
	return []string{x.Source, x.DType, x.Shape, x.Size, x.Layout, x.Order, x.Tags}, nil
}
