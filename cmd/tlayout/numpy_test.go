package main

import (
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/oracle"
)

// numpyFile is a file that NumPy wrote, its description by NumPy, and its conversions.
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

// TestNumPy converts files of every kind of dtype, rank and order, and has NumPy compare the elements with its own transpose, pad and
// reshape, and the file with np.save's.
func TestNumPy(t *testing.T) {
	t.Parallel()
	numpy := oracle.NumPy(t, "numpy_convert.py", t.TempDir())
	jobs := 0
	for line := fixture.Must(numpy.Line()); line != ""; line = fixture.Must(numpy.Line()) {
		var f numpyFile
		cli.Must(json.Unmarshal([]byte(line), &f))
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
	fixture.Must(io.WriteString(numpy, "compare\n"))
	last := lastLine(t, numpy)
	if last != strconv.Itoa(jobs) || jobs < 1000 {
		t.Errorf("NumPy compared %s results of %d", last, jobs)
	}
}

// inspectLikeNumPy compares inspect's description of a file with NumPy's.
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
	cli.Must(json.Unmarshal([]byte(tlayout(t, "inspect", "--json", f.Path)), &got))
	same := slices.Equal(got.FileShape, f.Shape) && got.Itemsize == f.Itemsize && got.Contiguous.C == f.C && got.Contiguous.F == f.F &&
		got.NumPy.C == f.C && got.NumPy.F == f.F && got.NumPy.Saved == f.Fortran && got.Container.Fortran == f.Fortran
	if !same || f.Descr != "" && got.Descr != f.Descr || len(f.Strides) > 0 && !slices.Equal(got.Strides, f.Strides) {
		t.Errorf("inspect says %+v, NumPy %+v", got, f)
	}
}

// lastLine reads all lines, and fails for every one but the last.
func lastLine(t *testing.T, o *oracle.Oracle) string {
	t.Helper()
	last := ""
	for line, err := o.Line(); err == nil; line, err = o.Line() {
		if last != "" {
			t.Error(last)
		}
		last = line
	}
	return last
}
