package gguf

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor"
)

// pair is a file with one pair of key "k", whose type and value follow.
func pair(kind uint32) *b { return begun(0, 1).text("k").u32(kind) }

// nested is an array of one array, and so on, n deep; the innermost has no items.
func nested(n int) []byte {
	f := pair(typeArray)
	for range n - 1 {
		f.u32(typeArray).u64(1)
	}
	return f.u32(0).u64(0).raw
}

// TestRules: each rule refuses what breaks it.
func TestRules(t *testing.T) {
	malformed, unsupported := fault.Malformed, fault.Unsupported
	const huge = math.MaxUint64
	for _, c := range []struct {
		name  string
		raw   []byte
		class fault.Class
		text  string
	}{
		{"nothing", nil, malformed, "not a GGUF file"},
		{"another file", []byte("PK\x03\x04 something"), malformed, `starts with "PK\x03\x04"`},
		{"its predecessor", []byte("tjgg\x01\x00\x00\x00"), malformed, `starts with "tjgg"`},
		{"version 0", (&b{[]byte("GGUF")}).u32(0).u64(0, 0).raw, unsupported, "version 0: want"},
		{"version 1", (&b{[]byte("GGUF")}).u32(1).u32(0, 0).raw, unsupported, "version 1"},
		{"version 4", (&b{[]byte("GGUF")}).u32(4).u64(0, 0).raw, unsupported, "version 4: want"},
		{"version 2 with another byte order", (&b{[]byte("GGUF")}).u32(2<<24).u64(0, 0).raw, unsupported, "version 2: want"},
		{"version 1 with another byte order", (&b{[]byte("GGUF")}).u32(1<<24).u64(0, 0).raw, unsupported, "version 1"},
		{"cut off in the counts", begun(0, 0).raw[:20], malformed, "truncated"},
		{"more tensors than fit", begun(1, 0).raw, malformed, "1 tensors do not fit in the remaining 8 bytes"},
		{"2⁶⁴−1 tensors", begun(huge, 0).raw, malformed, "18446744073709551615 tensors"},
		{"more pairs than fit", begun(0, 1).raw, malformed, "1 key-value pairs do not fit in the remaining 0 bytes"},
		{"2⁶⁴−1 pairs", begun(0, huge).raw, malformed, "18446744073709551615 key-value pairs"},
		{"an empty key", begun(0, 1).text("").u32(0, 0, 0).raw, malformed, "a key of 0 bytes"},
		{"a key beyond the file", begun(0, 1).u64(100).u32(0, 0, 0).raw, malformed, "100 bytes of a key do not fit"},
		{"a key of 2⁶⁴−1 bytes", begun(0, 1).u64(huge).u32(0, 0, 0).raw, malformed, "18446744073709551615 bytes of a key"},
		{"a key that is too long", begun(0, 1).text(strings.Repeat("k", 65536)).u32(0).bytes(0).raw, malformed, "a key of 65536 bytes"},
		{"a key twice", begun(0, 2).text("k").u32(0).bytes(1).text("k").u32(0).bytes(1).raw, malformed, `duplicate key "k"`},
		{"an unknown type", pair(13).u64(0).raw, malformed, `key "k": unknown value type 13`},
		{"a type of 2³²−1", pair(math.MaxUint32).u64(0).raw, malformed, "type 4294967295"},
		{"a value that is cut off", pair(10).u32(0).raw, malformed, "truncated"},
		{"a bool of 2", pair(typeBool).bytes(2).raw, malformed, "invalid bool 2"},
		{"a bool of 2 in an array", pair(typeArray).u32(typeBool).u64(2).bytes(1, 2).raw, malformed, "invalid bool 2"},
		{"a bool of 2 in a long array", pair(typeArray).u32(typeBool).u64(20).bytes(make([]byte, 19)...).bytes(2).raw, malformed, "invalid bool 2"},
		{"a text beyond the file", pair(typeText).u64(1).raw, malformed, "1 bytes of a text do not fit in the remaining 0"},
		{"a text of 2⁶⁴−1 bytes", pair(typeText).u64(huge).raw, malformed, "18446744073709551615 bytes of a text"},
		{"an array of an unknown type", pair(typeArray).u32(13).u64(0).raw, malformed, "unknown array type 13"},
		{"an array beyond the file", pair(typeArray).u32(10).u64(2, 0).raw, malformed, "2 values of an array do not fit in the remaining 8 bytes"},
		{"an array whose bytes wrap", pair(typeArray).u32(10).u64(1<<61, 0).raw, malformed, "2305843009213693952 values"},
		{"an array of texts beyond the file", pair(typeArray).u32(typeText).u64(2, 0).raw, malformed, "2 values of an array"},
		{"a text in an array beyond the file", pair(typeArray).u32(typeText).u64(1, 1).raw, malformed, "1 bytes of a text"},
		{"arrays nine deep", nested(9), unsupported, "nested deeper than 8"},
		{"arrays 10,000 deep", nested(10000), unsupported, "nested deeper than 8"},
		{"an alignment of another type", begun(0, 1).text(alignmentKey).u32(10).u64(32).raw, malformed, "is not a uint32"},
		{"an alignment of 0", begun(0, 1).text(alignmentKey).u32(4, 0).raw, malformed, "is 0, not a power of two"},
		{"an alignment of 24", begun(0, 1).text(alignmentKey).u32(4, 24).raw, malformed, "is 24, not a power of two"},
		{"an empty name", begun(1, 0).info("", 0, 0, 1).data(4), malformed, "name of 0 bytes"},
		{"a name twice", begun(2, 0).info("t", 0, 0, 1).info("t", 0, 32, 1).data(64), malformed, `two tensors have the name "t"`},
		{"more dims than fit", begun(1, 0).text("t").u32(100).u64(1, 1, 1).raw, malformed, "100 dims do not fit"},
		{"2³²−1 dims", begun(1, 0).text("t").u32(math.MaxUint32).u64(1, 1, 1).raw, malformed, "4294967295 dims"},
		{"a negative size", begun(1, 0).info("t", 0, 0, 1, huge).data(4), malformed, "ne[1] is over 2⁶³"},
		{"half a block of rows", begun(1, 0).info("t", 33, 0, 64, 12).data(64), malformed, "not a multiple of the 8 in a block of q4_0_8_8"},
		{"a row of such a block", begun(1, 0).info("t", 31, 0, 64).data(64), malformed, "not a multiple of the 4 in a block of q4_0_4_4"},
		{"half a block", begun(1, 0).info("t", 2, 0, 48).data(64), malformed, "48 values, not a multiple of the 32 in a block of q4_0"},
		{"a block without dims", begun(1, 0).info("t", 2, 0).data(64), malformed, "1 values"},
		{"blocks along another dim", begun(1, 0).info("t", 2, 0, 1, 32).data(64), malformed, "1 values"},
		{"an overflow", begun(1, 0).info("t", 0, 0, 1<<62, 4).data(64), malformed, "overflows"},
		{"an overflow of bytes", begun(1, 0).info("t", 28, 0, 1<<62).data(64), malformed, "overflows"},
		{"an overflow that an empty dim hides", begun(1, 0).info("t", 0, 0, 0, 1<<62, 16).data(64), malformed, "overflows"},
		{"not aligned", begun(1, 0).info("t", 0, 16, 1).data(64), malformed, "begin at 16, not a multiple of the alignment 32"},
		{"beyond the file", begun(1, 0).info("t", 0, 32, 9).data(64), malformed, "its 36 bytes at 32 are outside the 64 bytes"},
		{"begins behind the file", begun(1, 0).info("t", 0, 96, 0).data(64), malformed, "0 bytes at 96"},
		{"an offset that wraps", begun(1, 0).info("t", 0, huge-31, 9).data(64), malformed, "at 18446744073709551584"},
		{"an unknown type beyond the file", begun(1, 0).info("t", 99, 96, 9).data(64), malformed, "at 96"},
		{"no data", begun(1, 0).info("t", 0, 0, 1).raw, malformed, "before its data"},
		{"an overlap", begun(2, 0).info("a", 0, 0, 9).info("b", 0, 32, 1).data(64), malformed, `"b": its data overlap those of tensor "a"`},
		{"the same place", begun(2, 0).info("a", 0, 32, 1).info("b", 24, 32, 1).data(64), malformed, "overlap"},
		{"an overlap behind an empty one", begun(3, 0).info("a", 0, 0, 9).info("e", 0, 32, 0).info("b", 0, 32, 1).data(64), malformed, "overlap"},
	} {
		_, err := open(c.raw)
		wantFault(t, c.name, err, c.class, c.text)
	}
	_, err := Open(bytes.NewReader(begun(0, 0).raw), 1000, checkpoint.MaxLimit)
	if err != nil {
		t.Errorf("a file that became shorter after its header: %v", err)
	}
	_, err = Open(bytes.NewReader(begun(0, 1).text("key").raw), 1000, checkpoint.MaxLimit)
	wantFault(t, "a file that became shorter", err, fault.Malformed, "truncated")
	_, err = Open(bytes.NewReader(pair(typeText).u64(500).raw), 1000, checkpoint.MaxLimit)
	wantFault(t, "a file that became shorter in a text", err, fault.Malformed, "truncated")
}

