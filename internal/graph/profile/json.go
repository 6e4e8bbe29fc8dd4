package profile

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// maxEvent limits an event, in bytes: that of an optimizer's step over 10,000 tensors has 500 kB. Longer ones are skipped.
const maxEvent = 1 << 20

// nesting finds the end of a JSON object, array or string in bytes that come in pieces. Brackets count whatever their kind: the stack is a
// number.
type nesting struct {
	depth           int
	quoted, escaped bool
}

// isStructural marks the bytes outside of strings that nesting stops at.
var isStructural = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true}

// isDelimiter marks the bytes that end a number or a word.
var isDelimiter = [256]bool{'"': true, '{': true, '}': true, '[': true, ']': true, ',': true, ':': true, ' ': true,
	'\n': true, '\r': true, '\t': true}

// scan continues with b, whose first byte opens the value if nothing was scanned before. It returns how many bytes belong to the value, and
// whether the last of these closes it.
func (n *nesting) scan(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		if n.escaped {
			n.escaped = false
			continue
		}
		if n.quoted {
			for i < len(b) && b[i] != '"' && b[i] != '\\' {
				i++
			}
			if i == len(b) {
				return i, false
			}
			n.escaped = b[i] == '\\'
			n.quoted = n.escaped
			if !n.quoted && n.depth == 0 {
				return i + 1, true
			}
			continue
		}
		for i < len(b) && !isStructural[b[i]] {
			i++
		}
		if i == len(b) {
			return i, false
		}
		switch b[i] {
		case '"':
			n.quoted = true
		case '{', '[':
			n.depth++
		case '}', ']':
			n.depth--
			if n.depth <= 0 {
				return i + 1, true
			}
		}
	}
	return len(b), false
}

// eventScanner returns the events of a Chrome trace one by one: the elements of traceEvents, or of an array that is the whole file. It holds
// one event, and checks no more of JSON than what it needs to find the next: PyTorch has written inf, empty values and control characters, which
// a parser of JSON stops at. (pytorch/kineto issue 105 and pull request 1213, pytorch/pytorch issue 130622)
type eventScanner struct {
	file   io.Reader
	buffer []byte
	at     int   // of the next byte in buffer
	before int64 // bytes of the file before buffer
	failed error // of file, io.EOF at the end
	Events int   // that were begun
	Longer int   // events over maxEvent, which were skipped
}

func newEventScanner(file io.Reader) *eventScanner {
	return &eventScanner{file: file, buffer: make([]byte, 0, maxEvent/4)}
}

// fill reads more behind the buffer, and drops what is before at. It reports whether there is more.
func (s *eventScanner) fill() bool {
	if s.at > 0 {
		s.before += int64(s.at)
		s.buffer = s.buffer[:copy(s.buffer, s.buffer[s.at:])]
		s.at = 0
	}
	if len(s.buffer) == cap(s.buffer) {
		s.buffer = append(make([]byte, 0, 2*cap(s.buffer)), s.buffer...)
	}
	for empty := 0; s.failed == nil && empty < 100; empty++ {
		n, err := s.file.Read(s.buffer[len(s.buffer):cap(s.buffer)])
		s.buffer = s.buffer[:len(s.buffer)+n]
		s.failed = err
		if n > 0 {
			return true
		}
	}
	if s.failed == nil {
		s.failed = io.ErrNoProgress
	}
	return false
}

// peek returns the next byte that is not white space; false at the end of the file.
func (s *eventScanner) peek() (byte, bool) {
	for {
		for ; s.at < len(s.buffer); s.at++ {
			if !isSpace(s.buffer[s.at]) {
				return s.buffer[s.at], true
			}
		}
		if !s.fill() {
			return 0, false
		}
	}
}

// errCut is a file that ends inside its events.
var errCut = errors.New("the file ends")

// value returns the next value, which begins at the next byte; nil for one over maxEvent, which is skipped. It is valid until the next call.
func (s *eventScanner) value() ([]byte, error) {
	n := nesting{}
	scanned := 0
	skipped := false
	first, ok := s.peek()
	isPlain := ok && !isStructural[first]
	for {
		size := 0
		done := false
		if isPlain {
			size, done = scanPlain(s.buffer[s.at+scanned:])
		} else {
			size, done = n.scan(s.buffer[s.at+scanned:])
		}
		scanned += size
		if scanned > maxEvent {
			skipped = true
			s.at += scanned
			scanned = 0
		}
		if done {
			break
		}
		if !s.fill() {
			return nil, s.cut()
		}
	}
	value := s.buffer[s.at : s.at+scanned]
	s.at += scanned
	if skipped {
		return nil, nil
	}
	return value, nil
}

// scanPlain returns how many bytes belong to a number, true, null or NaN, and whether it ends in b.
func scanPlain(b []byte) (int, bool) {
	for i, c := range b {
		if isDelimiter[c] {
			return i, true
		}
	}
	return len(b), false
}

// cut returns errCut at the end of the file, or the error of reading it. What gzip reports of a file that was cut is an end.
func (s *eventScanner) cut() error {
	if errors.Is(s.failed, io.EOF) || errors.Is(s.failed, io.ErrUnexpectedEOF) {
		return errCut
	}
	var known *fault.Error
	if errors.As(s.failed, &known) {
		return known
	}
	var corrupt flate.CorruptInputError
	if errors.Is(s.failed, gzip.ErrChecksum) || errors.As(s.failed, &corrupt) {
		return fault.New(fault.Malformed, "a damaged gzip file: %s", text.Quote(s.failed.Error()))
	}
	return fault.New(fault.Resource, "%s", text.Quote(s.failed.Error()))
}

