package npy_test

import (
	"bytes"
	"encoding/binary"
	"github.com/tlayout/tlayout/internal/random"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// All words NumPy has for dtypes, and spellings of every kind, give the typestr and size NumPy gives, or both refuse.
func TestDTypeNamesAgainstNumPy(t *testing.T) {
	names := askNumPy(t, []question{{Op: "names"}})[0].Values
	if len(names) < 40 {
		t.Fatalf("NumPy knows only %d names", len(names))
	}
	for _, kind := range "?bBhHiIlLqQpPefdgFDGcSaUVMmuOznN" {
		for _, order := range []string{"", "<", ">", "=", "|"} {
			for _, size := range []string{"", "0", "1", "2", "3", "4", "7", "8", "12", "16", "24", "32", "007"} {
				names = append(names, order+string(kind)+size)
			}
		}
	}
	for _, unit := range []string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic", "B", "", "NS"} {
		for _, count := range []string{"", "1", "25", "2147483647", "2147483648"} {
			for _, stem := range []string{"M8", ">m8", "datetime64", "<timedelta64", "M", "f8"} {
				names = append(names, stem+"["+count+unit+"]")
			}
		}
	}
	var questions []question
	for _, name := range names {
		if !strings.Contains(name, "generic") || strings.Contains(name, "[generic]") { // counted: on the list of differences
			questions = append(questions, question{Op: "dtype", Name: name})
		}
	}
	numpy := oracle.NumPy(t, "numpy_server.py")
	for i, a := range answersOf(t, numpy, questions) {
		d, err := dtype.Parse(questions[i].Name)
		switch {
		case err == nil && !a.OK && acceptanceOf([]byte("'"+questions[i].Name+"'"), answer{Error: "not a valid dtype descriptor"}, numpy) != "":
		case (err == nil) != a.OK:
			t.Errorf("%s: %v, NumPy %v %s", questions[i].Name, err, a.OK, a.Error)
		case err == nil && (d.Typestr() != a.Str || d.ItemSize() != a.ItemSize):
			t.Errorf("%s: %s, %d bytes; NumPy %s, %d", questions[i].Name, d.Typestr(), d.ItemSize(), a.Str, a.ItemSize)
		case err == nil && strings.IndexByte("SUV", byte(d.Kind())) < 0 && d.String() != a.Name:
			t.Errorf("%s: called %s, by NumPy %s", questions[i].Name, d, a.Name)
		}
	}
}

// Random numbers print as NumPy prints them, but for whole floats: "1", where NumPy has "1.0".
func TestNumbersAgainstNumPy(t *testing.T) {
	rnd := random.New(t)
	var questions []question
	for _, name := range []string{
		"?", "i1", "u1", "<i2", ">u2", "<i4", ">u4", ">i8", "<u8", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<f16", ">f16",
	} {
		d := mustParse(t, name)
		var file []byte
		for range 200 {
			file = append(file, ordered(d, randomNumber(rnd, d))...)
		}
		questions = append(questions, question{Op: "values", Name: name, File: file})
	}
	compareValues(t, questions)
}

// Every float8 and every bfloat16 is the number that ml_dtypes says it is; skipped where this Python does not have ml_dtypes.
func TestFloatsAgainstNumPyMLDtypes(t *testing.T) {
	var questions []question
	for _, name := range strings.Fields("bfloat16 float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu") {
		d := mustParse(t, name)
		var file []byte
		for bits := range 1 << (8 * d.ItemSize()) {
			file = append(file, binary.LittleEndian.AppendUint16(nil, uint16(bits))[:d.ItemSize()]...)
		}
		questions = append(questions, question{Op: "floats", Name: name, File: file})
	}
	for i, a := range askNumPy(t, questions) {
		if strings.Contains(a.Error, "No module named 'ml_dtypes'") {
			t.Skip(a.Error)
		}
		d := mustParse(t, questions[i].Name)
		if len(a.Values)*d.ItemSize() != len(questions[i].File) {
			t.Fatalf("%s: %d values: %s", d, len(a.Values), a.Error)
		}
		for k, want := range a.Values {
			item := questions[i].File[k*d.ItemSize():][:d.ItemSize()]
			got := d.FormatValue(item)
			x, err := strconv.ParseFloat(got, 32)
			y, err2 := strconv.ParseFloat(want, 32)
			equal := x == y || x != x && y != y
			if d.String() == "bfloat16" { // prints its own shortest digits
				bits, _ := d.ParseValue(want)
				again, _ := d.ParseValue(got)
				equal = bytes.Equal(bits, again)
			}
			if err != nil || err2 != nil || !equal {
				t.Errorf("%s %x: %s, ml_dtypes %s", d, item, got, want)
			}
		}
	}
}