// TestAccepted: tensors as they are shown.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"no tensors, no padding", begun(0, 0).raw, ""},
		{"blocks", begun(1, 0).info("t", 2, 0, 64, 3).data(108), "t V18 (3, 2) 96+108 q4_0: 32 values in 18 bytes"},
		{"a scalar", begun(1, 0).info("t", 28, 0).data(8), "t float64 () 64+8 "},
		{"bfloat16, 5 dims", begun(1, 0).info("t", 30, 0, 1, 2, 1, 3, 1).data(12), "t bfloat16 (1, 3, 1, 2, 1) 96+12 "},
		{"empty blocks", begun(1, 0).info("t", 14, 0, 0, 2).data(0), "t V210 (2, 0) 96+0 q6_K: 256 values in 210 bytes"},
		{"an empty tensor inside of another", begun(2, 0).info("a", 0, 0, 9).info("e", 0, 32, 0).data(36), "a float32 (9,) 96+36 ; e float32 (0,) 128+0 "},
		{"another order, a gap, bytes at the end", begun(2, 0).info("b", 24, 64, 1).info("a", 24, 0, 1).data(99), "b int8 (1,) 160+1 ; a int8 (1,) 96+1 "},
		{"an alignment of 1", begun(1, 1).text(alignmentKey).u32(4, 1).info("t", 24, 3, 2).bytes(1, 2, 3, 4, 5).raw, "general.alignment=1; t int8 (2,) 93+2 "},
		{"an alignment of 2³¹, no tensors", begun(0, 1).text(alignmentKey).u32(4, 1<<31).raw, "general.alignment=2147483648"},
		{"blocks of several rows", begun(1, 0).info("t", 31, 0, 64, 8, 3).data(3 * 2 * 2 * 72),
			"t V72 (3, 2, 2) 96+864 q4_0_4_4: 32 values of 4 rows in 72 bytes: scales, then codes in the order q4_0_4_4"},
		{"none of them", begun(1, 0).info("t", 38, 0, 64, 0).data(0),
			"t V144 (0, 2) 96+0 iq4_nl_8_8: 32 values of 8 rows in 144 bytes: scales, then codes in the order iq4_nl_8_8"},
		{"removed and unknown", begun(3, 0).info("a", 4, 0, 32).info("b", 43, 0, 1).info("c", 24, 0, 1).data(1),
			"c int8 (1,) 128+1 ; a: its type is q4_2 (4), which ggml has removed; b: its type 43 does not exist in ggml 0.21"},
		{"65 dims", begun(1, 0).info("a", 24, 0, slices.Repeat([]uint64{1}, 65)...).data(1), "a: rank 65 is over the limit of 64 dims"},
		{"big-endian", []byte("GGUF\x00\x00\x00\x03" + "\x00\x00\x00\x00\x00\x00\x00\x02" + "\x00\x00\x00\x00\x00\x00\x00\x01" +
			"\x00\x00\x00\x00\x00\x00\x00\x01k" + "\x00\x00\x00\x02" + "\x01\x02" +
			"\x00\x00\x00\x00\x00\x00\x00\x01a" + "\x00\x00\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x01" + "\x00\x00\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x00" +
			"\x00\x00\x00\x00\x00\x00\x00\x01b" + "\x00\x00\x00\x00" + "\x00\x00\x00\x1e" + "\x00\x00\x00\x00\x00\x00\x00\x20" + strings.Repeat("\x00", 70)),
			"k=258; a >f2 (1,) 128+2 ; b bfloat16 () 160+2 "},
	} {
		got, err := open(c.raw)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var list []string
		for _, e := range got.Metadata {
			list = append(list, e.Key+"="+e.Value)
		}
		for _, x := range got.Tensors {
			s, name := got.Storages[x.Storage], x.Type.String()
			if x.Type.Order() == '>' && name != "bfloat16" {
				name = x.Type.Typestr()
			}
			list = append(list, fmt.Sprintf("%s %s %s %d+%d %s", x.Name, name, tensor.Tuple(x.View.Shape), s.At, s.Bytes, x.Encoding))
		}
		for _, r := range got.Refused {
			list = append(list, r.Name+": "+r.Why)
		}
		if s := strings.Join(list, "; "); s != c.want {
			t.Errorf("%s:\n%s\n%s expected", c.name, s, c.want)
		}
	}
}

