package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/need"
)

// program prints what it does after panics, goroutines, collections of garbage, a call that reflect makes, in whose frame only the runtime's
// names of its stubs tell the pointers, and calls of value methods with nil pointers, whose panics say the names of wrappers.
const program = `package main

import (
	"fmt"
	"reflect"
	"runtime"
)

func failingFunctionWithAName(list []int, i int) int { return list[i] }

func attempt(call func() int) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	return fmt.Sprint(call())
}

func at(i int) string {
	return attempt(func() int { return failingFunctionWithAName([]int{1, 2}, i) })
}

type sized interface{ size() int }

type plain struct{ n int }

func (p plain) size() int { return p.n }

type generic[T any] struct{ n T }

func (generic[T]) size() int { return 0 }

func main() {
	made := reflect.MakeFunc(reflect.TypeFor[func(*[]string, int) *[]string](), func(args []reflect.Value) []reflect.Value {
		for range 20 {
			runtime.GC()
			_ = make([]byte, 1<<16)
		}
		return args[:1]
	}).Interface().(func(*[]string, int) *[]string)
	done := make(chan string)
	go func() { done <- at(5) }()
	fmt.Println(*made(&[]string{"kept", "alive"}, 1), <-done, at(0))
	for _, s := range []sized{(*plain)(nil), (*generic[int])(nil)} {
		fmt.Println(attempt(s.size))
	}
}
`

// build compiles the program, as make web does the page's.
func build(t *testing.T) []byte {
	t.Helper()
	folder := t.TempDir()
	source := filepath.Join(folder, "main.go")
	output := filepath.Join(folder, "main.wasm")
	if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-gcflags=all=-l", "-ldflags", "-s -w", "-o", output, source)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	built, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// TestShrink: a program without names does what it did, is smaller by a twentieth or more, and has the same length.
func TestShrink(t *testing.T) {
	before := build(t)
	after := bytes.Clone(before)
	if err := shrink(after); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(before, []byte("failingFunctionWithAName")) || bytes.Contains(after, []byte("failingFunctionWithAName")) {
		t.Error("the name of a function is missing before, or there afterwards")
	}
	for _, name := range []string{"reflect.makeFuncStub\x00", "runtime.gcBgMarkWorker\x00", "main.(*plain).size\x00"} {
		if !bytes.Contains(after, []byte(name)) {
			t.Errorf("%q is removed, which the runtime reads", name)
		}
	}
	if len(before) != len(after) || 20*packed(t, after) > 19*packed(t, before) {
		t.Errorf("%d bytes, packed %d; %d bytes, packed %d", len(before), packed(t, before), len(after), packed(t, after))
	}
	if err := shrink(after); err != nil {
		t.Errorf("once more: %v", err)
	}
	want := "[kept alive] runtime error: index out of range [5] with length 2 <nil>\n" +
		"value method main.plain.size called using nil *plain pointer\n" +
		"value method main.generic[...].size called using nil *generic[...] pointer\n"
	for _, p := range [][]byte{before, after} {
		if got := run(t, p); got != want {
			t.Errorf("printed %q, want %q", got, want)
		}
	}
}

// packed returns the length with gzip.
func packed(t *testing.T, program []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(program); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// run returns what a program prints in node.
func run(t *testing.T, program []byte) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		need.Missing(t, "CHROMIUM", err)
	}
	file := filepath.Join(t.TempDir(), "main.wasm")
	if err := os.WriteFile(file, program, 0o666); err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("node", filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestShrinkRefuses: other files, and parts of a program, are errors or are shrunk, without a panic.
func TestShrinkRefuses(t *testing.T) {
	whole := build(t)
	for _, p := range [][]byte{nil, []byte("\x00asm"), []byte("\x7fELF and so on"), whole[:8], whole[:len(whole)/2]} {
		if err := shrink(bytes.Clone(p)); err == nil {
			t.Errorf("%d bytes: no error", len(p))
		}
	}
	at := bytes.Index(whole, header)
	for _, k := range []int{8, 15, 32, 39, 40, 48, 56, 64, 70} { // fields of the header
		damaged := bytes.Clone(whole)
		damaged[at+k] ^= 0x55
		shrink(damaged) //nolint:errcheck // it must end
	}
	other := bytes.ReplaceAll(whole, header, []byte("12345678"))
	if err := shrink(other); err == nil {
		t.Error("a program without a table: no error")
	}
}
