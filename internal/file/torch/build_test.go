package torch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// Parts of pickles, written as Python's pickler writes them, without the memo.

func str(s string) string {
	return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
}

func num(n int64) string {
	b := binary.LittleEndian.AppendUint64(nil, uint64(n))
	return "\x8a\x08" + string(b)
}

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

func nums(n ...int64) string {
	items := make([]string, len(n))
	for i := range n {
		items[i] = num(n[i])
	}
	return tuple(items...)
}

func global(name string) string {
	at := strings.LastIndexByte(name, '.')
	return "c" + name[:at] + "\n" + name[at+1:] + "\n"
}

func call(function string, args ...string) string { return global(function) + tuple(args...) + "R" }

// pers is a persistent id of a storage.
func pers(class, key string, numel int64) string {
	return tuple(str("storage"), global(class), str(key), str("cpu"), num(numel)) + "Q"
}

const hooks = "ccollections\nOrderedDict\n)R"

// v2 is a call of _rebuild_tensor_v2.
func v2(storage string, offset int64, size, stride string) string {
	return call("torch._utils._rebuild_tensor_v2", storage, num(offset), size, stride, "\x89", hooks)
}

// simple is a float32 tensor of two elements in storage 0, which has two.
var simple = v2(pers("torch.FloatStorage", "0", 2), 0, nums(2), nums(1))

func dict(pairs ...string) string { return "}(" + strings.Join(pairs, "") + "u" }

func whole2(object string) string { return "\x80\x02" + object + "." }

// record is a member of an archive.
type record struct{ name, content string }

// archiveOf is an archive of stored members.
func archiveOf(records ...record) []byte {
	members := make([]zip.New, len(records))
	for i, r := range records {
		members[i] = zip.New{Name: "x/" + r.name, Size: int64(len(r.content))}
	}
	p, err := zip.Place(members)
	if err != nil {
		panic(err)
	}
	file, crcs := make([]byte, p.Size()), make([]uint32, len(records))
	for i, r := range records {
		crcs[i] = crc32.ChecksumIEEE([]byte(r.content))
		copy(file[p.Content(i):], r.content)
		header, at := p.Header(i, crcs[i])
		copy(file[at:], header)
	}
	end, at := p.End(crcs)
	copy(file[at:], end)
	return file
}

// saved is an archive of an object, with storage 0 of eight bytes.
func saved(object string, more ...record) []byte {
	return archiveOf(append([]record{{"data.pkl", whole2(object)}, {"data/0", "\x00\x00\x80\x3f\x00\x00\x00\x40"}, {"version", "3\n"}}, more...)...)
}

func openBytes(file []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(file), int64(len(file)), checkpoint.DefaultLimit)
}

// legacyOf is a legacy file; keys is a list's items, storages what follows.
func legacyOf(object, keys, storages string) []byte {
	n, _ := new(big.Int).SetString("1950a86a20f9469cfc6c", 16)
	b := n.Bytes()
	number := ""
	for _, x := range b {
		number = string([]byte{x}) + number
	}
	return []byte(whole2("\x8a\x0a"+number) + whole2(num(1001)) + whole2(dict(str("little_endian"), "\x88")) + whole2(object) +
		whole2("]("+keys+"e") + storages)
}

// legacyStorage is how a storage is written: its number of elements, and they.
func legacyStorage(numel int64, bytes string) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(numel))) + bytes
}

// lines is a container as text: tensors, what is refused, storages.
func lines(c *checkpoint.Container) string {
	var b strings.Builder
	for _, t := range c.Tensors {
		fmt.Fprintf(&b, "%s %s %v %v %d @%s\n", t.Name, t.Type.Typestr(), t.View.Shape, t.View.Strides, t.View.Offset, c.Storages[t.Storage].ID)
	}
	for _, r := range c.Refused {
		fmt.Fprintf(&b, "%s: %s %v\n", r.Name, r.Why, r.Storages)
	}
	for _, s := range c.Storages {
		fmt.Fprintf(&b, "storage %s %d\n", s.ID, s.Bytes)
	}
	return b.String()
}

func wantLines(t *testing.T, what string, file []byte, want ...string) *checkpoint.Container {
	t.Helper()
	c, err := openBytes(file)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return nil
	}
	if got := lines(c); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("%s:\n%swant\n%s", what, got, strings.Join(want, "\n"))
	}
	return c
}