// TestValues: values as text; long ones as a summary.
func TestValues(t *testing.T) {
	for want, raw := range map[string][]byte{
		"255":                      pair(0).bytes(255).raw,
		"-1":                       pair(1).bytes(255).raw,
		"65535":                    pair(2).bytes(255, 255).raw,
		"-32768":                   pair(3).bytes(0, 128).raw,
		"4294967295":               pair(4).u32(math.MaxUint32).raw,
		"-2147483648":              pair(5).u32(1 << 31).raw,
		"1e-05":                    pair(6).u32(math.Float32bits(1e-5)).raw,
		"NaN":                      pair(6).u32(0x7fc00000).raw,
		"true":                     pair(7).bytes(1).raw,
		"llama\n\xff":              pair(8).text("llama\n\xff").raw,
		"18446744073709551615":     pair(10).u64(math.MaxUint64).raw,
		"-9223372036854775808":     pair(11).u64(1 << 63).raw,
		"1e-05 ":                   pair(12).u64(math.Float64bits(1e-5)).raw,
		"[]":                       pair(9).u32(0).u64(0).raw,
		"[1, 2]":                   pair(9).u32(4).u64(2).u32(1, 2).raw,
		"array of 2 text":          pair(9).u32(8).u64(2).text("a").text("b").raw,
		"array of 17 uint8":        pair(9).u32(0).u64(17).bytes(make([]byte, 17)...).raw,
		"array of 100000 float32":  pair(9).u32(6).u64(100000).bytes(make([]byte, 400000)...).raw,
		"array of 1 array":         nested(8),
		"text of 65537 bytes":      pair(8).text(strings.Repeat("x", 65537)).raw,
		strings.Repeat("x", 65536): pair(8).text(strings.Repeat("x", 65536)).raw,
	} {
		// What follows the value shows that as many bytes were read as it has.
		raw = append(bytes.Clone(raw), (&b{}).text("z").u32(0).bytes(7).raw...)
		raw[16] = 2
		c, err := open(raw)
		if err != nil {
			t.Errorf("%.30q: %v", want, err)
		} else if len(c.Metadata) != 2 || c.Metadata[0].Value != strings.TrimSuffix(want, " ") || c.Metadata[1].Value != "7" {
			t.Errorf("%.60q, expected %.30q", c.Metadata, want)
		}
	}
}

