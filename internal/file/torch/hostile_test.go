package torch

import (
	"bytes"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// TestHostile: each rule of the format that a file can break, and what the error says. PyTorch 1.13 accepts some of them.
func TestHostile(t *testing.T) {
	malformed, unsupported := fault.Malformed, fault.Unsupported
	f4 := func(numel int64) string { return pers("torch.FloatStorage", "0", numel) }
	at := func(offset int64, size, stride string) []byte {
		return saved(dict(str("w"), v2(f4(2), offset, size, stride)))
	}
	id := func(items ...string) []byte { return saved(tuple(items...) + "Q") }
	part := func(view string) []byte {
		return legacyOf(v2(tuple(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(2), view)+"Q", 0, nums(1), nums(1)), str("0"),
			legacyStorage(2, "8 bytes."))
	}
	old := v2(tuple(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(2), "N")+"Q", 0, nums(2), nums(1))
	good := legacyStorage(2, "8 bytes.")
	for _, c := range []struct {
		name  string
		file  []byte
		class fault.Class
		text  string
	}{
		{"nothing", nil, malformed, "not a PyTorch checkpoint"},
		{"text", []byte("hello"), malformed, `starts with "hell"`},
		{"tar", append(append(make([]byte, 257), "ustar\x00"...), make([]byte, 300)...), unsupported, "tar archive"},
		{"another pickle", []byte(whole2("N")), malformed, "not the number 0x1950a86a20f9469cfc6c"},
		{"another archive", archiveOf(record{"model.pkl", whole2("N")}), malformed, `has no "x/data.pkl"`},
		{"NumPy", archiveOf(record{"w.npy", ""}), malformed, "NumPy arrays"},
		{"torch.package", archiveOf(record{".data/extern_modules", ""}), unsupported, "torch.package"},
		{"a pickle after the pickle", archiveOf(record{"data.pkl", whole2("N") + whole2("N")}), malformed, "4 bytes follow the pickle"},
		{"two of a name", archiveOf(record{"data.pkl", whole2("N")}, record{"data.pkl", whole2("N")}), malformed, "two members have the name"},
		{"byteorder", saved(simple, record{"byteorder", "middle"}), malformed, "byteorder is"},
		{"opcode", saved("\x82\x01"), unsupported, "EXT1 at byte 2"},

		{"numel", saved(dict(str("w"), v2(f4(1<<33), 0, nums(2), nums(1)))), malformed, // half of CVE-2026-24747
			`storage "0": its 8589934592 elements of float32 need 34359738368 bytes, the file has 8`},
		{"numel too small", saved(v2(f4(1), 0, nums(1), nums(1))), malformed, "need 4 bytes, the file has 8"},
		{"numel overflows", saved(v2(f4(math.MaxInt64), 0, nums(1), nums(1))), malformed, "exceed any file"},
		{"numel negative", saved(v2(f4(-1), 0, nums(1), nums(1))), malformed, "its number of elements is not a number"},
		{"no such storage", saved(v2(pers("torch.FloatStorage", "7", 2), 0, nums(1), nums(1))), malformed, `storage "7": the archive has no member "x/data/7"`},
		{"storage outside", saved(v2(pers("torch.FloatStorage", "../version", 2), 0, nums(1), nums(1))), malformed, "no member"},
		{"unknown class", saved(v2(pers("torch.NewStorage", "0", 2), 0, nums(1), nums(1))), unsupported, `unknown class "torch.NewStorage"`},
		{"foreign class", saved(v2(pers("os.FloatStorage", "0", 2), 0, nums(1), nums(1))), unsupported, `unknown class "os.FloatStorage"`},
		{"two types", saved(tuple(simple, v2(pers("torch.IntStorage", "0", 2), 0, nums(1), nums(1)))), malformed, "both 2 elements of float32 and 2 of int32"},
		{"two sizes", saved(tuple(simple, v2(f4(4), 0, nums(1), nums(1)))), malformed, "both 2 elements of float32 and 4 of float32"},

		{"id is no tuple", saved(str("0") + "Q"), malformed, "persistent id 1: it is not a tuple"},
		{"id of something", id(str("module"), "N", "N", "N"), malformed, `names "module"`},
		{"id of other", id(str("other"), "N", "N", "N", "N"), malformed, `names "other"`},
		{"id is short", id(str("storage"), "N", "N"), malformed, "not a tuple that names a storage"},
		{"id is long", id(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(2), "N"), malformed, `names "storage"`},
		{"id without class", id(str("storage"), str("torch.FloatStorage"), str("0"), str("cpu"), num(2)), malformed, "its class is not a name"},
		{"id without key", id(str("storage"), global("torch.FloatStorage"), num(0), str("cpu"), num(2)), malformed, "key of the storage is not a string"},

		{"beyond the storage", at(0, nums(3), nums(1)), malformed, `tensor "w": its last element is element 2 of a storage of 2`},
		{"offset", at(1000, nums(1), nums(1)), malformed, `tensor "w": its last element is element 1000`},
		{"stride", at(0, nums(2), nums(2)), malformed, `tensor "w": its last element is element 2`},
		{"negative stride", at(1, nums(2), nums(-1)), malformed, `tensor "w": its stride is negative: -1`},
		{"negative size", at(0, nums(-2), nums(1)), malformed, `tensor "w": its size is negative`},
		{"negative offset", at(-1, nums(1), nums(1)), malformed, `tensor "w": its storage offset is negative`},
		{"offset is text", saved(call("torch._utils._rebuild_tensor", f4(2), str("0"), nums(1), nums(1))), malformed, "storage offset is not an integer"},
		{"size is a number", at(0, num(1), nums(1)), malformed, "its size is not a tuple"},
		{"sizes and strides", at(0, nums(1, 2), nums(1)), malformed, "it has 2 sizes and 1 strides"},
		{"few arguments", saved(call("torch._utils._rebuild_tensor_v2", f4(2))), malformed, "has 1 arguments"},
		{"no storage", saved(call("torch._utils._rebuild_tensor", num(0), num(0), nums(1), nums(1))), malformed, "its storage is not one of the file's"},
		{"rank", at(0, nums(make([]int64, 65)...), nums(make([]int64, 65)...)), unsupported, "rank 65"},

		{"legacy version", []byte(strings.Replace(string(legacyOf(old, str("0"), good)), whole2(num(1001)), whole2(num(1002)), 1)), unsupported, "unsupported version"},
		{"legacy key missing", legacyOf(old, "", ""), malformed, `storage "0": the object names it`},
		{"legacy key unknown", legacyOf(old, str("0")+str("1"), good+good), malformed, `storage "1": its key is listed`},
		{"legacy key twice", legacyOf(old, str("0")+str("0"), good+good), malformed, `storage "0": its key is listed`},
		{"legacy numel", legacyOf(old, str("0"), legacyStorage(1<<60, "8 bytes.")), malformed, "the storage 1152921504606846976"},
		{"legacy short", legacyOf(old, str("0"), good[:15]), malformed, "it needs 16 bytes"},
		{"legacy long", legacyOf(old, str("0"), good+"!"), malformed, "1 bytes follow the last storage"},
		{"legacy view", part(tuple(str("v"), num(1), num(2))), malformed, "its view exceeds its 2 elements"},
		{"legacy view of three", part(tuple(str("v"))), malformed, "its view does not have three values"},
	} {
		_, err := openBytes(c.file)
		hostile.WantFault(t, c.name, err, c.class, c.text)
	}
	if math.MaxInt > math.MaxInt32 {
		const huge = 1 << 62
		_, err := openBytes(at(0, nums(2, 2), nums(huge, huge)))
		hostile.WantFault(t, "overflow", err, malformed, `tensor "w": its last element is beyond all addresses`)
		_, err = openBytes(at(math.MaxInt64, nums(2), nums(1)))
		hostile.WantFault(t, "offset overflow", err, malformed, "beyond all addresses")
		_, err = openBytes(at(0, nums(huge, 4), nums(0, 0)))
		hostile.WantFault(t, "numel overflow", err, unsupported, "overflows")
	}
	wantLines(t, "legacy view", part(tuple(str("v"), num(1), num(1))), " <f4 [1] [1] 1 @0", "storage 0 8")
	wantLines(t, "empty, anywhere", at(99, nums(0, 3), nums(3, 1)), "w <f4 [0 3] [3 1] 99 @0", "storage 0 8")
	wantLines(t, "unnamed storage", saved(simple, record{"data/9", "waste"}), " <f4 [2] [1] 0 @0", "storage 0 8", "storage 9 5")
}

// TestDeflated: compressed members cannot be used in place, and the hint says what helps.
func TestDeflated(t *testing.T) {
	file := saved(simple)
	for _, magic := range []string{"PK\x03\x04", "PK\x01\x02"} { // the method of data/0 in its header and in the directory
		at := map[string]int{"PK\x03\x04": 8, "PK\x01\x02": 10}[magic]
		first := bytes.Index(file, []byte(magic))
		second := first + 4 + bytes.Index(file[first+4:], []byte(magic))
		file[second+at] = byte(zip.Deflated)
	}
	_, err := openBytes(file)
	hostile.WantFault(t, "deflated", err, fault.Unsupported, `the member "x/data/0" is compressed`)
	if e, ok := err.(*fault.Error); !ok || !strings.Contains(e.Hint, "zip -0") {
		t.Error(err)
	}
}

// TestBombs: graphs with 2³⁰ paths, deep ones, and those whose names would not fit into memory allocate in proportion to their bytes.
func TestBombs(t *testing.T) {
	doubled := "](" + simple + "e"
	for range 30 {
		doubled = "](" + doubled + "2e" // DUP: a list of the same list twice
	}
	wide := "]q\x01(" + strings.Repeat(simple, 100) + "e"
	deep := simple + strings.Repeat("\x85", maxDepth)
	wrapped := simple
	for range 2_000 {
		wrapped = global("torch._utils._rebuild_parameter") + wrapped + "\x88" + hooks + "\x87R"
	}
	long := "](" + simple + "q\x02" + strings.Repeat("h\x02", 2_000) + "e"
	for range 40 {
		long = dict(str(strings.Repeat("k", 5_000)), long)
	}
	objects := arrayState(np, nums(20_001), dtypeOf("O8", "|"), c, "]("+strings.Repeat("N\x85", 20_000)+simple+"e") + "q\x01"
	for name, object := range map[string]string{
		"objects":    "(" + objects + strings.Repeat("h\x01", 20_000) + "t",
		"doubled":    doubled,
		"shared":     tuple(wide, "("+strings.Repeat("h\x01", 100_000)+"t"),
		"deep":       deep,
		"wrapped":    wrapped,
		"many paths": "(" + wrapped + "q\x03" + strings.Repeat("h\x03", 15_000) + "t",
		"long key":   "}(" + str(strings.Repeat("k", 1<<20)) + "q\x04" + simple + strings.Repeat("h\x04N", 1_000) + "u",
		"deeper":     deep + "\x85",
		"long names": long,
		"keys":       "}q\x01(" + strings.Repeat(num(1)+"N", 50_000) + str("w") + simple + "u" + "q\x02" + "(" + strings.Repeat("h\x02", 50_000) + "t\x86",
	} {
		file := saved(object)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := openBytes(file)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > bound(len(file)) {
			t.Errorf("%s: %d bytes allocated for %d", name, used, len(file))
		}
		refused := map[string]string{
			"long names": "the names of the tensors: one of more than 65536 bytes", "deeper": "nested deeper than 10000",
			"long key": "keys of the pickle's dicts exceed 68",
		}
		switch {
		case refused[name] != "":
			hostile.WantFault(t, name, err, fault.Unsupported, refused[name])
		case err != nil:
			t.Errorf("%s: %v", name, err)
		default:
			t.Logf("%s: %d tensors, %d refused, file of %d bytes, %d allocated", name, len(c.Tensors), len(c.Refused), len(file),
				after.TotalAlloc-before.TotalAlloc)
		}
	}
}

// bound is how many bytes a file of n bytes may allocate: names may have 16 MiB.
func bound(n int) uint64 { return 32<<20 + 400*uint64(n) }

// TestCut: a file that is cut off at any byte is refused, and a file with any byte changed never makes a tensor that is not within
// its storage, and that within the file.
func TestCut(t *testing.T) {
	old := v2(tuple(str("storage"), global("torch.FloatStorage"), str("0"), str("cpu"), num(2), "N")+"Q", 0, nums(2), nums(1))
	for name, whole := range map[string][]byte{
		"zip": saved(dict(str("w"), simple)), "legacy": legacyOf(old, str("0"), legacyStorage(2, "8 bytes.")),
	} {
		if _, err := openBytes(whole); err != nil {
			t.Fatal(name, err)
		}
		for n := range whole {
			if _, err := openBytes(whole[:n]); fault.ClassOf(err) != fault.Malformed {
				t.Errorf("%s: %d bytes: %v", name, n, err)
			}
		}
		for i := range whole {
			for _, x := range []byte{1, 0x80, 0xff} {
				other := bytes.Clone(whole)
				other[i] ^= x
				checkFile(t, other)
			}
		}
	}
}
