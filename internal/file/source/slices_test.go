//go:build !js

package source

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

const slicesDir = "../../../testdata/slices/"

// TestSliced: element i of each tensor that make_slices.py wrote with PyTorch, in slices, is i: in a folder, by its metadata, and by a pattern of ranks.
func TestSliced(t *testing.T) {
	for path, want := range map[string]string{
		"dcp":                                "rows [5 4] 2, columns [3 5] 2, short [1 3] 2, turned [3 2] 1, scale [] 1",
		"dcp/.metadata":                      "rows [5 4] 2, columns [3 5] 2, short [1 3] 2, turned [3 2] 1, scale [] 1",
		"ranks":                              "tiles [3 5] 4, twice [7] 4, copies [2 3] 2, plain [2] 1",
		"ranks/model_world_size_4_rank_*.pt": "tiles [3 5] 4, twice [7] 4, copies [2 3] 2, plain [2] 1",
	} {
		s := openSet(t, slicesDir+path)
		var got []string
		for i, x := range s.Tensors {
			got = append(got, fmt.Sprintf("%s %v %d", x.Name, x.View.Shape, len(s.SlicesOf(x.Storage))))
			tensor, err := s.Tensor(i, Options{})
			need.Made(t, err)
			_, err = tensor.Data()
			need.Made(t, err)
			for n := range tensor.Layout.Numel() {
				if value, _ := tensor.Value(n); value != fmt.Sprint(n) {
					t.Errorf("%s: element %d of %s is %s", path, n, x.Name, value)
				}
			}
			need.Made(t, tensor.Close())
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, expected %s", path, text, want)
		}
		if len(s.Findings)+len(s.Refused) > 0 {
			t.Errorf("%s: %v, %v", path, s.Findings, s.Refused)
		}
	}
}

// TestAssembly: any bytes of a tensor in random slices, of any strides in their files, are those of the whole.
func TestAssembly(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(1, 5), 0, 4).Draw(t, "shape")
		s := openUnsliced(t)
		storage := checkpoint.Storage{Bytes: 4}
		cuts := make([]int, len(shape))
		var parts []checkpoint.Slice
		for d, n := range shape {
			storage.Bytes *= int64(n)
			cuts[d] = rapid.IntRange(0, n).Draw(t, "cut")
		}
		whole, err := tensor.Packed(shape)
		if err != nil {
			t.Fatal(err)
		}
		var fill func(offsets, sizes []int)
		fill = func(offsets, sizes []int) {
			if d := len(offsets); d < len(shape) {
				fill(append(slices.Clone(offsets), 0), append(slices.Clone(sizes), cuts[d]))
				fill(append(slices.Clone(offsets), cuts[d]), append(slices.Clone(sizes), shape[d]-cuts[d]))
				return
			}
			file := fmt.Sprint(len(parts))
			part := checkpoint.Slice{Offsets: offsets, Sizes: sizes, File: file, At: int64(rapid.IntRange(0, 3).Draw(t, "at")), Strides: make([]int, len(sizes))}
			step := rapid.IntRange(1, 2).Draw(t, "step")
			order := make([]int, len(sizes))
			for d := range order {
				order[d] = d
			}
			for _, d := range rapid.Permutation(order).Draw(t, "order") {
				part.Strides[d] = step
				step *= max(1, sizes[d])
			}
			content := make([]byte, part.At+4*int64(step)+4)
			elements, err := tensor.Strided{Shape: sizes, Strides: part.Strides}.Layout(nil, step)
			if err != nil {
				t.Fatal(err)
			}
			for index, at := range elements.Logical() {
				number := 0
				for d, i := range index {
					number += (offsets[d] + i) * whole.Strides[d]
				}
				binary.LittleEndian.PutUint32(content[part.At+4*int64(at):], uint32(number))
			}
			s.shards[file] = input.Memory(file, content)
			parts = append(parts, part)
		}
		fill(nil, nil)
		s.Storages[0] = storage
		s.Slices = [][]checkpoint.Slice{parts}
		s.Tensors[0].View.Shape = shape
		want := make([]byte, storage.Bytes)
		for i := range len(want) / 4 {
			binary.LittleEndian.PutUint32(want[4*i:], uint32(i))
		}
		file := s.assemble(0)
		from := rapid.IntRange(0, len(want)).Draw(t, "from")
		got := make([]byte, rapid.IntRange(0, len(want)-from).Draw(t, "bytes"))
		if err := input.ReadFull(file, got, int64(from)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want[from:from+len(got)]) {
			t.Fatalf("bytes %d to %d are %x, expected %x", from, from+len(got), got, want[from:])
		}
	})
}

