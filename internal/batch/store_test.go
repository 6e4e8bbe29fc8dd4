package batch

import (
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store/storetest"
)

// TestObjects: empty parts of a URL count for nothing, in sources and in the prefix of the results, and a bucket is not a pattern.
func TestObjects(t *testing.T) {
	s := storetest.New()
	for _, name := range []string{"b/a/x.npy", "b/a/d/y.npy", "b/a/out/x.npy", "b/a/outer/z.npy", "bc/x.npy"} {
		s.Set(name, []byte("content"))
	}
	all := []string{"d/y.npy", "outer/z.npy", "x.npy"}
	for _, c := range []struct {
		name, out string
		rels      []string
	}{
		{"test://b/a/", "test://b/a/out", all},
		{"test://b//a//", "test://b//a/./out//?r=1", all},
		{"TEST://b/./a/?r=1", "test://b/a/out/", all},
		{"test://b//a//*.npy", "test://b/a/out", all},
		{"test://b/a//d/*", "", []string{"y.npy"}},
		{"test://bc", "", []string{"x.npy"}},
	} {
		list, err := Expand(names(c.name), Options{Out: named(c.out)})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var rels []string
		for item := range list.All() {
			rels = append(rels, item.Rel)
		}
		if slices.Sort(rels); !slices.Equal(rels, c.rels) {
			t.Errorf("%s: %q, expected %q", c.name, rels, c.rels)
		}
	}
	for _, name := range []string{"test://b*", "test://[b]/x.npy"} {
		if _, err := Expand(names(name), Options{}); fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}
