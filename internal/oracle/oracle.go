// Package oracle asks NumPy, PyTorch, Pillow and oneDNN in tests.
//
//  1. NumPy, Torch, Einops or Pillow starts a Python script of the package's testdata with the first interpreter that has the libraries:
//     Debian's, that of PATH, that of `make witnesses`; or TLAYOUT_TEST_PYTHON alone. Each starts it with all of them in thorough runs. Its first line of
//     output is the library's version.
//  2. Questions are written to its standard input, answers are read from its standard output, usually a line of JSON each.
//  3. The script ends with the test, which fails if the script failed or wrote to standard error.
//
// If no interpreter has the library, the test is skipped, or fails if the environment requires the library:
// TLAYOUT_TEST_REQUIRE_NUMPY=1, _TORCH=1, _PILLOW=1, _EINOPS=1. A script that fails otherwise, or neither answers nor reads its input for a minute,
// fails the test. OneDNN does the same with a C++ program. Only tests import this package.
package oracle

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// Oracle is a process that answers questions. One goroutine may write while another reads.
type Oracle struct {
	Version string // first line of the script's output

	process
	out *bufio.Reader
}

// interpreters returns the Pythons that are tried in this order: TLAYOUT_TEST_PYTHON alone, or Debian's, to which its numpy and torch
// packages belong, that of PATH, and that of `make witnesses`. named reports the first case.
func interpreters() (pythons []string, named bool) {
	if python := os.Getenv("TLAYOUT_TEST_PYTHON"); python != "" {
		return []string{python}, true
	}
	pythons = []string{"/usr/bin/python3", "python3"}
	if cache, err := os.UserCacheDir(); err == nil {
		pythons = append(pythons, filepath.Join(cache, "tlayout", "witnesses", "bin", "python"))
	}
	return pythons, false
}

// NumPy starts a script of testdata that uses NumPy.
func NumPy(t testing.TB, script string, args ...string) *Oracle {
	t.Helper()
	return start(t, "NUMPY", `numpy`, script, args)
}

// Torch starts a script of testdata that uses PyTorch.
func Torch(t testing.TB, script string, args ...string) *Oracle {
	t.Helper()
	return start(t, "TORCH", `torch|numpy`, script, args)
}

// Einops starts a script of testdata that uses einops with NumPy and PyTorch.
func Einops(t testing.TB, script string, args ...string) *Oracle {
	t.Helper()
	return start(t, "EINOPS", `einops|torch|numpy`, script, args)
}

// Pillow starts a script of testdata that uses Pillow.
func Pillow(t testing.TB, script string, args ...string) *Oracle {
	t.Helper()
	return start(t, "PILLOW", `PIL|numpy`, script, args)
}

// Each starts a script of testdata that uses a library, NumPy and perhaps PyTorch with the first interpreter that has them, or in thorough
// runs with every one, and runs a subtest for each, named by the first line of its output. TLAYOUT_TEST_REQUIRE_TORCH=1 is for the library torch, and so on.
func Each(t *testing.T, library, script string, ask func(*testing.T, *Oracle), args ...string) {
	t.Helper()
	pythons, _ := interpreters()
	seen := map[string]bool{}
	var trouble error
	for _, python := range pythons {
		if len(seen) > 0 && !random.Thorough() {
			break
		}
		o, err := try(t, python, library+`|numpy|torch`, script, args)
		if err != nil {
			trouble = err
			continue
		}
		if !seen[o.Version] {
			seen[o.Version] = true
			t.Run(o.Version, func(t *testing.T) { ask(t, o) })
		}
		if err := o.End(); err != nil {
			t.Errorf("%s: %s: %v", o.Version, script, err)
		}
	}
	if len(seen) == 0 {
		unavailable(t, strings.ToUpper(library), script, trouble)
	}
}

// start starts a script with the first interpreter that has its modules, which are a pattern.
func start(t testing.TB, library, modules, script string, args []string) *Oracle {
	t.Helper()
	pythons, _ := interpreters()
	var trouble error
	for _, python := range pythons {
		o, err := try(t, python, modules, script, args)
		if err == nil {
			t.Logf("%s: %s", python, o.Version)
			t.Cleanup(func() {
				if err := o.End(); err != nil {
					t.Errorf("%s: %v", script, err)
				}
			})
			return o
		}
		trouble = err
	}
	unavailable(t, library, script, trouble)
	return nil
}

