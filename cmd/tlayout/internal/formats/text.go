package formats

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

func (r *report) write(a *cli.App) error {
	switch a.Format {
	case cli.JSON:
		return cli.WriteJSON(a.Stdout, r, true)
	case cli.CSV:
		return r.csv().CSV(a.Stdout)
	}
	if err := cli.WriteAnswer(a, r.Answer); err != nil {
		return err
	}
	if r.framework == allFrameworks {
		if err := r.writeMemory(a); err != nil {
			return err
		}
	}
	columns := a.Streams.Columns()
	if a.Format == cli.Markdown {
		columns = math.MaxInt
	}
	if err := cli.WriteSection(a, r.frameworkTable(columns)); err != nil {
		return err
	}
	r.writeLine(a, r.passText())
	r.writeConfusions(a)
	return r.writeCode(a)
}

// writeMemory shows how it lies.
func (r *report) writeMemory(a *cli.App) error {
	if err := cli.WriteSection(a, r.axisTable()); err != nil {
		return err
	}
	if len(r.Padding) > 0 {
		r.writeLine(a, "padding: "+r.paddingText())
		r.writeLine(a, "in it: "+paddingHolds())
	}
	if len(r.Candidates) == 0 || !r.exact {
		return nil
	}
	t := render.Table{Title: "Which layouts could this be?", Header: []string{"order", "why"}}
	for _, c := range r.Candidates {
		t.Add(c.Layout, c.Why)
	}
	return cli.WriteSection(a, t)
}

func (r *report) writeLine(a *cli.App, s string) {
	if a.Format == cli.Markdown && !strings.HasPrefix(s, "- ") {
		s = "\n" + s
	}
	fmt.Fprintln(a.Stdout, a.Streams.Fold(s, 2))
}

// writeConfusions lists what is easily mistaken, and notes.
func (r *report) writeConfusions(a *cli.App) {
	lines := r.Confusions
	if r.framework != allFrameworks {
		lines = nil
	}
	for i, s := range append(lines, r.Notes...) {
		if i == 0 && a.Format == cli.Markdown {
			fmt.Fprint(a.Stdout, "\n**Mind**\n\n")
		} else if i == 0 {
			fmt.Fprintf(a.Stdout, "\n%s\n", a.Bold("Mind"))
		}
		r.writeLine(a, "- "+s)
	}
}

// writeCode writes blocks that can be pasted.
func (r *report) writeCode(a *cli.App) error {
	for _, c := range r.Code {
		title := fmt.Sprintf("%s, from x of %s to this memory and back", c.Framework, strings.Join(r.Dims, ","))
		if strings.Contains(strings.Join(c.Make, ""), "F.pad") {
			title += "; F is torch.nn.functional"
		}
		if err := cli.WriteBlock(a, title, "python", slices.Concat(c.Make, c.Back)); err != nil {
			return err
		}
	}
	d := r.DirectML
	if d != nil && d.Why != "" && len(d.Sizes) > 0 {
		r.writeLine(a, "\nDirectML: "+d.Why)
	}
	if d == nil || len(d.Code) == 0 {
		return nil
	}
	return cli.WriteBlock(a, "DirectML, in C++", "cpp", d.Code)
}

// csv has a row for each framework.
func (r *report) csv() render.Table {
	t := render.Table{Header: strings.Split("framework,names,order,shape,stride_unit,strides", ",")}
	for _, f := range r.Frameworks {
		shape := f.Symbols
		if f.Shape != nil {
			shape = words.Each(f.Shape)
		}
		strides := strings.Join(words.Each(f.Strides), ",")
		t.Add(f.Framework, strings.Join(f.Names, " "), f.Order, strings.Join(shape, ","), f.Unit, strides)
	}
	return t
}

// breakCells makes a table fit so many columns: the cells of the columns in may continue in the rows below, the first of
// them before the others.
func breakCells(t render.Table, columns int, in ...int) render.Table {
	limits := make([]int, len(t.Header))
	total := 2 * len(limits) // a blank on either side of a cell
	for i := range limits {
		limits[i] = widest(t, i, func(cell string) []string { return []string{cell} })
		total += limits[i]
	}
	for _, i := range in {
		least := widest(t, i, pieces)
		less := min(max(total-columns, 0), limits[i]-least)
		limits[i], total = limits[i]-less, total-less
	}
	broken := render.Table{Title: t.Title, Header: t.Header, Numbers: t.Numbers}
	for _, row := range t.Rows {
		broken.Rows = append(broken.Rows, breakRow(row, limits)...)
	}
	return broken
}

// breakRow makes rows of one, no cell of which is wider than its limit.
func breakRow(row []string, limits []int) [][]string {
	var rows [][]string
	for i, cell := range row {
		for k, line := range lines(cell, limits[i]) {
			if k == len(rows) {
				rows = append(rows, make([]string, len(row)))
			}
			rows[k][i] = line
		}
	}
	return rows
}

// lines are a cell's pieces, as many to a line as fit.
func lines(cell string, limit int) []string {
	all := []string{""}
	for _, p := range pieces(cell) {
		last := &all[len(all)-1]
		if width := utf8.RuneCountInString(*last + strings.TrimRight(p, " ")); *last != "" && width > limit {
			*last = strings.TrimRight(*last, " ")
			all = append(all, p)
			continue
		}
		*last += p
	}
	return all
}

// pieces end after commas and blanks: those between brackets only where these enclose the whole.
func pieces(cell string) []string {
	var all []string
	depth, outermost, begin := 0, 0, 0
	if strings.HasPrefix(cell, "(") {
		outermost = 1
	}
	for i, c := range cell {
		switch {
		case strings.ContainsRune("({", c):
			depth++
		case strings.ContainsRune(")}", c):
			depth--
		case (c == ' ' || c == ',' && !strings.HasPrefix(cell[i:], ", ")) && depth <= outermost:
			all, begin = append(all, cell[begin:i+1]), i+1
		}
	}
	return append(all, cell[begin:])
}

// widest is the width of the widest part of a column's cells, its header included.
func widest(t render.Table, column int, parts func(string) []string) int {
	width := utf8.RuneCountInString(t.Header[column])
	for _, row := range t.Rows {
		for _, p := range parts(row[column]) {
			width = max(width, utf8.RuneCountInString(strings.TrimRight(p, " ")))
		}
	}
	return width
}
