package pt2

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/tensor"
)

// member is a member of an archive that a test writes.
type member struct{ name, content string }

// archived returns a zip archive of uncompressed members.
func archived(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.CreateHeader(&zip.FileHeader{Name: m.name, Method: zip.Store})
		if err == nil {
			_, err = f.Write([]byte(m.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// entry is a tensor in the JSON of weights: a member, a type, sizes, strides and an offset.
func entry(name, path string, dtype int, sizes, strides string, offset int) string {
	list := func(numbers string) string {
		var all []string
		for _, n := range strings.Fields(numbers) {
			all = append(all, `{"as_int": `+n+`}`)
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return fmt.Sprintf(`%q: {"path_name": %q, "is_param": true, "use_pickle": false, "tensor_meta": {"dtype": %d, "sizes": %s, "requires_grad": true, `+
		`"device": {"type": "cpu", "index": null}, "strides": %s, "storage_offset": {"as_int": %d}, "layout": 7}}`, name, path, dtype, list(sizes), list(strides), offset)
}

// program returns an archive with these entries, and the members weight_0 and so on.
func program(t testing.TB, entries string, weights ...string) []byte {
	var all []member
	for i, w := range weights {
		all = append(all, member{fmt.Sprint("p/data/weights/weight_", i), w})
	}
	all = append(all, member{"p/data/weights/model_weights_config.json", `{"config": {` + entries + `}}`},
		member{"p/models/model.json", "{}"}, member{"p/archive_format", "pt2"}, member{"p/byteorder", "little"})
	return archived(t, all...)
}

func open(raw []byte) (*checkpoint.Container, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)), checkpoint.DefaultLimit)
}

// elements returns the bytes of a tensor's elements, in logical order.
func elements(t testing.TB, c *checkpoint.Container, x checkpoint.Tensor, raw []byte) []byte {
	l, err := x.View.Layout(nil, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Storages[x.Storage]
	data := raw[s.At : s.At+s.Bytes]
	if s.Inline {
		data = []byte(s.Data)
	}
	var all []byte
	size := x.Type.ItemSize()
	for _, off := range l.Logical() {
		all = append(all, data[off*size:(off+1)*size]...)
	}
	return all
}

// list returns a container's tensors, one a line.
func list(t testing.TB, c *checkpoint.Container, raw []byte) string {
	var lines []string
	for _, x := range c.Tensors {
		lines = append(lines, fmt.Sprintf("%s %s %v %v+%d of %s %x", x.Name, x.Type, x.View.Shape, x.View.Strides, x.View.Offset,
			c.Storages[x.Storage].ID, elements(t, c, x, raw)))
	}
	for _, r := range c.Refused {
		lines = append(lines, r.Name+" refused: "+r.Why)
	}
	return strings.Join(lines, "\n")
}

// checkPlaces opens any bytes and requires a clean error, or tensors in storages in the file.
func checkPlaces(t testing.TB, raw []byte) {
	c, err := open(raw)
	if err != nil {
		hostile.CheckError(t, err, 1000, 5)
		return
	}
	for _, x := range c.Tensors {
		s := c.Storages[x.Storage]
		_, to := x.Extent()
		outside := !s.Inline && (s.At < 0 || s.Bytes > int64(len(raw))-s.At)
		if outside || !x.View.Empty() && to > s.Bytes {
			t.Fatalf("%+v in %+v of a file of %d bytes", x, s, len(raw))
		}
	}
}
