package convert

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
)

// TestWholeRecordedOrder: the axes of an archive's arrays that layout.json names are the dims of the checkpoint's tensors.
func TestWholeRecordedOrder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	to := func(order string) func(o *options) {
		return func(o *options) {
			o.verify = true
			cli.Must(o.to.Set(order))
		}
	}
	const header = `{"a":{"dtype":"U8","shape":[2,3,4,5],"data_offsets":[0,120]}}  ` // 64 bytes
	data := make([]byte, 120)
	for i := range data {
		data[i] = byte(i)
	}
	cli.Must(os.WriteFile(at("x.safetensors"), slices.Concat([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, []byte(header), data), 0o666))
	first := readAll(t, at("x.safetensors"))
	cli.Must(runWhole(at("x.safetensors"), at("x.npz"), to("nhwc")))
	for _, out := range []string{"kept.pt", "kept.safetensors"} {
		cli.Must(runWhole(at("x.npz"), at(out), nil))
		if err := first.differ(readAll(t, at(out))); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	}
	cli.Must(runWhole(at("x.npz"), at("to.safetensors"), to("nchw")))
	if err := first.differ(readAll(t, at("to.safetensors"))); err != nil {
		t.Error(err)
	}
	cli.Must(runWhole(at("x.npz"), at("cl.safetensors"), to("nhwc")))
	if got := readAll(t, at("cl.safetensors")).tensors[0].View.Shape; !slices.Equal(got, []int{2, 4, 5, 3}) {
		t.Errorf("nhwc again has shape %v", got)
	}
	cli.Must(runWhole(at("x.safetensors"), at("blocks.npz"), to("nchw16c")))
	if err := runWhole(at("blocks.npz"), at("blocks.pt"), nil); !isUnsupported(err) {
		t.Errorf("blocks became dims: %v", err)
	}
}

// TestWholeNamedOrder: a layout at the end of an array's name says the order of its axes where another one is asked for; otherwise the array
// stays as it is.
func TestWholeNamedOrder(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.npz")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "a.nhwc.npy"}))
	w.Write(fixture.Must(fixture.Npy("uint8", []int{2, 4, 5, 3}, false))) //nolint:errcheck // a buffer
	cli.Must(z.Close())
	cli.Must(os.WriteFile(in, b.Bytes(), 0o666))
	for to, want := range map[string][]int{"": {2, 4, 5, 3}, "nchw": {2, 3, 4, 5}} {
		out := filepath.Join(dir, to+".safetensors")
		cli.Must(runWhole(in, out, func(o *options) {
			if to != "" {
				cli.Must(o.to.Set(to))
			}
		}))
		if got := readAll(t, out).tensors[0].View.Shape; !slices.Equal(got, want) {
			t.Errorf("to %q: shape %v, expected %v", to, got, want)
		}
	}
}

// TestWholeBigEndian: a checkpoint, whose data are little-endian, takes no big-endian elements.
func TestWholeBigEndian(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.npz")
	cli.Must(os.WriteFile(in, bigEndian(), 0o666))
	for _, ending := range []string{".pt", ".safetensors"} {
		if err := runWhole(in, filepath.Join(dir, "y"+ending), nil); !isUnsupported(err) {
			t.Errorf("%s: %v", ending, err)
		}
	}
}

func isUnsupported(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Class == fault.Unsupported
}

// bigEndian is an archive of an array a of two >f4.
func bigEndian() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	head := "{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"
	for len(head) < 117 {
		head += " "
	}
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "a.npy"}))
	w.Write([]byte("\x93NUMPY\x01\x00\x76\x00" + head + "\n\x3f\x80\x00\x00\x40\x00\x00\x00")) //nolint:errcheck // a buffer
	cli.Must(z.Close())
	return b.Bytes()
}
