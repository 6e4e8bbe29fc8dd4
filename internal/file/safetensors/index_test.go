package safetensors

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor"
)

func readIndex(text string) (*Index, error) {
	return ReadIndex(strings.NewReader(text), int64(len(text)), checkpoint.MaxLimit)
}

// TestIndex: names, files and the total size are read in order; other keys are ignored.
func TestIndex(t *testing.T) {
	x, err := readIndex(`{
  "metadata": {"total_size": 12, "total_parameters": [1, {"a": null}]},
  "format": ["x"],
  "weight_map": {"b": "2.bin", "a": "1.bin", "\u0063": "2.bin"}
}
`)
	want := Index{[]Placed{{"b", "2.bin"}, {"a", "1.bin"}, {"c", "2.bin"}}, []string{"2.bin", "1.bin"}, 12}
	if err != nil || !slices.Equal(x.Tensors, want.Tensors) || !slices.Equal(x.Files, want.Files) || x.TotalSize != want.TotalSize {
		t.Errorf("%+v, expected %+v: %v", x, want, err)
	}
	for total, want := range map[string]int64{"0": 0, "1.5e3": 1500, "16060522496.0": 16060522496, "9007199254740993": 1<<53 + 1} {
		if x, err := readIndex(`{"metadata":{"total_size":` + total + `},"weight_map":{}}`); err != nil || x.TotalSize != want {
			t.Errorf("%s: %+v, %v", total, x, err)
		}
	}
	for _, none := range []string{`{"weight_map":{}}`, `{"metadata":{},"weight_map":{}}`} {
		if x, err := readIndex(none); err != nil || x.TotalSize != -1 {
			t.Errorf("%s: %+v, %v", none, x, err)
		}
	}
}

// TestIndexRules: what would reach out of the folder, or can be understood in two ways, is refused.
func TestIndexRules(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "not JSON",
		"[]":                                "not an object",
		"{}":                                "no weight_map",
		`{"weight_map":[]}`:                 "not an object",
		`{"weight_map":{"a":1}}`:            "not a string",
		`{"weight_map":{},"weight_map":{}}`: "duplicate key",
		`{"weight_map":{"a":"x","a":"y"}}`:  "duplicate key",
		`{"weight_map":{},"metadata":[]}`:   "not an object",
		`{"weight_map":{},"metadata":{"total_size":"1"}}`:                 "not a number",
		`{"weight_map":{},"metadata":{"total_size":-1}}`:                  "not a number of bytes",
		`{"weight_map":{},"metadata":{"total_size":1.5}}`:                 "not a number of bytes",
		`{"weight_map":{},"metadata":{"total_size":1e400}}`:               "not a number of bytes",
		`{"weight_map":{},"metadata":{"total_size":9223372036854775808}}`: "not a number of bytes",
		`{"weight_map":{},"metadata":{"total_size":1,"total_size":1}}`:    "duplicate key",
		"{\"weight_map\":{\"\xff\":\"x\"}}":                               "not UTF-8",
		`{"weight_map":{"\udfff":"x"}}`:                                   "an unpaired surrogate",
		`{"weight_map":{}} {}`:                                            "not JSON",
		`{"weight_map":{"a":"` + strings.Repeat("x", 256) + `"}}`:         "not a plain file name",
	} {
		_, err := readIndex(text)
		wantFault(t, text, err, fault.Malformed, want)
	}
	for _, name := range []string{"", ".", "..", "/etc/passwd", "../x", "a/b", `a\\b`, `..\\x`, "C:x", "x:stream", `a\u0000`} {
		_, err := readIndex(`{"weight_map":{"a":"` + name + `"}}`)
		wantFault(t, name, err, fault.Malformed, "not a plain file name")
	}
	_, err := ReadIndex(strings.NewReader(""), maxHeader+1, checkpoint.MaxLimit)
	wantFault(t, "an index that is too large", err, fault.Unsupported, "100000001 bytes")
	_, err = ReadIndex(strings.NewReader("{"), 9, checkpoint.MaxLimit)
	wantFault(t, "a file that became shorter", err, fault.Malformed, "shrank")
}

// shard is a container of float32 vectors, "a:3" of three elements, "a:3@0" in the storage of that number; "!a" is refused.
func shard(list string) *checkpoint.Container {
	c := &checkpoint.Container{}
	for i, s := range strings.Fields(list) {
		var n int
		name, size, _ := strings.Cut(s, ":")
		if name, refused := strings.CutPrefix(name, "!"); refused {
			c.Refused = append(c.Refused, checkpoint.Refused{Name: name, Why: "sparse"})
			continue
		}
		storage := i
		if k, _ := fmt.Sscanf(size, "%d@%d", &n, &storage); k == 0 {
			n = 1
		}
		view, err := tensor.Packed([]int{n})
		if err != nil {
			panic(err)
		}
		c.Tensors = append(c.Tensors, checkpoint.Tensor{Name: name, Type: typed("float32"), View: view, Storage: storage})
	}
	return c
}