// try starts a script. The error is that the interpreter, unless it is named, or one of the modules does not exist; any other fails the test.
func try(t testing.TB, python, modules, script string, args []string) (*Oracle, error) {
	t.Helper()
	missing := regexp.MustCompile(`\nModuleNotFoundError: No module named '(` + modules + `)'\n*$`) // end of its output
	_, named := interpreters()
	o, err := launch(python, append([]string{"testdata/" + script}, args...))
	if err == nil {
		return o, nil
	}
	absent := errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	if absent && !named || missing.MatchString(err.Error()) {
		return o, err
	}
	t.Fatalf("%s: %s fails: %v", python, script, err)
	return nil, err
}

// unavailable skips a test, or fails it if the environment requires the library.
func unavailable(t testing.TB, library, script string, trouble error) {
	t.Helper()
	need.Missing(t, library, fmt.Errorf("%s does not run: %w", script, trouble))
}

func launch(program string, args []string) (*Oracle, error) {
	o, err := Start(program, args...)
	if err != nil {
		return nil, err
	}
	o.Version, err = o.Line()
	if err != nil {
		return nil, errors.Join(err, o.End())
	}
	return o, nil
}

// OneDNN compiles a C++ program of testdata that uses oneDNN, and starts it. Compiling takes seconds, so the test is skipped without
// TLAYOUT_TEST_REQUIRE_ONEDNN=1.
func OneDNN(t testing.TB, program string) *Oracle {
	t.Helper()
	if os.Getenv("TLAYOUT_TEST_REQUIRE_ONEDNN") != "1" {
		t.Skip("TLAYOUT_TEST_REQUIRE_ONEDNN=1 compares with oneDNN, which needs g++ and libdnnl-dev: make conformance")
	}
	compiled := filepath.Join(t.TempDir(), strings.TrimSuffix(program, ".cpp"))
	if out, err := exec.Command("g++", "-O1", "testdata/"+program, "-o", compiled, "-ldnnl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o, err := launch(compiled, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(o.Version)
	t.Cleanup(func() {
		if err := o.End(); err != nil {
			t.Errorf("%s: %v", program, err)
		}
	})
	return o
}

// Start starts any program that answers lines with lines. The caller must end it.
func Start(program string, args ...string) (*Oracle, error) {
	p, err := begin(program, args)
	if err != nil {
		return nil, err
	}
	return &Oracle{process: p, out: bufio.NewReaderSize(answers{p}, 1<<20)}, nil
}

// Before reports whether the library is older than a version: 1.13.0a0 than 2.3.
func (o *Oracle) Before(version string) bool {
	number := func(s string) (n [2]int) {
		for i, part := range strings.SplitN(s+"..", ".", 3)[:2] {
			n[i], _ = strconv.Atoi(part)
		}
		return n
	}
	own := number(o.Version[strings.LastIndex(o.Version, " ")+1:])
	other := number(version)
	return slices.Compare(own[:], other[:]) < 0
}

// Ask writes a question as a line of JSON.
func (o *Oracle) Ask(question any) error { return json.NewEncoder(o).Encode(question) }

// Read reads an answer from a line of JSON.
func (o *Oracle) Read(answer any) error {
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

// Bytes reads n bytes.
func (o *Oracle) Bytes(n int) ([]byte, error) {
	b := make([]byte, n)
	_, err := io.ReadFull(o.out, b)
	return b, err
}

// Line reads a line without its line end; io.EOF after the last one.
func (o *Oracle) Line() (string, error) {
	line, err := o.out.ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

// Cases returns how many random files a test makes: TLAYOUT_TEST_CHECKPOINT_CASES, by default n.
func Cases(t testing.TB, n int) int {
	t.Helper()
	return random.Cases(t, "TLAYOUT_TEST_CHECKPOINT_CASES", n)
}

// Npm starts a script of testdata with node and the packages in the folder TLAYOUT_TEST_NPM (make verify-npm); without it, the test is
// skipped.
func Npm(t testing.TB, script, npm string) *Oracle {
	t.Helper()
	folder := os.Getenv("TLAYOUT_TEST_NPM")
	if folder == "" {
		t.Skip("TLAYOUT_TEST_NPM is not a folder with " + npm + "; make verify-npm installs it")
	}
	node, err := Start("node", "testdata/"+script, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := node.End(); err != nil {
			t.Error(err)
		}
	})
	version, err := node.Line()
	if err != nil {
		t.Fatal(err)
	}
	t.Log(version)
	return node
}
