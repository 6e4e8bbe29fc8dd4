package torch

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"
)

func raw(s string) string {
	return "B" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

// dtypeOf is a dtype as NumPy pickles it.
func dtypeOf(kind, order string) string {
	return call("numpy.dtype", str(kind), "\x89", "\x88") + tuple(num(3), str(order), "N", "N", "N", num(-1), num(-1), num(0)) + "b"
}

// arrayState is an array as NumPy pickles it, of the module numpy.core or numpy._core.
func arrayState(core, shape, dtype, fortran, data string) string {
	return call(core+".multiarray._reconstruct", global("numpy.ndarray"), nums(0), raw("b")) + tuple(num(1), shape, dtype, fortran, data) + "b"
}

const np, c, f = "numpy.core", "\x89", "\x88"

func latin(s string) string { return call("_codecs.encode", str(s), str("latin1")) }

// TestArrays: an array of NumPy in the pickle is a tensor with a storage of its own, of the bytes that the pickle has; an array of
// numbers that is not of as many bytes as it says is refused, one of others is left out, and what is below it is listed.
func TestArrays(t *testing.T) {
	f4, six := dtypeOf("f4", "<"), strings.Repeat("abcd", 6)
	const storage = "storage 0 8"
	for _, x := range []struct{ what, object, want, data string }{
		{"bytes", arrayState(np, nums(2, 3), f4, c, raw(six)), "w <f4 [2 3] [3 1] 0 @numpy/0", six},
		{"NumPy 2", arrayState("numpy._core", nums(2, 3), f4, c, raw(six)), "w <f4 [2 3] [3 1] 0 @numpy/0", six},
		{"Fortran order", arrayState(np, nums(2, 3), f4, f, raw(six)), "w <f4 [2 3] [1 2] 0 @numpy/0", six},
		{"big-endian", arrayState(np, nums(3), dtypeOf("i8", ">"), c, raw(six)), "w >i8 [3] [1] 0 @numpy/0", six},
		{"a bool", arrayState(np, nums(), dtypeOf("b1", "|"), c, raw("\x01")), "w |b1 [] [] 0 @numpy/0", "\x01"},
		{"text", arrayState(np, nums(3), dtypeOf("u1", "|"), c, latin("a\u00ff\u0080")), "w |u1 [3] [1] 0 @numpy/0", "a\xff\x80"},
		{"no bytes", arrayState(np, nums(0, 3), f4, c, global("__builtin__.bytes")+")R"), "w <f4 [0 3] [3 1] 0 @numpy/0", ""},
		{"a buffer", call(np+".numeric._frombuffer", raw(six), f4, nums(3, 2), str("F")), "w <f4 [3 2] [1 3] 0 @numpy/0", six},
		{"objects", arrayState(np, nums(1), dtypeOf("O8", "|"), c, "]("+simple+"e"), "", "w.0 <f4 [2] [1] 0 @0"},
		{"objects that are not arrays", arrayState(np, nums(1), dtypeOf("O8", "|"), c, "](Ne"), "", "w: left out: Python objects"},
		{"strings", arrayState(np, nums(1), dtypeOf("U1", "<"), c, raw("abcd")), "", "w: left out: texts"},
		{"times", arrayState(np, nums(1), dtypeOf("M8", "<"), c, raw("abcdefgh")), "", "w: left out: times"},
		{"numbers of 3 bytes", arrayState(np, nums(1), dtypeOf("f3", "<"), c, raw("abc")), "", `w: it is a NumPy array of an unsupported type: "f3"`},
		{"records", arrayState(np, nums(1), dtypeOf("V8", "|"), c, raw("abcdefgh")), "", `w: it is a NumPy array of an unsupported type: "V8"`},
		{"nothing", arrayState(np, nums(1), dtypeOf("", "|"), c, raw("")), "", "w: it is a NumPy array of an unsupported type"},
		{"no dtype", arrayState(np, nums(1), "N", c, raw("abcd")), "", "w: it is a NumPy array of an unsupported type"},
		{"a byte less", arrayState(np, nums(2, 3), f4, c, raw(six[1:])), "", "w: " + otherBytes},
		{"a byte more", arrayState(np, nums(3), dtypeOf("u1", "|"), c, latin("abcd")), "", "w: " + otherBytes},
		{"a byte less of text", arrayState(np, nums(3), dtypeOf("u1", "|"), c, latin("ab")), "", "w: " + otherBytes},
		{"no Latin-1", arrayState(np, nums(1), dtypeOf("u1", "|"), c, latin("\u0100")), "", "w: " + otherBytes},
		{"a size below 0", arrayState(np, nums(-1), f4, c, raw("")), "", "w: " + otherBytes},
		{"too many", arrayState(np, nums(1<<62, 1<<62), f4, c, raw("")), "", "w: " + otherBytes},
		{"another class", strings.ReplaceAll(arrayState(np, nums(1), f4, c, raw("abcd")), "ndarray", "matrix"), "", ""},
	} {
		file := saved(dict(str("w"), x.object, str("t"), simple))
		k, err := openBytes(file)
		if err != nil {
			t.Errorf("%s: %v", x.what, err)
			continue
		}
		out, refused := k.LeftOut, k.Refused
		if k.LeftOut, k.Refused = nil, nil; x.want != "" {
			s := k.Storages[len(k.Storages)-1]
			if !s.Inline || s.Data != x.data || s.Bytes != int64(len(x.data)) {
				t.Errorf("%s: %+v", x.what, s)
			}
			wantLines(t, x.what, file, x.want, "t <f4 [2] [1] 0 @0", storage, fmt.Sprintf("storage numpy/0 %d", len(x.data)))
			continue
		}
		got := strings.TrimSuffix(lines(k), "\nt <f4 [2] [1] 0 @0\n"+storage+"\n")
		got = strings.TrimSuffix(got, "t <f4 [2] [1] 0 @0\n"+storage+"\n")
		for _, l := range out {
			got = strings.TrimPrefix(got+"\n"+l.Name+": left out: "+l.Elements, "\n")
		}
		for _, r := range refused {
			got = strings.TrimPrefix(got+"\n"+r.Name+": "+r.Why, "\n")
		}
		if got != x.data {
			t.Errorf("%s: %q, expected %q", x.what, got, x.data)
		}
	}
}

// TestArraysOfOneText: of arrays that all name one text or bytes, as many are read as a pickle of that size could have bytes of its own.
func TestArraysOfOneText(t *testing.T) {
	const n = 1 << 20
	long := string(binary.LittleEndian.AppendUint32(nil, n)) + strings.Repeat("a", n) + "q\x010"
	for what, x := range map[string]struct{ one, data string }{
		"text":  {"X" + long, global("_codecs.encode") + tuple("h\x01", str("latin1")) + "R"},
		"bytes": {"B" + long, "h\x01"},
	} {
		file := saved(x.one + tuple(strings.Repeat(arrayState(np, nums(n), dtypeOf("u1", "|"), c, x.data), 1000)))
		before := hostile.Allocated()
		k, err := openBytes(file)
		if err != nil {
			t.Fatal(what, err)
		}
		if used := hostile.Allocated() - before; used > bound(len(file)) || len(k.Tensors)+len(k.Refused) != 1000 || len(k.Tensors) != 1 {
			t.Errorf("%s: %d bytes allocated for a file of %d; %d tensors, %d refused", what, used, len(file), len(k.Tensors), len(k.Refused))
		}
		if r := k.Refused[0]; r.Why != sharedBytes {
			t.Error(what, r)
		}
	}
}

// TestArraysOfProtocol0: a byte of 0x80 or more is one of the pickle, and two of the text in memory.
func TestArraysOfProtocol0(t *testing.T) {
	const n = 100_000
	data := strings.Repeat("\xff", n)
	latin := global("_codecs.encode") + tuple("V"+data+"\n", str("latin1")) + "R"
	k, err := openBytes(saved(arrayState(np, nums(n), dtypeOf("u1", "|"), c, latin)))
	if err != nil || len(k.Tensors) != 1 || k.Storages[k.Tensors[0].Storage].Data != data {
		t.Errorf("%v: %+v", err, k)
	}
}
