package pickle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestOpcodes: each opcode makes what pickletools says, by hand where Python's pickler does not write it.
func TestOpcodes(t *testing.T) {
	for code, want := range map[string]string{
		"N.": "None", "\x88.": "True", "\x89.": "False", "J\xff\xff\xff\xff.": "-1", "K\xff.": "255", "M\xff\xff.": "65535",
		"\x8a\x00.": "0", "\x8a\x01\x80.": "-128", "\x8a\x02\xff\x00.": "255", "\x8b\x01\x00\x00\x00\x7f.": "127",
		"\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.":     "-9223372036854775808",
		"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.": "0x8000000000000000",
		"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\xff.": "-9223372036854775808",
		"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff.": "-0x8000000000000001",
		"\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.":            "0x1950a86a20f9469cfc6c",
		"G\x3f\xf0\x00\x00\x00\x00\x00\x00.":            "f0x1p+00",
		"U\x01a.":                                       "s61", "T\x01\x00\x00\x00a.": "s61", "X\x01\x00\x00\x00a.": "s61", "\x8c\x01a.": "s61",
		"\x8d\x01\x00\x00\x00\x00\x00\x00\x00a.": "s61", "C\x01a.": "b61", "B\x01\x00\x00\x00a.": "b61",
		"\x8e\x01\x00\x00\x00\x00\x00\x00\x00a.": "b61", "\x96\x01\x00\x00\x00\x00\x00\x00\x00a.": "b61",
		").": "T[]", "(t.": "T[]", "K\x01\x85.": "T[1]", "K\x01K\x02\x86.": "T[1 2]", "K\x01K\x02K\x03\x87.": "T[1 2 3]", "(K\x01t.": "T[1]",
		"]K\x01a(K\x02K\x03e.": "L[1 2 3]", "}K\x01K\x02s(K\x03K\x04u.": "D{1:2 3:4}", "\x8f(K\x01\x90.": "S[1]", "(K\x01\x91.": "S[1]",
		"cm\nn\n.": "<m.n>", "U\x01mU\x01n\x93.": "<m.n>", "K\x01Q.": "P1", "cm\nn\n)R.": "C<m.n>T[][]{}[]", "cm\nn\n)\x81K\x01b.": "C<m.n>T[][]{}[1]",
		"cm\nn\n)}\x92K\x01aK\x02K\x03s.": "C<m.n>T[][1]{2:3}[]", "K\x01K\x020.": "1", "K\x01(K\x02K\x031.": "1", "K\x01(0.": "1", "]2\x86.": "T[L[] @1]",
		"]q\x05h\x05\x86.": "T[L[] @1]", "]\x94h\x00\x86.": "T[L[] @1]", "]r\xff\xff\xff\xffj\xff\xff\xff\xff\x86.": "T[L[] @1]",
		"I00\n.": "False", "I01\n.": "True", "I1\n.": "1", "I-7\n.": "-7", "L5L\n.": "5", "L5\n.": "5", "L-9223372036854775809L\n.": "-0x8000000000000001",
		"L119547037146038801333356L\n.": "0x1950a86a20f9469cfc6c", "F1.5\n.": "f0x1.8p+00", "F-inf\n.": "f-Inf", "F1e999\n.": "f+Inf", "S'a\\'\"\\n\\xff\\\\'\n.": "s6127220aff5c",
		"S\"it's\"\n.": "s69742773", "Va\\u00e9\xe9\\U0001f600\\x\n.": "s61c3a9c3a9f09f98805c78", "V\n.": "s", "(K\x01K\x02l.": "L[1 2]", "(K\x01K\x02d.": "D{1:2}",
		"(im\nn\n.": "C<m.n>T[][]{}[]", "(K\x01im\nn\n.": "C<m.n>T[1][]{}[]", "(cm\nn\nK\x01K\x02o.": "C<m.n>T[1 2][]{}[]", "Pthe id\n.": "Ps746865206964",
		"(lp5\ng5\n\x86.":                        "T[L[] @1]",
		"(Nq\x02K\x05q\x00K\x06\x94h\x00h\x02t.": "T[None 5 6 5 6]", "]q\x00h\x00a.": "L[@0]", "\x95\x00\x00\x00\x00\x00\x00\x00\x00N.": "None",
		"NK\x07.": "7", // what is below the last value is ignored
	} {
		for _, proto := range []string{"\x80\x02", ""} { // protocols 0 and 1 have no PROTO
			p, err := load(proto + code)
			if err != nil {
				t.Errorf("%q: %v", code, err)
				continue
			}
			if got := textOf(p.Root); got != want {
				t.Errorf("%q: %s, want %s", code, got, want)
			}
		}
	}
}

