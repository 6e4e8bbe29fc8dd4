//go:build !js

package zarr

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

// read returns the elements of the first array, of at most a megabyte.
func read(files fstest.MapFS) (string, error) {
	c, err := Open(files, checkpoint.DefaultLimit)
	if err != nil {
		return "", err
	}
	for _, r := range c.Refused {
		return "", fault.New(fault.Unsupported, "%s", r.Why)
	}
	if len(c.Tensors) == 0 {
		return "", nil
	}
	r, err := c.Content(0)
	if err != nil {
		return "", err
	}
	all, err := io.ReadAll(io.LimitReader(r, 1<<20))
	return string(all), err
}

const (
	second = `{"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "|u1", "fill_value": 9, "order": "C", "filters": null, "compressor": null}`
	third  = `{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
"chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, "fill_value": 9, "codecs": ["bytes"]}`
	sharded = `{"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": ["bytes"], "index_codecs": ["bytes"]}}`
)

// TestRules: what breaks the format is refused, and named.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		class    fault.Class
		text     string
	}{
		{`"shape": [4]`, `"shape": [-4]`, fault.Malformed, "negative"},
		{`"shape": [4]`, `"shape": [4, 4]`, fault.Malformed, "a chunk has 1 sizes, the array 2"},
		{`"shape": [4]`, `"shape": [2147483647]`, fault.Resource, "1073741824 chunks, over the limit"},
		{`"chunks": [2]`, `"chunks": [0]`, fault.Malformed, "sizes of a chunk are [0]"},
		{`"dtype": "|u1"`, `"dtype": [["a", "<i4"]]`, fault.Unsupported, "records"},
		{`"dtype": "|u1"`, `"dtype": "|O"`, fault.Unsupported, `type "|O"`},
		{`"order": "C"`, `"order": "D"`, fault.Malformed, `"D", not C or F`},
		{`"filters": null`, `"filters": [{"id": "delta"}]`, fault.Unsupported, `filter "delta"`},
		{`"compressor": null`, `"compressor": {"id": "blosc"}`, fault.Unsupported, `codec "blosc" is not read`},
		{`"fill_value": 9`, `"fill_value": 256`, fault.Unsupported, "elements without a file are \"256\""},
		{`{"zarr_format"`, `["zarr_format"`, fault.Malformed, "not metadata of Zarr"},
		{`"regular"`, `"rectangular"`, fault.Unsupported, "rectangular"},
		{`"name": "default"`, `"name": "hash"`, fault.Unsupported, "hash"},
		{`"node_type": "array"`, `"node_type": "tree"`, fault.Malformed, `"tree"`},
		{`"zarr_format": 3`, `"zarr_format": 4`, fault.Unsupported, "version 4"},
		{`"codecs": ["bytes"]`, `"codecs": []`, fault.Malformed, "no codec writes bytes"},
		{`"codecs": ["bytes"]`, `"codecs": ["delta", "bytes"]`, fault.Unsupported, `"delta" changes elements`},
		{`"codecs": ["bytes"]`, `"codecs": [{"name": "transpose", "configuration": {"order": [1]}}, "bytes"]`, fault.Malformed, "no permutation of 1 axes"},
		{`"codecs": ["bytes"]`, `"codecs": ["bytes", {"name": "transpose", "configuration": {"order": [0]}}]`, fault.Malformed, "a transpose follows"},
		{`"codecs": ["bytes"]`, `"codecs": [` + strings.Replace(sharded, "[1]", "[3]", 1) + `]`, fault.Malformed, "do not divide"},
	} {
		name := ".zarray"
		whole := second
		if !strings.Contains(second, c.from) {
			name = "zarr.json"
			whole = third
		}
		if !strings.Contains(whole, c.from) {
			t.Fatalf("no %s", c.from)
		}
		_, err := read(fstest.MapFS{name: file(strings.Replace(whole, c.from, c.to, 1))})
		hostile.WantFault(t, c.to, err, c.class, c.text)
	}
}

