package main

import (
	"archive/zip"
	"bytes"
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

// creating matches a system call that creates a file: its path, flags and mode.
var creating = regexp.MustCompile(`openat\([^,]*, "([^"]*)", ([A-Z_|]*(?:O_CREAT|O_TMPFILE)[A-Z_|]*), (0[0-7]*)\) = \d`)

// TestTemporaryFiles: standard input and compressed archives are spooled to unnamed files in $TMPDIR that only the owner can read; a file named
// by the user has the umask's mode; no other file is created, and none remains.
func TestTemporaryFiles(t *testing.T) {
	need.Strace(t)
	dir, temp := t.TempDir(), t.TempDir()
	npy := fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false))
	var deflated bytes.Buffer
	z := zip.NewWriter(&deflated)
	fixture.Must(fixture.Must(z.Create("a.npy")).Write(npy))
	cli.Must(z.Close())
	cli.Must(os.WriteFile(filepath.Join(dir, "z.npz"), deflated.Bytes(), 0o644))
	program := filepath.Join(t.TempDir(), "tlayout")
	cli.Must(os.Symlink(fixture.Must(os.Executable()), program))
	for _, c := range []struct {
		command string
		secret  int // files that hold contents
		outputs int
	}{
		{"inspect z.npz:a --offsets", 1, 0},
		{"diff z.npz:a z.npz:a", 1, 0},
		{"check z.npz:a --finite", 0, 0}, // scanned while it is unpacked
		{"convert z.npz:a --to nhwc -o y.npy", 1, 1},
		{"convert - --to nhwc -o w.npy", 1, 1},
		{"draw z.npz:a -o z.svg", 1, 1},
		{"inspect -", 0, 0}, // only the header is read
	} {
		log := filepath.Join(t.TempDir(), "log")
		args := slices.Concat(wholeCalls, []string{"-o", log, "-e", "trace=openat", program}, strings.Fields(c.command))
		cmd := exec.Command("strace", args...)
		cmd.Dir, cmd.Stdin, cmd.Env = dir, bytes.NewReader(npy), append(os.Environ(), "TMPDIR="+temp, "GORACE=atexit_sleep_ms=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tlayout %s: %v: %s", c.command, err, out)
		}
		secret, outputs := 0, 0
		for _, call := range creating.FindAllStringSubmatch(string(fixture.Must(os.ReadFile(log))), -1) {
			path, flags, mode := call[1], call[2], call[3]
			switch {
			case strings.HasPrefix(path, temp):
				secret++
				if mode != "0600" || !strings.Contains(flags, "O_TMPFILE") {
					t.Errorf("tlayout %s: %s", c.command, call[0])
				}
			case mode == "0666":
				outputs++
			default:
				t.Errorf("tlayout %s: %s", c.command, call[0])
			}
		}
		if secret < c.secret || c.secret == 0 && secret > 0 || outputs != c.outputs {
			t.Errorf("tlayout %s: %d temporary files, expected %d; %d outputs, expected %d", c.command, secret, c.secret, outputs, c.outputs)
		}
		if left := fixture.Must(os.ReadDir(temp)); len(left) > 0 {
			t.Errorf("tlayout %s leaves %v", c.command, left)
		}
	}
}