// TestHostile: what is broken, or needs more than the pickle, is refused with the opcode's name and its byte.
func TestHostile(t *testing.T) {
	malformed, unsupported := fault.Malformed, fault.Unsupported
	for _, c := range []struct {
		code  string
		class fault.Class
		text  string
	}{
		{"\x80\x06N.", unsupported, "protocol 6"},
		{"\xffN.", malformed, "not a pickle: it starts with 0xff"},
		{"", malformed, "ends at byte 0, without STOP"},
		{"\x80\x02N", malformed, "ends at byte 3, without STOP"},
		{"\x80\x02\x80\x02N.", malformed, "PROTO at byte 2: a second PROTO"},
		{"\x80\x02.", malformed, "STOP at byte 2: the stack is empty"},
		{"\x80\x02N(.", malformed, "STOP at byte 4: the stack is empty"},
		{"\x80\x02\xff.", malformed, "invalid opcode 0xff at byte 2"},
		{"im\nn\n.", malformed, "INST at byte 0: the mark is missing"},
		{"(i\nn\n.", malformed, "INST at byte 1: a name is empty"},
		{"(o.", malformed, "OBJ at byte 1: it has no class"},
		{"(No.", malformed, "OBJ at byte 2: None cannot be called"},
		{"Pid", malformed, "PERSID at byte 0: its line is not terminated"},
		{"I1", malformed, "INT at byte 0: its line is not terminated"},
		{"I\n.", malformed, `INT at byte 0: invalid value ""`},
		{"I1.5\n.", malformed, `INT at byte 0: invalid value "1.5"`},
		{"I0x10\n.", malformed, `INT at byte 0: invalid value "0x10"`},
		{"I5L\n.", malformed, `INT at byte 0: invalid value "5L"`},
		{"L" + strings.Repeat("9", maxDigits) + "0L\n.", malformed, "LONG at byte 0"},
		{"Fx\n.", malformed, "FLOAT at byte 0"},
		{"Sx\n.", malformed, "STRING at byte 0"},
		{"S'\n.", malformed, "STRING at byte 0"},
		{"S'x\"\n.", malformed, "STRING at byte 0"},
		{"S'\\u1234'\n.", malformed, "STRING at byte 0"},
		{"g0\n.", malformed, "GET at byte 0: the memo is empty at 0"},
		{"Np-1\n.", malformed, `PUT at byte 1: invalid memo index "-1"`},
		{"Np4294967296\n.", malformed, "PUT at byte 1"},
		{"p0\n.", malformed, "PUT at byte 0: the stack is empty"},
		{"l.", malformed, "LIST at byte 0: the mark is missing"},
		{"(Nd.", malformed, "DICT at byte 2: a key has no value"},
		{"\x80\x02\x82\x01.", unsupported, "EXT1 at byte 2"},
		{"\x80\x02\x83\x01\x00.", unsupported, "EXT2 at byte 2"},
		{"\x80\x02\x84\x01\x00\x00\x00.", unsupported, "EXT4 at byte 2"},
		{"\x80\x05\x97.", unsupported, "NEXT_BUFFER at byte 2"},
		{"\x80\x05N\x98.", unsupported, "READONLY_BUFFER at byte 3"},
		{"\x80\x02X\xff\xff\xff\xffabc.", malformed, "BINUNICODE at byte 2: it needs 4294967295 bytes, 4 remain"},
		{"\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc.", malformed, "BINUNICODE8 at byte 2: it needs 18446744073709551615 bytes"},
		{"\x80\x02\x8e\x00\x00\x00\x00\x00\x00\x00\x80.", malformed, "BINBYTES8 at byte 2"},
		{"\x80\x02\x8b\xff\xff\xff\xff.", malformed, "LONG4 at byte 2"},
		{"\x80\x02J\x01.", malformed, "BININT at byte 2: it needs 4 bytes, 2 remain"},
		{"\x80\x02cmodule", malformed, "GLOBAL at byte 2: its line is not terminated"},
		{"\x80\x02c\nn\n.", malformed, "GLOBAL at byte 2: a name is empty"},
		{"\x80\x02NN\x93.", malformed, "STACK_GLOBAL at byte 4: it needs a string, not None"},
		{"\x80\x02h\x00.", malformed, "BINGET at byte 2: the memo is empty at 0"},
		{"\x80\x02Nq\x01h\x00.", malformed, "BINGET at byte 5"},
		{"\x80\x02j\xff\xff\xff\xff.", malformed, "LONG_BINGET at byte 2: the memo is empty at 4294967295"},
		{"\x80\x02q\x00.", malformed, "BINPUT at byte 2: the stack is empty"},
		{"\x80\x02N(q\x00.", malformed, "BINPUT at byte 4: the stack is empty"},
		{"\x80\x020.", malformed, "POP at byte 2: the stack is empty"},
		{"\x80\x021.", malformed, "POP_MARK at byte 2: the mark is missing"},
		{"\x80\x02Nt.", malformed, "TUPLE at byte 3: the mark is missing"},
		{"\x80\x02N(\x85.", malformed, "TUPLE1 at byte 4: it needs 1 values"},
		{"\x80\x02Q.", malformed, "BINPERSID at byte 2: the stack is empty"},
		{"\x80\x02N)R.", malformed, "REDUCE at byte 4: None cannot be called"},
		{"\x80\x02cm\nn\n]R.", malformed, "REDUCE at byte 8: its arguments are a list, not a tuple"},
		{"\x80\x02cm\nn\n)N\x92.", malformed, "NEWOBJ_EX at byte 9: its keywords are None"},
		{"\x80\x02}Nb.", malformed, "BUILD at byte 4: a dict has no state"},
		{"\x80\x02cm\nn\n)RNbNb.", malformed, "already has a state"},
		{"\x80\x02]NNs.", malformed, "SETITEM at byte 5: a list has no keys"}, // CVE-2026-24747
		{"\x80\x02K\x01(NNu.", malformed, "SETITEMS at byte 7: an int has no keys"},
		{"\x80\x02}(Nu.", malformed, "SETITEMS at byte 5: a key has no value"},
		{"\x80\x02}Na.", malformed, "APPEND at byte 4: a dict has no items"},
		{"\x80\x02](N\x90.", malformed, "ADDITEMS at byte 5: a list has no items"},
		{"\x80\x02\x8f(Ne.", malformed, "APPENDS at byte 5: a set has no items"},
		{"\x80\x02" + strings.Repeat("N", maxStack+1) + ".", unsupported, "a stack of more than 1000000 values"},
		{"\x80\x02" + strings.Repeat("(", maxStack+1) + ".", unsupported, "a stack of more than 1000000 values"},
	} {
		_, err := load(c.code)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Text, c.text) {
			t.Errorf("%.60q: %v; want class %d and %q", c.code, err, c.class, c.text)
		}
	}
}

