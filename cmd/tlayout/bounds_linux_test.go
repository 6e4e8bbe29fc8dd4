package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Default limits of a command. TLAYOUT_TEST_BOUNDS_SECONDS replaces the time on slow machines.
const (
	boundSeconds = 5
	boundMiB     = 256

	// More for each tensor of each source beyond 20,000.
	manyTensors   = 20_000
	boundOfTensor = 3 << 10 // bytes
	timeOfTensor  = 25 * time.Microsecond

	boundOfByte = 32 // bytes more for each byte of a pickle
)

// bounded is a command and its required exit code. {WORD*N} in it stands for N times WORD.
type bounded struct {
	args string
	code int
	slow bool // run only with TLAYOUT_TEST_BOUNDS
}

// boundedCases have sizes beyond the memory of any machine, or unusually long texts and files.
var boundedCases = []bounded{
	{args: "inspect --shape 1,1000000,1000000,1000000 --all"},
	{args: "inspect --shape 1,1000000,1000000,1000000 --explain", slow: true},
	{args: "inspect --shape 1,9973,9973,9973 --from NCHW7919c --all"},
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
	{args: "draw --shape " + strings.Repeat("1,", 59) + "4 -o o.png --force"},
	{args: "draw --shape " + strings.Repeat("1,", 63) + "4 -o o.svg --force"},
	{args: "inspect many.safetensors"},
	{args: "inspect many.pt"},
	{args: "inspect many.npz"},
	{args: "inspect many.safetensors --json", slow: true},
	{args: "inspect many.gguf --json", slow: true},
	{args: "inspect many.npz --json", slow: true},
	{args: "inspect many.pt --json", slow: true},
	{args: "check many.safetensors --finite", slow: true},
	{args: "check many.gguf --finite", slow: true},
	{args: "check many.npz --finite", slow: true},
	{args: "check many.pt --finite", slow: true},
	{args: "check many.npz --contiguous c --json", slow: true},
	{args: "diff many.safetensors many.safetensors", slow: true},
	{args: "diff many.gguf many.gguf", slow: true},
	{args: "diff many.npz many.npz", slow: true},
	{args: "diff many.pt many.pt", slow: true},
	{args: "diff many.safetensors renamed.safetensors", code: 1},
	{args: "convert many.safetensors --to c -o out.pt --force", slow: true},
	{args: "convert many.npz --to c -o out.npz --force", slow: true},
	{args: "convert many.gguf -o out.safetensors --force", slow: true},
	{args: "draw many.npz", code: 2},
	{args: "plan many.pt --to c", code: 2},
	{args: "__complete inspect many.safetensors:", slow: true},
	{args: "__complete inspect many.pt:", slow: true},
	// A million tensors, or as many as a directory may have, which take more for each.
	{args: "inspect more.safetensors"},
	{args: "inspect more.gguf"},
	{args: "inspect more.npz"},
	{args: "inspect more.safetensors --json", slow: true},
	{args: "check more.safetensors --finite"},
	{args: "diff more.gguf more.gguf"},
	{args: "draw more.gguf", code: 2},
	// Files that describe many tensors or objects in few bytes, and more tensors than are allowed.
	{args: "inspect again.pt", code: 4},
	{args: "inspect objects.pt", code: 4},
	{args: "inspect more.pt"},
	{args: "inspect more.safetensors --max-tensors 20000", code: 5},
	{args: "inspect more.gguf --max-tensors 20000", code: 5},
	{args: "inspect more.npz --max-tensors 20000", code: 5},
	{args: "convert more.safetensors -d out --max-tensors 20000", code: 5},
	{args: "__complete inspect more.safetensors:", slow: true},
	{args: "__complete inspect more.npz:", slow: true},
}