// TestCheck: every disagreement between an index and its files is found, and nothing else.
func TestCheck(t *testing.T) {
	index := `{"metadata":{"total_size":24},"weight_map":{"a":"1","b":"1","c":"2"}}`
	for _, c := range []struct {
		name, index, one, two string // "-" for a missing file
		want                  []string
	}{
		{"agree", index, "a:2 b:3", "c", nil},
		{"no total", strings.Replace(index, "total_size", "x", 1), "a", "c b", []string{`tensor "b" is in "2", but "1" in the index`}},
		{"missing file", index, "a:2 b:3", "-", []string{`"2" is missing, with 1 tensor in the index`}},
		{"both missing", index, "-", "-", []string{`"1" is missing, with 2 tensors in the index`, `"2" is missing, with 1 tensor in the index`}},
		{"missing tensor", index, "a:5", "c", []string{`tensor "b" is in no file, but "1" in the index`}},
		{"doubled", index, "a:2 b:2", "c b", []string{`tensor "b" is in both "1" and "2"`}},
		{"elsewhere", index, "a:2 c", "b:3", []string{`tensor "b" is in "2", but "1" in the index`, `tensor "c" is in "1", but "2" in the index`}},
		{"missing file, elsewhere", index, "-", "c a", []string{`"1" is missing, with 2 tensors in the index`}},
		{"unlisted", index, "a b d", "c e:2", []string{`tensor "d" of "1" is not in the index`, `tensor "e" of "2" is not in the index`}},
		{"unlisted, twice", index, "a b d", "c d d2", []string{`tensor "d" of "1" is not in the index`,
			`tensor "d" is in both "1" and "2"`, `tensor "d" of "2" is not in the index`, `tensor "d2" of "2" is not in the index`}},
		{"total", index, "a:2 b:3", "c:2", []string{"the index has total_size 24, the tensors have 28 bytes"}},
		{"shared, counted once", index, "a:5@7 b:5@7", "c", nil},
		{"shared, counted twice", index, "a:2@7 b:3@7", "c", nil},
		{"shared, wrong", index, "a:3@7 b:3@7", "c", []string{"the index has total_size 24, the tensors have 16 bytes"}},
		{"refused", index, "a !b", "c", nil},
		{"refused, elsewhere", index, "a", "c !b", []string{`tensor "b" is in "2", but "1" in the index`}},
	} {
		x, err := readIndex(c.index)
		if err != nil {
			t.Fatal(err)
		}
		shards := map[string]*checkpoint.Container{}
		for file, list := range map[string]string{"1": c.one, "2": c.two} {
			if list != "-" {
				shards[file] = shard(list)
			}
		}
		var got []string
		for _, f := range x.Check(shards) {
			got = append(got, f.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\n%s expected", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	odd := Finding{Kind: Unlisted, Tensor: "\x1b[2J" + strings.Repeat("x", 1<<20), File: "f"}
	if s := odd.String(); len(s) > 500 || strings.Contains(s, "\x1b") {
		t.Errorf("%q", s)
	}
}

// TestIndexDamage: an index cut short is refused, and nothing panics whichever bit is another.
func TestIndexDamage(t *testing.T) {
	whole := []byte(`{"metadata":{"total_size":24},"weight_map":{"a":"1","b":"1","c":"2"}}`)
	hostile.Damage(t, whole, func(b []byte) error { _, err := readIndex(string(b)); return err }, func(b []byte) { checkIndex(t, b) })
}

// checkIndex reads an index and checks what must hold: files are plain names, all of them are listed, and a check against
// nothing finds each missing.
func checkIndex(t *testing.T, raw []byte) {
	t.Helper()
	x, err := readIndex(string(raw))
	if err != nil {
		hostile.CheckError(t, err, 4000, fault.Usage)
		return
	}
	for _, p := range x.Tensors {
		if !plain(p.File) || !slices.Contains(x.Files, p.File) {
			t.Fatalf("%+v of %q", p, x.Files)
		}
	}
	x.TotalSize = -1 // which files of nothing do not have
	if found := x.Check(nil); len(found) != len(x.Files) {
		t.Fatalf("%+v for %q", found, x.Files)
	}
	files := map[string]*checkpoint.Container{}
	for _, p := range x.Tensors {
		if files[p.File] == nil {
			files[p.File] = &checkpoint.Container{}
		}
		files[p.File].Refused = append(files[p.File].Refused, checkpoint.Refused{Name: p.Name})
	}
	if found := x.Check(files); len(found) != 0 {
		t.Fatalf("%+v", found)
	}
}
