package safetensors

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/text"
)

// document reads JSON (RFC 8259) from a stream in its own order; holding one string at a time. Duplicate keys, invalid UTF-8 and
// escaped halves of characters are Malformed. After the first error it reads nothing more.
type document struct {
	what  string // "the header", for errors
	limit checkpoint.Limit
	err   error // the first error

	file   io.ReaderAt
	from   int64  // the document's first byte in the file
	size   int64  // bytes of the document
	piece  []byte // the current piece; it ends where the next one begins
	pos    int    // bytes read from the piece
	before int64  // bytes of all earlier pieces
	digits []byte // of the last number
}

// maxPiece is how many bytes are read at once: one request to a remote object.
const maxPiece = 4 << 20

// newDocument returns the document of size bytes at byte from of a file.
func newDocument(what string, file io.ReaderAt, from, size int64, limit checkpoint.Limit) *document {
	return &document{what: what, limit: limit, file: file, from: from, size: size}
}

// at returns how many bytes were read.
func (d *document) at() int64 { return d.before + int64(d.pos) }

// fill reads the next piece, and reports whether there is one.
func (d *document) fill() bool {
	d.before = d.at()
	d.pos = 0
	n := min(maxPiece, d.size-d.before)
	d.piece = d.piece[:0]
	if d.err != nil {
		return false
	}
	if n == 0 {
		d.broken("it ends too early")
		return false
	}
	if cap(d.piece) < int(n) {
		d.piece = make([]byte, n)
	}
	d.piece = d.piece[:n]
	if err := read(d.file, d.piece, d.from+d.before); err != nil {
		d.fail(err)
		return false
	}
	return true
}

// end requires only blanks after the value. A header's are spaces.
func (d *document) end() error {
	for d.err == nil && d.at() < d.size {
		if b := d.next(); !blank(b) {
			d.unexpected(b)
		}
	}
	return d.err
}

func blank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// next reads a byte; it returns 0, which JSON does not contain, after an error.
func (d *document) next() byte {
	if d.pos == len(d.piece) && !d.fill() {
		return 0
	}
	b := d.piece[d.pos]
	d.pos++
	return b
}

// back unreads the last byte.
func (d *document) back() {
	if d.err == nil {
		d.pos--
	}
}

// token reads the next byte that is not blank.
func (d *document) token() byte {
	for {
		if b := d.next(); !blank(b) {
			return b
		}
	}
}

// fail records an error, or details of the first one.
func (d *document) fail(err error) {
	if err != nil {
		d.err = err
		d.piece = d.piece[:d.pos]
	}
}

// broken fails because the last byte read is not JSON.
func (d *document) broken(why string) {
	if d.err == nil {
		d.fail(damaged("%s is not JSON at its byte %d: %s", d.what, d.at(), why))
	}
}

func (d *document) unexpected(b byte) { d.broken("unexpected " + text.Quoted(string([]byte{b}))) }

// each reads items with commas between them, and the bracket after them.
func (d *document) each(closing byte, item func()) {
	if d.token() == closing {
		return
	}
	d.back()
	for d.err == nil {
		item()
		if b := d.token(); b == closing {
			return
		} else if b != ',' {
			d.unexpected(b)
		}
	}
}

// object reads an object, called name in errors. field reads the value of each key; room is the budget for keys, unless it is nil. One
// key more than tensors is allowed: the header's metadata.
func (d *document) object(name string, room *checkpoint.Room, field func(key string) error) error {
	if d.token() != '{' {
		return d.wrong(name, "is not an object")
	}
	seen := map[string]struct{}{}
	d.each('}', func() {
		key := d.key(checkpoint.MaxName)
		if room != nil && d.err == nil {
			d.fail(room.TakeName(int64(len(key))))
		}
		if _, again := seen[key]; again && d.err == nil {
			d.fail(damaged("%s has the duplicate key %s", d.what, checkpoint.Quoted(key)).
				WithHint("readers disagree about which one counts; write the file again"))
		}
		seen[key] = struct{}{}
		if d.err == nil {
			d.fail((d.limit + 1).Check(uint64(len(seen)), "keys"))
		}
		if d.err == nil {
			d.fail(field(key))
		}
	})
	return d.err
}

// key reads a name of at most limit bytes, as string does, and the colon after it.
func (d *document) key(limit int64) string {
	if b := d.token(); b != '"' {
		d.unexpected(b)
	}
	key := d.string(limit, func() error { return checkpoint.LongName(d.what + " has names") })
	if b := d.token(); b != ':' {
		d.unexpected(b)
	}
	return key
}

// wrong returns the error for a value of another type.
func (d *document) wrong(name, why string) error {
	if d.err == nil {
		d.fail(damaged("%s has a %s that %s", d.what, name, why))
	}
	return d.err
}

// text reads a string, called name in errors, of at most limit bytes; tooLong makes the error for a longer one.
func (d *document) text(name string, limit int64, tooLong func() error) (string, error) {
	if d.token() != '"' {
		return "", d.wrong(name, "is not a string")
	}
	return d.string(limit, tooLong), d.err
}

// word reads a string of at most checkpoint.MaxName bytes.
func (d *document) word(name string) (string, error) {
	return d.text(name, checkpoint.MaxName, func() error { return checkpoint.LongName(d.what + " has texts of " + name) })
}