// TestBounds: no command exceeds the bounds of processor time and anonymous memory, whatever its arguments and however small the files that
// describe a million tensors.
func TestBounds(t *testing.T) {
	t.Parallel()
	if math.MaxInt == math.MaxInt32 {
		t.Skip("the sizes are larger than 32 bits can address, and refused")
	}
	dir, all := t.TempDir(), os.Getenv("TLAYOUT_TEST_BOUNDS") != ""
	seconds := float64(boundSeconds)
	if text := os.Getenv("TLAYOUT_TEST_BOUNDS_SECONDS"); text != "" {
		seconds = fixture.Must(strconv.ParseFloat(text, 64))
	}
	tensors, more := 2000, 25_000
	if all {
		tensors, more = manyTensors, int(checkpoint.DefaultLimit)
	}
	objects := 40 * max(more, 50_000)
	cli.Must(os.WriteFile(filepath.Join(dir, "x.npy"), fixture.Must(fixture.Npy("<f4", []int{1, 3, 4, 5}, false)), 0o644))
	cli.Must(os.WriteFile(filepath.Join(dir, "empty.npy"), fixture.Must(npy.AppendHeader(nil, fixture.Must(dtype.Parse("|V0")), false, []int{2e9})), 0o644))
	writeScalars(filepath.Join(dir, "many.safetensors"), "a.%d.w", tensors)
	writeScalars(filepath.Join(dir, "renamed.safetensors"), "b.%d.w", tensors)
	for _, out := range []string{"many.pt", "many.npz"} { // with as many tensors
		if _, _, code, stderr := runMeasured(dir, "convert", "many.safetensors", "-o", out); code != 0 {
			t.Fatal(stderr)
		}
	}
	writeGGUF(filepath.Join(dir, "many.gguf"), tensors)
	writeScalars(filepath.Join(dir, "more.safetensors"), "a.%d.w", more)
	writeGGUF(filepath.Join(dir, "more.gguf"), more)
	writeMembers(t, filepath.Join(dir, "more.npz"), min(more, 100_000)) // a directory may have 8 MiB
	writeMembers(t, filepath.Join(dir, "more.pt"), min(more, 100_000))
	writeObjects(filepath.Join(dir, "objects.pt"), objects)
	writeAgain(filepath.Join(dir, "again.pt"), objects)
	c := countTrials(t)
	for _, b := range boundedCases {
		if b.slow && !all {
			continue
		}
		took, anon, code, stderr := runMeasured(dir, repeated(b.args)...)
		t.Logf("%6.2f s %5d MiB  tlayout %s", took.Seconds(), anon>>10, b.args)
		var problems []string
		if code != b.code {
			problems = append(problems, fmt.Sprintf("exit code %d, expected %d: %.300s", code, b.code, stderr))
		}
		if code > 1 && !strings.HasPrefix(stderr, "tlayout: error: ") {
			problems = append(problems, fmt.Sprintf("exit code %d without an error: %.300s", code, stderr))
		}
		extra := strings.Count(b.args, "more.") * max(0, more-manyTensors)
		mostSeconds := seconds + (time.Duration(extra)*timeOfTensor).Seconds()*seconds/boundSeconds
		mostMiB := boundMiB + extra*boundOfTensor>>20
		if strings.Contains(b.args, "again.pt") {
			mostMiB += 2 * objects * boundOfByte >> 20
		}
		if all && took.Seconds() > mostSeconds { // too short for small files to mean anything
			problems = append(problems, fmt.Sprintf("%.1f s of processor time, more than %g", took.Seconds(), mostSeconds))
		}
		if anon > mostMiB<<10 {
			problems = append(problems, fmt.Sprintf("%d MiB of memory, more than %d", anon>>10, mostMiB))
		}
		c.try(t, "tlayout "+b.args, fmt.Sprint("exit code ", code), problems...)
	}
}