// TestDamage: every header cut short is refused, and a file of which a bit is another is refused, or has tensors that lie in it.
// Nothing panics.
func TestDamage(t *testing.T) {
	f := begun(3, 3).text("general.name").u32(8).text("a").text("k").u32(9, 9).u64(2).u32(0).u64(1).bytes(1).u32(8).u64(1).text("x")
	f.text(alignmentKey).u32(4, 32).info("a", 2, 0, 32, 2).info("b", 1, 64, 3).info("c", 99, 0, 3)
	whole := f.data(70)
	if _, err := open(whole); err != nil {
		t.Fatal(err)
	}
	hostile.Damage(t, whole, func(b []byte) error { _, err := open(b); return err }, func(b []byte) { checkPlaces(t, b) })
}

// checkPlaces opens a file and checks what must hold of it: an error says whose fault it is; storages lie in the file, apart
// from each other, and have the size of their tensors.
func checkPlaces(t *testing.T, raw []byte) {
	t.Helper()
	c, err := open(raw)
	if err != nil {
		hostile.CheckError(t, err, 4000)
		return
	}
	used := make([]bool, len(raw))
	for i, x := range c.Tensors {
		s := c.Storages[i]
		if x.Storage != i || s.ID != x.Name || s.At < 0 || s.At+s.Bytes > int64(len(raw)) || int64(x.View.Numel()*x.Type.ItemSize()) != s.Bytes {
			t.Fatalf("tensor %d: %+v, %+v", i, x, s)
		}
		for k := s.At; k < s.At+s.Bytes; k++ {
			if used[k] {
				t.Fatalf("byte %d is in two tensors", k)
			}
			used[k] = true
		}
	}
}

