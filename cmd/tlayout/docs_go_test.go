package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestDocsGo: the Go programs of the documents compile, imports included.
func TestDocsGo(t *testing.T) {
	compiled := 0
	for _, document := range documents() {
		blocks, _ := fenced(string(fixture.Must(os.ReadFile(document))), "go")
		for _, block := range blocks {
			compiled++
			program := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(program, []byte(block), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "build", "-o", os.DevNull, program).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", document, err, out)
			}
		}
	}
	if compiled == 0 {
		t.Error("no document has a Go program")
	}
}