// TestResident: commands that compare or scan elements stay below the bound of memory, mapped files included, however large these are:
// tensors in the same and in other orders, matrices whose rows are the other's columns, and numbers in the other byte order.
func TestResident(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("files of that size cannot be mapped")
	}
	if !random.Thorough() {
		t.Skip("TLAYOUT_TEST_THOROUGH=1 scans files of 512 MiB, for ten seconds")
	}
	dir, n := t.TempDir(), 32
	if os.Getenv("TLAYOUT_TEST_BOUNDS") != "" {
		n = 256 // 4 GiB
	}
	for name, array := range map[string]struct {
		dtype string
		shape []int
	}{
		"nchw": {"<f4", []int{n, 64, 256, 256}}, "same": {"<f4", []int{n, 64, 256, 256}}, "big": {">f4", []int{n, 64, 256, 256}},
		"nhwc": {"<f4", []int{n, 256, 256, 64}}, "chwn": {"<f4", []int{64, 256, 256, n}}, "nchw16c": {"<f4", []int{n, 4, 256, 256, 16}},
		"hw": {"<f2", []int{n * 256, 32768}}, "wh": {"<f2", []int{32768, n * 256}},
	} {
		header := fixture.Must(npy.AppendHeader(nil, fixture.Must(dtype.Parse(array.dtype)), false, array.shape))
		path, size := filepath.Join(dir, name+".npy"), len(header)
		cli.Must(os.WriteFile(path, header, 0o644))
		bytes := fixture.Must(dtype.Parse(array.dtype)).ItemSize()
		for _, s := range array.shape {
			bytes *= s
		}
		cli.Must(os.Truncate(path, int64(size+bytes)))
	}
	const boundMiB = 128
	for _, args := range []string{
		"check nchw.npy --finite", "diff nchw.npy same.npy", "diff nchw.npy big.npy", "diff nchw.npy nhwc.npy --from-b nhwc",
		"diff nhwc.npy nchw.npy --from-a nhwc", "diff nchw.npy chwn.npy --from-b chwn", "diff nchw.npy nchw16c.npy --from-b nchw16c",
		"diff hw.npy wh.npy --from-b wh", "diff nchw.npy nhwc.npy --from-b nhwc --rtol 1e-3",
	} {
		took, most, code, stderr := runWatched(dir, "VmHWM:", strings.Fields(args)...)
		t.Logf("%6.2f s %5d MiB  tlayout %s", took.Seconds(), most>>10, args)
		if code != 0 || most > boundMiB<<10 {
			t.Errorf("tlayout %s: exit code %d, %d MiB of memory, more than %d: %.300s", args, code, most>>10, boundMiB, stderr)
		}
	}
}

// writeGGUF writes a GGUF file of n tensors of one int32 each, with different names.
func writeGGUF(path string, n int) {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), uint64(n)), 0)
	for i := range n {
		name := fmt.Sprintf("a%d", i)
		b = append(le.AppendUint64(b, uint64(len(name))), name...)
		b = le.AppendUint32(le.AppendUint64(le.AppendUint32(b, 1), 1), 26) // one dim of one element, GGML_TYPE_I32
		b = le.AppendUint64(b, uint64(32*i))
	}
	b = append(b, make([]byte, -len(b)&31)...)
	for i := range n {
		b = append(le.AppendUint32(b, uint32(i)), make([]byte, 28)...)
	}
	cli.Must(os.WriteFile(path, b, 0o644))
}

// writeObjects writes a checkpoint whose pickle builds a list of n empty tuples, a byte each.
func writeObjects(path string, n int) {
	file := fixture.Must(os.Create(path))
	z := zip.NewWriter(file)
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "m/data.pkl"}))
	tuples := bytes.Repeat([]byte("("+strings.Repeat(")", 1000)+"e"), n/1000)
	fixture.Must(w.Write(slices.Concat([]byte("\x80\x02]"), tuples, []byte("."))))
	cli.Must(z.Close())
	cli.Must(file.Close())
}

// writeAgain writes a checkpoint whose pickle lists the first item of its memo n times, in three bytes each.
func writeAgain(path string, n int) {
	file := fixture.Must(os.Create(path))
	z := zip.NewWriter(file)
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "m/data.pkl"}))
	fixture.Must(w.Write(slices.Concat([]byte("\x80\x02]q\x00"), bytes.Repeat([]byte("("+strings.Repeat("h\x00", 1000)+"e"), n/1000), []byte("."))))
	cli.Must(z.Close())
	cli.Must(file.Close())
}

// repeated splits a command into words, and expands {WORD*N}.
func repeated(command string) (words []string) {
	for _, word := range strings.Fields(command) {
		word, times, ok := strings.Cut(strings.Trim(word, "{}"), "*")
		n := 1
		if ok {
			n = fixture.Must(strconv.Atoi(times))
		}
		for range n { // no other word has a star
			words = append(words, word)
		}
	}
	return words
}

// runMeasured runs the program in a folder, and returns its processor time and peak of anonymous memory in KiB. Documents are not validated,
// because validation keeps them in memory.
func runMeasured(dir string, args ...string) (took time.Duration, anon, code int, stderr string) {
	return runWatched(dir, "RssAnon:", args...)
}

// runWatched is runMeasured for another figure of /proc/PID/status.
func runWatched(dir, field string, args ...string) (took time.Duration, most, code int, stderr string) {
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
			return s.UserTime() + s.SystemTime(), most, s.ExitCode(), text.String()
		case <-ticks:
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, after, ok := strings.Cut(string(status), field); ok {
				n, _ := strconv.Atoi(strings.Fields(after)[0])
				most = max(most, n)
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