// open goes to the first event.
func (s *eventScanner) open() error {
	mark, ok := s.peek()
	if !ok {
		return s.cut()
	}
	if mark == '[' {
		s.at++
		return nil
	}
	if mark != '{' {
		return fault.New(fault.Malformed, "not a Chrome trace: want { or [ at byte %d", s.offset())
	}
	s.at++
	for {
		mark, ok := s.peek()
		if !ok {
			return s.cut()
		}
		if mark == ',' {
			s.at++
			continue
		}
		if mark != '"' {
			return fault.New(fault.Unsupported, "a JSON file without traceEvents")
		}
		key, err := s.value()
		if err != nil {
			return err
		}
		isEvents := string(key) == `"traceEvents"`
		mark, _ = s.peek()
		if mark != ':' {
			return fault.New(fault.Malformed, "want : at byte %d", s.offset())
		}
		s.at++
		mark, _ = s.peek()
		if isEvents && mark == '[' {
			s.at++
			return nil
		}
		if mark == '}' || mark == ']' {
			return fault.New(fault.Malformed, "want a value at byte %d", s.offset())
		}
		_, err = s.value()
		if err != nil {
			return err
		}
	}
}

func (s *eventScanner) offset() int64 { return s.before + int64(s.at) }

// next returns the next event, valid until the next call; io.EOF behind the last one, errCut if the file ends before that.
func (s *eventScanner) next() ([]byte, error) {
	for {
		mark, ok := s.peek()
		if !ok {
			return nil, s.cut()
		}
		switch mark {
		case ',':
			s.at++
			continue
		case ']':
			return nil, io.EOF
		case '{':
		default:
			return nil, fault.New(fault.Malformed, "want an event at byte %d", s.offset())
		}
		s.Events++
		event, err := s.value()
		if err != nil || event != nil {
			return event, err
		}
		s.Longer++
	}
}

func isSpace(b byte) bool {
	switch b {
	case ' ', '\n', '\r', '\t':
		return true
	}
	return false
}

// list is what remains of the members of an object, or the elements of an array, without its opening bracket.
type list struct{ rest []byte }

// membersOf returns the contents of an object or an array; empty for another value.
func membersOf(value []byte) list {
	if len(value) == 0 {
		return list{}
	}
	switch value[0] {
	case '{', '[':
		return list{value[1:]}
	}
	return list{}
}

// value returns the next value; false behind the last one.
func (l *list) value() ([]byte, bool) {
	for len(l.rest) > 0 && (isSpace(l.rest[0]) || l.rest[0] == ',') {
		l.rest = l.rest[1:]
	}
	if len(l.rest) == 0 || l.rest[0] == ']' || l.rest[0] == '}' {
		return nil, false
	}
	size := 0
	if isStructural[l.rest[0]] {
		n := nesting{}
		size, _ = n.scan(l.rest)
	} else {
		size, _ = scanPlain(l.rest)
	}
	value := l.rest[:size]
	l.rest = l.rest[size:]
	return value, size > 0
}

// member returns the next key, without its quotes and as it is written, and its value, which may be empty; false behind the last one.
func (l *list) member() (key, value []byte, ok bool) {
	key, ok = l.value()
	if !ok {
		return nil, nil, false
	}
	l.skipSpace()
	if len(l.rest) == 0 || l.rest[0] != ':' {
		return nil, nil, false
	}
	l.rest = l.rest[1:]
	l.skipSpace()
	if len(l.rest) > 0 && l.rest[0] != ',' {
		value, _ = l.value()
	}
	return bytes.Trim(key, `"`), value, true
}

func (l *list) skipSpace() {
	for len(l.rest) > 0 && isSpace(l.rest[0]) {
		l.rest = l.rest[1:]
	}
}

// isList reports whether a value is an array.
func isList(value []byte) bool { return len(value) > 0 && value[0] == '[' }

// stringOf returns the contents of a string, or another value as it is written. They are cut at a length that no name has.
func stringOf(value []byte) []byte {
	const maxName = 1024
	value = value[:min(len(value), maxName)]
	if bytes.IndexByte(value, '\\') < 0 {
		return bytes.Trim(value, `"`)
	}
	var s string
	if json.Unmarshal(value, &s) != nil {
		return bytes.Trim(value, `"`)
	}
	return []byte(s)
}

// integer returns a whole number, which may be a string.
func integer(value []byte) (int, bool) {
	n, err := strconv.Atoi(string(bytes.Trim(value, `" `)))
	return n, err == nil
}

// nanoseconds returns a time in microseconds with three decimals, which a float64 since 1970 does not have. It fails over 70 years.
func nanoseconds(value []byte) (int64, bool) {
	const maxMicros = 1 << 51
	ns := int64(0)
	decimals := -1
	for _, c := range value {
		if c == '.' && decimals < 0 {
			decimals = 0
			continue
		}
		if c < '0' || c > '9' {
			return roundedNanoseconds(value)
		}
		if decimals >= 3 {
			continue
		}
		ns = 10*ns + int64(c-'0')
		if decimals >= 0 {
			decimals++
			continue
		}
		if ns > maxMicros {
			return 0, false
		}
	}
	for range 3 - max(decimals, 0) {
		ns *= 10
	}
	return ns, len(value) > 0
}

// roundedNanoseconds is nanoseconds for numbers with a sign or an exponent.
func roundedNanoseconds(value []byte) (int64, bool) {
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || !(math.Abs(f) <= 1<<51) {
		return 0, false
	}
	return int64(f * 1000), true
}
