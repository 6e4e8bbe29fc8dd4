package npy_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
)

// dict makes a header text of descr and shape.
func dict(descr, shape string) string {
	return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n"
}

// Brackets may be nested 32 deep, those of the dictionary and of a shape among them, and not 33.
func TestDepth(t *testing.T) {
	for n, want := range map[int]string{30: "", 31: "header: brackets nested deeper than 32"} {
		descr := strings.Repeat("(", n) + "'<f4'" + strings.Repeat(",(1,))", n)
		h, err := read(headerFile(1, 0, dict(descr, "(2,)"), 4096))
		if want == "" && (err != nil || len(h.Shape) != n+1) || want != "" && (fault.ClassOf(err) != fault.Malformed || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d sub-arrays in each other: %v, %v", n, h.Shape, err)
		}
	}
}

// Each rule by which a header is accepted, with what comes out of it. Data is always there.
func TestAccepted(t *testing.T) {
	nested := strings.Repeat("[('a', ", 14) + "'<f4'" + strings.Repeat(")]", 14)
	tests := []struct {
		name  string
		major byte
		text  string
		descr string
		shape []int
	}{
		{"as NumPy writes it", 1, dict("'<f4'", "(2, 3)"), "'<f4'", []int{2, 3}},
		{"no dimensions", 1, dict("'<f4'", "()"), "'<f4'", []int{}},
		{"a size of zero", 1, dict("'<f4'", "(0, 3)"), "'<f4'", []int{0, 3}},
		{"64 dimensions", 1, dict("'<f4'", "("+strings.Repeat("1,", 64)+")"), "'<f4'", bytesToInts(bytes.Repeat([]byte{1}, 64))},
		{"keys in another order", 1, "{'shape': (2,), 'fortran_order': False, 'descr': '<f4'}", "'<f4'", []int{2}},
		{"double quotes and no blanks", 1, `{"descr":"<f4","fortran_order":False,"shape":(2,)}`, "'<f4'", []int{2}},
		{"prefix u", 1, "{u'descr': u'<f4', 'fortran_order': False, 'shape': (2,)}", "'<f4'", []int{2}},
		{"blanks and lines", 1, "\n{ 'descr'\t:\r\n'<f4' ,'fortran_order':False,'shape':( 2 , 3 ),\f}  \n\n", "'<f4'", []int{2, 3}},
		{"comments", 1, "{'descr': '<f4', # a comment, '}'\n'fortran_order': False, 'shape': (2,)}# end", "'<f4'", []int{2}},
		{"Python 2's L in version 1", 1, dict("'<f4'", "(2L, 3L)"), "'<f4'", []int{2, 3}},
		{"Python 2's L in version 2", 2, dict("'<f4'", "(2L,)"), "'<f4'", []int{2}},
		{"version 3 in UTF-8", 3, dict("[('数', '<f4')]", "(2,)"), "[('数', '<f4')]", []int{2}},
		{"version 1 in Latin-1", 1, dict("[('\xe9', '<f4')]", "(2,)"), "[('é', '<f4')]", []int{2}},
		{"escapes", 1, dict(`[('\x41\t\\\'\101\u0042', '<f4')]`, "(2,)"), `[("A\t\\'AB", '<f4')]`, []int{2}},
		{"native order", 1, dict("'=f4'", "(2,)"), "'<f4'", []int{2}},
		{"order without meaning", 1, dict("'>u1'", "(2,)"), "'|u1'", []int{2}},
		{"a NumPy name", 1, dict("'float64'", "(2,)"), "'<f8'", []int{2}},
		{"a comma list", 1, dict("'<f4, >i2'", "(2,)"), "[('f0', '<f4'), ('f1', '>i2')]", []int{2}},
		{"sub-array becomes shape", 1, dict("('<f4', (2, 3))", "(4,)"), "'<f4'", []int{4, 2, 3}},
		{"nested sub-array becomes shape", 1, dict("(('<f4', (2,)), (3,))", "(4,)"), "'<f4'", []int{4, 3, 2}},
		{"fields", 1, dict("[('a', '<i4'), ('b', '<f8', (2, 2))]", "(2,)"), "[('a', '<i4'), ('b', '<f8', (2, 2))]", []int{2}},
		{"padding is joined", 1, dict("[('', 'V1'), ('', '|V3'), ('a', '<i4'), ('', 'V4')]", "(2,)"), "[('', '|V4'), ('a', '<i4'), ('', '|V4')]", []int{2}},
		{"a sub-array without name is padding", 1, dict("[('', '<f4', (2,)), ('a', '<i4')]", "(2,)"), "[('', '|V8'), ('a', '<i4')]", []int{2}},
		{"an empty name", 1, dict("[('', '<f4')]", "(2,)"), "[('', '<f4')]", []int{2}},
		{"titles", 1, dict("[(('t', 'a'), '<i4')]", "(2,)"), "[(('t', 'a'), '<i4')]", []int{2}},
		{"fields in fields", 1, dict("[('a', [('b', 'S3'), ('', 'V1')])]", "(2,)"), "[('a', [('b', '|S3'), ('', '|V1')])]", []int{2}},
		{"no fields", 1, dict("[]", "(2,)"), "[]", []int{2}},
		{"only padding", 1, dict("[('', 'V8')]", "(2,)"), "[('', '|V8')]", []int{2}},
		{"28 nested brackets", 1, dict(nested, "(2,)"), nested, []int{2}},
		{"raw bytes", 1, dict("'<V2'", "(2,)"), "'|V2'", []int{2}},
		{"0 bytes", 1, dict("'S0'", "(2,)"), "'|S0'", []int{2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := read(headerFile(tt.major, 0, tt.text, 4096))
			if err != nil {
				t.Fatal(err)
			}
			if h.Descr != tt.descr || !cmp.Equal(h.Shape, tt.shape) {
				t.Errorf("descr %s, shape %v; want %s, %v", h.Descr, h.Shape, tt.descr, tt.shape)
			}
		})
	}
}

