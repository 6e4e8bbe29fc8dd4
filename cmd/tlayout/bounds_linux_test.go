package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/npy"
)

// What a command may take without being told to. TLAYOUT_TEST_BOUNDS_SECONDS is another bound, for slow machines.
const (
	boundSeconds = 5
	boundMiB     = 256
)

// bounded is a command and the exit code that it must have. Its word {WORD*N} is N times that word.
type bounded struct {
	args string
	code int
	slow bool // only with TLAYOUT_TEST_BOUNDS
}

// boundedCases have sizes that no machine could hold, or texts and files that are long where others are short.
var boundedCases = []bounded{
	{args: "inspect --shape 1,1000000,1000000,1000000 --all"},
	{args: "inspect --shape 1,1000000,1000000,1000000 --explain", slow: true},
	{args: "inspect --shape 1,9973,9973,9973 --layout NCHW7919c --all"},
	{args: "check --shape 1,9973,9973,9973 --layout NCHW7919c --packed", code: 1, slow: true},
	{args: "plan --shape 1,9973,9973,9973 --to NCHW9973c"},
	{args: "draw --shape 1,1000000,1000000,1000000", slow: true},
	{args: "draw --shape 1,1000000,1000000,1000000 -o o.svg --force"},
	{args: "formats NCHW7919c --shape 1,9973,9973,9973", slow: true},
	{args: "trace x.npy {T*10000}", slow: true},
	{args: "trace x.npy {T*10001}", code: 2},
	{args: "diff empty.npy empty.npy"},
	{args: "check empty.npy --finite", code: 1},
	{args: "offset x.npy {0,1,2,3*50000}", slow: true},
	{args: "inspect many.safetensors"},
	{args: "inspect many.safetensors --json", slow: true},
	{args: "check many.safetensors --finite", slow: true},
	{args: "diff many.safetensors many.safetensors", slow: true},
	{args: "diff many.safetensors renamed.safetensors", code: 1},
}

// TestBounds: no command takes more processor time or anonymous memory than the bounds, whatever it is asked.
func TestBounds(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the sizes are larger than 32 bits can address, and refused")
	}
	dir, all := t.TempDir(), os.Getenv("TLAYOUT_TEST_BOUNDS") != ""
	seconds := float64(boundSeconds)
	if text := os.Getenv("TLAYOUT_TEST_BOUNDS_SECONDS"); text != "" {
		seconds = fixture.Must(strconv.ParseFloat(text, 64))
	}
	tensors := 5000
	if all {
		tensors = 50_000
	}
	cli.Must(os.WriteFile(filepath.Join(dir, "x.npy"), fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false)), 0o644))
	cli.Must(os.WriteFile(filepath.Join(dir, "empty.npy"), fixture.Must(npy.AppendHeader(nil, fixture.Must(dtype.Parse("|V0")), false, []int{2e9})), 0o644))
	writeScalars(filepath.Join(dir, "many.safetensors"), "a.%d.w", tensors)
	writeScalars(filepath.Join(dir, "renamed.safetensors"), "b.%d.w", tensors)
	for _, c := range boundedCases {
		if c.slow && !all {
			continue
		}
		took, anon, code, stderr := runMeasured(dir, repeated(c.args)...)
		t.Logf("%6.2f s %5d MiB  tlayout %s", took.Seconds(), anon>>10, c.args)
		if code != c.code {
			t.Errorf("tlayout %s: exit code %d, expected %d: %.300s", c.args, code, c.code, stderr)
		}
		if code > 1 && !strings.HasPrefix(stderr, "tlayout: error: ") {
			t.Errorf("tlayout %s: exit code %d without an error: %.300s", c.args, code, stderr)
		}
		if took.Seconds() > seconds {
			t.Errorf("tlayout %s: %.1f s of processor time, more than %g", c.args, took.Seconds(), seconds)
		}
		if anon > boundMiB<<10 {
			t.Errorf("tlayout %s: %d MiB of memory, more than %d", c.args, anon>>10, boundMiB)
		}
	}
}

// repeated splits a command into words; {WORD*N} is N times that word.
func repeated(command string) (words []string) {
	for _, word := range strings.Fields(command) {
		word, times, ok := strings.Cut(strings.Trim(word, "{}"), "*")
		n := 1
		if ok {
			n = fixture.Must(strconv.Atoi(times))
		}
		for range n { // no other word of a command has a star
			words = append(words, word)
		}
	}
	return words
}

// runMeasured runs the program in a folder, without the validation of its documents, which keeps them, and returns its processor time and its maximum of anonymous memory in KiB.
func runMeasured(dir string, args ...string) (took time.Duration, anon, code int, stderr string) {
	cmd := exec.Command("tlayout-alone", args...)
	cmd.Dir = dir
	var text bytes.Buffer
	cmd.Stderr = &text
	cli.Must(cmd.Start())
	done := make(chan struct{})
	go func() {
		cmd.Wait() //nolint:errcheck // the state tells
		close(done)
	}()
	for ticks := time.Tick(5 * time.Millisecond); ; {
		select {
		case <-done:
			s := cmd.ProcessState
			return s.UserTime() + s.SystemTime(), anon, s.ExitCode(), text.String()
		case <-ticks:
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, after, ok := strings.Cut(string(status), "RssAnon:"); ok {
				n, _ := strconv.Atoi(strings.Fields(after)[0])
				anon = max(anon, n)
			}
		}
	}
}

// writeScalars writes a .safetensors file of n tensors of one element, all different.
func writeScalars(path, name string, n int) {
	header := map[string]any{}
	data := make([]byte, 0, 4*n)
	for i := range n {
		header[fmt.Sprintf(name, i)] = map[string]any{"dtype": "I32", "shape": []int{1}, "data_offsets": []int{4 * i, 4*i + 4}}
		data = binary.LittleEndian.AppendUint32(data, uint32(i))
	}
	text := fixture.Must(json.Marshal(header))
	cli.Must(os.WriteFile(path, append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...), 0o644))
}
