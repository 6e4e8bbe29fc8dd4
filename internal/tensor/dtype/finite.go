package dtype

import (
	"encoding/binary"
	"slices"
)

// NotFinite returns a function that finds the first infinity, NaN or NaT in consecutive elements, including fields and sub-arrays. It
// returns the byte at which that number begins, which may be inside an element; −1: none. It is nil for types without such values. The
// function must not be shared by goroutines. (NaT is not finite in NumPy's isfinite either.)
func NotFinite(d Type) func(items []byte) int {
	if d.ItemSize() == 0 {
		return nil
	}
	if base, shape := d.Sub(); shape != nil {
		return NotFinite(base)
	}
	if fields := d.Fields(); fields != nil {
		return notFiniteFields(fields, d.ItemSize())
	}
	switch d.Kind() {
	case Float, Complex:
		return scanSwapped(scanOf(d), LittleEndian(d), width(d))
	case Datetime, Timedelta:
		return scanSwapped(each(8, isNaT), LittleEndian(d), 8)
	}
	return nil
}

// HasNumbers reports whether elements are or contain numbers or times, which can be finite or not.
func HasNumbers(d Type) bool {
	if base, shape := d.Sub(); shape != nil {
		return HasNumbers(base)
	}
	return IsNumber(d) || isTime(d) || slices.ContainsFunc(d.Fields(), func(f Field) bool { return HasNumbers(f.DType) })
}

func isTime(d Type) bool { return d.Kind() == Datetime || d.Kind() == Timedelta }

// isNaT reports whether a little-endian time is NumPy's "not a time", the lowest 64-bit integer.
func isNaT(item []byte) bool { return binary.LittleEndian.Uint64(item) == 1<<63 }

func notFiniteFields(fields []Field, size int) func([]byte) int {
	scans := make([]func([]byte) int, len(fields))
	any := false
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

// scanSwapped scans byte-swapped copies of numbers of width bytes, 256 at a time; without swap, the numbers themselves.
func scanSwapped(scan func([]byte) int, swap func([]byte), width int) func([]byte) int {
	if swap == nil {
		return scan
	}
	room := make([]byte, 256*width)
	return func(items []byte) int {
		for at := 0; at < len(items); at += len(room) {
			piece := room[:copy(room, items[at:])]
			swap(piece)
			if k := scan(piece); k >= 0 {
				return at + k
			}
		}
		return -1
	}
}

// scanOf returns the scan of little-endian floats, or of the parts of complex numbers.
func scanOf(d Type) func([]byte) int {
	size := width(d)
	if size == 4 {
		return float32s
	}
	if read, exact := part(d); exact {
		return each(size, func(x []byte) bool { f := read(x); return f-f != 0 }) // NaN unless f is finite
	}
	return each(size, func(x []byte) bool { return extended(x).kind != finite })
}

// float32s is the loop for most data. It first tests eight numbers together. A number is not finite if all bits of its
// exponent are ones:
//
//	for i: if bits(i) & 0x7f800000 == 0x7f800000 { return 4·i }
func float32s(data []byte) int {
	const mask, carry = 0x7f8000007f800000, 0x0080000000800000
	for at := 0; at < len(data); {
		for ; at+32 <= len(data); at += 32 {
			// Adding 1 to the exponent overflows into the sign bit if and only if its bits are all ones.
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

// each makes a scan from a test of one number.
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
