package safetensors

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/hostile"
)

const all = 16 << 20 // bytes of all names, and of all metadata

// empties are the entries of n empty tensors whose names have so many bytes together.
func empties(n, bytes int) string {
	var b strings.Builder
	for i := range n {
		size := (bytes + i) / n
		name := fmt.Sprintf("%0*d", size, i)
		fmt.Fprintf(&b, `%s"%s":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, map[bool]string{true: ","}[i > 0], name)
	}
	return b.String()
}

// TestBounds: names, metadata and dims exactly at their bounds are read, and one more is refused, in a header and in an index.
func TestBounds(t *testing.T) {
	const limit = 300
	text := func(n int) string { return strings.Repeat("x", n) }
	texts := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"%d":""`, map[bool]string{true: ","}[i > 0], i)
		}
		return b.String()
	}
	header := func(s string) func() error {
		raw := file("{"+s+"}", 0)
		return func() error { _, err := Open(strings.NewReader(string(raw)), int64(len(raw)), limit); return err }
	}
	index := func(s string) func() error {
		return func() error { _, err := ReadIndex(strings.NewReader(s), int64(len(s)), limit); return err }
	}
	files := func(n, bytes int) string {
		return strings.ReplaceAll(empties(n, bytes), `{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, `"f"`)
	}
	fixed := len("metadata") + len("weight_map") // keys of an index
	for _, c := range []struct {
		what  string
		read  func(n int) func() error
		n     int
		class fault.Class
		text  string
	}{
		{"a name", func(n int) func() error { return header(empties(1, n)) }, checkpoint.MaxName, fault.Unsupported, "more than 65536 bytes"},
		{"all names", func(n int) func() error { return header(empties(260, n)) }, all, fault.Unsupported, "more than 16777216 bytes in total"},
		{"tensors", func(n int) func() error { return header(empties(n, 10*n) + `,"__metadata__":{}`) }, limit, fault.Resource, "more than 300 tensors"},
		{"a key of metadata", func(n int) func() error { return header(`"__metadata__":{"` + text(n) + `":""}`) }, checkpoint.MaxName, fault.Unsupported, "more than 65536 bytes"},
		{"all metadata", func(n int) func() error { return header(`"__metadata__":{"a":"` + text(n-4) + `","b":"yy"}`) }, all, fault.Unsupported, "the metadata: more than 16777216 bytes in total"},
		{"a text of metadata", func(n int) func() error { return header(`"__metadata__":{"a":"` + text(n-1) + `"}`) }, all, fault.Unsupported, "the metadata: more than 16777216 bytes in total"},
		{"keys of metadata", func(n int) func() error { return header(`"__metadata__":{` + texts(n) + "}") }, limit + 1, fault.Resource, "more than 301 keys"},
		{"a dtype", func(n int) func() error {
			return header(`"a":{"dtype":"` + text(n) + `","shape":[],"data_offsets":[0,0]}`)
		}, checkpoint.MaxName, fault.Unsupported, "dtype: one of more than 65536 bytes"},
		{"a name of an index", func(n int) func() error { return index(`{"weight_map":{"` + text(n) + `":"f"}}`) }, checkpoint.MaxName, fault.Unsupported, "more than 65536 bytes"},
		{"all names of an index", func(n int) func() error {
			return index(`{"metadata":{},"weight_map":{` + files(260, n-fixed) + `}}`)
		}, all, fault.Unsupported, "more than 16777216 bytes in total"},
		{"tensors of an index", func(n int) func() error { return index(`{"weight_map":{` + files(n, 10*n) + `}}`) }, limit, fault.Resource, "more than 300 tensors"},
		{"keys of an index", func(n int) func() error { return index(`{"weight_map":{},` + texts(n-1) + `}`) }, limit + 1, fault.Resource, "more than 301 keys"},
		{"metadata of an index", func(n int) func() error { return index(`{"weight_map":{},"metadata":{` + texts(n) + `}}`) }, limit + 1, fault.Resource, "more than 301 keys"},
	} {
		if err := c.read(c.n)(); err != nil {
			t.Errorf("%s, %d: %v", c.what, c.n, err)
		}
		if err := c.read(c.n + 1)(); fault.ClassOf(err) != c.class || err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s, %d: %v, expected %q", c.what, c.n+1, err, c.text)
		}
	}
}

// TestLargestHeader: a header of exactly 100,000,000 bytes is read.
func TestLargestHeader(t *testing.T) {
	for n, want := range map[int64]string{100_000_000: "", 100_000_001: "over the limit of 100,000,000"} {
		raw := append(binary.LittleEndian.AppendUint64(nil, uint64(n)), "{}"...)
		_, err := Open(spaces(raw), prefix+n, checkpoint.DefaultLimit)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// spaces is a file that begins so, with spaces behind it.
type spaces []byte

func (s spaces) ReadAt(p []byte, at int64) (int, error) {
	for i := range p {
		if p[i] = ' '; at+int64(i) < int64(len(s)) {
			p[i] = s[at+int64(i)]
		}
	}
	return len(p), nil
}

// TestCostly: headers and indices of many megabytes that say nothing allocate little more than what is read at once.
func TestCostly(t *testing.T) {
	const n = 2 << 20
	header := func(begin, repeat, end string) func() error {
		raw := binary.LittleEndian.AppendUint64(nil, uint64(len(begin)+n/len(repeat)*len(repeat)+len(end)))
		text := string(raw) + begin + strings.Repeat(repeat, n/len(repeat)) + end
		return func() error {
			_, err := Open(strings.NewReader(text), int64(len(text)), checkpoint.DefaultLimit)
			return err
		}
	}
	index := func(begin, repeat, end string) func() error {
		text := begin + strings.Repeat(repeat, n/len(repeat)) + end
		return func() error {
			_, err := ReadIndex(strings.NewReader(text), int64(len(text)), checkpoint.DefaultLimit)
			return err
		}
	}
	for what, read := range map[string]func() error{
		"a long name":               header(`{"`, "n", `":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}`),
		"a long shape":              header(`{"a":{"dtype":"U8","shape":[`, "0,", `0],"data_offsets":[0,0]}}`),
		"long offsets":              header(`{"a":{"dtype":"U8","shape":[0],"data_offsets":[`, "0,", `0]}}`),
		"a long dtype":              header(`{"a":{"dtype":"`, "n", `","shape":[0],"data_offsets":[0,0]}}`),
		"an index of long metadata": index(`{"weight_map":{},"metadata":{"x":"`, "y", `"}}`),
		"an index of other values":  index(`{"weight_map":{},"metadata":{"x":[`, `{"a":1},`, `0]}}`),
		"an index of a long name":   index(`{"weight_map":{"`, "n", `":"f"}}`),
		"an index of a long file":   index(`{"weight_map":{"a":"`, "n", `"}}`),
		"brackets":                  index(`{"a":`, "[", ""),
	} {
		var err error
		if used := hostile.AllocatedBy(func() { err = read() }); used > n+n/2 {
			t.Errorf("%s: %d bytes allocated (%v)", what, used, err)
		}
	}
}
