package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/explain"
)

// offsetReading shows how what lies at an offset is found: the strides are divided out, the largest first.
type offsetReading struct {
	From  int           `json:"from"` // the offset less the tensor's own
	Steps []readingStep `json:"steps"`
	Rest  int           `json:"rest"`

	steps []explain.DivisionStep
}

type readingStep struct {
	Digit  string `json:"digit"`
	Stride int    `json:"stride"`
	Value  int    `json:"value"`
	Rest   int    `json:"rest"`
}

func newOffsetReading(d explain.Division) *offsetReading {
	out := &offsetReading{From: d.From, Steps: []readingStep{}, Rest: d.Rest, steps: d.Steps}
	for _, s := range d.Steps {
		out.Steps = append(out.Steps, readingStep{s.Name(), s.Stride, s.Value, s.Rest})
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
	width := digits(r.From)
	for _, s := range r.steps {
		works = append(works, strings.Repeat(" ", width-digits(s.Before))+s.String())
		finds = append(finds, fmt.Sprintf("%s = %d", s.Name(), s.Value))
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
