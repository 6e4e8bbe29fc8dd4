package main

import (
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/render"
)

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
