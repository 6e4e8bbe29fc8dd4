package main

import (
	"fmt"
	"strconv"
	"strings"

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
		dim := l.Dim(d)
		terms[d] = offsetTerm{Dim: dim.Name, Index: i}
		for k, g := range dim.Digits {
			terms[d].Digits = append(terms[d].Digits, offsetDigit{g, digitOf(dim, k, i)})
		}
	}
	return terms
}

// digitOf is digit k of index i; the last one is not wrapped.
func digitOf(d tensor.Dim, k, i int) int {
	v := i / d.Digits[k].Div
	if k < len(d.Digits)-1 {
		v %= d.Digits[k].Extent
	}
	return v
}

// sumOf writes the offset of a coordinate as a sum; with the item's size as unit, its byte.
//
//	{1,0,1} · {6,3,1} = 1·6 + 0·3 + 1·1 = 7
//	{1,2} · {5,1} + 3 = 1·5 + 2·1 + 3 = 10                       a storage offset of 3
//	N·48 + C//4·24 + C%4·1 = 1·48 + 0·24 + 3·1 = 51              a dim of several digits
func sumOf(l tensor.Layout, coord []int, unit int) string {
	var factors, strides, names []string
	s, plain := l.Strided()
	for d, i := range coord {
		dim := l.Dim(d)
		for k := len(dim.Digits) - 1; k >= 0 && !plain; k-- {
			factors, strides = append(factors, strconv.Itoa(digitOf(dim, k, i))), append(strides, inBytes(dim.Digits[k].Stride, unit))
			names = append(names, digitName(dim, k))
		}
		if plain {
			factors, strides = append(factors, strconv.Itoa(i)), append(strides, inBytes(s.Strides[d], unit))
		}
	}
	left := fmt.Sprintf("{%s} · {%s}", strings.Join(factors, ","), strings.Join(strides, ","))
	if !plain {
		left = products(names, strides)
	}
	right := products(factors, strides)
	if offset := inBytes(l.Offset(), unit); offset != "0" || len(coord) == 0 {
		left, right = left+" + "+offset, strings.TrimPrefix(right+" + "+offset, " + ")
	}
	total := inBytes(l.At(coord...), unit)
	if right == total {
		return left + " = " + total
	}
	return left + " = " + right + " = " + total
}

func products(factors, strides []string) string {
	terms := make([]string, len(factors))
	for i := range factors {
		terms[i] = factors[i] + "·" + strides[i]
	}
	return strings.Join(terms, " + ")
}

// digitLines writes out the digits of every dim that is split: c=17 -> C//16 = 17 div 16 = 1, C%16 = 17 mod 16 = 1.
func digitLines(l tensor.Layout, coord []int) []string {
	var lines []string
	if _, plain := l.Strided(); plain {
		return nil
	}
	for d, i := range coord {
		dim := l.Dim(d)
		if len(dim.Digits) == 1 {
			continue
		}
		var parts []string
		for k := len(dim.Digits) - 1; k >= 0; k-- {
			g, work := dim.Digits[k], strconv.Itoa(i)
			if g.Div != 1 {
				work += fmt.Sprintf(" div %d", g.Div)
			}
			if k < len(dim.Digits)-1 {
				work += fmt.Sprintf(" mod %d", g.Extent)
			}
			parts = append(parts, fmt.Sprintf("%s = %s = %d", digitName(dim, k), work, digitOf(dim, k, i)))
		}
		lines = append(lines, fmt.Sprintf("%s=%d -> %s", strings.ToLower(dim.Name), i, strings.Join(parts, ", ")))
	}
	return lines
}