// openUnsliced returns a set of one tensor of float32 without files.
func openUnsliced(t *rapid.T) *Set {
	s, _, err := Open(named("(1,):(1,)"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.shards = map[string]input.File{}
	s.Tensors[0].Type, err = dtype.Parse("float32")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copied returns a copy of a folder of testdata/slices.
func copied(t *testing.T, folder string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), folder)
	need.Made(t, os.CopyFS(to, os.DirFS(slicesDir+folder)))
	return to
}

// TestSlicedDamage: a file that is missing, short or another one refuses the tensors with slices in it, and is a finding.
func TestSlicedDamage(t *testing.T) {
	folder := copied(t, "dcp")
	first := filepath.Join(folder, "__0_0.distcp")
	content, err := os.ReadFile(first)
	need.Made(t, err)
	state := func() string {
		s := openSet(t, folder)
		var all []string
		for _, f := range s.Findings {
			all = append(all, fmt.Sprint(f))
		}
		return fmt.Sprintf("%d tensors; %s", len(s.Tensors), strings.Join(all, "; "))
	}
	need.Made(t, os.WriteFile(first, content[:3200], 0o666))
	want := `4 tensors; tensor "short": its slice [0:1, 0:3] has 1577 bytes at byte 3154 of "__0_0.distcp", which has 3200`
	if got := state(); got != want {
		t.Errorf("short: %s, expected %s", got, want)
	}
	need.Made(t, os.Remove(first))
	if got := state(); got != `2 tensors; "__0_0.distcp" is missing, with the elements of 3 tensors` {
		t.Errorf("missing: %s", got)
	}
	need.Made(t, os.Symlink("/etc/passwd", first))
	if got := state(); !strings.HasPrefix(got, `2 tensors; "__0_0.distcp" is missing`) {
		t.Errorf("a link out of the folder: %s", got)
	}
	need.Made(t, os.Remove(first))
	need.Made(t, os.WriteFile(first, slices.Concat(content[1577:], content[:1577]), 0o666))
	s := openSet(t, folder)
	x, err := s.Named("rows", Options{})
	need.Made(t, err)
	defer x.Close()
	_, err = x.Data()
	if fault.ClassOf(err) != fault.Malformed || !strings.Contains(err.Error(), "rows[0:3, 0:4]") {
		t.Errorf("another order in the file: %v", err)
	}
}

// TestRanksDamage: a missing rank is a finding, and refuses the tensors of which it alone has a part.
func TestRanksDamage(t *testing.T) {
	folder := copied(t, "ranks")
	need.Made(t, os.Remove(filepath.Join(folder, "model_world_size_4_rank_3.pt")))
	s := openSet(t, folder)
	if len(s.Tensors) != 2 || len(s.Findings) != 3 || s.Findings[0].Kind != safetensors.MissingData {
		t.Errorf("%d tensors, %v", len(s.Tensors), s.Findings)
	}
	need.Made(t, os.Rename(filepath.Join(folder, "model_world_size_4_rank_0.pt"), filepath.Join(folder, "model_world_size_4_rank_3.pt")))
	if s = openSet(t, folder); len(s.Tensors) != 2 || len(s.Findings) != 3 {
		t.Errorf("%d tensors, %v", len(s.Tensors), s.Findings)
	}
	for _, file := range []string{"model_world_size_0_rank_0.pt", "model_world_size_x_rank_0.pt", "model_world_size_99999_rank_0.pt", "model_rank_0.pt", "world_size_2_rank_0.pt",
		"model_world_size_2_rank_0.bin"} {
		if _, _, _, ok := cutRank(file); ok {
			t.Errorf("%s is a rank file", file)
		}
	}
}

// TestReplicas: what ranks have in common is compared when it is asked for, and a difference names the tensor and both files.
func TestReplicas(t *testing.T) {
	folder := copied(t, "ranks")
	s := openSet(t, folder)
	need.Made(t, s.CompareReplicas())
	if len(s.Findings) > 0 {
		t.Errorf("equal replicas: %v", s.Findings)
	}
	last := filepath.Join(folder, "model_world_size_4_rank_3.pt")
	content, err := os.ReadFile(last)
	need.Made(t, err)
	plain := []byte{0, 0, 0, 0, 0, 0, 0x80, 0x3f} // 0 and 1 as float32, whole on each rank
	at := bytes.LastIndex(content, plain)
	content[at] = 1
	need.Made(t, os.WriteFile(last, content, 0o666))
	s = openSet(t, folder)
	need.Made(t, s.CompareReplicas())
	want := `[tensor "plain" differs between "model_world_size_4_rank_0.pt" and "model_world_size_4_rank_3.pt"]`
	if got := fmt.Sprint(s.Findings); got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

// TestSeveralModels: a folder with the rank files of two models is an error, whatever the order of its names; a pattern chooses one.
func TestSeveralModels(t *testing.T) {
	folder := copied(t, "ranks")
	need.Made(t, os.WriteFile(filepath.Join(folder, "model_world_size_8_rank_0.pt"), nil, 0o666))
	need.Made(t, os.WriteFile(filepath.Join(folder, "optim_world_size_8_rank_0.pt"), nil, 0o666))
	if _, _, err := Open(name.Parse(folder), Options{}); fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "several models") {
		t.Errorf("%v", err)
	}
	if s := openSet(t, filepath.Join(folder, "model_world_size_4_rank_*.pt")); len(s.Tensors) != 4 {
		t.Errorf("%d tensors", len(s.Tensors))
	}
}

// TestSingleStream: a .distcp file of one tensor takes its name from the metadata too.
func TestSingleStream(t *testing.T) {
	folder := copied(t, "dcp")
	first := filepath.Join(folder, "__0_0.distcp")
	content, err := os.ReadFile(first)
	need.Made(t, err)
	need.Made(t, os.WriteFile(first, content[:1577], 0o666))
	if s := openSet(t, first); s.Format != checkpoint.Streams || len(s.Tensors) != 1 || s.Tensors[0].Name != "rows[0:3, 0:4]" {
		t.Errorf("%s, %+v", s.Format, s.Tensors)
	}
}
