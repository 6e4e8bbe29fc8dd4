package safetensors

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor"
)

const one = `{"test":{"dtype":"I32","shape":[2,2],"data_offsets":[0,16]}}`

// two are two tensors of 8 bytes, with the offsets of the second.
func two(offsets string) string {
	return `{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[` + offsets + `]}}`
}

// entry is a header of one tensor with these fields.
func fields(list string) string { return `{"t":{` + list + `}}` }

// TestRules: each rule of the format's README, and of validate and read_metadata in tensor.rs, refuses what breaks it.
func TestRules(t *testing.T) {
	malformed, unsupported := fault.Malformed, fault.Unsupported
	long := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	for _, c := range []struct {
		name  string
		raw   []byte
		class fault.Class
		text  string
	}{
		// The vectors of tensor.rs: test_header_too_small, _too_large, _invalid_header_length, _non_utf8, _not_json,
		// test_metadata_incomplete_buffer, test_invalid_info, test_validation_overflow (two), test_json_attack.
		{"header too small", nil, malformed, "a file of 0 bytes"},
		{"header too large", append([]byte("<\x00\x00\x00\x00\xff\xff\xff"), one...), malformed, "100,000,000"},
		{"header longer than the file", []byte("<\x00\x00\x00\x00\x00\x00\x00"), malformed, "has 60 bytes, but the file only 0"},
		{"no UTF-8", []byte("\x01\x00\x00\x00\x00\x00\x00\x00\xff"), malformed, `begins with "\xff" instead of {`},
		{"no JSON", []byte("\x01\x00\x00\x00\x00\x00\x00\x00{"), malformed, "not JSON at its byte 1"},
		{"polyglot", append(file(one, 16), "extra_bogus_data_for_polyglot_file"...), malformed, "34 bytes after the last tensor"},
		{"missing data", file(one, 14), malformed, "truncated: 2 bytes"},
		{"invalid info", file(fields(`"dtype":"I32","shape":[2,2],"data_offsets":[0, 4]`), 4), malformed, "have 16 bytes, its data_offsets 4"},
		{"overflow", file(fields(`"dtype":"I32","shape":[2,18446744073709551614],"data_offsets":[0,16]`), 16), malformed, "overflows"},
		{"overflow in bits", file(fields(`"dtype":"I32","shape":[2,9223372036854775807],"data_offsets":[0,16]`), 16), malformed, "overflows"},
		{"the same place", file(two("0,8"), 8), malformed, `"b" overlaps "a"`},

		{"seven bytes", make([]byte, 7), malformed, "a file of 7 bytes"},
		{"one byte over the limit", append(long(100_000_001), one...), malformed, "100000001 bytes"},
		{"a length of 2⁶⁴−1", append(long(1<<64-1), one...), malformed, "18446744073709551615 bytes"},
		{"empty header", file("", 0), malformed, "instead of {"},
		{"only spaces", file("    ", 0), malformed, "instead of {"},
		{"a space before", file(" "+one, 16), malformed, "instead of {"},
		{"an array", file("[]", 0), malformed, "instead of {"},
		{"a byte order mark", file("\ufeff{}", 0), malformed, "instead of {"},
		{"padded with NUL", file("{}\x00\x00\x00", 0), malformed, `padded with "\x00"`},
		{"padded with a newline", file("{}\n", 0), malformed, `padded with "\x0a"`},
		{"padded with a tab, then spaces", file("{}\t  ", 0), malformed, `padded with "\x09"`},
		{"two values", file("{}{}", 0), malformed, "not JSON at its byte 3"},
		{"a trailing comma", file(`{"t":{"dtype":"U8","shape":[],"data_offsets":[0,1]},}`, 1), malformed, "not JSON at its byte 53"},
		{"invalid UTF-8 in a name", file("{\"\xff\":{}}", 0), malformed, "not UTF-8"},
		{"half a character", file(`{"\ud800":{}}`, 0), malformed, `an unpaired surrogate at its byte 2: \ud800`},
		{"an unpaired surrogate's end", file(`{"a\\\udc00b":{}}`, 0), malformed, `\udc00`},
		{"two halves of a character's beginning", file(`{"\ud800\ud800":{}}`, 0), malformed, `an unpaired surrogate at its byte 2: \ud800`},
		{"two halves of a character's end", file(`{"\udc00\udc00":{}}`, 0), malformed, `\udc00`},
		{"deep", file(`{"a":`+strings.Repeat("[", 20000)+strings.Repeat("]", 20000)+"}", 0), malformed, "not an object"},
		{"a name twice", file(`{"t":{"dtype":"U8","shape":[],"data_offsets":[0,1]},"\u0074":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 1), malformed, `duplicate key "t"`},
		{"a field twice", file(fields(`"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]`), 1), malformed, `duplicate key "dtype"`},
		{"metadata twice", file(`{"__metadata__":{},"__metadata__":{}}`, 0), malformed, `duplicate key "__metadata__"`},
		{"a text twice", file(`{"__metadata__":{"a":"","a":""}}`, 0), malformed, `duplicate key "a"`},
		{"metadata of numbers", file(`{"__metadata__":{"a":1}}`, 0), malformed, "not a string"},
		{"metadata of objects", file(`{"__metadata__":{"a":{}}}`, 0), malformed, "not a string"},
		{"metadata false", file(`{"__metadata__":false}`, 0), malformed, "not an object"},
		{"metadata nul", file(`{"__metadata__":nul}`, 0), malformed, "unexpected"},
		{"metadata null twice", file(`{"__metadata__":null,"__metadata__":null}`, 0), malformed, `duplicate key "__metadata__"`},
		{"a text null", file(`{"__metadata__":{"a":null}}`, 0), malformed, "not a string"},
		{"a tensor null", file(`{"t":null}`, 0), malformed, "not an object"},
		{"no fields", file(fields(""), 0), malformed, "is missing"},
		{"no offsets", file(fields(`"dtype":"U8","shape":[]`), 0), malformed, "is missing"},
		{"an unknown field", file(fields(`"dtype":"U8","shape":[],"data_offsets":[0,1],"strides":[]`), 1), unsupported, `"strides"`},
		{"a dtype of another type", file(fields(`"dtype":1,"shape":[],"data_offsets":[0,1]`), 1), malformed, "not a string"},
		{"a shape of another type", file(fields(`"dtype":"U8","shape":1,"data_offsets":[0,1]`), 1), malformed, "not an array"},
		{"a shape of texts", file(fields(`"dtype":"U8","shape":["1"],"data_offsets":[0,1]`), 1), malformed, "not a number"},
		{"a shape of arrays", file(fields(`"dtype":"U8","shape":[[1]],"data_offsets":[0,1]`), 1), malformed, "not a number"},
		{"a negative size", file(fields(`"dtype":"U8","shape":[-1],"data_offsets":[0,1]`), 1), malformed, `"-1"`},
		{"a float", file(fields(`"dtype":"U8","shape":[1.0],"data_offsets":[0,1]`), 1), malformed, `"1.0"`},
		{"an exponent", file(fields(`"dtype":"U8","shape":[1e0],"data_offsets":[0,1]`), 1), malformed, `"1e0"`},
		{"beyond 64 bits", file(fields(`"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,1]`), 1), malformed, `"18446744073709551616"`},
		{"one offset", file(fields(`"dtype":"U8","shape":[],"data_offsets":[1]`), 1), malformed, "1 data_offsets"},
		{"three offsets", file(fields(`"dtype":"U8","shape":[],"data_offsets":[0,1,2]`), 1), malformed, "3 data_offsets"},
		{"end before begin", file(fields(`"dtype":"U8","shape":[0],"data_offsets":[1,0]`), 1), malformed, "before their begin"},
		{"begin after 0", file(fields(`"dtype":"U8","shape":[],"data_offsets":[1,2]`), 2), malformed, "1 bytes before"},
		{"a gap", file(two("9,17"), 17), malformed, `1 bytes before tensor "b"`},
		{"an overlap", file(two("7,15"), 15), malformed, `"b" overlaps "a"`},
		{"beyond the file", file(two("8,16"), 15), malformed, "truncated: 1 bytes"},
		{"far beyond the file", file(fields(`"dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,18446744073709551615]`), 3), malformed, "overflows"},
		{"beyond the file, unknown dtype", file(fields(`"dtype":"X","shape":[],"data_offsets":[0,18446744073709551615]`), 3), malformed, "truncated: 18446744073709551612 bytes"},
		{"an empty tensor inside of another", file(`{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, 2), malformed, "overlaps"},
		{"an empty tensor with bytes", file(fields(`"dtype":"U8","shape":[0],"data_offsets":[0,1]`), 1), malformed, "have 0 bytes"},
		{"no tensors, but data", file("{}", 1), malformed, "1 bytes after"},
		{"half a byte", file(fields(`"dtype":"F4","shape":[1,3],"data_offsets":[0,2]`), 2), malformed, "not a multiple of 8"},
		{"six bits", file(fields(`"dtype":"F6_E2M3","shape":[2],"data_offsets":[0,2]`), 2), malformed, "12 bits"},
		{"an overflow that an empty dim hides", file(fields(`"dtype":"U8","shape":[0,4294967296,4294967296],"data_offsets":[0,0]`), 0), malformed, "overflows"},
	} {
		_, err := open(c.raw)
		wantFault(t, c.name, err, c.class, c.text)
	}
}

// TestAccepted: what the rules allow. test_empty, test_zero_sized_tensor and test_serialization_fp4 of tensor.rs are among it.
func TestAccepted(t *testing.T) {
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"empty", file("{}", 0), ""},
		{"test_empty", file(`{"__metadata__":{"framework":"pt"}}       `, 0), "framework=pt"},
		{"null, as mlx.core.save_safetensors writes it", file(`{"__metadata__":null,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "a uint8 (1,) 81+1"},
		{"spaces after", file("{}      ", 0), ""},
		{"blanks inside", file("{\n\t\"a\" : {\"shape\":[ ] , \"data_offsets\":[0,\r1],\"dtype\":\"U8\"} }", 1), "a uint8 () 69+1"},
		{"scalar", file(fields(`"dtype":"F64","shape":[],"data_offsets":[0,8]`), 8), "t float64 () 61+8"},
		{"zero sized", file(`{"test":{"dtype":"I32","shape":[2,0],"data_offsets":[0, 0]}}`, 0), "test int32 (2, 0) 68+0"},
		{"two empty ones between others", file(`{"c":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},`+
			`"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}}`, 2),
			"c uint8 (1,) 217+1; b uint8 (0,) 217+0; a uint8 (1,) 216+1;  uint8 (0,) 217+0"},
		{"a pair", file(`{"\ud83d\ude00\n":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}`, 2), "😀\n bfloat16 (1,) 76+2"},
		{"fp4", file(`{"attn.0":{"dtype":"F4","shape":[1,2],"data_offsets":[0,1]}}    `, 1), "attn.0 float4_e2m1fn (1, 2) 72+1"},
		{"fp6", file(fields(`"dtype":"F6_E3M2","shape":[4],"data_offsets":[0,3]`), 3), "t: elements of F6_E3M2 have 6 bits, less than a byte"},
		{"unknown dtype", file(fields(`"dtype":"F128\u0007","shape":[4],"data_offsets":[0,3]`), 3), `t: safetensors 0.8 has no dtype "F128\x07"`},
		{"65 dims", file(fields(`"dtype":"U8","shape":[`+strings.Repeat("1,", 64)+`1],"data_offsets":[0,1]`), 1), "t: rank 65 is over the limit of 64 dims"},
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
			s := got.Storages[x.Storage]
			list = append(list, fmt.Sprintf("%s %s %s %d+%d", x.Name, x.Type, tensor.Tuple(x.View.Shape), s.At, s.Bytes))
			if s.ID != x.Name {
				t.Errorf("%s: the storage of %q is %q", c.name, x.Name, s.ID)
			}
		}
		for _, r := range got.Refused {
			list = append(list, r.Name+": "+r.Why)
		}
		if s := strings.Join(list, "; "); s != c.want {
			t.Errorf("%s:\n%s\n%s expected", c.name, s, c.want)
		}
	}
}

// TestTypes: every dtype has the bits that the format says, and its word is found again.
func TestTypes(t *testing.T) {
	for _, x := range types {
		if x.name == "" {
			continue
		}
		c, err := open(file(fields(fmt.Sprintf(`"dtype":%q,"shape":[6],"data_offsets":[0,%d]`, x.word, 6*x.bits/8)), int(6*x.bits/8)))
		if err != nil || len(c.Tensors) != 1 {
			t.Errorf("%s: %v", x.word, err)
			continue
		}
		d := c.Tensors[0].Type
		if word, err := Word(d); uint64(d.Bits()) != x.bits || word != x.word || err != nil {
			t.Errorf("%s is %s of %d bits, which is %s: %v", x.word, d, d.Bits(), word, err)
		}
	}
}

// TestDamage: every file cut short is refused, and a file of which a bit is another is refused, or has tensors that cover its
// data. Nothing panics.
func TestDamage(t *testing.T) {
	whole := file(`{"__metadata__":{"a":"b"},"b":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}  `, 16)
	hostile.Damage(t, whole, func(b []byte) error { _, err := open(b); return err }, func(b []byte) { checkCover(t, b) })
}

// checkCover opens a file and checks what must hold of it: an error says whose fault it is; storages lie in the file, behind
// the header, apart from each other; if no tensor is refused, they are all that there is behind it.
func checkCover(t *testing.T, raw []byte) {
	t.Helper()
	c, err := open(raw)
	if err != nil {
		hostile.CheckError(t, err, 4000, fault.Usage)
		return
	}
	begin := 8 + int64(binary.LittleEndian.Uint64(raw))
	used := make([]bool, int64(len(raw))-begin)
	for i, x := range c.Tensors {
		s := c.Storages[i]
		if x.Storage != i || s.At < begin || s.At+s.Bytes > int64(len(raw)) || x.Type.Size(int64(x.View.Numel())) != s.Bytes {
			t.Fatalf("tensor %d: %+v, %+v", i, x, s)
		}
		for k := range used[s.At-begin : s.At-begin+s.Bytes] {
			if k += int(s.At - begin); used[k] {
				t.Fatalf("byte %d of the data is in two tensors", k)
			} else {
				used[k] = true
			}
		}
	}
	if len(c.Refused) == 0 && slices.Contains(used, false) {
		t.Fatalf("bytes that are in no tensor: %v", used)
	}
}

// TestMemory: a claim without bytes costs nothing, and headers made to be costly allocate in proportion to their bytes, garbage
// included.
func TestMemory(t *testing.T) {
	repeat := func(s string, n int) string { return strings.Repeat(s, n) }
	var many strings.Builder
	many.WriteString(`{"":{"dtype":"U8","shape":[],"data_offsets":[0,0]}`)
	for i := range 20000 {
		fmt.Fprintf(&many, `,"%x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		most uint64 // bytes per byte of the file
	}{
		{"a claim", append(binary.LittleEndian.AppendUint64(nil, 100_000_000), '{'), 1000},
		{"many tensors", file(strings.Replace(many.String(), "[],", "[0],", 1)+"}", 0), 64},
		{"a long name", file(`{"`+repeat("x", 1<<20)+`":{}}`, 0), 16},
		{"a long shape", file(fields(`"dtype":"U8","shape":[`+repeat("0,", 1<<19)+`0],"data_offsets":[0,0]`), 0), 96},
		{"long metadata", file(`{"__metadata__":{"a":"`+repeat(`\n`, 1<<19)+`"}}`, 0), 16},
		{"many texts", file(`{"__metadata__":{"a":""`+repeat(`,"":""`, 1<<17)+`}}`, 0), 64},
		{"many braces", file(repeat(`{"":`, 1<<18), 0), 16},
	} {
		var err error
		used := hostile.AllocatedBy(func() { _, err = open(c.raw) })
		if used > 1<<16+c.most*uint64(len(c.raw)) {
			t.Errorf("%s: %d bytes allocated for %d (%v)", c.name, used, len(c.raw), err)
		}
		t.Logf("%s: %.1f bytes a byte", c.name, float64(used)/float64(len(c.raw)))
	}
}
