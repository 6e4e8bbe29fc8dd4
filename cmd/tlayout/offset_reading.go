package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/tensor"
)

// offsetReading shows how a place is found: the strides are divided out, the largest first.
type offsetReading struct {
	From  int           `json:"from"` // the offset less the tensor's own
	Steps []readingStep `json:"steps"`
	Rest  int           `json:"rest"`
}

type readingStep struct {
	Digit  string `json:"digit"`
	Stride int    `json:"stride"`
	Value  int    `json:"value"`
	Rest   int    `json:"rest"`
}

func newOffsetReading(l tensor.Layout, r tensor.Reading, off int) *offsetReading {
	out := &offsetReading{From: off - l.Offset(), Steps: []readingStep{}, Rest: r.Rest}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, readingStep{digitName(l.Dim(s.Dim), s.Digit), s.Stride, s.Value, s.Rest})
	}
	return out
}

// lines write the divisions one below the other, with what each finds behind it.
//
//	7 = 1·6 + 1    D = 1
//	1 = 0·3 + 1    H = 0
//	1 = 1·1        W = 1
func (r *offsetReading) lines(offset int) []string {
	var works, finds []string
	if offset != 0 {
		works, finds = append(works, fmt.Sprintf("%d - %d = %d", r.From+offset, offset, r.From)),
			append(finds, fmt.Sprintf("the tensor begins at offset %d", offset))
	}
	left, width := r.From, digits(r.From)
	for _, s := range r.Steps {
		work := fmt.Sprintf("%*d = %d·%d", width, left, s.Value, s.Stride)
		if s.Rest != 0 {
			work += " + " + strconv.Itoa(s.Rest)
		}
		works, finds = append(works, work), append(finds, fmt.Sprintf("%s = %d", s.Digit, s.Value))
		left = s.Rest
	}
	widest := 0
	for _, work := range works {
		widest = max(widest, utf8.RuneCountInString(work))
	}
	for i, work := range works {
		works[i] = work + strings.Repeat(" ", widest-utf8.RuneCountInString(work)+4) + finds[i]
	}
	return works
}
