package npy_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// The second parser of headers, for FuzzHeader: by regular expressions, a tree of everything and big numbers, where the first one has
// none of these. Of it, only dtype.Parse is used. It panics with errRefused where a rule is broken.

var errRefused = errors.New("refused")

func rule(holds bool) {
	if !holds {
		panic(errRefused)
	}
}

// second is what the second parser knows of a file.
type second struct {
	fortran bool
	shape   []*big.Int
	fields  []string // of a structured type: name and offset, without padding
	item    *big.Int // bytes
	offset  int      // of the data
}

// checkSecond compares h, or the refusal err, with what the second parser says of the file. What is Unsupported it may accept.
func checkSecond(t *testing.T, file []byte, h npy.Header, err error) {
	t.Helper()
	s, refused := readSecond(file)
	var e *fault.Error
	switch {
	case err != nil && refused == nil && errors.As(err, &e) && e.Class == fault.Malformed:
		t.Fatalf("the second parser reads %+v, the first says %v", s, err)
	case err != nil:
		return
	case refused != nil:
		t.Fatalf("the second parser refuses what the first reads as %+v", h)
	}
	fields := fieldsOf(h.DType)
	if s.fortran != h.Fortran || fmt.Sprint(s.shape) != fmt.Sprint(h.Shape) || !slices.Equal(s.fields, fields) ||
		s.item.Cmp(big.NewInt(int64(h.DType.ItemSize()))) != 0 || int64(s.offset) != h.DataOffset {
		t.Fatalf("the second parser reads %+v, the first %+v", s, h)
	}
}

func fieldsOf(d dtype.Type) (fields []string) {
	for _, f := range d.Fields() {
		fields = append(fields, fmt.Sprintf("%q %d", f.Name, f.Offset))
	}
	return fields
}

func readSecond(file []byte) (s second, err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = errRefused; r != errRefused {
				panic(r)
			}
		}
	}()
	rule(len(file) >= 10 && string(file[:6]) == "\x93NUMPY" && file[6] >= 1 && file[6] <= 3 && file[7] == 0)
	at, length := 10, int64(binary.LittleEndian.Uint16(file[8:]))
	if file[6] > 1 {
		rule(len(file) >= 12)
		at, length = 12, int64(binary.LittleEndian.Uint32(file[8:]))
	}
	rule(length <= int64(len(file)-at))
	s.offset = at + int(length)
	text := string(file[at:s.offset])
	if file[6] < 3 {
		runes := make([]rune, length)
		for i, c := range []byte(text) {
			runes[i] = rune(c)
		}
		text = string(runes)
	}
	rule(utf8.ValidString(text))
	s.header(tree(text), file[6] < 3)
	size := new(big.Int).Set(s.item)
	bound := big.NewInt(max(s.item.Int64(), 1))
	for _, n := range s.shape {
		size.Mul(size, n)
		if n.Sign() > 0 {
			bound.Mul(bound, n)
		}
	}
	rule(bound.IsInt64() && size.Cmp(big.NewInt(int64(len(file)-s.offset))) <= 0)
	return s, nil
}

// node is a literal: kind { [ ( with items, or the text of a string, integer or word.
type node struct {
	kind  byte
	text  string
	items []node // of {, keys and values in turn
	comma bool   // after the last item
}

const escaped = `\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|[\\'"abfnrtv])`

var (
	blank   = regexp.MustCompile(`^(?:[ \t\n\r\f]|#[^\r\n]*)+`)
	token   = regexp.MustCompile(`^(?:[][{}():,]|[uU]?'(?:[^'\\\n\r\x00]|` + escaped + `)*'|[uU]?"(?:[^"\\\n\r\x00]|` + escaped + `)*"|[0-9][A-Za-z_0-9.]*|True|False)`)
	escapes = regexp.MustCompile(escaped)
	integer = regexp.MustCompile(`^(0|[1-9][0-9]{0,19})(L?)$`)
)

// tree parses text to its end.
func tree(text string) node {
	var tokens []string
	for text = text[len(blank.FindString(text)):]; text != ""; text = text[len(blank.FindString(text)):] {
		t := token.FindString(text)
		rule(t != "")
		tokens, text = append(tokens, t), text[len(t):]
	}
	n, rest := value(append(tokens, "end"), 0)
	rule(len(rest) == 1)
	return n
}

func value(tokens []string, depth int) (node, []string) {
	t, rest := tokens[0], tokens[1:]
	close := map[string]string{"{": "}", "[": "]", "(": ")"}[t]
	if close == "" {
		rule(len(t) > 1 && t != "end" || '0' <= t[0] && t[0] <= '9')
		return node{kind: t[len(t)-1], text: t}, rest
	}
	rule(depth < 32)
	n, item := node{kind: t[0], comma: true}, node{}
	for rest[0] != close {
		rule(n.comma)
		item, rest = value(rest, depth+1)
		n.items = append(n.items, item)
		if t == "{" {
			rule(rest[0] == ":")
			item, rest = value(rest[1:], depth+1)
			n.items = append(n.items, item)
		}
		if n.comma = rest[0] == ","; n.comma {
			rest = rest[1:]
		}
	}
	return n, rest[1:]
}

