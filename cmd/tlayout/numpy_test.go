package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// numpyFile is a file that NumPy wrote, what NumPy says of it, and the conversions to make of it.
type numpyFile struct {
	Path     string
	Shape    []int
	Itemsize int
	C, F     bool
	Fortran  bool
	Descr    string
	Strides  []int
	Jobs     []struct{ From, To, Out string }
}

// TestNumPy converts files of every kind of dtype, rank and order, and has NumPy compare each result with its own
// transpose, pad and reshape: the elements, and the whole file with what np.save writes.
func TestNumPy(t *testing.T) {
	python := findNumPy(t)
	cmd := exec.Command(python, "testdata/numpy_convert.py", t.TempDir())
	cmd.Stderr = os.Stderr
	stdin := must2(cmd.StdinPipe())
	lines := bufio.NewScanner(must2(cmd.StdoutPipe()))
	lines.Buffer(nil, 1<<20)
	must(cmd.Start())
	defer cmd.Wait()
	defer stdin.Close()
	jobs := 0
	for lines.Scan() && lines.Text() != "" {
		var f numpyFile
		must(json.Unmarshal(lines.Bytes(), &f))
		inspectLikeNumPy(t, f)
		for _, job := range f.Jobs {
			args := []string{"convert", f.Path, "--to", job.To, "-o", job.Out}
			if job.From != "" {
				args = append(args, "--from", job.From)
			}
			tlayout(t, args...)
			jobs++
		}
	}
	must2(io.WriteString(stdin, "compare\n"))
	last := ""
	for lines.Scan() {
		if last != "" {
			t.Error(last)
		}
		last = lines.Text()
	}
	if last != strconv.Itoa(jobs) || jobs < 1000 {
		t.Errorf("NumPy compared %s results of %d", last, jobs)
	}
}

// inspectLikeNumPy compares what inspect says of a file with what NumPy says.
func inspectLikeNumPy(t *testing.T, f numpyFile) {
	t.Helper()
	var got struct {
		FileShape []int `json:"file_shape"`
		Itemsize  int
		Descr     string
		Strides   []int `json:"strides_bytes"`
		Container struct {
			Fortran bool `json:"fortran_order"`
		}
		Contiguous struct{ C, F bool }
		NumPy      struct {
			C     bool `json:"c_contiguous"`
			F     bool `json:"f_contiguous"`
			Saved bool `json:"saved_fortran_order"`
		}
	}
	must(json.Unmarshal([]byte(tlayout(t, "inspect", "--json", f.Path)), &got))
	same := slices.Equal(got.FileShape, f.Shape) && got.Itemsize == f.Itemsize && got.Contiguous.C == f.C && got.Contiguous.F == f.F &&
		got.NumPy.C == f.C && got.NumPy.F == f.F && got.NumPy.Saved == f.Fortran && got.Container.Fortran == f.Fortran
	if !same || f.Descr != "" && got.Descr != f.Descr || len(f.Strides) > 0 && !slices.Equal(got.Strides, f.Strides) {
		t.Errorf("inspect says %+v, NumPy %+v", got, f)
	}
}

// findNumPy returns a Python that has NumPy. Without one the test is skipped, or fails where TLAYOUT_TEST_REQUIRE_NUMPY
// is set.
func findNumPy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if out, err := exec.Command(python, "-c", "import numpy; print(numpy.__version__)").Output(); err == nil {
			t.Logf("%s, NumPy %s", python, strings.TrimSpace(string(out)))
			return python
		}
	}
	if os.Getenv("TLAYOUT_TEST_REQUIRE_NUMPY") == "1" {
		t.Fatal("there is no Python with NumPy")
	}
	t.Skip("there is no Python with NumPy")
	return ""
}
