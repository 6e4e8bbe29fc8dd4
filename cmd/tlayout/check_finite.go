package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// finite answers --finite. All the storage is read once, front to back; only where it holds something that is not
// finite does it matter which element lies there, for padding may hold anything.
func finite(t *source.Tensor) (assertion, error) {
	a := assertion{Name: "finite", Found: "all finite", OK: true}
	if !t.HasData() {
		a.Found, a.Why = "no data", "there is nothing to look at"
		a.OK = t.Layout.Numel() == 0
		return a, nil
	}
	data, err := t.Data()
	if err != nil {
		return a, err
	}
	scan, size := notFinite(t.DType), t.DType.ItemSize()
	if scan == nil || size == 0 {
		a.Found = "items of " + shorten(t.DType.String()) + " are always finite"
		return a, nil
	}
	return a, t.Guard(func() error {
		for at := 0; at < len(data); at += size {
			next := scan(data[at:])
			if next < 0 {
				break
			}
			at += next / size * size
			if coords, _ := t.Layout.Find(at/size, 1); len(coords) > 0 {
				a.OK = false
				a.Found = fmt.Sprintf("%s at %s = %s", fault.Quote(t.DType.FormatValue(data[at:at+size])),
					strings.ToLower(strings.Join(t.Layout.Names(), ",")), strings.Trim(tensor.Tuple(coords[0]), "()"))
				a.Why = fmt.Sprintf("offset %d, byte %d of the file", at/size, t.Header.DataOffset+int64(at))
				break
			}
		}
		return nil
	})
}

// notFinite returns a function that finds the first item of the data which is infinite or NaN: the byte at which it,
// or a part of it, begins; -1 for none. It is nil for types that have no such values.
//
// An IEEE number is not finite where all bits of its exponent are 1.
func notFinite(d tensor.DType) func(data []byte) int {
	fields, size := d.Fields(), d.ItemSize()
	base, shape := d.Sub()
	switch {
	case fields != nil || shape != nil:
		return eachItem(size, func(item []byte) bool {
			for _, f := range fields {
				if scan := notFinite(f.DType); scan != nil && scan(item[f.Offset:f.Offset+f.DType.ItemSize()]) >= 0 {
					return true
				}
			}
			return shape != nil && base.ItemSize() > 0 && notFinite(base) != nil && notFinite(base)(item) >= 0
		})
	case d.Kind() == tensor.Complex:
		return floats(d.String(), size/2, d.Order())
	case d.Kind() == tensor.Float && size == 1:
		return smallFloats(d)
	case d.Kind() == tensor.Float:
		return floats(d.String(), size, d.Order())
	}
	return nil
}

// floats scans numbers of 2, 4, 8 or 16 bytes.
func floats(name string, size int, order tensor.ByteOrder) func([]byte) int {
	var to binary.ByteOrder = binary.LittleEndian
	if order == tensor.Big {
		to = binary.BigEndian
	}
	switch size {
	case 2:
		mask := uint16(0x7c00)
		if name == "bfloat16" {
			mask = 0x7f80
		}
		return eachItem(2, func(x []byte) bool { return to.Uint16(x)&mask == mask })
	case 4:
		if order == tensor.Little {
			return littleFloat32
		}
		return eachItem(4, func(x []byte) bool { return to.Uint32(x)&0x7f800000 == 0x7f800000 })
	case 8:
		mask := math.Float64bits(math.Inf(1))
		return eachItem(8, func(x []byte) bool { return to.Uint64(x)&mask == mask })
	}
	at := 8 // the 80-bit long double of x86: the exponent is in its ninth and tenth byte
	if order == tensor.Big {
		at = 6
	}
	return eachItem(size, func(x []byte) bool { return to.Uint16(x[at:])&0x7fff == 0x7fff })
}

// littleFloat32 is the loop that most data runs through; eight numbers at a time are first looked at together.
//
//	for i: if bits(i) & 0x7f800000 == 0x7f800000 { return 4·i }
func littleFloat32(data []byte) int {
	const mask, carry = 0x7f8000007f800000, 0x0080000000800000
	for at := 0; at < len(data); {
		for ; at+32 <= len(data); at += 32 {
			// An exponent of ones, and only that, overflows into the sign's bit when 1 is added to it.
			var over uint64
			for k := 0; k < 32; k += 8 {
				over |= binary.LittleEndian.Uint64(data[at+k:])&mask + carry
			}
			if over&0x8000000080000000 != 0 {
				break
			}
		}
		for end := min(at+32, len(data)&^3); at < end; at += 4 {
			if binary.LittleEndian.Uint32(data[at:])&0x7f800000 == 0x7f800000 {
				return at
			}
		}
		if len(data)-at < 4 {
			break
		}
	}
	return -1
}

// smallFloats looks numbers of one byte up.
func smallFloats(d tensor.DType) func([]byte) int {
	var bad [256]bool
	for i := range bad {
		text := d.FormatValue([]byte{byte(i)})
		bad[i] = strings.Contains(text, "nan") || strings.Contains(text, "inf")
	}
	return eachItem(1, func(x []byte) bool { return bad[x[0]] })
}

// eachItem makes a scan of a question about one item.
func eachItem(size int, bad func([]byte) bool) func([]byte) int {
	return func(data []byte) int {
		for at := 0; at+size <= len(data); at += size {
			if bad(data[at : at+size]) {
				return at
			}
		}
		return -1
	}
}
