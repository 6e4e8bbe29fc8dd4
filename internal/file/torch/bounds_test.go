package torch

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// TestBounds: names, dicts and nested values exactly at their bounds are read, and one more is refused.
func TestBounds(t *testing.T) {
	const limit, all = 1000, 16 << 20
	key := func(n int) string { return str(strings.Repeat("k", n)) }
	// named are 256 tensors below a key, with names of MaxName bytes, and others with names of a byte.
	named := func(n int) string {
		var items strings.Builder
		for i := range 256 {
			items.WriteString(str(fmt.Sprintf("%04d", i)) + "h\x02")
		}
		inner := "}(" + items.String() + "u"
		return simple + "q\x020" + "}(" + key(checkpoint.MaxName-5) + inner + strings.Repeat(str("x")+"h\x02", n-all) + "u"
	}
	for _, c := range []struct {
		what string
		of   func(n int) string
		n    int
		text string
	}{
		{"a name", func(n int) string { return dict(key(n), simple) }, checkpoint.MaxName, "the names of the tensors: one of more than 65536 bytes"},
		{"a name of two keys", func(n int) string { return dict(key(n/2), dict(key(n-n/2-1), simple)) }, checkpoint.MaxName, "more than 65536 bytes"},
		{"all names", named, all, "the names of the tensors: more than 16777216 bytes in total"},
		{"nested", func(n int) string { return simple + strings.Repeat("\x85", n) }, maxDepth, "nested deeper than 10000"},
		{"a storage's key", func(n int) string {
			return v2(pers("torch.FloatStorage", strings.Repeat("k", n), 2), 0, nums(2), nums(1))
		}, checkpoint.MaxName, "the keys of the storages: one of more than 65536 bytes"},
		{"a global", func(n int) string { return global("m." + strings.Repeat("g", n-1)) }, checkpoint.MaxName, "the name of a global has more than 65536 bytes"},
	} {
		for more := range 2 {
			file := saved(c.of(c.n + more))
			_, err := Open(bytes.NewReader(file), int64(len(file)), limit)
			var e *fault.Error
			if refused := errors.As(err, &e) && e.Class == fault.Unsupported && strings.Contains(e.Text, c.text); refused != (more == 1) {
				t.Errorf("%s, %d: %v, expected %q", c.what, c.n+more, err, c.text)
			}
		}
	}
}

// TestListable: a pickle that names one tensor again and again lists 20,000, and one more for each 32 bytes.
func TestListable(t *testing.T) {
	const n = 33_000
	var items strings.Builder
	for i := range n - 1 {
		items.WriteString(str(fmt.Sprintf("%05d", i)) + "h\x02")
		if i%1000 == 999 {
			items.WriteString("u(")
		}
	}
	object := func(padding int) string {
		return str(strings.Repeat("p", padding)) + "0" + "}(" + str("first") + simple + "q\x02" + items.String() + "u"
	}
	needed := 32 * (n - 20_000)
	padding := needed - len(whole2(object(1000))) + 1000
	for fewer := range 2 {
		c, err := openBytes(saved(object(padding - fewer)))
		switch {
		case fewer == 0 && (err != nil || len(c.Tensors) != n):
			t.Errorf("%d bytes: %v", needed, err)
		case fewer == 1 && (fault.ClassOf(err) != fault.Unsupported || !strings.Contains(fmt.Sprint(err), "list more than 32999 tensors")):
			t.Errorf("%d bytes: %v", needed-1, err)
		}
	}
}