// zeros is a file of so many bytes, the first of which are given.
type zeros struct {
	head []byte
	read int64 // bytes
}

func (z *zeros) ReadAt(p []byte, at int64) (int, error) {
	clear(p)
	if at < int64(len(z.head)) {
		copy(p, z.head[at:])
	}
	z.read += int64(len(p))
	return len(p), nil
}

// TestMemory: a claim without bytes costs nothing; metadata made to be costly allocate in proportion to their bytes; and of
// arrays and texts of gigabytes that are there, next to nothing is kept or read.
func TestMemory(t *testing.T) {
	texts := pair(typeArray).u32(typeText).u64(100_000)
	tensors := begun(10_000, 0)
	for i := range 100_000 {
		texts.text("x")
		if i < 10_000 {
			tensors.info(fmt.Sprintf("%x", i), 24, 0, 0)
		}
	}
	pairs := begun(0, 50_000)
	for i := range 50_000 {
		pairs.text(fmt.Sprintf("%x", i)).u32(0).bytes(1)
	}
	for _, c := range []struct {
		name string
		file io.ReaderAt
		size int64
		most uint64 // bytes
	}{
		{"a claim of 2⁶⁴−1 pairs", &zeros{head: begun(0, math.MaxUint64).raw}, 100, 1 << 10},
		{"many texts", bytes.NewReader(texts.raw), int64(len(texts.raw)), 1 << 18},
		{"many pairs", bytes.NewReader(pairs.raw), int64(len(pairs.raw)), 1<<18 + 32*uint64(len(pairs.raw))},
		{"many tensors", bytes.NewReader(tensors.data(0)), int64(len(tensors.data(0))), 1<<18 + 64*uint64(len(tensors.raw))},
		{"a text of 8 GiB", &zeros{head: pair(typeText).u64(8 << 30).raw}, 9 << 30, 1 << 18},
		{"an array of 8 GiB", &zeros{head: pair(typeArray).u32(10).u64(1 << 30).raw}, 9 << 30, 1 << 18},
		{"a tensor of 8 GiB", &zeros{head: begun(1, 0).info("t", 24, 0, 1<<30).raw}, 9 << 30, 1 << 18},
	} {
		var err error
		used := hostile.AllocatedBy(func() { _, err = Open(c.file, c.size, checkpoint.MaxLimit) })
		if z, ok := c.file.(*zeros); used > c.most || ok && z.read > 1<<18 {
			t.Errorf("%s: %d bytes allocated (%v)", c.name, used, err)
		}
		t.Logf("%s: %d bytes, %v", c.name, used, err)
	}
}
