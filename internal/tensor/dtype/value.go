package dtype

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// valueBudget is how many bytes FormatValue prints, escapes not counted, before it cuts off with an ellipsis: an item
// may be 2 GiB.
const valueBudget = 1024

// FormatValue prints one item for a reader; item holds ItemSize bytes. The result is safe for a terminal and at most a
// few KiB long, cut with "…".
//
// Integers are decimal, booleans true or false. Floats have the fewest digits that tell them from their neighbours
// (whole numbers all digits), "nan", "inf". Complex numbers read "1+2j", strings are quoted and escaped as in Go,
// raw bytes are hexadecimal ("0x01ff"), times ISO 8601, records "(1, 2.5)", sub-arrays "[[1, 2], [3, 4]]".
func (d Type) FormatValue(item []byte) string {
	if len(item) < d.size {
		return "(" + strconv.Itoa(len(item)) + " of " + strconv.Itoa(d.size) + " bytes)"
	}
	p := valuePrinter{}
	p.value(d, item[:d.size])
	return p.String()
}

// valuePrinter collects the text of one item until the budget is used up.
type valuePrinter struct{ strings.Builder }

// full reports, after adding the ellipsis once, that nothing more may be printed.
func (p *valuePrinter) full() bool {
	if p.Len() <= valueBudget {
		return false
	}
	if !strings.HasSuffix(p.String(), "…") {
		p.WriteString("…")
	}
	return true
}

func (p *valuePrinter) value(d Type, item []byte) {
	switch {
	case d.record != nil:
		p.fields(d.record.fields, item)
	case d.sub != nil:
		p.elements(d.sub.base, d.sub.shape, item)
	default:
		p.WriteString(d.formatScalar(item))
	}
}

func (p *valuePrinter) fields(fields []Field, item []byte) {
	p.WriteString("(")
	for i, f := range fields {
		if p.full() {
			return
		}
		if i > 0 {
			p.WriteString(", ")
		}
		p.value(f.DType, item[f.Offset:f.Offset+f.DType.size])
	}
	p.WriteString(")")
}

// elements prints a sub-array of shape; the first axis is the outermost.
func (p *valuePrinter) elements(base Type, shape []int, item []byte) {
	if len(shape) == 0 {
		p.value(base, item)
		return
	}
	p.WriteString("[")
	for i := range shape[0] {
		if p.full() {
			return
		}
		if i > 0 {
			p.WriteString(", ")
		}
		step := len(item) / shape[0]
		p.elements(base, shape[1:], item[i*step:(i+1)*step])
	}
	p.WriteString("]")
}

func (d Type) formatScalar(item []byte) string {
	switch d.kind {
	case Bytes:
		item = trimNULs(item, 1)
		return quoteValue(string(item[:min(len(item), valueBudget+1)]))
	case Text:
		return quoteValue(d.decodeText(item))
	case Void:
		if len(item) > valueBudget/2 {
			return "0x" + hex.EncodeToString(item[:valueBudget/2]) + "…"
		}
		return "0x" + hex.EncodeToString(item)
	}
	if d.order == Big { // a complex number is two numbers, each with its own first byte
		item = slices.Clone(item)
		half := len(item)
		if d.kind == Complex {
			half /= 2
			slices.Reverse(item[half:])
		}
		slices.Reverse(item[:half])
	}
	return d.formatNumber(item)
}

// formatNumber prints a number whose bytes are in little-endian order.
func (d Type) formatNumber(item []byte) string {
	switch d.kind {
	case Bool:
		return strconv.FormatBool(item[0] != 0)
	case Int:
		n := littleUint(item)
		shift := 64 - 8*len(item)
		return strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case Uint:
		return strconv.FormatUint(littleUint(item), 10)
	case Datetime, Timedelta:
		return d.formatTime(int64(littleUint(item)))
	case Float:
		return d.formatFloat(item)
	case Complex:
		re, im := d.formatFloat(item[:len(item)/2]), d.formatFloat(item[len(item)/2:])
		if im[0] != '-' {
			im = "+" + im
		}
		return re + im + "j"
	}
	return "?"
}

// littleUint reads up to eight bytes as an unsigned number, the lowest first.
func littleUint(b []byte) uint64 {
	var eight [8]byte
	copy(eight[:], b)
	return binary.LittleEndian.Uint64(eight[:])
}

// decodeText turns UTF-32 into a string. What is no code point becomes U+FFFD.
func (d Type) decodeText(item []byte) string {
	item = trimNULs(item, 4)
	item = item[:min(len(item), 4*(valueBudget+1))]
	var order binary.ByteOrder = binary.LittleEndian
	if d.order == Big {
		order = binary.BigEndian
	}
	var b strings.Builder
	for ; len(item) >= 4; item = item[4:] {
		r := order.Uint32(item)
		if r > math.MaxInt32 || !utf8.ValidRune(rune(r)) {
			r = utf8.RuneError
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

// trimNULs cuts the NUL characters at the end, width bytes each: NumPy pads strings with them.
func trimNULs(item []byte, width int) []byte {
	n := len(item)
	for n > 0 && item[n-1] == 0 {
		n--
	}
	return item[:(n+width-1)/width*width]
}

// quoteValue quotes s as Go does, which escapes all that a terminal might act on.
func quoteValue(s string) string {
	if len(s) > valueBudget {
		return strconv.Quote(s[:valueBudget]) + "…"
	}
	return strconv.Quote(s)
}
