package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// When the data cannot be published after its descriptor was, what lay there before comes back: the old descriptor,
// or none.
func TestDescriptorUndo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npy.layout.json")
	nhwc := func() (source.Descriptor, error) { return source.Descriptor{Layout: "NHWC"}, nil }
	fresh := &descriptorDraft{path: path, needed: true}
	must(fresh.publish(nhwc))
	if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte("NHWC")) {
		t.Fatalf("published %s, %v", text, err)
	}
	must(fresh.undo())
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the descriptor of data that is not there stays: %v", err)
	}
	must(os.WriteFile(path, []byte("old"), 0o644))
	over := &descriptorDraft{path: path, needed: true, old: []byte("old"), o: publish.Options{Replace: true}}
	must(over.publish(nhwc))
	must(over.undo())
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("the old descriptor became %s", text)
	}
	kept := &descriptorDraft{path: path, old: []byte("old"), there: true}
	must(kept.publish(nhwc))
	must(kept.undo())
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("a descriptor that was not touched became %s", text)
	}
	must(over.undo())
	must((&descriptorDraft{path: path, old: []byte("mine"), there: true}).settle())
	if text, _ := os.ReadFile(path); string(text) != "old" {
		t.Errorf("the descriptor of another run became %s", text)
	}
	must(kept.settle())
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("a descriptor that the new data does not need stays: %v", err)
	}
}

// The second reader's bytes must be ours, all of them and no more.
func TestCompareStream(t *testing.T) {
	ours, err := source.Open(npyFile(t, "x.npy", "|u1", []int{3000}, false), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	data, err := ours.Data()
	if err != nil {
		t.Fatal(err)
	}
	same := string(data)
	changed := same[:2999] + string([]byte{same[2999] + 1})
	for name, c := range map[string]struct {
		stream string
		ok     bool
	}{"the same": {same, true}, "another last byte": {changed, false}, "one byte less": {same[:2999], false}, "one more": {same + "x", false}, "nothing": {"", false}} {
		if err := compareStream(strings.NewReader(c.stream), ours); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
