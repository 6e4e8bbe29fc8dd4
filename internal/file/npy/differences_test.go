package npy_test

import (
	"bytes"
	"github.com/tlayout/tlayout/internal/random"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/oracle"
)

// refusals is the written list of differences from NumPy 1.24 to 2.5, part one: headers that NumPy's reader takes and this
// package refuses. error is a regular expression for our text; the example must be refused with it and accepted by
// NumPy, if it is one of versions. In the comparison of random headers no other difference is allowed.
var refusals = []struct {
	why     string
	example string // header text, version 1.0
	error   string
	versions
}{
	{"a duplicate key hides a value: other readers may take the other one",
		"{'shape': (1,), 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", `appears twice`, versions{}},
	{"only decimal sizes: no hexadecimal, octal, binary, 1_000",
		dict("'<f4'", "(0x2,)"), `not a decimal integer`, versions{}},
	{"Python takes 00 for 0", dict("'<f4'", "(00,)"), `leading zero`, versions{}},
	{"Python counts a bool as an int", dict("'<f4'", "(True,)"), `expected a size, found (True|False)`, versions{}},
	{"a sign before a size", dict("'<f4'", "(+2,)"), `unexpected character '\+'`, versions{}},
	{"negative sizes pass NumPy's header reader; its array reader refuses most, not (-1,)",
		dict("'<f4'", "(-1,)"), `negative size`, versions{}},
	{"sizes beyond 2^63-1 fail in NumPy only later", dict("'<f4'", "(99999999999999999999,)"), `beyond 2\^63-1|an integer of \d+ digits`, versions{}},
	{"a size that overflows in bytes fails in NumPy only later, or wraps", dict("'<f8'", "(2305843009213693952,)"), `exceeds 2\^63-1|32-bit program`, versions{}},
	{"redundant parentheses around a size", dict("'<f4'", "((2),)"), `expected a size, found \(`, versions{}},
	{"redundant parentheses around a shape", dict("'<f4'", "((2, 3))"), `expected a size, found \(`, versions{}},
	{"redundant parentheses around a dtype", dict("('<f4')", "(2,)"), `fewer than two items`, versions{}},
	{"a sub-array's shape as an int", dict("[('a', '<f4', 2)]", "(2,)"), `expected '\(', found (\d|True|False)`, versions{}},
	{"a sub-array's shape as an int in parentheses", dict("[('a', '<f4', (2))]", "(2,)"), `single size needs a comma`, versions{}},
	{"a sub-array's shape as None in parentheses (NumPy: no sub-array)", dict("[('a', ('<f4', (2,)), (None))]", "(2,)"), `expected (a size|'\('), found None`, versions{}},
	{"a sub-array's shape as a list", dict("[('a', '<f4', [2])]", "(2,)"), `expected '\(', found \[`, versions{}},
	{"a sub-array's shape as an empty string, in parentheses", dict("('<f4', (''))", "(2,)"), `expected a size, found the string ''`, versions{}},
	{"a type without bytes in place of a sub-array's shape, where the sub-array's type has none either",
		dict("[('b', '>S0', ('a'))]", "(2,)"), `expected a size, found the string '[aSUV]'`, versions{before: "2.5"}},
	{"a field as a list", dict("[['a', '<f4']]", "(2,)"), `expected '\(', found \[`, versions{}},
	{"a field as a string of two characters", dict("['ai']", "(2,)"), `expected '\(', found the string '..'`, versions{}},
	{"fields as a tuple or string in place of a list", dict("[('a', ('<f4', (2,), 3))]", "(2,)"), `more than 2 items`, versions{}},
	{"an empty title", dict("[(('', 'a'), '<f4')]", "(2,)"), `an empty field title`, versions{}},
	{"a title that is no string", dict("[((None, 'a'), '<f4')]", "(2,)"), `expected a field's title or name, found`, versions{}},
	{joined, dict("'<f' '4'", "(2,)"), `found the string|unknown dtype|unclosed string`, versions{}},
	{"raw strings", dict("r'<f4'", "(2,)"), `prefix [rR]`, versions{}},
	{"an empty byte string (NumPy: float64)", dict("b''", "(2,)"), `prefix [bB]`, versions{}},
	{"escapes that Python keeps as they are, names and joined lines", dict(`[('\q', '<f4')]`, "(2,)"), `unknown escape`, versions{}},
	{"lines joined by a backslash outside strings", dict("'<f4'", "(2,\\\n)"), `unexpected character '\\\\'`, versions{}},
	{"half a surrogate pair", dict(`[('\ud800', '<f4')]`, "(2,)"), `is not a character`, versions{}},
	{"blanks between a number and its L", dict("'<f4'", "(2 L,)"), `found L`, versions{}},
	{"a sub-array dtype in Fortran order, whose layout a shape cannot say",
		"{'descr': ('<f4', (2,)), 'fortran_order': True, 'shape': (2,)}", `sub-array dtype in Fortran order`, versions{}},
	{"blanks and signs before an item size", dict("'<f 4'", "(2,)"), `unknown dtype "[<>|=]?[a-zA-Z](\\x..| |\+|-)+\d+"`, versions{}},
	{"repeat counts and parentheses in a dtype string", dict("'2f4'", "(2,)"), `unknown dtype "[<>|=]?[ (\d]`, versions{}},
	{"two byte orders, or one without a type, in a comma list", dict("'<<f4,i2'", "(2,)"), `unknown dtype "[<>|= ]*[<>|=]([a-zA-Z].*)?"`, versions{}},
	{"empty items of a comma list (NumPy: float64)", dict("'i2, '", "(2,)"), `unknown dtype "(\\x..| )*"`, versions{}},
	{"blanks outside ASCII, and separators U+001C to U+001F, in a comma list", dict("'f4,\xa0i2'", "(2,)"), `unknown dtype ".*\\x(1[c-f]|85|a0).*"`, versions{}},
	{"units that count zero times", dict("'M8[0s]'", "(2,)"), `unknown dtype ".*\[\+?0+[a-zμ]`, versions{}},
	{"divided units, signed counts and blanks in units", dict("'M8[D/3]'", "(2,)"), `unknown dtype ".*\[.*[/+ \\]`, versions{}},
	{"a counted generic unit", dict("'M8[2generic]'", "(2,)"), `unknown dtype ".*\[\d+generic\]`, versions{}},
	{"an item size that wraps in a C int", dict("'S4294967296'", "(2,)"), `would exceed`, versions{before: "2"}},
	{"sub-arrays of records without bytes (NumPy refuses those of empty strings too)", dict("[('a', [], (2,))]", "(2,)"), `whose elements have 0 bytes`, versions{}},
	{"a control character in place of a type: NumPy takes its code for a type number", dict(`'<\x05'`, "(2,)"), `unknown dtype "[<>|=]?\\x[01].(,.*)?"`, versions{}},
}

