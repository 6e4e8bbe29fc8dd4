package source

import (
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestContainers: element i of an array that a format's own library wrote, in C order of its dims, is i; where a chunk is missing, it is −1. Dims have
// the names that the file says, and the memory order is the file's.
func TestContainers(t *testing.T) {
	for _, c := range []struct{ file, order, layout string }{
		{"grid.zarr:image", "YX", "(6,8):(8,1)"}, {"grid.zarr:time", "c", "(5):(1)"}, {"order.zarr", "WH", "(4,6):(1,4)"}, {"order.zarr/.zarray", "WH", "(4,6):(1,4)"},
		{"volume.nii.gz", "ZYX", "(3,4,2):(1,3,12)"}, {"volume.hdr", "ZYX", "(3,4,2):(1,3,12)"}, {"scan.nrrd", "YXC", "(3,8,4):(1,3,24)"},
		{"digits-idx3-ubyte", "CHW", "(2,5,4):(20,4,1)"}, {"weights.ptd:conv.weight", "NHWC", "(2,3,4,5):(60,1,15,3)"},
	} {
		x, err := OpenOnly(named(containers+c.file), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if x.OrderName() != c.order || x.Layout.String() != c.layout {
			t.Errorf("%s is %s, %s; expected %s, %s", c.file, x.OrderName(), x.Layout, c.order, c.layout)
		}
		if _, err := x.Data(); err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		i := 0
		for at, offset := range x.Layout.Logical() {
			value, _ := x.Value(offset)
			want := x.DType.FormatValue(encode(t, x, float64(i)))
			if c.file == "grid.zarr:time" && i/2 == 1 {
				want = "-1"
			}
			if strings.TrimSuffix(value, ".0") != strings.TrimSuffix(want, ".0") {
				t.Errorf("%s%v is %s, expected %s", c.file, at, value, want)
			}
			i++
		}
		x.Close()
	}
}

// TestFilter: the filter of a convolution of TensorFlow Lite has the dims of its kernel, and says that it is quantized.
func TestFilter(t *testing.T) {
	s := openSet(t, containers+"net.tflite")
	stated := s.Stated[s.Tensors[1].Name]
	if strings.Join(stated.Dims, "") != "OHWI" || !strings.HasPrefix(stated.Note, "quantized: 2 scales along dim 0") {
		t.Errorf("%+v", stated)
	}
}

// TestGzip: an unpacked file has no bytes of its own in the named one, is bounded, and a damaged or a foreign one is refused.
func TestGzip(t *testing.T) {
	t.Chdir(t.TempDir())
	zip := func(file, content string) {
		f, err := os.Create(file)
		need.Made(t, err)
		defer f.Close()
		w := gzip.NewWriter(f)
		_, err = w.Write([]byte(content))
		need.Made(t, errors.Join(err, w.Close()))
	}
	const header = "{'descr': '|u1', 'fortran_order': False, 'shape': (99,)}"
	zip("x.npy.gz", fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n", header)+strings.Repeat("a", 99))
	x, err := OpenOnly(named("x.npy.gz"), Options{})
	need.Made(t, err)
	if at, ok := x.DataStart(); ok || !x.Gzip {
		t.Errorf("byte %d of the file", at)
	}
	x.Close()
	_, err = OpenOnly(named("x.npy.gz"), Options{MaxUnpacked: 100})
	hostile.WantFault(t, "a limit", err, fault.Resource, "over the limit of 100")
	raw, err := os.ReadFile("x.npy.gz")
	need.Made(t, err)
	need.Made(t, os.WriteFile("cut.npy.gz", raw[:len(raw)-9], 0o666))
	_, err = OpenOnly(named("cut.npy.gz"), Options{})
	hostile.WantFault(t, "a cut file", err, fault.Malformed, "its gzip stream")
	zip("t.csv.gz", "1,2\n3,4\n")
	_, err = OpenOnly(named("t.csv.gz"), Options{})
	hostile.WantFault(t, "a table", err, fault.Unsupported, "a gzip file")
}

// TestLinkOutOfZarr: a chunk that is a link out of the folder is not read.
func TestLinkOutOfZarr(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x.zarr")
	need.Made(t, os.CopyFS(folder, os.DirFS(containers+"order.zarr")))
	chunk := filepath.Join(folder, "0.0")
	secret := filepath.Join(t.TempDir(), "secret")
	need.Made(t, errors.Join(os.Remove(chunk), os.WriteFile(secret, make([]byte, 24), 0o666)))
	if err := os.Symlink(secret, chunk); err != nil {
		t.Skipf("no links here: %v", err)
	}
	x, err := OpenOnly(named(folder), Options{})
	need.Made(t, err)
	defer x.Close()
	_, err = x.Data()
	hostile.WantFault(t, "a link", err, fault.Resource, "0.0")
}

// encode returns an element of a tensor's type.
func encode(t *testing.T, x *Tensor, value float64) []byte {
	t.Helper()
	write, ok := dtype.FromFloat64(x.DType)
	if !ok {
		t.Fatalf("%s has elements of %s", x.Source, x.DType)
	}
	item := make([]byte, x.DType.ItemSize())
	write(item, value)
	return item
}