// TestShortReader: a file that is shorter than was said is refused, and what a length claims is not believed for longer.
func TestShortReader(t *testing.T) {
	_, err := Load(bufio.NewReader(strings.NewReader("\x80\x02X\xff\x00\x00\x00abc")), 1000, unbounded)
	if fault.ClassOf(err) != fault.Malformed {
		t.Error(err)
	}
}

// TestLimits: exactly as many objects, values of the memo and bytes of names are read as the limits say, and one more is refused.
func TestLimits(t *testing.T) {
	repeat := strings.Repeat
	for _, c := range []struct {
		what  string
		of    func(n int) string
		class fault.Class
		text  string
	}{
		{"objects", func(n int) string { return repeat("N0", n-1) + "N" }, fault.Resource, "makes more than 100 objects"},
		{"objects of parts", func(n int) string { return "(" + repeat("N", n-1) + "t" }, fault.Resource, "makes more than 100 objects"},
		{"the memo", func(n int) string { return "]q\x00(" + repeat("h\x00", n) + "e" }, fault.Resource, "reads more than 100 objects from its memo"},
		{"copies", func(n int) string { return "]" + repeat("20", n) }, fault.Resource, "reads more than 100 objects from its memo"},
		{"a name", func(n int) string { return "cm\n" + repeat("n", n-1) + "\n" }, fault.Unsupported, "the name of a global has more than 100 bytes"},
		{"a module", func(n int) string { return "c" + repeat("m", n-1) + "\nn\n" }, fault.Unsupported, "the name of a global has more than 100 bytes"},
		{"a line", func(n int) string { return "c" + repeat("m", n-1+n%100*1000) + "\nn\n" }, fault.Unsupported, "the name of a global has more than 100 bytes"},
		{"a name of the stack", func(n int) string { return "U\x01mU" + string(rune(n-1)) + repeat("n", n-1) + "\x93" }, fault.Unsupported, "has more than 100 bytes"},
		{"a persistent id", func(n int) string { return "P" + repeat("i", n) + "\n" }, fault.Unsupported, "a persistent id of more than 100 bytes"},
		{"digits of INT", func(n int) string { return "I" + repeat("1", maxDigits-100+n+n%100*2) + "\n" }, fault.Unsupported, "INT at byte 2: a number of more than 4302 bytes"},
		{"digits of LONG", func(n int) string { return "L-" + repeat("1", maxDigits-100+n+n%100) + "L\n" }, fault.Unsupported, "a number of more than 4302 bytes"},
		{"digits of FLOAT", func(n int) string { return "F" + repeat("1", maxLine-100+n) + "\n" }, fault.Unsupported, "a number of more than 4302 bytes"},
		{"digits of PUT", func(n int) string { return "Np" + repeat("0", maxLine-100+n) + "\n" }, fault.Unsupported, "a number of more than 4302 bytes"},
		{"all names", func(n int) string {
			return repeat("c"+repeat("m", 49)+"\nn\n0", 4) + "cm\n" + repeat("n", n-1) + "\n"
		}, fault.Unsupported, "the name of a global has more than 100 bytes"},
		{"names", func(n int) string {
			return repeat("c"+repeat("m", 49)+"\nn\n0", 4) + "cm\n" + repeat("n", 49) + "\n" + "0c" + repeat("m", 48) + "\n" + repeat("n", n-98) + "\n"
		}, fault.Unsupported, "globals exceed 300 bytes"},
	} {
		for more := range 2 {
			code := "\x80\x02" + c.of(100+more) + "."
			_, err := Load(bufio.NewReader(strings.NewReader(code)), int64(len(code)), Limits{100, 100, 300, 0})
			if refused := err != nil && fault.ClassOf(err) == c.class && strings.Contains(err.Error(), c.text); refused != (more == 1) || err != nil && more == 0 {
				t.Errorf("%s, %d: %v, expected %q", c.what, 100+more, err, c.text)
			}
		}
	}
	for n, want := range map[int]string{maxLong: "", maxLong + 1: "an integer of 65537 bytes, more than 65536"} {
		_, err := load("\x80\x02\x8b" + string(binary.LittleEndian.AppendUint32(nil, uint32(n))) + strings.Repeat("\x7f", n) + ".")
		if want == "" && err != nil || want != "" && (fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), want)) {
			t.Errorf("an integer of %d bytes: %v", n, err)
		}
	}
}

