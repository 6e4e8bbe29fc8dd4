package inspect

import (
	"archive/zip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
)

// shapesOf are the shapes of that rank of sizes from 1 to 3.
func shapesOf(rank int) [][]int {
	if rank == 0 {
		return [][]int{{}}
	}
	var all [][]int
	for _, shorter := range shapesOf(rank - 1) {
		for size := range 3 {
			all = append(all, append(slices.Clone(shorter), size+1))
		}
	}
	return all
}

// TestAcceptsByNoAssumption: of a file in Fortran order whose axes nothing names, a framework's answer is known only if it is the same under
// every order of the axes, unless the array is C-contiguous too and accepted as it is.
func TestAcceptsByNoAssumption(t *testing.T) {
	unknown := 0
	for _, shape := range slices.Concat(shapesOf(2), shapesOf(3)) {
		x, err := source.OpenOnly(name.Parse(fixture.NpyFile(t, "x.npy", "<f4", shape, true)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		got := New(x)
		var all []*Report
		for _, u := range Readings(x) {
			all = append(all, New(u))
		}
		for _, c := range Consumers {
			yes := 0
			for _, r := range all {
				if r.AcceptedBy[c.Key].OK {
					yes++
				}
			}
			want := tensor.Unknown
			switch {
			case yes == len(all), got.AsStored.Contiguous.C && got.AcceptedBy[c.Key].OK:
				want = tensor.Yes
			case yes == 0:
				want = tensor.No
			}
			if want == tensor.Unknown {
				unknown++
			}
			if answer := got.AcceptedBy[c.Key].Answer; answer != want {
				t.Errorf("%v %s: %s, expected %s: %d of %d orders", shape, c.Key, answer, want, yes, len(all))
			}
			if one := Light(x).Accepts(c.Key); len(one) != 1 || one[c.Key].Answer != want || one[c.Key].Why != got.AcceptedBy[c.Key].Why {
				t.Errorf("%v %s alone: %v", shape, c.Key, one)
			}
		}
	}
	if unknown < 3 {
		t.Errorf("%d answers are unknown", unknown)
	}
}

// TestUnnamedAxesOfVolumes: of a file of five axes in Fortran order that nothing names, TensorRT's answer is unknown: read as W,H,D,C,N its memory is
// row-major, kLINEAR, and as N,C,D,H,W it is not. A sixth axis leaves the order as written.
func TestUnnamedAxesOfVolumes(t *testing.T) {
	for rank, want := range map[int]tensor.Answer{2: tensor.Unknown, 4: tensor.Unknown, 5: tensor.Unknown, 6: tensor.No} {
		x, err := source.OpenOnly(name.Parse(fixture.NpyFile(t, "x.npy", "<f4", []int{2, 3, 4, 5, 6, 7}[:rank], true)), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if a := New(x).AcceptedBy["tensorrt"]; a.Answer != want || a.OK {
			t.Errorf("%d axes: %+v, expected %s", rank, a, want)
		}
	}
}

// TestUncheckedIsUnknown: whether DirectML accepts int4 is unknown, which is neither a yes nor a no, whatever the order of axes, and no framework is
// said to refuse a type that it has.
func TestUncheckedIsUnknown(t *testing.T) {
	r := New(describe(t, source.Typed{Shape: []int{2, 16, 16}}, "int4"))
	for key, want := range map[string]tensor.Answer{"directml": tensor.Unknown, "megengine": tensor.Unknown, "onednn": tensor.Yes, "jax": tensor.No} {
		if a := r.AcceptedBy[key]; a.Answer != want || a.OK != (want == tensor.Yes) {
			t.Errorf("%s: %+v, expected %s", key, a, want)
		}
	}
	if all := r.Facts(); !slices.ContainsFunc(all, func(f Fact) bool { return f.Label == "unknown" && f.Text == "DirectML, MegEngine: int4 is not checked" }) {
		t.Errorf("facts: %+v", all)
	}
}

// TestMmapOfEmpty: np.memmap refuses an array without bytes, so that no call is offered for it.
func TestMmapOfEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for name, shape := range map[string][]int{"empty.npy": {3, 0}, "full.npy": {3, 1}} {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = m.Write(fixture.Must(fixture.Npy("<f4", shape, false)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, _, err := source.Open(name.Parse(path), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	listed, err := s.List(source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for m := range NewArchive(listed).Members() {
		if (m.Mmap != nil) != (m.Name == "full") {
			t.Errorf("%s: mmap %v", m.Name, m.Mmap)
		}
		x, err := source.OpenOnly(name.Parse(path+":"+m.Name), source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if mmap := New(x).Container.Mmap; (mmap != nil) != (m.Name == "full") {
			t.Errorf("%s alone: mmap %v", m.Name, mmap)
		}
	}
}

// TestLineMarks: a broadcast tensor is called that, and not overlapping too, which others are.
func TestLineMarks(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		want           string
	}{
		{[]int{3, 3}, []int{0, 1}, "broadcast"},
		{[]int{4, 3}, []int{1, 1}, "overlapping"},
		{[]int{2, 4, 3}, []int{0, 1, 1}, "broadcast"},
		{[]int{4, 3}, []int{3, 1}, ""},
	} {
		line := NewRow(describe(t, source.Typed{Shape: c.shape, Strides: c.strides}, "<f4"))
		tags := slices.DeleteFunc(strings.Split(line.Tags, ", "), func(mark string) bool { return mark == "warning" || mark == "" })
		if got := strings.Join(tags, ", "); got != c.want {
			t.Errorf("%v: %q, expected %q", c, got, c.want)
		}
	}
}
