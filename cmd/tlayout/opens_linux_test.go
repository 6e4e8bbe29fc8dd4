package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
)

// opening is a call that opens a file for reading.
var opening = regexp.MustCompile(`openat\([^,]*, "([^"]*)", O_RDONLY[^)]*\) = \d`)

// TestOpensOnce: a command opens each source once, so that it lists, plans and reads the same file, even if its name is reused meanwhile.
func TestOpensOnce(t *testing.T) {
	t.Parallel()
	need.Strace(t)
	dir := t.TempDir()
	for name, from := range map[string]string{"x.npy": "x.npy", "y.npy": "x.npy", "a.npz": "weights.npz", "b.npz": "weights.npz", "m": "model.pt", "m.pt": "model.pt",
		"s.safetensors": "m.safetensors", "w": "weights.npz", "y.raw": "m.safetensors"} {
		cli.Must(os.WriteFile(filepath.Join(dir, name), fixture.Must(os.ReadFile("../../testdata/"+from)), 0o666))
	}
	cli.Must(os.WriteFile(filepath.Join(dir, "i.safetensors.index.json"), []byte(`{"weight_map": {"a": "s.safetensors"}}`), 0o666))
	program := filepath.Join(t.TempDir(), "tlayout")
	cli.Must(os.Symlink(fixture.Must(os.Executable()), program))
	for _, c := range []struct{ command, opened string }{
		{"x.npy", "x.npy"},
		{"a.npz:w", "a.npz"},
		{"inspect w:w", "w"},
		{"inspect w:*", "w"},
		{"inspect a.npz", "a.npz"},
		{"inspect a.npz:*", "a.npz"},
		{"inspect m.pt --all", "m.pt"},
		{"inspect x.npy a.npz m.pt --json", "a.npz m.pt x.npy"},
		{"inspect i.safetensors.index.json", "i.safetensors.index.json s.safetensors"},
		{"inspect y.raw --raw --shape 8 --dtype uint8 --allow-trailing", "y.raw"},
		{"check a.npz --finite", "a.npz"},
		{"check a.npz m.pt x.npy --finite --aligned 1", "a.npz m.pt x.npy"},
		{"diff x.npy y.npy", "x.npy y.npy"},
		{"diff a.npz b.npz", "a.npz b.npz"},
		{"diff m.pt m", "m m.pt"},
		{"draw a.npz:w", "a.npz"},
		{"draw a.npz", "a.npz"},
		{"draw a.npz -o a-%s.svg", "a.npz"},
		{"draw i.safetensors.index.json:a -o a.svg", "i.safetensors.index.json s.safetensors"},
		{"offset a.npz:w 0,0", "a.npz"},
		{"trace x.npy .T --values", "x.npy"},
		{"formats nhwc", ""},
		{"bench x.npy --time 1ms --layouts nchw -o bench.txt", "x.npy"},
		{"__complete inspect a.npz:", "a.npz"},
		{"plan x.npy --to c", "x.npy"},
		{"convert x.npy --to c -o c1.npy --verify", "x.npy"},
		{"convert x.npy --to c -d c2", "x.npy"},
		{"convert a.npz:w --to c -o c3.npy", "a.npz"},
		{"convert a.npz --to c -o c4.npz --verify", "a.npz"},
		{"convert w -o c5.safetensors", "w"},
		{"convert w:w --to c -o c9.npy", "w"},
		{"convert w:* --to c -o c10.npz", "w"},
		{"check w:* --finite", "w"},
		{"convert m.pt --to channels_last -o c6.pt --verify", "m.pt"},
		{"convert m.pt:*.weight -o c7.safetensors", "m.pt"},
		{"convert i.safetensors.index.json -d c8", "i.safetensors.index.json s.safetensors"},
		{"convert x.npy y.npy --to c -d c9", "x.npy y.npy"},
	} {
		log := filepath.Join(t.TempDir(), "log")
		cmd := exec.Command("strace", slices.Concat(wholeCalls, []string{"-o", log, "-e", "trace=openat", program}, strings.Fields(c.command))...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("tlayout %s: %v: %s", c.command, err, out)
			continue
		}
		var opened []string
		for _, call := range opening.FindAllStringSubmatch(string(fixture.Must(os.ReadFile(log))), -1) {
			if info, err := os.Stat(filepath.Join(dir, call[1])); !filepath.IsAbs(call[1]) && err == nil && info.Mode().IsRegular() {
				opened = append(opened, call[1])
			}
		}
		slices.Sort(opened)
		if got := fmt.Sprint(opened); got != fmt.Sprint(strings.Fields(c.opened)) {
			t.Errorf("tlayout %s opens %s, expected each once: %s", c.command, got, c.opened)
		}
	}
}