// string reads the rest of a string after its quote, of at most limit bytes; with −1 it skips a string of any length.
func (d *document) string(limit int64, tooLong func() error) string {
	var text []byte
	for d.err == nil {
		plain := d.plain()
		if limit >= 0 {
			text = append(text, plain[:min(int64(len(plain)), limit+1-int64(len(text)))]...)
		}
		var r rune
		switch b := d.next(); {
		case int64(len(text)) > limit && limit >= 0:
			d.fail(tooLong())
		case b == '"':
			return string(text)
		case b < ' ':
			d.broken("a control character in a string")
		case b == '\\':
			r = d.escape()
		default:
			r = d.rune(b)
		}
		if limit >= 0 {
			text = utf8.AppendRune(text, r)
		}
	}
	return ""
}

// plain reads unescaped characters of a string, up to the end of the piece.
func (d *document) plain() []byte {
	if d.pos == len(d.piece) && !d.fill() {
		return nil
	}
	from := d.pos
	for d.pos < len(d.piece) {
		if !isPlain(d.piece[d.pos]) {
			break
		}
		d.pos++
	}
	return d.piece[from:d.pos]
}

// isPlain reports whether a byte of a string stands for itself.
func isPlain(b byte) bool {
	switch b {
	case '"', '\\':
		return false
	}
	return ' ' <= b && b < utf8.RuneSelf
}

// rune reads a character after its first byte.
func (d *document) rune(first byte) rune {
	char := append(make([]byte, 0, utf8.UTFMax), first)
	for !utf8.FullRune(char) {
		char = append(char, d.next())
	}
	r, n := utf8.DecodeRune(char)
	if r == utf8.RuneError && n == 1 && d.err == nil {
		d.fail(damaged("%s is not UTF-8 at its byte %d", d.what, d.at()))
	}
	return r
}

// escapes are the one-letter escapes.
var escapes = map[byte]rune{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape reads the characters after a backslash. Readers disagree about an unpaired surrogate: encoding/json replaces it, serde_json
// refuses it.
func (d *document) escape() rune {
	from := d.at() - 1
	b := d.next()
	if b != 'u' {
		r, ok := escapes[b]
		if !ok {
			d.broken("an unknown escape in a string")
		}
		return r
	}
	unit := d.unit()
	if !utf16.IsSurrogate(unit) {
		return unit
	}
	if d.next() == '\\' && d.next() == 'u' {
		if r := utf16.DecodeRune(unit, d.unit()); r != utf8.RuneError {
			return r
		}
	}
	if d.err == nil {
		d.fail(damaged("%s has an unpaired surrogate at its byte %d: \\u%04x", d.what, from, unit))
	}
	return 0
}

// unit reads the four digits of a UTF-16 unit.
func (d *document) unit() rune {
	digits := [4]byte{d.next(), d.next(), d.next(), d.next()}
	n, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		d.broken("an escape without four digits in a string")
	}
	return rune(n)
}

// maxDigits bounds a number's characters.
const maxDigits = 1000

// number reads a number, called name in errors. It is valid until the next call.
func (d *document) number(name string) ([]byte, error) {
	b := d.token()
	if b != '-' && (b < '0' || b > '9') {
		return nil, d.wrong(name, "is not a number")
	}
	text := d.digits[:0]
	plain := true
	for d.err == nil {
		plain = plain && b >= '0' && b <= '9'
		text = append(text, b)
		if len(text) > maxDigits {
			d.broken("a number of more than " + strconv.Itoa(maxDigits) + " characters")
		}
		if d.at() == d.size {
			break
		}
		b = d.next()
		if !numeric(b) {
			d.back()
			break
		}
	}
	d.digits = text
	if d.err != nil {
		return text, d.err
	}
	natural := plain && (text[0] != '0' || len(text) == 1) // of at least 0
	if !natural && !json.Valid(text) {
		d.broken("an invalid number")
	}
	return text, d.err
}

// numeric reports whether a number may have this character.
func numeric(b byte) bool { return strings.IndexByte("0123456789-+.eE", b) >= 0 }

// integers reads an array of integers of at least 0, called name in errors, and returns their number and the first ones, at most
// limit.
func (d *document) integers(name string, limit int) (first []uint64, n int, err error) {
	if d.token() != '[' {
		return nil, 0, d.wrong(name, "is not an array")
	}
	first = []uint64{}
	what := name + " with something"
	d.each(']', func() {
		text, err := d.number(what)
		if err != nil {
			return
		}
		size, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil {
			d.fail(damaged("%s has a %s with %s, which is not an integer from 0 to 2⁶⁴−1", d.what, name, checkpoint.Quoted(string(text))))
		}
		if n++; n <= limit {
			first = append(first, size)
		}
	})
	return first, n, d.err
}

// maxDepth bounds the brackets in an ignored value, as serde_json does.
const maxDepth = 128

// ignore skips a value of any type, within depth brackets.
func (d *document) ignore(depth int) {
	if depth > maxDepth {
		d.broken("brackets nested deeper than " + strconv.Itoa(maxDepth))
	}
	switch b := d.token(); b {
	case '{':
		d.each('}', func() {
			d.key(-1)
			d.ignore(depth + 1)
		})
	case '[':
		d.each(']', func() { d.ignore(depth + 1) })
	case '"':
		d.string(-1, nil)
	case 't', 'f', 'n':
		d.literal(b)
	default:
		if !numeric(b) {
			d.unexpected(b)
			return
		}
		d.back()
		d.number("value") //nolint:errcheck // noted
	}
}

// literal reads the rest of true, false or null after its first letter.
func (d *document) literal(first byte) {
	for _, want := range map[byte]string{'t': "rue", 'f': "alse", 'n': "ull"}[first] {
		if b := d.next(); rune(b) != want {
			d.unexpected(b)
		}
	}
}

// damaged returns the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}
