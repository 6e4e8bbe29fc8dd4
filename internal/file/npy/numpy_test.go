package npy_test

import (
	"io"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
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

// askNumPy puts all questions to one Python process and returns the answers in order.
func askNumPy(t *testing.T, questions []question) []answer {
	t.Helper()
	return answersOf(t, oracle.NumPy(t, "numpy_server.py"), questions)
}

func answersOf(t *testing.T, numpy *oracle.Oracle, questions []question) []answer {
	t.Helper()
	go func() {
		defer numpy.Close()
		for _, q := range questions {
			if numpy.Ask(q) != nil {
				return
			}
		}
	}()
	answers := make([]answer, len(questions))
	for i := range answers {
		if err := numpy.Read(&answers[i]); err != nil {
			t.Fatalf("NumPy answered %d of %d questions: %v", i, len(questions), err)
		}
	}
	if line, err := numpy.Line(); err != io.EOF {
		t.Fatalf("NumPy continues after the last answer: %q, %v", line, err)
	}
	return answers
}
