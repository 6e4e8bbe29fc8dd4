package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
)

// sideTable compares source and target. A blocked layout has its digits and their strides in CuTe's nesting.
func (r *planReport) sideTable() render.Table {
	t := render.Table{Title: r.DType, Header: []string{"", "from", "to"}}
	layout := r.From.Layout
	if r.Assumed {
		layout += " (assumed)"
	}
	t.Add("layout", layout, r.To.Layout)
	if r.From.FileShape != nil {
		t.Add("file shape", tensor.Tuple(r.From.FileShape), tensor.Tuple(r.To.FileShape))
	}
	t.Add("shape", r.From.sizes(), r.To.sizes())
	fromDigits, fromStrides := sideDigits(r.From)
	toDigits, toStrides := sideDigits(r.To)
	if fromDigits != "" || toDigits != "" {
		t.Add("digits", fromDigits, toDigits)
	}
	t.Add("strides", fromStrides, toStrides)
	return t
}

// sideDigits are the digits of a blocked layout, none of another, and the strides.
func sideDigits(s layoutSide) (digits, strides string) {
	if s.Strides != nil {
		return "", tensor.Tuple(s.Strides)
	}
	digits, strides, _ = strings.Cut(s.Notation, ":")
	return digits, strides
}

// boxTable lists the boxes where there are several.
func (r *planReport) boxTable() render.Table {
	t := render.Table{Title: "Boxes, in which both layouts move evenly", Header: []string{"box", "elements", "holds"}, Numbers: []int{0, 1}}
	if r.Total == 1 {
		return t
	}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		t.Add(strconv.Itoa(i+1), strconv.Itoa(b.Elems), b.Holds)
	}
	if more := r.Total - shownBoxes; more > 0 {
		t.Add("…", "", fmt.Sprintf("%d more", more))
	}
	return t
}

// loopTable lists the loops of a step, counted from the end where it is negative.
func (r *planReport) loopTable(title string, step int) render.Table {
	t := render.Table{Title: title, Header: []string{"box", "loop", "n", "source step", "destination step"}, Numbers: []int{0, 2, 3, 4}}
	for i, b := range r.Boxes[:min(shownBoxes, len(r.Boxes))] {
		at := step
		if at < 0 {
			at += len(b.Steps)
		}
		for _, l := range b.Steps[at].Loops {
			t.Add(strconv.Itoa(i+1), l.Name, strconv.Itoa(l.N), strconv.Itoa(l.Src), strconv.Itoa(l.Dst))
		}
	}
	if r.Total == 1 {
		t.Header, t.Numbers = t.Header[1:], []int{1, 2, 3}
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][1:]
		}
	}
	return t
}

// passTable says what the passes did to the first box.
func (r *planReport) passTable() render.Table {
	t := render.Table{Title: "Passes", Header: []string{"pass", "what it did"}}
	if r.Total > 1 {
		t.Title += ", in box 1"
	}
	for _, s := range r.Boxes[0].Steps[1:] {
		t.Add(s.Pass, s.Why)
	}
	return t
}

// csv has a row for each loop of each step.
func (r *planReport) csv() render.Table {
	t := render.Table{Header: strings.Split("box,step,loop,n,src_step,dst_step", ",")}
	for i, b := range r.Boxes {
		for _, s := range b.Steps {
			for _, l := range s.Loops {
				t.Add(strconv.Itoa(i+1), s.Pass, l.Name, strconv.Itoa(l.N), strconv.Itoa(l.Src), strconv.Itoa(l.Dst))
			}
		}
	}
	return t
}
