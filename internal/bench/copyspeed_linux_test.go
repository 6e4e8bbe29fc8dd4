package bench

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// TestMeasureWithoutMemory: without address space for a measurement there is none, and the program continues. Go's own allocation would end
// it.
func TestMeasureWithoutMemory(t *testing.T) {
	const variable = "TLAYOUT_TEST_NO_MEMORY"
	if os.Getenv(variable) != "" {
		testWithoutMemory(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestMeasureWithoutMemory$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"=1", "MALLOC_ARENA_MAX=1", "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("%v\n%.2000s", err, out)
	}
}

func testWithoutMemory(t *testing.T) {
	k := kernel.Best()
	if speed, ok := CopySpeed(k); !ok || speed <= 0 {
		t.Errorf("with memory: %g, %v", speed, ok)
	}
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseUint(strings.Fields(string(statm))[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	limit := pages*uint64(os.Getpagesize()) + (1+copyTurns)*copyBytes - 1<<20
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Fatal(err)
	}
	if _, ok := CopySpeed(k); ok {
		t.Error("a copy was measured in more memory than there is")
	}
}
