package gguf

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// The types of values: enum gguf_metadata_value_type in docs/gguf.md.
const (
	typeUint32 = 4
	typeBool   = 7
	typeText   = 8
	typeArray  = 9
)

// kinds maps numbers to types: name, and bytes of a value, 0 if values differ.
var kinds = [...]struct {
	name  string
	bytes int
}{
	{"uint8", 1}, {"int8", 1}, {"uint16", 2}, {"int16", 2}, {"uint32", 4}, {"int32", 4}, {"float32", 4}, {"bool", 1},
	{"text", 0}, {"array", 0}, {"uint64", 8}, {"int64", 8}, {"float64", 8},
}

const (
	maxDepth = 8       // nested arrays; ggml reads none, writers nest at most two
	maxText  = 1 << 16 // text bytes that are kept: more than the longest chat templates
	maxItems = 16      // array items that are kept
)

// value reads a value of this type as text. Long arrays and texts become a summary.
func (r *reader) value(kind uint32) (string, error) {
	if kind >= uint32(len(kinds)) {
		return "", damaged("unknown value type %d: the format has 0 to %d", kind, len(kinds)-1)
	}
	switch kind {
	case typeText:
		return r.text()
	case typeArray:
		return r.array(1)
	}
	bits, err := r.number(kinds[kind].bytes)
	if err != nil {
		return "", err
	}
	return scalar(kind, bits)
}

// scalar prints a number. A bool is 0 or 1: "anything else is invalid" (docs/gguf.md).
func scalar(kind uint32, bits uint64) (string, error) {
	switch kinds[kind].name {
	case "int8":
		return strconv.Itoa(int(int8(bits))), nil
	case "int16":
		return strconv.Itoa(int(int16(bits))), nil
	case "int32":
		return strconv.Itoa(int(int32(bits))), nil
	case "int64":
		return strconv.FormatInt(int64(bits), 10), nil
	case "float32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32), nil
	case "float64":
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64), nil
	case "bool":
		if bits > 1 {
			return "", damaged("invalid bool %d: want 0 or 1", bits)
		}
		return strconv.FormatBool(bits == 1), nil
	}
	return strconv.FormatUint(bits, 10), nil
}

func (r *reader) text() (string, error) {
	n, err := r.count("bytes of a text", 1)
	if err != nil {
		return "", err
	}
	if n > maxText {
		return fmt.Sprintf("text of %d bytes", n), r.skip(n)
	}
	p := make([]byte, n)
	err = r.read(p)
	return string(p), err
}

// array reads an array inside depth−1 others. A few numbers are kept; of other arrays only the length.
func (r *reader) array(depth int) (string, error) {
	if depth > maxDepth {
		return "", fault.New(fault.Unsupported, "arrays nested deeper than %d", maxDepth)
	}
	kind, err := r.uint32()
	if err != nil {
		return "", err
	}
	if kind >= uint32(len(kinds)) {
		return "", damaged("unknown array type %d: the format has 0 to %d", kind, len(kinds)-1)
	}
	size := kinds[kind].bytes
	n, err := r.count("values of an array", uint64(smallest(kind)))
	if err != nil {
		return "", err
	}
	summary := fmt.Sprintf("array of %d %s", n, kinds[kind].name)
	if size == 0 {
		return summary, r.skipItems(kind, n, depth)
	}
	if n <= maxItems {
		return r.items(kind, int(n))
	}
	if kind == typeBool {
		return summary, r.skipBools(n)
	}
	return summary, r.skip(n * uint64(size))
}

// smallest returns the minimum bytes of a value: a text has a length, an array a type and a length.
func smallest(kind uint32) int {
	switch kind {
	case typeText:
		return 8
	case typeArray:
		return 12
	}
	return kinds[kind].bytes
}

func (r *reader) items(kind uint32, n int) (string, error) {
	list := make([]string, n)
	for i := range list {
		bits, err := r.number(kinds[kind].bytes)
		if err == nil {
			list[i], err = scalar(kind, bits)
		}
		if err != nil {
			return "", err
		}
	}
	return "[" + strings.Join(list, ", ") + "]", nil
}

// skipItems skips texts or arrays, whose lengths are checked.
func (r *reader) skipItems(kind uint32, n uint64, depth int) error {
	skip := r.skipText
	if kind == typeArray {
		skip = func() error {
			_, err := r.array(depth + 1)
			return err
		}
	}
	for range n {
		if err := skip(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) skipText() error {
	n, err := r.count("bytes of a text", 1)
	if err != nil {
		return err
	}
	return r.skip(n)
}

func (r *reader) skipBools(n uint64) error {
	for range n {
		bits, err := r.number(1)
		if err == nil {
			_, err = scalar(typeBool, bits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