const joined = "strings side by side, and triple quotes"

// acceptances is part two: headers that NumPy's reader refuses and this package takes.
var acceptances = []struct {
	why     string
	major   byte
	example string
	error   string         // regular expression for NumPy's text
	file    *regexp.Regexp // what such files have; nil for any
	versions
}{
	{"NumPy refuses over 10,000 characters unless told otherwise; here the limit is 1 MiB",
		1, dict("'<f4'", "(2,)") + strings.Repeat(" ", 10000), `Header info length`, nil, versions{}},
	{"sub-arrays of 33 to 64 dimensions, as NumPy 2 takes them",
		1, dict("('<f4', ("+strings.Repeat("1,", 33)+"))", "(2,)"), `invalid shape in fixed-type tuple`, nil, versions{before: "2"}},
	{"blanks after the last line end, which Python takes for an indented line",
		3, strings.TrimSpace(dict("'<f4'", "(2,)")) + "\n\t", `Cannot parse header`, indentedEnd, versions{}},
	{"a4, which NumPy 2.5 dropped, for S4",
		1, dict("'a4'", "(2,)"), `not a valid dtype descriptor`, regexp.MustCompile(`['",][<>|=]?a\d*['",]`), versions{since: "2.5"}},
	{"<a without a size, which NumPy 2.0 dropped, for S0",
		1, dict("'<a'", "(2,)"), `not a valid dtype descriptor`, regexp.MustCompile(`['",][<>|=]a['",]`), versions{since: "2"}},
	{"n and N, which NumPy 2.0 added, for intp and uintp",
		1, dict("'n'", "(2,)"), `not a valid dtype descriptor`, regexp.MustCompile(`['",][<>|=]?[nN]['",]`), versions{before: "2"}},
	{"int0 and other words that NumPy 2.0 dropped",
		1, dict("'int0'", "(2,)"), `not a valid dtype descriptor`, regexp.MustCompile(`['"](bool8|u?int0|(bytes|str|void)0|unicode_|string_|float_|complex_|(long|c|clong)float|(single|long)complex)['"]`),
		versions{since: "2"}},
}

// oneField is a difference of headers that both read: a list of one type, "b,", which is that type here.
const oneField = "a comma after a single type: since NumPy 2.0 a record of one field f0"

var listOfOne = regexp.MustCompile(`['"][^'",: ]+\s*,\s*['"]`)

// versions are those of NumPy that differ: before one, and since one; empty for all.
type versions struct{ before, since string }

// have reports whether the asked NumPy is one of them.
func (v versions) have(o *oracle.Oracle) bool {
	return (v.before == "" || o.Before(v.before)) && (v.since == "" || !o.Before(v.since))
}

