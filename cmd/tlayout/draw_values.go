package main

import (
	"math"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/scalar"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// storedValues reads single items of the source's storage: their text, and their number where they are one. It is nil
// without data, and to be called inside of Guard.
func storedValues(t *source.Tensor) (func(offset int) (string, float64, bool), error) {
	data, err := t.Data()
	size := t.DType.ItemSize()
	if err != nil || !t.HasData() || size == 0 {
		return nil, err
	}
	number := numberOf(t.DType)
	return func(offset int) (string, float64, bool) {
		item := storedItem(data, size, offset)
		if item == nil {
			return "", 0, false
		}
		return bareValue(t.DType, item), number(item), true
	}, nil
}

// numberOf is an item's number, the real part of complex ones; NaN for items that are none.
func numberOf(d tensor.DType) func(item []byte) float64 {
	if !scalar.IsNumber(d) {
		return func([]byte) float64 { return math.NaN() }
	}
	parts, turn := scalar.Parts(d), scalar.LittleEnd(d)
	return func(item []byte) float64 {
		if turn != nil {
			item = append([]byte{}, item...)
			turn(item)
		}
		re, _ := parts(item)
		return re.Float64()
	}
}

// bareValue is a value as it stands in a cell: a text without its quotes.
func bareValue(d tensor.DType, item []byte) string {
	s := d.FormatValue(item)
	if k := d.Kind(); (k == tensor.Bytes || k == tensor.Text) && len(s) > 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// What is short enough to stand in a cell, in characters, and of how many elements that is asked.
const (
	shortValue  = 6
	askedValues = 256
)

// shortValues reports whether there are values, and the first ones are short.
func shortValues(t *source.Tensor, value func(int) (string, float64, bool)) (short bool, err error) {
	if value == nil || t.Layout.Numel() == 0 {
		return false, nil
	}
	err = t.Guard(func() error {
		asked := 0
		for _, offset := range t.Layout.Logical() {
			text, _, ok := value(offset)
			if asked++; asked > askedValues {
				break
			}
			if !ok || utf8.RuneCountInString(text) > shortValue {
				return nil
			}
		}
		short = true
		return nil
	})
	return short, err
}
