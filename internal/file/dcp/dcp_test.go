package dcp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

const folder = "../../../testdata/slices/dcp/"

func metadata(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile(folder + File)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func open(file []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(file), int64(len(file)), checkpoint.DefaultLimit)
}

// lines is a container as text.
func lines(c *checkpoint.Container) string {
	var b strings.Builder
	for _, t := range c.Tensors {
		fmt.Fprintf(&b, "%s %s %v", t.Name, t.Type, t.View.Shape)
		for _, s := range c.SlicesOf(t.Storage) {
			fmt.Fprintf(&b, " %s@%s", s, s.File)
		}
		b.WriteString("\n")
	}
	for _, r := range c.Refused {
		fmt.Fprintf(&b, "%s: %s\n", r.Name, r.Why)
	}
	return b.String()
}

// TestMetadata: what PyTorch 2.15 wrote, by make_slices.py.
func TestMetadata(t *testing.T) {
	c, err := open(metadata(t))
	if err != nil {
		t.Fatal(err)
	}
	want := `rows float32 [5 4] [0:3, 0:4]@__0_0.distcp [3:5, 0:4]@__1_0.distcp
columns bfloat16 [3 5] [0:3, 0:3]@__0_0.distcp [0:3, 3:5]@__1_0.distcp
short float32 [1 3] [0:1, 0:3]@__0_0.distcp [1:1, 0:3]@__1_0.distcp
turned int16 [3 2] [0:3, 0:2]@__1_0.distcp
scale float32 [] []@__1_0.distcp
`
	if got := lines(c); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(c.Metadata) != 1 || c.Metadata[0].Key != "step" {
		t.Errorf("%+v", c.Metadata)
	}
}

// TestStreams: a .distcp file has the tensors that its metadata name, and without them one for each file in it.
func TestStreams(t *testing.T) {
	c, err := open(metadata(t))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(folder + "__1_0.distcp")
	if err != nil {
		t.Fatal(err)
	}
	names := func(n map[int64]string, file []byte) string {
		all, err := OpenStreams(bytes.NewReader(file), int64(len(file)), checkpoint.DefaultLimit, n)
		if err != nil {
			return err.Error()
		}
		var names []string
		for _, x := range all.Tensors {
			names = append(names, fmt.Sprintf("%s %v %v", x.Name, x.View.Shape, x.View.Strides))
		}
		return strings.Join(names, "; ")
	}
	if got, want := names(Names(c, func(file string) bool { return file == "__1_0.distcp" }), file), "rows[3:5, 0:4] [2 4] [4 1]; columns[0:3, 3:5] [3 2] [2 1]; short[1:1, 0:3] [0 3] [3 1]; turned [3 2] [1 3]; scale [] []"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	if got, want := names(nil, file), "1 [2 4] [4 1]; 2 [3 2] [2 1]; 3 [0 3] [3 1]; 4 [3 2] [1 3]; 5 [] []"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	if got := names(nil, file[5:]); got != "its bytes up to 1244 are not files of torch.save in a row" && !strings.Contains(got, "in a row") {
		t.Errorf("without its first bytes: %s", got)
	}
	if got := names(nil, file[:len(file)-1]); !strings.Contains(got, "not files of torch.save in a row") {
		t.Errorf("without its last byte: %s", got)
	}
}

// Parts of pickles.

