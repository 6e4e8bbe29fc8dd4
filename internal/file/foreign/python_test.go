package foreign_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
)

// samples are the formats that testdata/samples.py writes: the module that it needs, the name of the file to write, and the name of the file that the
// hint's command writes.
var samples = []struct{ format, module, file, written string }{
	{"hdf5", "h5py", "x.h5", "x.npz"},
	{"matlab", "scipy", "x.mat", "x.npz"},
	{"matlab73", "h5py", "y.mat", "y.npz"},
	{"mlmodel", "coremltools", "x.mlmodel", "x.npz"},
	{"keras", "h5py", "x.keras", "x.npz"},
	{"msgpack", "flax", "x.msgpack", "x.npz"},
	{"joblib", "joblib", "x.joblib", "x.npz"},
	{"orbax", "orbax", "x.orbax", "x.npz"},
	{"zarr", "zarr", "x.zarr", "x.npz"},
	{"dicom", "pydicom", "x.dcm", "x.npy"},
	{"tiff", "tifffile", "x.tif", "x.npy"},
	{"fits", "astropy", "x.fits", "x.npy"},
	{"netcdf", "netCDF4", "x.nc", "x.npz"},
	{"parquet", "pyarrow", "x.parquet", "x.npz"},
	{"feather", "pyarrow", "x.feather", "x.npz"},
	{"stream", "pyarrow", "x.arrow", "x.npz"},
	{"png", "PIL", "it's.png", "it's.npy"},
	{"ppm", "PIL", "x.ppm", "x.npy"},
	{"wav", "scipy", "x.wav", "x.npy"},
	{"text", "numpy", "x.raw", "x.npy"},
	{"csv", "numpy", "x.csv", "x.npy"},
	{"saved_model", "tensorflow", "model", "model.npz"},
	{"checkpoint", "tensorflow", "x.index", "x.npz"},
	{"checkpoint", "tensorflow", "y.data-00000-of-00001", "y.npz"},
	{"graph", "tensorflow", "x.pb", "x.npz"},
	{"nemo", "torch", "x.nemo", "model_weights.ckpt"},
}

// slow are modules that take seconds to be imported: only the Python that TLAYOUT_TEST_PYTHON names is asked for them.
var slow = []string{"tensorflow", "torch"}

// interpreter returns the Python that is asked, TLAYOUT_TEST_PYTHON or Debian's, and which modules it lacks.
func interpreter(t *testing.T) (python string, lacks func(module string) bool) {
	t.Helper()
	python, named := os.LookupEnv("TLAYOUT_TEST_PYTHON")
	if !named {
		python = "/usr/bin/python3"
	}
	const missing = "import importlib.util as u, sys; print(*[m for m in sys.argv[1:] if not u.find_spec(m)])"
	ask := []string{"-c", missing}
	for _, s := range samples {
		ask = append(ask, s.module)
	}
	out, err := exec.Command(python, ask...).Output()
	if err != nil {
		t.Skipf("%s does not run: %v", python, err)
	}
	lacking := strings.Fields(string(out))
	if !named {
		lacking = append(lacking, slow...)
	}
	return python, func(module string) bool { return slices.Contains(lacking, module) }
}

// TestPython: the command that a hint prints for a file of each format, written by the format's own library, is run, and writes a file whose tensors
// have the names, types, sizes and elements of the original. A format whose library is missing is skipped: testdata/requirements.txt lists them.
func TestPython(t *testing.T) {
	python, lacks := interpreter(t)
	script, err := filepath.Abs("testdata/samples.py")
	need.Made(t, err)
	bin := t.TempDir()
	need.Made(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\nexec "+python+` -W ignore "$@"`+"\n"), 0o777))
	for _, s := range samples {
		t.Run(s.format+" "+s.file, func(t *testing.T) {
			if lacks(s.module) {
				t.Skipf("TLAYOUT_TEST_PYTHON has no module %s, see testdata/requirements.txt", s.module)
			}
			t.Chdir(t.TempDir())
			need.Made(t, os.MkdirAll(filepath.Dir(s.file), 0o777))
			target := s.file
			want, err := exec.Command(python, "-W", "ignore", script, s.format, target).Output()
			var exit *exec.ExitError
			switch {
			case errors.As(err, &exit) && exit.ExitCode() == 3:
				t.Skipf("%s has no module %s", python, strings.TrimSpace(string(want)))
			case errors.As(err, &exit):
				t.Fatalf("samples.py: %v\n%s", err, exit.Stderr)
			}
			need.Made(t, err)
			command := exec.Command("sh", "-c", runnable(hint(t, s.file)))
			command.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s\n%v: %s", command.Args[2], err, out)
			}
			if got := tensors(t, s.written); got != original(t, want) {
				t.Errorf("%s\nwrites\n%s\nof\n%s", command.Args[2], got, original(t, want))
			}
		})
	}
}

// hint returns the hint that opening a file, or a folder as one of its files, gives.
func hint(t *testing.T, file string) string {
	t.Helper()
	s, _, err := source.Open(name.Parse(file), source.Options{})
	if err == nil { // it can be inspected only
		defer s.Close()
		x, bad := s.Tensor(0, source.Options{})
		need.Made(t, bad)
		defer x.Close()
		_, err = x.Data()
	} else if info, bad := os.Stat(file); bad == nil && info.IsDir() {
		err = foreign.Folder(name.Parse(file))
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Unsupported {
		t.Fatalf("%s: %v", file, err)
	}
	return e.Hint
}

// runnable returns the command in a hint, without the words before and after it.
func runnable(hint string) string {
	if at := strings.Index(hint, "python3 "); at > 0 {
		hint = hint[at:]
	}
	for _, remark := range []string{", for ", ", with arrays", ", if you trust", "; then "} {
		if at := strings.LastIndex(hint, remark); at > strings.LastIndexAny(hint, `"'`) {
			hint = hint[:at]
		}
	}
	return hint
}

// original returns what samples.py printed, as tensors writes it.
func original(t *testing.T, printed []byte) string {
	t.Helper()
	var all [][4]any
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n") // libraries print too
	need.Made(t, json.Unmarshal([]byte(lines[len(lines)-1]), &all))
	var b strings.Builder
	for _, x := range all {
		fmt.Fprintln(&b, x[0], x[1], x[2], x[3])
	}
	return b.String()
}

// tensors returns the tensors of a file, each with its name, type, sizes and elements in C order, sorted by name.
func tensors(t *testing.T, file string) string {
	t.Helper()
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	set, _, err := source.Open(name.Parse(file), source.Options{})
	need.Made(t, err)
	defer set.Close()
	all, err := set.Match("")
	need.Made(t, err)
	sort.Slice(all, func(i, j int) bool { return set.TensorName(all[i]) < set.TensorName(all[j]) })
	var b strings.Builder
	for _, i := range all {
		x, err := set.Tensor(i, source.Options{})
		need.Made(t, err)
		_, err = x.Data()
		need.Made(t, err)
		shape := x.Layout.Shape()
		values := make([]string, x.Layout.Numel())
		for n := range values {
			index, rest := make([]int, len(shape)), n
			for d := len(shape) - 1; d >= 0; d-- {
				index[d], rest = rest%shape[d], rest/shape[d]
			}
			values[n], _ = x.Value(x.Layout.At(index...))
		}
		fmt.Fprintln(&b, set.TensorName(i), strings.TrimLeft(x.DType.String(), "<>"), shape, "["+strings.Join(values, " ")+"]")
		x.Close() //nolint:errcheck // read only
	}
	return b.String()
}