// str returns the text of a string literal.
func (n node) str() string {
	rule(n.kind == '\'' || n.kind == '"')
	text := strings.TrimLeft(n.text, "uU")
	return escapes.ReplaceAllStringFunc(text[1:len(text)-1], func(e string) string {
		if i := strings.IndexByte(`\'"abfnrtv`, e[1]); i >= 0 {
			return "\\'\"\a\b\f\n\r\t\v"[i : i+1]
		}
		base, digits := 16, e[2:]
		if e[1] < '8' {
			base, digits = 8, e[1:]
		}
		r, err := strconv.ParseUint(digits, base, 32)
		rule(err == nil && r <= utf8.MaxRune && utf8.ValidRune(rune(r)))
		return string(rune(r))
	})
}

func (n node) sizes(longs bool) (sizes []*big.Int) {
	rule(n.kind == '(' && (len(n.items) != 1 || n.comma))
	for _, item := range n.items {
		m := integer.FindStringSubmatch(item.text)
		rule(m != nil && (longs || m[2] == ""))
		size, _ := new(big.Int).SetString(m[1], 10)
		rule(size.IsInt64())
		sizes = append(sizes, size)
	}
	return sizes
}

func (s *second) header(n node, longs bool) {
	rule(n.kind == '{' && len(n.items) == 6)
	var keys []string
	var descr node
	for i := 0; i < 6; i += 2 {
		keys = append(keys, n.items[i].str())
		switch v := n.items[i+1]; keys[i/2] {
		case "descr":
			descr = v
		case "fortran_order":
			rule(v.text == "True" || v.text == "False")
			s.fortran = v.text == "True"
		case "shape":
			s.shape = v.sizes(longs)
		}
	}
	slices.Sort(keys)
	rule(slices.Equal(keys, []string{"descr", "fortran_order", "shape"}))
	itemSize(descr, longs) // whose rules hold for each sub-array
	for descr.kind == '(' {
		s.shape = append(s.shape, descr.items[1].sizes(longs)...)
		descr = descr.items[0]
	}
	if descr.kind != '[' {
		d, err := dtype.Parse(descr.str())
		rule(err == nil)
		for base, sub := d.Sub(); sub != nil; base, sub = d.Sub() {
			d = base
			for _, n := range sub {
				s.shape = append(s.shape, big.NewInt(int64(n)))
			}
		}
		s.item, s.fields = big.NewInt(int64(d.ItemSize())), fieldsOf(d) // of a comma list
		return
	}
	s.item, s.fields = record(descr, longs)
}

// record returns the bytes of one item, and its fields: those that have a name, a title or a type other than bytes.
func record(n node, longs bool) (size *big.Int, fields []string) {
	size = new(big.Int)
	names := map[string]bool{}
	for _, f := range n.items {
		rule(f.kind == '(' && (len(f.items) == 2 || len(f.items) == 3))
		name, title := f.items[0], ""
		if name.kind == '(' {
			rule(len(name.items) == 2)
			name, title = name.items[1], name.items[0].str()
			rule(title != "")
		}
		bytes, plain := itemSize(f.items[1], longs)
		if len(f.items) == 3 {
			bytes, plain = subArray(bytes, plain, f.items[2].sizes(longs))
		}
		if !plain || name.str() != "" || title != "" {
			rule(!names[name.str()])
			names[name.str()] = true
			rule(title == "" || !names[title])
			names[title] = names[title] || title != ""
			fields = append(fields, fmt.Sprintf("%q %d", name.str(), size))
		}
		size.Add(size, bytes)
		rule(size.Cmp(big.NewInt(math.MaxInt32)) <= 0)
	}
	return size, fields
}

// itemSize returns the bytes of one item of a type, and whether it is bytes without a meaning, which are padding in a record.
func itemSize(n node, longs bool) (size *big.Int, plain bool) {
	switch n.kind {
	case '[':
		size, _ = record(n, longs)
		return size, false
	case '(':
		rule(len(n.items) == 2)
		size, plain = itemSize(n.items[0], longs)
		return subArray(size, plain, n.items[1].sizes(longs))
	}
	d, err := dtype.Parse(n.str())
	rule(err == nil)
	return big.NewInt(int64(d.ItemSize())), d.Kind() == dtype.Void
}

// subArray is itemSize of a sub-array of items, which must have bytes. NumPy takes it for bytes without a meaning, whatever its items are.
func subArray(item *big.Int, plain bool, sizes []*big.Int) (size *big.Int, isPlain bool) {
	rule(item.Sign() > 0)
	size = new(big.Int).Set(item)
	for _, n := range sizes {
		size.Mul(size, n)
	}
	return size, plain || len(sizes) > 0
}