func str(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func num(n int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func object(class string, pairs ...string) string {
	return "ctorch.distributed.checkpoint.metadata\n" + class + "\n)\x81" + dict(pairs...) + "b"
}

func dict(pairs ...string) string { return "}(" + strings.Join(pairs, "") + "u" }

func list(items ...string) string { return "](" + strings.Join(items, "") + "e" }

func size(n ...int64) string {
	items := ""
	for _, x := range n {
		items += num(x)
	}
	return "ctorch\nSize\n((" + items + "ttR"
}

const float32s = "ctorch.distributed.checkpoint.metadata\nTensorProperties\n)\x81(ctorch\nfloat32\nctorch.serialization\n_get_layout\n(X\x0d\x00\x00\x00torch.stridedtR\x89K\x00\x89tb"

// one is the metadata of a tensor w of (4, 2) with one chunk, whose place is info.
func one(shape, chunk, index, info string) []byte {
	tensor := object("TensorStorageMetadata", str("properties"), float32s, str("size"), shape, str("chunks"), list(chunk))
	return []byte("\x80\x02" + object("Metadata", str("state_dict_metadata"), dict(str("w"), tensor), str("storage_data"), dict(index, info)) + ".")
}

func chunk(offsets, sizes string) string {
	return object("ChunkStorageMetadata", str("offsets"), offsets, str("sizes"), sizes)
}

func key(offset string) string {
	return object("MetadataIndex", str("fqn"), str("w"), str("offset"), offset)
}

func info(path string, offset, length int64, more ...string) string {
	return object("_StorageInfo", append([]string{str("relative_path"), str(path), str("offset"), num(offset), str("length"), num(length)}, more...)...)
}

// TestHostile: each rule that metadata can break, and what the error says.
func TestHostile(t *testing.T) {
	whole := chunk(size(0, 0), size(4, 2))
	at := key(size(0, 0))
	good := info("x.distcp", 0, 9)
	for _, c := range []struct {
		what string
		file []byte
		want string
	}{
		{"good", one(size(4, 2), whole, at, good), "w float32 [4 2] [0:4, 0:2]@x.distcp\n"},
		{"in a folder", one(size(4, 2), whole, at, info("./a//x.distcp", 0, 9)), "w float32 [4 2] [0:4, 0:2]@a/x.distcp\n"},
		{"not Metadata", []byte("\x80\x02N."), "not a Metadata"},
		{"no storage", []byte("\x80\x02" + object("Metadata", str("state_dict_metadata"), dict()) + "."), "its storage_data is not a dict"},
		{"no tensors", []byte("\x80\x02" + object("Metadata", str("storage_data"), dict()) + "."), "its state_dict_metadata is not a dict"},
		{"outside", one(size(4, 2), whole, at, info("../x.distcp", 0, 9)), `its bytes are in "../x.distcp", which is not a path below the folder`},
		{"absolute", one(size(4, 2), whole, at, info("/etc/passwd", 0, 9)), "not a path below the folder"},
		{"no file", one(size(4, 2), whole, at, info("", 0, 9)), "not a path below the folder"},
		{"a negative offset", one(size(4, 2), whole, at, info("x", -1, 9)), "not a natural number"},
		{"a negative length", one(size(4, 2), whole, at, info("x", 0, -9)), "not a natural number"},
		{"a negative size", one(size(4, -2), whole, at, good), "its size is negative"},
		{"a huge size", one(size(math.MaxInt64, math.MaxInt64), whole, at, good), "overflow"},
		{"a huge type", one(size(math.MaxInt/2), whole, at, good), "exceed any file"},
		{"offsets of another rank", one(size(4, 2), chunk(size(0), size(4, 2)), at, good), "a chunk has 1 offsets and 2 sizes"},
		{"another place", one(size(4, 2), whole, key(size(1, 0)), good), "w: no file is named for its slice [0:4, 0:2]\n"},
		{"no place", one(size(4, 2), whole, key("N"), good), "w: no file is named for its slice [0:4, 0:2]\n"},
		{"an extension", one(size(4, 2), whole, at, info("x", 0, 9, str("transform_descriptors"), list(str("stream.zstd")))),
			"w: its bytes are transformed by \"stream.zstd\", an extension of DCP\n"},
		{"another storage", one(size(4, 2), whole, at, object("_HFStorageInfo", str("relative_path"), str("x"))), "w: its place is a \"_HFStorageInfo\", not of a file system\n"},
		{"an unknown type", bytes.Replace(one(size(4, 2), whole, at, good), []byte("\nfloat32\n"), []byte("\nquint8\n"), 1), "w: its dtype \"quint8\" is unknown\n"},
		{"a sparse tensor", bytes.Replace(one(size(4, 2), whole, at, good), []byte("torch.strided"), []byte("torch.xsparse"), 1), "w: its layout is \"torch.xsparse\"\n"},
	} {
		got, err := open(c.file)
		text := ""
		if err == nil {
			text = lines(got)
		} else {
			text = err.Error()
		}
		if err == nil && text != c.want || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, expected %q", c.what, text, c.want)
		}
	}
}

// TestDamage: metadata cut anywhere or with a bit flipped are read or refused with a clean error, in bounded memory.
func TestDamage(t *testing.T) {
	file := metadata(t)
	for n := range file {
		if _, err := open(file[:n]); err == nil {
			t.Errorf("the first %d bytes are metadata", n)
		}
	}
	for i := range file {
		raw := bytes.Clone(file)
		raw[i] ^= 1 << (i % 8)
		check(t, raw)
	}
}

// TestLimit: one tensor more than the limit is refused.
func TestLimit(t *testing.T) {
	file := metadata(t)
	for _, limit := range []checkpoint.Limit{5, 3} { // tensors, bytes
		_, err := Open(bytes.NewReader(file), int64(len(file)), limit)
		hostile.WantFault(t, "6 entries", err, fault.Resource)
	}
	if _, err := Open(bytes.NewReader(file), int64(len(file)), 6); err != nil {
		t.Error(err)
	}
}

// FuzzOpen reads any bytes as metadata.
func FuzzOpen(f *testing.F) {
	f.Add(metadata(f))
	f.Add(one(size(4, 2), chunk(size(0, 0), size(4, 2)), key(size(0, 0)), info("x", 0, 9)))
	f.Fuzz(func(t *testing.T, file []byte) { check(t, file) })
}

func check(t *testing.T, file []byte) {
	t.Helper()
	c, err := open(file)
	if err != nil {
		hostile.CheckError(t, err, math.MaxInt)
		return
	}
	for _, all := range c.Slices {
		for _, x := range all {
			if !checkpoint.IsBelow(x.File) || x.At < 0 || x.Bytes < 0 {
				t.Fatalf("%+v", x)
			}
		}
	}
	for _, x := range c.Tensors {
		checkpoint.Uncovered(x.View.Shape, c.SlicesOf(x.Storage))
	}
}
