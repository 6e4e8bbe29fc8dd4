package source

import (
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// ValueAt prints what data hold at a storage offset; nil where they do not reach it.
func ValueAt(d dtype.Type, data []byte) func(off int) *string {
	size := d.ItemSize()
	return func(off int) *string {
		item := ItemAt(data, size, off)
		if item == nil {
			return nil
		}
		s := d.FormatValue(item)
		return &s
	}
}

// ItemAt is the item of so many bytes at a storage offset; nil where data do not reach it, and of items of no bytes.
func ItemAt(data []byte, size, off int) []byte {
	if size == 0 || off < 0 || off >= len(data)/size {
		return nil
	}
	return data[off*size : (off+1)*size]
}
