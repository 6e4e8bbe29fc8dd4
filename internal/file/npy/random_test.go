package npy_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes headers for comparison with another reader: valid ones, and ones with a few changed characters.
type generator struct{ *rand.Rand }

func (g generator) pick(from []string) string { return from[g.IntN(len(from))] }

var someTypes = []string{
	"<f4", ">f8", "<f2", "|b1", "?", "i1", ">u1", "=i2", "|u8", "<c8", ">c16", "<f16", "<c32", "|S5", ">S0", "<U7", ">U0",
	"V3", "<V2", "|V16", "float32", "int", "longdouble", "datetime64", "M8[ns]", ">m8[25s]", "m8[generic]", "timedelta64[as]",
	"a4", "S007", "B", ">l", "f4,i2", "<f4, >M8[us] ,b", "b,", "str", "void", "complex",
}

var someNames = []string{"a", "b", "c", "field", "", "it's", `say "x"`, `back\slash`, "tab\t", "é", "数", "\u00ad", "f0", "a b", "{}", "("}

// descr returns a dtype in Python's spelling.
func (g generator) descr(depth int) string {
	switch k := g.IntN(10); {
	case k < 6 || depth > 3:
		return "'" + g.pick(someTypes) + "'"
	case k < 7:
		return "(" + g.descr(depth+1) + ", " + g.shape(1, 3) + ")"
	}
	var fields []string
	for range g.IntN(4) {
		name := g.quote(g.pick(someNames))
		switch g.IntN(6) {
		case 0:
			name = "(" + g.quote(g.pick(someNames)) + ", " + name + ")"
		case 1:
			fields = append(fields, "('', '|V4')")
		}
		field := "(" + name + ", " + g.descr(depth+1)
		if g.IntN(4) == 0 {
			field += ", " + g.shape(1, 3)
		}
		fields = append(fields, field+")")
	}
	return "[" + strings.Join(fields, ", ") + "]"
}

// quote writes s with one of several spellings of a Python string.
func (g generator) quote(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\'' || r == '"' || r == '\\':
			b.WriteString("\\" + string(r))
		case r == '\t':
			b.WriteString(g.pick([]string{`\t`, `\x09`, `\11`, "\t"}))
		case r > 0xff || g.IntN(8) == 0:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	q := g.pick([]string{"'", "'", `"`})
	return g.pick([]string{"", "", "", "u"}) + q + b.String() + q
}

func (g generator) shape(low, high int) string {
	n := low + g.IntN(high-low+1)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprint(g.IntN(8))
	}
	if n == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, g.pick([]string{", ", ",", " ,\t"})) + ")"
}

var somePieces = strings.Split("' \" ( ) [ ] { } , : \\ # L 0 1 9 00 - + . True False None 'a' '<f4' '' (2,) 3 x é \t \n O S U M8[ns] 0x1 e _ [s] u b r < > | = \\x41 \\n /2", " ")

// mutate changes one place of s.
func (g generator) mutate(s string) string {
	i := g.IntN(len(s) + 1)
	j := min(len(s), i+g.IntN(3))
	switch g.IntN(4) {
	case 0:
		return s[:i] + string(rune(g.IntN(256))) + s[j:]
	case 1:
		return s[:i] + s[min(len(s), j+1):]
	}
	return s[:i] + g.pick(somePieces) + s[j:]
}

// file returns a file with a header, half of the time a damaged one, and no data.
func (g generator) file() []byte {
	descr, shape := g.descr(0), g.shape(0, 5)
	switch g.IntN(8) {
	case 0, 1:
		descr = g.mutate(descr)
	case 2:
		shape = g.mutate(shape)
	}
	order := g.pick([]string{"True", "False", "False"})
	text := "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n"
	if g.IntN(3) == 0 {
		text = "{\"shape\":" + shape + ",'fortran_order':" + order + ",'descr':" + descr + "}"
	}
	if g.IntN(8) == 0 {
		text = g.mutate(text)
	}
	major := byte(1 + g.IntN(3))
	if major < 3 {
		text = strings.Map(func(r rune) rune { return min(r, 0xff) }, text)
		latin1 := make([]byte, 0, len(text))
		for _, r := range text {
			latin1 = append(latin1, byte(r))
		}
		text = string(latin1)
	}
	return headerFile(major, 0, text, 0)
}
