package npy_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// question and answer are the lines exchanged with testdata/numpy_server.py. File is base64 in JSON.
type question struct {
	Op      string `json:"op"`
	File    []byte `json:"file,omitempty"`
	Name    string `json:"name,omitempty"`
	Descr   string `json:"descr,omitempty"`
	Shape   []int  `json:"shape"`
	Fortran bool   `json:"fortran"`
}

type answer struct {
	OK       bool     `json:"ok"`
	Error    string   `json:"error"`
	File     []byte   `json:"file"`
	Values   []string `json:"values"`
	Shape    []string `json:"shape"` // decimal: NumPy takes sizes of any length
	Fortran  bool     `json:"fortran"`
	Offset   int64    `json:"offset"`
	Joined   bool     `json:"joined"` // the header joins string literals
	Str      string   `json:"str"`
	Name     string   `json:"name"`
	ItemSize int      `json:"itemsize"`
	Descr    string   `json:"descr"`
}

const python = "/usr/bin/python3"

// askNumPy puts all questions to one Python process and returns the answers in order. Without NumPy the test is
// skipped, or fails where TLAYOUT_TEST_REQUIRE_NUMPY=1.
func askNumPy(t *testing.T, questions []question) []answer {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import numpy.lib.format as f; f._write_array_header").CombinedOutput(); err != nil {
		if os.Getenv("TLAYOUT_TEST_REQUIRE_NUMPY") == "1" {
			t.Fatalf("TLAYOUT_TEST_REQUIRE_NUMPY=1, but NumPy cannot be used: %v\n%s", err, out)
		}
		t.Skipf("NumPy cannot be used with %s: %v", python, err)
	}
	cmd := exec.Command(python, "testdata/numpy_server.py")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		w := bufio.NewWriter(in)
		enc := json.NewEncoder(w)
		for _, q := range questions {
			if enc.Encode(q) != nil {
				break
			}
		}
		w.Flush()
		in.Close()
	}()
	answers := make([]answer, 0, len(questions))
	for dec := json.NewDecoder(bufio.NewReader(out)); ; {
		var a answer
		if err := dec.Decode(&a); err != nil {
			break
		}
		answers = append(answers, a)
	}
	if err := cmd.Wait(); err != nil || len(answers) != len(questions) {
		t.Fatalf("NumPy answered %d of %d questions: %v\n%s", len(answers), len(questions), err, stderr.String())
	}
	return answers
}
