package main

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// add takes a cell and writes the row that it fills.
func (s *storageText) add(c cell) error {
	cell := render.Cell{Labels: []string{s.label(c)}, Tint: -1, Edge: s.edges(c.Offset), Line: c.Byte / lineBytes}
	if c.Coord == nil {
		cell.Kind = render.Padding
		if c.Offset < s.from || c.Offset >= s.end {
			cell.Kind = render.Outside
		}
	}
	if s.values {
		value := "-"
		if c.Value != nil {
			value = *c.Value
		}
		cell.Labels = append(cell.Labels, value)
	}
	if s.row = append(s.row, cell); len(s.row) < s.columns.Cells {
		return nil
	}
	return s.flush()
}

// flush writes the cells that are held.
func (s *storageText) flush() error {
	row := render.MemoryRow{Address: strconv.Itoa(s.next), Cells: s.row}
	s.next, s.row = s.next+len(s.row), s.row[:0]
	return s.out.Row(row)
}

func (s *storageText) close() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.out.Close()
}

// label is the coordinate at a place, and how many more there are.
func (s *storageText) label(c cell) string {
	if c.Coord == nil {
		return "x"
	}
	label := words.Ints(c.Coord, ",")
	switch {
	case s.sharing > 1:
		label += " +" + strconv.Itoa(s.sharing-1)
	case s.sharing == 0 && len(c.More) > 1:
		label += " +" + strconv.Itoa(len(c.More)-1)
		if c.cut {
			label += "…"
		}
	}
	return label
}
