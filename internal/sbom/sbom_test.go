package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestBill: the bill of this test's program names its linked modules, Go's library and the program.
func TestBill(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "new", "x.cdx.json")
	if err := write(program, "v1.2.3", name); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if b.Format != "CycloneDX" || b.Metadata.Component.URL != "pkg:golang/github.com/tlayout/tlayout@v1.2.3" {
		t.Errorf("%s of %q", b.Format, b.Metadata.Component.URL)
	}
	std := newComponent("library", "std", strings.TrimPrefix(runtime.Version(), "go"))
	if !slices.Contains(b.Components, std) {
		t.Errorf("no %+v in %+v", std, b.Components)
	}
	if err := write(filepath.Join(t.TempDir(), "none"), "v1", name); err == nil {
		t.Error("no error for a missing program")
	}
}