// TestMemory: whatever the opcodes, what they leave in memory, and all that is allocated on the way, is in proportion to the
// pickle's bytes; as are the nodes.
func TestMemory(t *testing.T) {
	const n = 1 << 16
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for name, code := range map[string]string{
		"lists":       "(" + repeat("]") + "t",
		"dicts":       "(" + repeat("}") + "t",
		"calls":       "cm\nn\n" + repeat(")R"),
		"deep":        repeat("\x85") + "",
		"memo":        "N" + repeat("\x94"),
		"far memo":    "N" + far(n/5),
		"integers":    "(" + repeat("M\xff\xff") + "t",
		"long":        "\x8b\x00\x00\x01\x00" + strings.Repeat("\xff", n),
		"negative":    "\x8b\x00\x00\x01\x00" + strings.Repeat("\x80", n),
		"strings":     "(" + repeat("U\x01a") + "t",
		"globals":     "(" + repeat("cm\nn\n") + "t",
		"persistent":  "N" + repeat("Q"),
		"pairs":       "}" + repeat("NNs"),
		"items":       "]" + repeat("Na"),
		"shared":      "]q\x00(" + repeat("h\x00") + "e",
		"sets":        "(" + repeat("(\x91") + "t",
		"pushed":      repeat("]0") + "N",
		"marks":       repeat("(N1") + "N",
		"digits":      "(" + repeat("L"+strings.Repeat("9", 200)+"L\n") + "t",
		"all digits":  "(" + repeat("I"+strings.Repeat("9", maxDigits)+"\n") + "t",
		"unicode":     "V" + repeat("\xff") + "\n",
		"escapes":     "V" + repeat(`\u`) + "\n",
		"quoted":      "S'" + repeat(`\xff`) + "'\n",
		"lists of 0":  "(" + repeat("(l") + "t",
		"dicts of 0":  "(" + repeat("(d") + "t",
		"objects":     "cm\nn\np0\n0(" + repeat("(g0\no") + "t",
		"instances":   "(" + repeat("(im\nn\n") + "t",
		"long string": "X\x00\x00\x01\x00" + strings.Repeat("a", n),
	} {
		if name == "deep" {
			code = "N" + code
		}
		pickle := "\x80\x02" + code + "."
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := load(pickle)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > bound(len(pickle)) || p.Nodes > len(pickle) {
			t.Errorf("%s: %d bytes allocated, %d nodes of %d bytes", name, used, p.Nodes, len(pickle))
		}
	}
}