// TestChunks: chunks without a file are the fill value; one that is damaged is refused, and named.
func TestChunks(t *testing.T) {
	index := func(offset, length uint64) string {
		return string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, offset), length))
	}
	inShards := strings.Replace(third, `["bytes"]}`, "["+sharded+"]}", 1)
	summed := strings.Replace(third, `["bytes"]`, `["bytes", "crc32c"]`, 1)
	zipped := strings.Replace(third, `["bytes"]`, `["bytes", "gzip"]`, 1)
	for _, c := range []struct{ meta, chunk, want, text string }{
		{third, "ab", "\t\tab", ""},
		{third, "a", "", `chunk "c/1": 1 bytes of elements, its shape has 2`},
		{third, "abc", "", "3 bytes of elements"},
		{third, strings.Repeat("x", 1<<17), "", "over the limit"},
		{inShards, "ab" + index(1, 1) + index(0, 1), "\t\tba", ""},
		{inShards, "ab" + index(1, 1) + index(absent, absent), "\t\tb\t", ""},
		{inShards, index(40, 1) + index(0, 1), "", "a chunk of 1 bytes at byte 40 of 32"},
		{inShards, index(1, 1<<63) + index(0, 1), "", "a chunk of 9223372036854775808 bytes"},
		{inShards, "short", "", "too few for the index of 2 chunks"},
		{summed, "ab\x00\x00\x00\x00", "", "crc32c: its checksum is another one"},
		{summed, "ab", "", "no checksum"},
		{zipped, "not gzip", "", "gzip"},
	} {
		got, err := read(fstest.MapFS{"zarr.json": file(c.meta), "c/1": file(c.chunk)})
		if c.text == "" && (err != nil || got != c.want) {
			t.Errorf("%q: %q, %v; expected %q", c.chunk, got, err, c.want)
		}
		if c.text != "" {
			hostile.WantFault(t, c.text, err, fault.Malformed, c.text)
		}
	}
}

// TestGroups: arrays in groups have their paths as names; a folder without metadata is passed over, and too many arrays or groups are refused.
func TestGroups(t *testing.T) {
	files := fstest.MapFS{".zgroup": file(`{"zarr_format": 2}`), "b/.zarray": file(second), "a/zarr.json": file(`{"zarr_format": 3, "node_type": "group"}`),
		"a/x/zarr.json": file(third), "other/x": file("x")}
	c, err := Open(files, checkpoint.DefaultLimit)
	if err != nil || len(c.Tensors) != 2 || c.Tensors[0].Name != "a/x" || c.Tensors[1].Name != "b" {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = Open(files, 1)
	hostile.WantFault(t, "two arrays", err, fault.Resource, "more than 1 tensors")
	deep := fstest.MapFS{}
	for n := range maxDepth + 2 {
		deep[strings.Repeat("g/", n)+".zgroup"] = file("{}")
	}
	_, err = Open(deep, checkpoint.DefaultLimit)
	hostile.WantFault(t, "groups", err, fault.Unsupported, "nested deeper")
}

// TestBomb: a chunk that decompresses to more than a chunk is refused, and takes memory in proportion to the chunk.
func TestBomb(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(make([]byte, 64<<20)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	zeros, err := os.ReadFile("testdata/zeros.zst") // as many, by numcodecs
	if err != nil {
		t.Fatal(err)
	}
	for name, bomb := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": zeros} {
		before := hostile.Allocated()
		_, err := read(fstest.MapFS{"zarr.json": file(strings.Replace(third, `["bytes"]`, fmt.Sprintf(`["bytes", %q]`, name), 1)), "c/0": file(string(bomb))})
		if fault.ClassOf(err) != fault.Malformed {
			t.Errorf("%s: %v", name, err)
		}
		if used := hostile.Allocated() - before; used > 40<<20 {
			t.Errorf("%s: %d bytes allocated", name, used)
		}
	}
}

// FuzzZarr reads any metadata and any chunk: a clean error, or as many bytes as the shape has.
func FuzzZarr(f *testing.F) {
	f.Add([]byte(second), []byte("ab"))
	f.Add([]byte(third), []byte("ab"))
	f.Add([]byte(strings.Replace(third, `["bytes"]}`, "["+sharded+"]}", 1)), make([]byte, 40))
	f.Fuzz(func(t *testing.T, meta, chunk []byte) {
		name := "zarr.json"
		if bytes.Contains(meta, []byte("compressor")) {
			name = ".zarray"
		}
		files := fstest.MapFS{name: {Data: meta}, "c/0": {Data: chunk}, "0": {Data: chunk}, "c/0/0": {Data: chunk}}
		if _, err := read(files); err != nil {
			hostile.CheckError(t, err, 2000, fault.Resource)
		}
	})
}