// Each entry of the lists is a difference still, and the one it says.
func TestDifferencesFromNumPy(t *testing.T) {
	var questions []question
	for _, d := range refusals {
		questions = append(questions, question{Op: "header", File: headerFile(1, 0, d.example, 0)})
	}
	for _, d := range acceptances {
		questions = append(questions, question{Op: "header", File: headerFile(d.major, 0, d.example, 0)})
	}
	numpy := oracle.NumPy(t, "numpy_server.py")
	answers := answersOf(t, numpy, questions)
	for i, d := range refusals {
		_, err := npy.ReadHeader(bytes.NewReader(questions[i].File), -1, npy.Limits{})
		if err == nil || !regexp.MustCompile(d.error).MatchString(err.Error()) {
			t.Errorf("%s: %s gives error %v, want %s", d.why, d.example, err, d.error)
		}
		if answers[i].OK != d.have(numpy) {
			t.Errorf("%s: NumPy takes %s: %v %s", d.why, d.example, answers[i].OK, answers[i].Error)
		}
	}
	for i, d := range acceptances {
		a := answers[len(refusals)+i]
		if _, err := npy.ReadHeader(bytes.NewReader(questions[len(refusals)+i].File), -1, npy.Limits{}); err != nil {
			t.Errorf("%s: %v", d.why, err)
		}
		if a.OK == d.have(numpy) || !a.OK && !regexp.MustCompile(d.error).MatchString(a.Error) {
			t.Errorf("%s: NumPy says %v %s", d.why, a.OK, a.Error)
		}
	}
}

// Random headers, half of them damaged, are read as NumPy reads them: same dtype, shape and order, or both refuse; what
// differs is on the lists. TLAYOUT_TEST_NUMPY_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones.
func TestRandomHeadersAgainstNumPy(t *testing.T) {
	cases := envInt("TLAYOUT_TEST_NUMPY_CASES", 5000)
	g := generator{random.New(t)}
	files := make([][]byte, cases)
	for i := range files {
		files[i] = g.file()
	}
	both := compareHeaders(t, files)
	t.Logf("%d of %d headers accepted by both", both, cases)
	if both < cases/4 {
		t.Errorf("only %d of %d headers were valid: the comparison says little", both, cases)
	}
}

// Every change of a single byte in the headers that NumPy wrote is taken or refused as NumPy does. The bytes' new values
// are every 16th, or all with TLAYOUT_TEST_EXHAUSTIVE=1 (about 150,000 headers).
func TestSingleBytesAgainstNumPy(t *testing.T) {
	step := 16
	if os.Getenv("TLAYOUT_TEST_EXHAUSTIVE") == "1" {
		step = 1
	}
	var files [][]byte
	for id, file := range goldenFiles(t) {
		h, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		end := bytes.LastIndexByte(file[:h.DataOffset], '}') + 4 // the padding is all alike
		for at := 6; at < end; at++ {
			for value := (at + len(id)) % step; value < 256; value += step {
				changed := bytes.Clone(file[:h.DataOffset])
				changed[at] = byte(value)
				files = append(files, changed)
			}
		}
	}
	compareHeaders(t, files)
}

// compareHeaders reads each file here and with NumPy, and returns how many both accept.
func compareHeaders(t *testing.T, files [][]byte) (both int) {
	t.Helper()
	listed := map[string]int{}
	questions := make([]question, len(files))
	for i, file := range files {
		questions[i] = question{Op: "header", File: file}
	}
	numpy := oracle.NumPy(t, "numpy_server.py")
	for i, a := range answersOf(t, numpy, questions) {
		h, err := npy.ReadHeader(bytes.NewReader(files[i]), -1, npy.Limits{})
		why := ""
		switch {
		case err == nil && a.OK && sameHeader(h, a):
			both++
			continue
		case err != nil && !a.OK:
			continue
		case err != nil:
			why = refusalOf(err.Error(), a)
		case !a.OK:
			why = acceptanceOf(files[i], a, numpy)
		case !numpy.Before("2") && listOfOne.Match(files[i]) && h.DType.ItemSize() == a.ItemSize && h.DataOffset == a.Offset:
			why = oneField
		}
		if why == "" {
			t.Errorf("%q:\n read %+v, %v\nNumPy %+v", files[i], h, err, a)
			continue
		}
		listed[why]++
	}
	t.Logf("%s: %d headers, both accept %d; reasons of differences: %v", numpy.Version, len(files), both, listed)
	return both
}

func envInt(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// refusalOf returns the entry of the list for our error, or nothing. The one for joined strings needs some in the header.
func refusalOf(text string, a answer) (why string) {
	for _, d := range refusals {
		if (d.why != joined || a.Joined) && regexp.MustCompile(d.error).MatchString(text) {
			return d.why
		}
	}
	return ""
}

// acceptanceOf returns the entry of the list for NumPy's error, or nothing.
func acceptanceOf(file []byte, a answer, numpy *oracle.Oracle) (why string) {
	for _, d := range acceptances {
		if d.have(numpy) && (d.file == nil || d.file.Match(file)) && regexp.MustCompile(d.error).MatchString(a.Error) {
			return d.why
		}
	}
	return ""
}

// indentedEnd is what Python takes for an indented line; Python 3.11 does in headers of version 3 alone.
var indentedEnd = regexp.MustCompile(`[\r\n]\s*[ \t\f]+\s*$`)

func sameHeader(h npy.Header, a answer) bool {
	shape := make([]string, len(h.Shape))
	for i, n := range h.Shape {
		shape[i] = strconv.Itoa(n)
	}
	return h.Descr == a.Descr && h.DType.Typestr() == a.Str && h.DType.ItemSize() == a.ItemSize &&
		strings.Join(shape, " ") == strings.Join(a.Shape, " ") && h.Fortran == a.Fortran && h.DataOffset == a.Offset
}
