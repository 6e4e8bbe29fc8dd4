package safetensors

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// document reads JSON in its own order. Duplicate keys, invalid UTF-8 and escaped halves of characters are Malformed.
type document struct {
	*json.Decoder
	what string // "the header", for errors
}

func newDocument(what string, text []byte) (document, error) {
	d := document{json.NewDecoder(bytes.NewReader(text)), what}
	d.UseNumber()
	if !utf8.Valid(text) {
		return d, damaged("%s is not UTF-8", what)
	}
	if err := json.Unmarshal(text, &ignored{}); err != nil {
		at := int64(len(text))
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		}
		return d, damaged("%s is not JSON at its byte %d: %s", what, at, words.Quote(err.Error()))
	}
	if at := halfCharacter(text); at >= 0 {
		return d, damaged("%s has half of a character at its byte %d: %s", what, at, text[at:at+6])
	}
	return d, nil
}

// ignored is a value that is not looked at.
type ignored struct{}

// UnmarshalJSON does nothing.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// halfCharacter returns the first byte of an escaped surrogate that is not half of a pair; −1 for none. Readers disagree about
// them: encoding/json replaces them, serde_json refuses them. The text is valid JSON.
func halfCharacter(text []byte) int {
	for i := bytes.IndexByte(text, '\\'); i >= 0; i = next(text, i) {
		unit := escaped(text[i:])
		switch {
		case unit < 0xd800 || unit > 0xdfff:
			i += 2
		case unit < 0xdc00 && escaped(text[i+6:]) >= 0xdc00 && escaped(text[i+6:]) <= 0xdfff:
			i += 12
		default:
			return i
		}
	}
	return -1
}

// next is the position of the first backslash from i; −1 for none.
func next(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\\'); n >= 0 {
		return i + n
	}
	return -1
}

// escaped is the UTF-16 unit that \uXXXX at the text's beginning stands for; −1 for another text.
func escaped(text []byte) int {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int(unit)
}

// object reads an object, called name in errors. field reads the value of each key.
func (d document) object(name string, field func(key string) error) error {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return damaged("%s has a %s that is not an object", d.what, name)
	}
	seen := map[string]struct{}{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err // never: newDocument has seen valid JSON
		}
		key := t.(string)
		if _, again := seen[key]; again {
			return damaged("%s has the key %s twice", d.what, quoted(key)).
				WithHint("readers disagree about which of them counts; write the file again")
		}
		seen[key] = struct{}{}
		if err := field(key); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// text reads a string, called name in errors.
func (d document) text(name string) (string, error) {
	t, err := d.Token()
	s, ok := t.(string)
	if err != nil || !ok {
		return "", damaged("%s has a %s that is not a string", d.what, name)
	}
	return s, nil
}

// integers reads an array of integers of at least 0, called name in errors, and appends them to dst.
func (d document) integers(dst []uint64, name string) ([]uint64, error) {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return nil, damaged("%s has a %s that is not an array", d.what, name)
	}
	for d.More() {
		t, err := d.Token()
		number, ok := t.(json.Number)
		if err != nil || !ok {
			return nil, damaged("%s has a %s with something that is not a number", d.what, name)
		}
		n, err := strconv.ParseUint(number.String(), 10, 64)
		if err != nil {
			return nil, damaged("%s has a %s with %s, which is not an integer from 0 to 2⁶⁴−1", d.what, name,
				quoted(number.String()))
		}
		dst = append(dst, n)
	}
	_, err := d.Token()
	return dst, err
}

// damaged is the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}

// quoted is a name of the file in an error: safe to print, and not longer than a line can be.
func quoted(name string) string {
	return words.Quoted(words.Cut(name[:min(len(name), 4*maxShown)], maxShown))
}

const maxShown = 121 // characters of a name
