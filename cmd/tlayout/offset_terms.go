package main

import (
	"slices"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
)

// offsetTerm is what one index adds to the offset, digit by digit, least significant first.
type offsetTerm struct {
	Dim    string        `json:"dim"`
	Index  int           `json:"index"`
	Digits []offsetDigit `json:"digits"`
}

// offsetDigit is (index div Div) mod Extent = Value, which adds Value·Stride.
type offsetDigit struct {
	tensor.Digit
	Value int `json:"value"`
}

func newTerms(l tensor.Layout, coord []int) []offsetTerm {
	terms := make([]offsetTerm, len(coord))
	for d, i := range coord {
		terms[d] = offsetTerm{Dim: l.Dim(d).Name, Index: i}
		for _, t := range slices.Backward(explain.Digits(l, d, i)) {
			terms[d].Digits = append(terms[d].Digits, offsetDigit{t.Digit, t.Value})
		}
	}
	return terms
}