func bytesToInts(b []byte) []int {
	out := make([]int, len(b))
	for i, c := range b {
		out[i] = int(c)
	}
	return out
}

// Each rule by which a file is refused: class and part of the text.
func TestRefused(t *testing.T) {
	f4 := dict("'<f4'", "(2,)")
	good := headerFile(1, 0, f4, 8)
	text := func(major byte, text string) []byte { return headerFile(major, 0, text, 4096) }
	descr := func(d string) []byte { return text(1, dict(d, "(2,)")) }
	shape := func(s string) []byte { return text(1, dict("'<f4'", s)) }
	const bad, unsupported = fault.Malformed, fault.Unsupported
	tests := []struct {
		name  string
		file  []byte
		class fault.Class
		part  string
	}{
		{"empty file", nil, bad, "the file is empty"},
		{"other magic", append([]byte("PK\x03\x04"), good...), bad, "not a .npy file"},
		{"escape sequence for magic", []byte("\x1b[31mred file"), bad, `"\x1b[31mr"`},
		{"version 1.1", headerFile(1, 1, f4, 8), unsupported, "version 1.1"},
		{"version 0.0", headerFile(0, 0, f4, 8), unsupported, "version 0.0"},
		{"version 4.0", headerFile(4, 0, f4, 8), unsupported, "version 4.0"},
		{"header length beyond the file", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"), bad, "claims 4294967295 bytes"},
		{"header over 1 MiB", text(2, f4+strings.Repeat(" ", 1<<20)), unsupported, "over the limit of 1048576"},
		{"no header", text(1, ""), bad, "expected a dictionary, found the end"},
		{"no dictionary", text(1, "[1,2]"), bad, "expected a dictionary, found ["},
		{"something after the dictionary", text(1, f4+"()"), bad, "found ( after the dictionary"},
		{"dictionary not closed", text(1, strings.Replace(f4, "}", "", 1)), bad, "expected a key, found the end"},
		{"missing key", text(1, "{'descr': '<f4', 'shape': (2,)}"), bad, "'fortran_order' is missing"},
		{"further key", text(1, "{'x': 1, "+f4[1:]), bad, "unknown key 'x'"},
		{"key twice", text(1, "{'shape': (1,), "+f4[1:]), bad, "'shape' appears twice"},
		{"key without quotes", text(1, "{descr: '<f4'}"), bad, "expected a key"},
		{"order not a bool", text(1, "{'fortran_order': 0}"), bad, "True or False, found 0"},
		{"order None", text(1, "{'fortran_order': None}"), bad, "True or False, found None"},
		{"shape a list", shape("[2, 3]"), bad, "expected '(', found ["},
		{"shape an int", shape("6"), bad, "expected '(', found 6"},
		{"shape an int in parentheses", shape("(6)"), bad, "needs a comma"},
		{"negative size", shape("(-6,)"), bad, "negative size"},
		{"float size", shape("(6.0,)"), bad, "not a decimal integer"},
		{"hexadecimal size", shape("(0x6,)"), bad, "not a decimal integer"},
		{"bool size", shape("(True,)"), bad, "expected a size, found True"},
		{"leading zero", shape("(06,)"), bad, "leading zero"},
		{"21 digits", shape("(" + strings.Repeat("9", 21) + ",)"), bad, "21 digits"},
		{"20 digits", shape("(" + strings.Repeat("9", 20) + ",)"), bad, "beyond 2^63-1"},
		{"arithmetic", shape("(2*3,)"), bad, "unexpected character '*'"},
		{"no comma", shape("(2 3)"), bad, "expected ',' or ')'"},
		{"two commas", shape("(2,,3)"), bad, "expected a size, found ,"},
		{"65 dimensions", shape("(" + strings.Repeat("1,", 65) + ")"), unsupported, "more than 64 dimensions"},
		{"product overflows", shape("(4294967296, 4294967296)"), bad, "exceeds 2^63-1"},
		{"product overflows beside a zero", shape("(0, 4294967296, 4294967296)"), bad, "exceeds 2^63-1"},
		{"product wraps to 8", shape("(2305843009213693954, 8)"), bad, "exceeds 2^63-1"},
		{"product overflows without bytes", text(1, dict("'S0'", "(4294967296, 4294967296)")), bad, "exceeds 2^63-1"},
		{"L in version 3", text(3, dict("'<f4'", "(2L,)")), bad, "not a decimal integer"},
		{"not UTF-8 in version 3", text(3, dict("[('\xe9', '<f4')]", "(2,)")), bad, "not valid UTF-8"},
		{"NUL in a string", descr("'<f4\x00'"), bad, "NUL byte"},
		{"string not closed", text(1, "{'descr"), bad, "an unclosed string"},
		{"line in a string", text(1, "{'des\ncr'"), bad, "not closed on its line"},
		{"byte string", descr("b'<f4'"), bad, "prefix b"},
		{"unknown escape", descr(`'\q'`), bad, "unknown escape"},
		{"escape cut off", text(1, `{'\x4`), bad, "not a character"},
		{"surrogate", descr(`'\ud800'`), bad, "not a character"},
		{"beyond Unicode", descr(`'\U00110000'`), bad, "not a character"},
		{"character outside a string", text(1, "{\xa0"), bad, "unexpected character"},
		{"nested too deep", descr(strings.Repeat("(", 4000)), bad, "nested deeper than 32"},
		{"descr an int", descr("4"), bad, "descr must be"},
		{"unknown dtype", descr("'x9'"), unsupported, "unknown dtype"},
		{"unknown dtype with control characters", descr(`'\x1b[31m'`), unsupported, `\x1b[31m`},
		{"objects", descr("'|O'"), unsupported, "the elements are Python objects"},
		{"objects in a field", descr("[('a', 'O')]"), unsupported, "pickles"},
		{"float8_e5m2 as ml_dtypes writes it", descr("'<f1'"), unsupported, "unknown dtype"},
		{"complex32 as ml_dtypes writes it", descr("'<c4'"), unsupported, "unknown dtype"},
		{"a name NumPy does not have", descr("'bfloat16'"), unsupported, "is not a NumPy type"},
		{"32-bit long double", descr("'<f12'"), unsupported, "unknown dtype"},
		{"item size beyond int32", descr("'|S4294967296'"), unsupported, "would exceed"},
		{"item size wraps to 0", descr("'<U4611686018427387904'"), unsupported, "would exceed"},
		{"negative item size", descr("'|S-5'"), unsupported, "unknown dtype"},
		{"tuple of one", descr("('<f4',)"), bad, "fewer than two"},
		{"sub-array of three", descr("('<f4', (2,), 3)"), bad, "more than 2 items"},
		{"sub-array of negative size", descr("('<f4', (-2,))"), bad, "negative size"},
		{"sub-array too large", descr("[('a', '<f4', (65536, 65536))]"), unsupported, "would exceed"},
		{"sub-array without bytes", descr("[('a', 'V0', (1048576,))]"), bad, "0 bytes"},
		{"sub-array in Fortran order", text(1, "{'descr': ('<f4', (2,)), 'fortran_order': True, 'shape': (2,)}"), unsupported, "Fortran"},
		{"sub-array beyond 64 dimensions", text(1, dict("('<f4', (1, 1))", "("+strings.Repeat("1,", 63)+")")), unsupported, "more than 64"},
		{"field a list", descr("[['a', '<f4']]"), bad, "expected '(', found ["},
		{"field of four", descr("[('a', '<f4', (2,), 3)]"), bad, "more than 3 items"},
		{"field name an int", descr("[(1, '<f4')]"), bad, "expected a field name"},
		{"field name twice", descr("[('a', '<f4'), ('a', '<f4')]"), bad, "duplicate field"},
		{"title equals a name", descr("[('a', '<f4'), (('a', 'b'), '<f4')]"), bad, "duplicate field"},
		{"empty title", descr("[(('', 'b'), '<f4')]"), bad, "empty field title"},
		{"fields too large together", descr("[('a', 'S2147483647'), ('b', 'i1')]"), unsupported, "would exceed"},
		{"data cut off", good[:len(good)-1], bad, "8 bytes expected after the header, 7 found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := read(tt.file)
			var e *fault.Error
			if !errors.As(err, &e) {
				t.Fatalf("accepted as %+v, or the error %v is no *fault.Error", h, err)
			}
			if strconv.IntSize == 32 && strings.HasSuffix(e.Text, "32-bit program") && tt.part == "exceeds 2^63-1" {
				return // a size alone is too large there
			}
			if e.Class != tt.class || !strings.Contains(e.Text, tt.part) {
				t.Errorf("class %d, %s; want class %d, …%s…", e.Class, e.Text, tt.class, tt.part)
			}
			if strings.ContainsFunc(e.Text+e.Hint, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("control characters in %q", e.Text)
			}
		})
	}
}

// The limit can be raised, and its error names the option.
func TestHeaderLimit(t *testing.T) {
	text := dict("'<f4'", "()") + strings.Repeat(" ", 1000)
	file := headerFile(2, 0, text, 4)
	size := int64(len(text))
	if _, err := npy.ReadHeader(bytes.NewReader(file), -1, npy.Limits{MaxHeader: size}); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	_, err := npy.ReadHeader(bytes.NewReader(file), -1, npy.Limits{MaxHeader: size - 1})
	var e *fault.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, fmt.Sprintf("--max-header %d", size)) {
		t.Errorf("over the limit: %v", err)
	}
}

// What follows the data does not matter here.
func TestTrailingBytesAreAllowed(t *testing.T) {
	h, err := read(headerFile(1, 0, dict("'<f4'", "(2,)"), 100))
	if err != nil || h.DataBytes != 8 {
		t.Errorf("%v, %d data bytes", err, h.DataBytes)
	}
}
