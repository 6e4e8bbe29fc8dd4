package dtype

import (
	"encoding/binary"
	"slices"
)

// NotFinite returns what finds the first number of items, one behind the other, that is infinite or NaN, or the first
// time that is NaT, which is not finite to NumPy either: the byte at which it begins, inside its item if need be; −1 for
// none. Fields and sub-arrays are looked into. It is nil for types that have no such values. What it returns serves one
// goroutine.
func NotFinite(d Type) func(items []byte) int {
	base, shape := d.Sub()
	fields := d.Fields()
	switch {
	case d.ItemSize() == 0:
		return nil
	case shape != nil:
		return NotFinite(base)
	case fields != nil:
		return notFiniteFields(fields, d.ItemSize())
	case d.Kind() == Float || d.Kind() == Complex:
		return turnedFirst(scanOf(d), LittleEnd(d), width(d))
	case isTime(d):
		return turnedFirst(each(8, isNaT), LittleEnd(d), 8)
	}
	return nil
}

// HasNumbers reports whether items hold numbers or times, in a field if need be: what can be asked to be finite.
func HasNumbers(d Type) bool {
	if base, shape := d.Sub(); shape != nil {
		return HasNumbers(base)
	}
	return IsNumber(d) || isTime(d) || slices.ContainsFunc(d.Fields(), func(f Field) bool { return HasNumbers(f.DType) })
}

func isTime(d Type) bool { return d.Kind() == Datetime || d.Kind() == Timedelta }

// isNaT reports whether a time that lies little end first is NumPy's "not a time", the lowest of 64 bits.
func isNaT(item []byte) bool { return binary.LittleEndian.Uint64(item) == 1<<63 }

func notFiniteFields(fields []Field, size int) func([]byte) int {
	scans, any := make([]func([]byte) int, len(fields)), false
	for i, f := range fields {
		scans[i] = NotFinite(f.DType)
		any = any || scans[i] != nil
	}
	if !any {
		return nil
	}
	return func(items []byte) int {
		for at := 0; at+size <= len(items); at += size {
			for i, f := range fields {
				if scans[i] == nil {
					continue
				}
				from := at + f.Offset
				if k := scans[i](items[from : from+f.DType.ItemSize()]); k >= 0 {
					return from + k
				}
			}
		}
		return -1
	}
}

// turnedFirst scans copies of numbers of width bytes that are turned, some hundred at a time; all where they lie if
// turn is nil.
func turnedFirst(scan func([]byte) int, turn func([]byte), width int) func([]byte) int {
	if turn == nil {
		return scan
	}
	room := make([]byte, 256*width)
	return func(items []byte) int {
		for at := 0; at < len(items); at += len(room) {
			piece := room[:copy(room, items[at:])]
			turn(piece)
			if k := scan(piece); k >= 0 {
				return at + k
			}
		}
		return -1
	}
}

// scanOf is the scan of floats, or of the parts of complex numbers, that lie little end first.
func scanOf(d Type) func([]byte) int {
	size := width(d)
	switch read, narrow := part(d); {
	case size == 4:
		return float32s
	case narrow:
		return each(size, func(x []byte) bool { f := read(x); return f-f != 0 }) // NaN for what is not finite
	}
	return each(size, func(x []byte) bool { return extended(x).kind != finite })
}

// float32s is the loop that most data runs through; eight numbers at a time are first looked at together. A number is
// not finite where all bits of its exponent are ones:
//
//	for i: if bits(i) & 0x7f800000 == 0x7f800000 { return 4·i }
func float32s(data []byte) int {
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

// each makes a scan of a question about one number.
func each(size int, bad func([]byte) bool) func([]byte) int {
	return func(data []byte) int {
		for at := 0; at+size <= len(data); at += size {
			if bad(data[at : at+size]) {
				return at
			}
		}
		return -1
	}
}
