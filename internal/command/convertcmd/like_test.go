package convertcmd

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// saveBits writes a checkpoint of tensors of two bytes per element with the same bits.
func saveBits(path string, bits []uint16, tensors ...[2]string) {
	var data []byte
	for _, x := range bits {
		data = append(data, byte(x), byte(x>>8))
	}
	var all []checkpoint.Tensor
	var storages [][]byte
	for _, x := range tensors {
		view := fixture.Must(tensor.Packed([]int{len(bits)}))
		all = append(all, checkpoint.Tensor{Name: x[0], Type: fixture.Must(dtype.Parse(x[1])), View: view, Storage: len(storages)})
		storages = append(storages, data)
	}
	savePt(path, all, storages)
}

// TestLikeOfOneType: a tensor of another type with the same bits is not the one of --like, neither as the only one with them nor beside a
// partner that another tensor of --like has.
func TestLikeOfOneType(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	bits := []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}
	saveBits(at("like.pt"), bits, [2]string{"x", "float16"}, [2]string{"y", "float16"})
	saveBits(at("other.pt"), bits, [2]string{"i", "int16"})
	saveBits(at("one.pt"), bits, [2]string{"i", "int16"}, [2]string{"h", "float16"})
	like := func(o *options) { o.like = name.Parse(at("like.pt")) }
	if err := runWhole(at("other.pt"), at("out.npz"), like); fault.ClassOf(err) != fault.Negative || !strings.Contains(err.Error(), "no tensor of the source") {
		t.Errorf("of another type: %v", err)
	}
	cli.Must(runWhole(at("one.pt"), at("out.npz"), like))
	if got := readAll(t, at("out.npz")); len(got.tensors) != 2 || got.tensors[0].Type.String() != "float16" || got.tensors[1].Type.String() != "float16" {
		t.Errorf("%+v", got.tensors)
	}
}

// TestLikeOfStdin: neither side is standard input, which is not read for that.
func TestLikeOfStdin(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.pt")
	saveBits(in, []uint16{1, 2, 3, 4}, [2]string{"x", "int16"})
	for _, sides := range [][2]string{{in, "-"}, {"-", in}} {
		err := runWhole(sides[0], filepath.Join(dir, "out.npz"), func(o *options) { o.like = name.Parse(sides[1]) })
		if fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "standard input can be read once") {
			t.Errorf("%s --like %s: %v", sides[0], sides[1], err)
		}
	}
}

// TestLikeOfNoOrder: where the source has the elements, and no order of them is found, the error says so.
func TestLikeOfNoOrder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var bits, mixed []uint16
	for i := range 101 {
		bits, mixed = append(bits, uint16(i*i)), append(mixed, uint16(i*i*i%101)*uint16(i*i*i%101))
	}
	saveBits(at("like.pt"), bits, [2]string{"x", "int16"})
	saveBits(at("mixed.pt"), mixed, [2]string{"y", "int16"})
	err := runWhole(at("mixed.pt"), at("out.npz"), func(o *options) { o.like = name.Parse(at("like.pt")) })
	if want := `the source has the elements of "x": in an order that cannot be read`; fault.ClassOf(err) != fault.Negative || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
