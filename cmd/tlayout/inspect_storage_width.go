package main

import (
	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/tensor/source"
)

// coordWidth is what the widest coordinate takes, and the number of further ones where elements share a place.
func (s *storageText) coordWidth() int {
	width := s.layout.Rank() - 1
	for _, n := range s.layout.Shape() {
		width += digits(max(0, n-1))
	}
	n, told := s.layout.Sharing()
	switch {
	case !told:
		return width + len(" +7.")
	case n > 1:
		width += len(" +") + digits(n-1)
	}
	s.sharing = n
	return max(1, width)
}

// widestValue is how many columns the values take, of so many cells from the first on.
func widestValue(t *source.Tensor, cells int) (columns int, err error) {
	data, err := t.Data()
	if err != nil || !t.HasData() {
		return 0, err
	}
	value := storedAt(t.DType, data)
	err = t.Guard(func() error {
		for off := range cells {
			if v := value(off); v != nil {
				columns = max(columns, displaywidth.String(*v))
			}
		}
		return nil
	})
	return columns, err
}
