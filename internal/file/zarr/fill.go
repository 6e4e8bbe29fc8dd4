//go:build !js

package zarr

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// filler returns the element that a fill_value is; nil for zeros.
func filler(d dtype.Type, text json.RawMessage) ([]byte, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	item := make([]byte, d.ItemSize())
	parts := []json.RawMessage{text}
	if d.Kind() == dtype.Complex && text[0] == '[' {
		if json.Unmarshal(text, &parts) != nil || len(parts) != 2 {
			return nil, unknownFill(text)
		}
	}
	each := len(item)
	if d.Kind() == dtype.Complex {
		each /= 2
	}
	for i, part := range parts {
		bits, ok := bitsOf(d, each, strings.Trim(string(part), `"`))
		if !ok {
			return nil, unknownFill(text)
		}
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], bits)
		copy(item[i*each:(i+1)*each], raw[:])
	}
	if swap := dtype.LittleEndian(d); swap != nil {
		swap(item)
	}
	return item, nil
}

func unknownFill(text []byte) error {
	return fault.New(fault.Unsupported, "elements without a file are %s, which is not read", strconv.Quote(string(text[:min(len(text), 60)])))
}

// bitsOf returns the bits of a number, or of a part of a complex one, of so many bytes.
func bitsOf(d dtype.Type, size int, text string) (bits uint64, ok bool) {
	if hex, isHex := strings.CutPrefix(text, "0x"); isHex {
		bits, err := strconv.ParseUint(hex, 16, 64)
		return bits, err == nil && len(hex) <= 2*size
	}
	switch d.Kind() {
	case dtype.Bool:
		return map[string]uint64{"true": 1}[text], text == "true" || text == "false"
	case dtype.Int:
		n, err := strconv.ParseInt(text, 10, 8*size)
		return uint64(n), err == nil
	case dtype.Uint:
		n, err := strconv.ParseUint(text, 10, 8*size)
		return n, err == nil
	case dtype.Float, dtype.Complex:
		return floatBits(d, size, text)
	}
	return 0, false
}

// quietNaN is the NaN of the specification, without a payload. (Zarr core specification version 3, fill_value)
const quietNaN = 0x7ff8 << 48

// floatBits returns the bits of a float: a number, NaN, Infinity or -Infinity.
func floatBits(d dtype.Type, size int, text string) (bits uint64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, false
	}
	if math.IsNaN(x) {
		x = math.Float64frombits(quietNaN)
	}
	if d.Kind() == dtype.Complex && size == 4 {
		return uint64(math.Float32bits(float32(x))), true
	}
	if size == 8 {
		return math.Float64bits(x), true
	}
	write, ok := dtype.FromFloat64(d.LittleEndian())
	if !ok || d.Kind() == dtype.Complex {
		return 0, x == 0
	}
	var raw [8]byte
	write(raw[:size], x)
	return binary.LittleEndian.Uint64(raw[:]), true
}
