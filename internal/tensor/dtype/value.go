package dtype

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// valueBudget bounds the bytes that FormatValue prints, excluding escapes, before an ellipsis: an element can have 2 GiB.
const valueBudget = 1024

// FormatValue returns an element of ItemSize bytes as text, safe for a terminal and cut with "…" after a few KiB.
//
// Integers are decimal, booleans true or false. Floats have the fewest digits that identify them (whole numbers all
// digits), "nan", "inf". Complex numbers are "1+2j", strings are quoted and escaped as in Go, raw bytes are hexadecimal
// ("0x01ff"), times ISO 8601, records "(1, 2.5)", sub-arrays "[[1, 2], [3, 4]]".
func (d Type) FormatValue(item []byte) string {
	if len(item) < d.size {
		return "(" + strconv.Itoa(len(item)) + " of " + strconv.Itoa(d.size) + " bytes)"
	}
	p := valuePrinter{}
	p.value(d, item[:d.size])
	return p.String()
}

// valuePrinter collects the text of one element until the budget is used up.
type valuePrinter struct{ strings.Builder }

// full reports whether the budget is used up, and adds the ellipsis once.
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
	if d.record != nil {
		p.fields(d.record.fields, item)
		return
	}
	if d.sub != nil {
		p.elements(d.sub.base, d.sub.shape, item)
		return
	}
	p.WriteString(d.formatScalar(item))
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
		if d.ext != 0 {
			return formatPair(item[0])
		}
		if len(item) > valueBudget/2 {
			return "0x" + hex.EncodeToString(item[:valueBudget/2]) + "…"
		}
		return "0x" + hex.EncodeToString(item)
	}
	if d.order == Big { // swap the parts of a complex number separately
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

// formatNumber prints a little-endian number.
func (d Type) formatNumber(item []byte) string {
	switch d.kind {
	case Bool:
		return strconv.FormatBool(item[0] != 0)
	case Int:
		n := littleUint(item)
		shift := 64 - d.bits()
		return strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case Uint:
		return strconv.FormatUint(littleUint(item)&(1<<d.bits()-1), 10)
	case Datetime, Timedelta:
		return d.formatTime(int64(littleUint(item)))
	case Float:
		return d.formatFloat(item)
	case Complex:
		re := d.formatFloat(item[:len(item)/2])
		im := d.formatFloat(item[len(item)/2:])
		if im[0] != '-' {
			im = "+" + im
		}
		return re + im + "j"
	}
	return "?"
}

// littleUint reads a little-endian unsigned number of up to eight bytes.
func littleUint(b []byte) uint64 {
	var eight [8]byte
	copy(eight[:], b)
	return binary.LittleEndian.Uint64(eight[:])
}

// decodeText converts UTF-32. Anything that is not a code point becomes U+FFFD.
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

// trimNULs removes NumPy's padding of strings, NUL characters of width bytes.
func trimNULs(item []byte, width int) []byte {
	n := len(item)
	for n > 0 && item[n-1] == 0 {
		n--
	}
	return item[:(n+width-1)/width*width]
}

// quoteValue quotes s as Go does, escaping whatever a terminal might interpret.
func quoteValue(s string) string {
	if len(s) > valueBudget {
		return strconv.Quote(s[:valueBudget]) + "…"
	}
	return strconv.Quote(s)
}

// ParseValue returns the bytes of an element: of an integer or boolean in range, of a float (rounded to nearest; nan and inf are
// floats), or for any type of 0, for zero bytes, and 0x…, the element's bytes in hexadecimal, in memory order. It returns a Usage error
// if the value does not fit the type.
func (d Type) ParseValue(s string) ([]byte, error) {
	if s == "0" {
		return make([]byte, d.size), nil
	}
	if raw, ok := strings.CutPrefix(s, "0x"); ok {
		item, err := hex.DecodeString(raw)
		if err != nil || !d.isItem(item) {
			return nil, fault.New(fault.Usage, "value %s is not %d bytes in hexadecimal", text.Quote(s), d.size)
		}
		return item, nil
	}
	bits, ok := d.valueBits(s)
	if !ok {
		return nil, fault.New(fault.Usage, "%q is not a value of dtype %s", s, d).
			WithHint("0x and %d hexadecimal digits set the element's bytes", 2*d.size)
	}
	if d.Packed() {
		bits &= 1<<d.bits() - 1
	}
	item := binary.LittleEndian.AppendUint64(nil, bits)[:d.size]
	if d.order == Big {
		slices.Reverse(item)
	}
	return item, nil
}

// isItem reports whether bytes are an element: of its size, and without bits above those of a packed value.
func (d Type) isItem(item []byte) bool {
	if len(item) != d.size {
		return false
	}
	return !d.Packed() || item[0]>>d.bits() == 0
}

// valueBits returns the value's bits, least significant first, for types of at most 8 bytes.
func (d Type) valueBits(s string) (uint64, bool) {
	switch d.kind {
	case Bool:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err == nil
		}
		return 0, err == nil
	case Int:
		n, err := strconv.ParseInt(s, 10, d.bits())
		return uint64(n), err == nil
	case Uint:
		n, err := strconv.ParseUint(s, 10, d.bits())
		return n, err == nil
	case Float:
		return d.floatBits(s)
	}
	return 0, false
}

// floatBits is valueBits of a float; ok is false for types of 8 bits and of over 8 bytes.
func (d Type) floatBits(s string) (raw uint64, ok bool) {
	if d.bits() < 8 {
		x, err := strconv.ParseFloat(s, 64)
		code := slices.Index(oneByteFloats(d)[:1<<d.bits()], x)
		return uint64(max(0, code)), err == nil && code >= 0
	}
	switch name := d.String(); name {
	case "float64":
		x, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(x), err == nil
	case "float32", "float16", "bfloat16":
		x, err := strconv.ParseFloat(s, 32)
		tooLarge := name == "float16" && math.Abs(x) >= 65520 && !math.IsInf(x, 0)
		return narrowBits(name, float32(x)), err == nil && !tooLarge
	}
	return 0, false
}

// narrowBits rounds a float32 to the named type. A bfloat16 is the upper half of a float32, rounded to nearest even.
func narrowBits(name string, x float32) uint64 {
	bits := math.Float32bits(x)
	switch name {
	case "float16":
		return uint64(float16.Fromfloat32(x))
	case "bfloat16":
		if x != x {
			return uint64(bits>>16 | 0x40)
		}
		return uint64((bits + 0x7FFF + bits>>16&1) >> 16)
	}
	return uint64(bits)
}