// TestLongLines: a text of protocol 0 is read whatever its length and wherever its escapes are, and allocates little more than itself and its line.
func TestLongLines(t *testing.T) {
	for at := partBytes - 12; at <= partBytes+2; at++ {
		p, err := load("V" + strings.Repeat("a", at) + "\\U0001f600\\u00e9\xe9\\\n.")
		if want := strings.Repeat("a", at) + "\U0001f600éé\\"; err != nil || p.Root != Value(String(want)) {
			t.Errorf("%d: %v", at, err)
		}
	}
	const n = 4 << 20
	for code, want := range map[string]string{
		"V" + strings.Repeat("\xff", n) + "\n.":     strings.Repeat("ÿ", n),
		"V" + strings.Repeat("a", n) + "\n.":        strings.Repeat("a", n),
		"S'" + strings.Repeat("a", n) + "'\n.":      strings.Repeat("a", n),
		"S'" + strings.Repeat(`\xff`, n/4) + "'\n.": strings.Repeat("\xff", n/4),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := load(code)
		runtime.ReadMemStats(&after)
		if err != nil || p.Root != Value(String(want)) {
			t.Errorf("%.8q: %v", code, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 4*n {
			t.Errorf("%.8q: %d bytes allocated", code, used)
		}
	}
}

// bound is how many bytes a pickle of n bytes may allocate.
func bound(n int) uint64 { return 1<<16 + 200*uint64(n) }

func far(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte('r')
		b.Write(binary.LittleEndian.AppendUint32(nil, uint32(1<<20+i)))
	}
	return b.String()
}

// TestCut: a pickle that is cut off is refused at every byte.
func TestCut(t *testing.T) {
	whole := "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}(\x8c\x01aK\x01X\x01\x00\x00\x00bcm\nn\n)RNbG\x3f\xf0\x00\x00\x00\x00\x00\x00\x8a\x09123456789u."
	if _, err := load(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if _, err := load(whole[:n]); fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestObjectsOfBytes: beyond a million, a pickle of any size makes one object for each eight bytes read, and reads one from its memo.
func TestObjectsOfBytes(t *testing.T) {
	for _, c := range []struct {
		again, more string
		most        int
	}{
		{")", "makes more than 1143", 1_142_000},
		{"h\x00", "reads more than 1333", 1_333_000},
	} {
		for n, refused := range map[int]bool{c.most: false, c.most + 5000: true} {
			code := ")q\x000]" + strings.Repeat("("+strings.Repeat(c.again, 1000)+"e", n/1000) + "."
			_, err := Load(bufio.NewReader(strings.NewReader(code)), int64(len(code)), unbounded)
			if (err != nil) != refused || refused && (fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), c.more)) {
				t.Errorf("%d times %q: %v", n, c.again, err)
			}
		}
	}
}