// Random times, whose counts are chosen so that years have four digits, print as NumPy prints them; NaT too.
func TestTimesAgainstNumPy(t *testing.T) {
	rnd := random.New(t)
	var questions []question
	for name, most := range map[string]int64{
		"<M8[Y]": 1900, ">M8[M]": 1900 * 12, "<M8[W]": 1900 * 52, "<M8[D]": 1900 * 365, "<M8[3h]": 1900 * 365 * 8,
		">M8[m]": 1900 * 365 * 1440, "<M8[s]": 5e10, "<M8[25s]": 2e9, "<M8[ms]": 5e13, ">M8[us]": 5e16,
		"<M8[ns]": math.MaxInt64, "<M8[ps]": math.MaxInt64, "<M8[fs]": math.MaxInt64, "<M8[7as]": math.MaxInt64 / 7,
	} {
		file := ordered(mustParse(t, name), binary.LittleEndian.AppendUint64(nil, 1<<63))
		for range 200 {
			count := rnd.Int64N(most) - rnd.Int64N(most)
			file = append(file, ordered(mustParse(t, name), binary.LittleEndian.AppendUint64(nil, uint64(count)))...)
		}
		questions = append(questions, question{Op: "values", Name: name, File: file})
	}
	compareValues(t, questions)
}

func compareValues(t *testing.T, questions []question) {
	t.Helper()
	for i, a := range askNumPy(t, questions) {
		d := mustParse(t, questions[i].Name)
		if !a.OK || len(a.Values) == 0 {
			t.Fatalf("%s: no values: %s", questions[i].Name, a.Error)
		}
		for k, want := range a.Values {
			item := questions[i].File[k*d.ItemSize():][:d.ItemSize()]
			if got := d.FormatValue(item); got != plainNumPy(d, want) && !sameDecimal(d, got, want) {
				t.Errorf("%s % x: %s, NumPy %s", questions[i].Name, item, got, want)
			}
		}
	}
}

// plainNumPy rewrites NumPy's text of a value.
func plainNumPy(d dtype.Type, s string) string {
	switch d.Kind() {
	case dtype.Bool:
		return strings.ToLower(s)
	case dtype.Float:
		return wholeFloat.ReplaceAllString(s, "$1")
	}
	return s
}

// sameDecimal reports whether a float16 of at least 1e3 or a float32 of at least 1e6, for which NumPy has had an exponent since 2.3, has
// the same digits.
func sameDecimal(d dtype.Type, got, want string) bool {
	x, ok := new(big.Rat).SetString(got)
	y, also := new(big.Rat).SetString(want)
	return d.Kind() == dtype.Float && d.ItemSize() < 8 && strings.Contains(want, "e+") && ok && also && x.Cmp(y) == 0
}

var wholeFloat = regexp.MustCompile(`\.0*(e|$)`)

// randomNumber returns an item in little-endian order: half-precision numbers below 2048, since NumPy shortens whole
// ones beyond, valid long doubles (powers of two, which may print a digit more, do not come up), and among the wider floats many of a size that prints without an exponent.
func randomNumber(r *rand.Rand, d dtype.Type) []byte {
	item := binary.LittleEndian.AppendUint64(nil, r.Uint64())
	switch {
	case d.Kind() != dtype.Float:
	case d.ItemSize() == 2:
		item = binary.LittleEndian.AppendUint16(nil, uint16(r.UintN(0x6800)|r.UintN(2)<<15))
	case d.ItemSize() == 16:
		exponent := 16383 - 100 + r.UintN(200)
		if r.IntN(4) == 0 {
			exponent = 1 + r.UintN(32766)
		}
		item = binary.LittleEndian.AppendUint64(nil, r.Uint64()|1<<63)
		item = binary.LittleEndian.AppendUint64(item, uint64(exponent|r.UintN(2)<<15))
	case r.IntN(2) == 0:
	case d.ItemSize() == 4:
		item = binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(r.IntN(1e9))/64))
	case d.ItemSize() == 8:
		item = binary.LittleEndian.AppendUint64(nil, math.Float64bits(float64(r.Int64N(1e18))/1024))
	}
	return item[:d.ItemSize()]
}

// ordered puts a little-endian item into the dtype's order.
func ordered(d dtype.Type, item []byte) []byte {
	if d.Order() == dtype.Big {
		slices.Reverse(item)
	}
	return item
}
