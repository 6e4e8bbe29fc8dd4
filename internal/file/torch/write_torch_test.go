package torch

import (
	"bytes"
	"errors"
	"fmt"
	"github.com/tlayout/tlayout/internal/random"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// stateDict is a checkpoint in memory: tensors and the bytes of their storages.
type stateDict struct {
	tensors  []checkpoint.Tensor
	storages [][]byte
}

func (s stateDict) sizes() []int64 {
	n := make([]int64, len(s.storages))
	for i, b := range s.storages {
		n[i] = int64(len(b))
	}
	return n
}

// container is the same without elements.
func (s stateDict) container() *checkpoint.Container {
	c := &checkpoint.Container{Tensors: s.tensors}
	for _, n := range s.sizes() {
		c.Storages = append(c.Storages, checkpoint.Storage{Bytes: n})
	}
	return c
}

// compact is the state dict without unused bytes.
func (s stateDict) compact(t testing.TB) stateDict {
	c := checkpoint.Compact(s.container())
	out := stateDict{tensors: c.Tensors}
	for i, cut := range c.Storages {
		var b bytes.Buffer
		if err := cut.Copy(&b, bytes.NewReader(s.storages[i])); err != nil || int64(b.Len()) != cut.Bytes {
			t.Fatalf("storage %d of %d bytes: %d were copied, %v", i, cut.Bytes, b.Len(), err)
		}
		out.storages = append(out.storages, b.Bytes())
	}
	return out
}

// memory is an output in memory that counts what is written to it.
type memory struct {
	b       []byte
	written int
	fails   int // this many writes before one fails; negative for none
}

func (f *memory) WriteAt(p []byte, off int64) (int, error) {
	if f.fails--; f.fails == -1 {
		return 0, errFull
	}
	f.written += len(p)
	return copy(f.b[off:], p), nil
}

var errFull = fmt.Errorf("no room")

// save writes a state dict, its storages in pieces of another size for each number of tensors.
func (s stateDict) save(t testing.TB, alignment int) []byte {
	p, err := Place(s.tensors, s.sizes(), alignment)
	if err != nil {
		t.Fatal(err)
	}
	f := &memory{b: make([]byte, p.Size()), fails: -1}
	piece := 1 + len(s.tensors)*7%20
	err = write(p, f, func(i int, w io.Writer) error {
		for part := range slices.Chunk(s.storages[i], piece) {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || f.written != len(f.b) {
		t.Fatalf("%d of %d bytes were written: %v", f.written, len(f.b), err)
	}
	return f.b
}

var (
	typedNames   = strings.Fields("bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128")
	untypedNames = strings.Fields("complex32 uint16 uint32 uint64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu")
)

// randomState has storages of these types, and views of them with random strides, some of which overlap, share, have gaps or are
// empty. Bytes say where they are.
func randomState(r *rand.Rand, names []string) (s stateDict) {
	of := make([]dtype.Type, 1+r.IntN(5))
	for i := range of {
		name := names[r.IntN(len(names))]
		of[i], _ = dtype.Parse(name)
		b := make([]byte, (r.IntN(80)*r.IntN(2)+r.IntN(12))*of[i].ItemSize())
		for k := range b {
			if b[k] = byte((k*7 + i*31) % 251); name == "bool" {
				b[k] = byte(r.IntN(2))
			}
		}
		s.storages = append(s.storages, b)
	}
	if r.IntN(20) == 0 {
		i := r.IntN(len(of))
		return stateDict{[]checkpoint.Tensor{{Type: of[i], Storage: i, View: randomView(r, len(s.storages[i])/of[i].ItemSize())}}, s.storages}
	}
	for k := range r.IntN(9) {
		i := r.IntN(len(of))
		name := fmt.Sprintf([]string{"layer.%d.weight", "ü%d \"\n", "%d", "a.b.%d", strings.Repeat("n", r.IntN(300)) + "%d"}[r.IntN(5)], k)
		v := randomView(r, len(s.storages[i])/of[i].ItemSize())
		if k > 0 && r.IntN(4) == 0 {
			i, v = s.tensors[k-1].Storage, s.tensors[k-1].View // tied
		}
		s.tensors = append(s.tensors, checkpoint.Tensor{Name: name, Type: of[i], View: v, Storage: i})
	}
	return s
}

// randomView is a view of n elements.
func randomView(r *rand.Rand, n int) tensor.Strided {
	for {
		rank := r.IntN(6)
		v := tensor.Strided{Shape: make([]int, rank), Strides: make([]int, rank), Offset: r.IntN(8)}
		dense := r.IntN(2) == 0
		run := 1 + r.IntN(2)*r.IntN(3)
		for _, d := range r.Perm(rank) {
			v.Shape[d] = 1 + r.IntN(4)
			if v.Strides[d] = r.IntN(9); dense {
				v.Strides[d] = run
				run *= v.Shape[d]
			}
			if r.IntN(12) == 0 {
				v.Strides[d] = 0
			}
			if r.IntN(40) == 0 || n == 0 && d == 0 {
				v.Shape[d] = 0
			}
		}
		last := v.Offset
		for d, k := range v.Shape {
			last += (k - 1) * v.Strides[d]
		}
		if v.Empty() || last < n {
			return v
		}
		if n == 0 {
			return tensor.Strided{Shape: []int{0}, Strides: []int{1}}
		}
	}
}

// loaded is what testdata/written.py says of a file.
type loaded struct {
	Error   string
	Keys    []string
	Tensors []struct {
		Dtype         string
		Shape, Stride []int
		Offset, Group int
		Nbytes        int64
		Data          []byte
	}
}

// TestWrittenIsLoaded: of random state dicts that are written, as they are and compacted, PyTorch loads, with weights_only and
// without, the same names, types, shapes, strides, offsets, elements, sizes of storages, and the same tensors share.
func TestWrittenIsLoaded(t *testing.T) {
	o := oracle.Torch(t, "written.py")
	n := oracle.Cases(t, 500)
	t.Run("random", func(t *testing.T) { compareWritten(t, o, n, typedNames, false) })
	t.Run("many", func(t *testing.T) { compareMany(t, o) })
	t.Run("unknown", func(t *testing.T) { refusesLater(t, o) })
	var none []loaded
	if err := errors.Join(o.Ask(map[string]bool{"stand_ins": true}), o.Read(&none)); err != nil {
		t.Fatal(err)
	}
	// For PyTorch 1.13 there are stand-ins now. They show that persistent ids and arguments are in their places, not that a later
	// version loads the file.
	t.Run("later", func(t *testing.T) { compareWritten(t, o, n/5, untypedNames, o.Before("2.7")) })
	if !o.Before("2.15") {
		t.Run("allowed", func(t *testing.T) { compareAllowed(t, o) })
	}
}

// compareAllowed: the globals that weights_only accepts are those of PyTorch 2.15, and no others.
func compareAllowed(t *testing.T, o *oracle.Oracle) {
	var theirs []string
	if err := errors.Join(o.Ask(map[string]bool{"allowed": true}), o.Read(&theirs)); err != nil {
		t.Fatal(err)
	}
	var ours []string
	for name, ok := range allowed() {
		if ok {
			ours = append(ours, name)
		}
	}
	slices.Sort(ours)
	for _, name := range append(slices.Clone(ours), theirs...) {
		if slices.Contains(ours, name) != slices.Contains(theirs, name) {
			t.Errorf("%s: accepted here %v, by PyTorch %v", name, slices.Contains(ours, name), slices.Contains(theirs, name))
		}
	}
}

// compareMany: thousands of tensors, in several batches of the pickle, with keys beyond 8 bits.
func compareMany(t *testing.T, o *oracle.Oracle) {
	s := stateDict{}
	for i := range 2500 {
		v := view(strconv.Itoa(i), "i2", 0, []int{1}, []int{70_000})
		v.Storage = 2499 - i
		s.tensors, s.storages = append(s.tensors, v), append(s.storages, []byte{byte(i), byte(i >> 8)})
	}
	f := s.save(t, 64)
	s.isOpened(t, f, 64)
	for _, a := range s.ask(t, o) {
		if err := s.is(a, false); err != nil {
			t.Error(err)
		}
	}
}

// refusesLater: PyTorch 1.13 refuses each type that it has not, and reads none as another one.
func refusesLater(t *testing.T, o *oracle.Oracle) {
	if !o.Before("2.1") {
		t.Skip("it knows them")
	}
	for _, name := range untypedNames {
		s := stateDict{[]checkpoint.Tensor{view("w", name, 0, []int{1}, []int{1})}, [][]byte{make([]byte, 8)}}
		for _, a := range s.ask(t, o) {
			if !strings.Contains(a.Error, "_rebuild_tensor_v3") {
				t.Errorf("%s: %q", name, a.Error)
			}
		}
	}
}

// ask writes a state dict and has it loaded.
func (s stateDict) ask(t *testing.T, o *oracle.Oracle) (answers []loaded) {
	if err := errors.Join(o.Ask(map[string][]byte{"file": s.save(t, 64)}), o.Read(&answers)); err != nil {
		t.Fatal(err)
	}
	return answers
}

func compareWritten(t *testing.T, o *oracle.Oracle, n int, names []string, later bool) {
	r := random.New(t)
	files, tensors := 0, 0
	for range n {
		s := randomState(r, names)
		for _, s := range []stateDict{s, s.compact(t)} {
			for mode, a := range s.ask(t, o) {
				if err := s.is(a, later); err != nil {
					t.Errorf("file %d, weights_only %v: %v\n%+v", files, mode == 0, err, s.tensors)
				}
			}
			files, tensors = files+1, tensors+len(s.tensors)
		}
	}
	t.Logf("%d files, %d tensors", files, tensors)
}

// is compares a state with what was loaded; types are not if there may be stand-ins.
func (s stateDict) is(a loaded, later bool) error {
	if a.Error != "" || len(a.Tensors) != len(s.tensors) {
		return fmt.Errorf("%d tensors, PyTorch has %d: %s", len(s.tensors), len(a.Tensors), a.Error)
	}
	if root := len(s.tensors) == 1 && s.tensors[0].Root; root != (a.Keys == nil) {
		return fmt.Errorf("keys %q", a.Keys)
	}
	groups, storages := map[int]int{}, map[int]int{}
	for i, want := range s.tensors {
		got := a.Tensors[i]
		if a.Keys != nil && a.Keys[i] != want.Name || !later && got.Dtype != want.Type.String() ||
			!slices.Equal(got.Shape, want.View.Shape) || !slices.Equal(got.Stride, want.View.Strides) || got.Offset != want.View.Offset {
			return fmt.Errorf("%+v, PyTorch has %+v", want, got)
		}
		if got.Nbytes != int64(len(s.storages[want.Storage])) || !bytes.Equal(got.Data, gather(s.storages[want.Storage], want)) {
			return fmt.Errorf("tensor %d: other elements, or %d bytes", i, got.Nbytes)
		}
		if got.Group < 0 {
			continue
		}
		if g, ok := storages[want.Storage]; ok && g != got.Group {
			return fmt.Errorf("storage %d is of groups %d and %d", want.Storage, g, got.Group)
		}
		if g, ok := groups[got.Group]; ok && g != want.Storage {
			return fmt.Errorf("group %d has storages %d and %d", got.Group, want.Storage, g)
		}
		groups[got.Group], storages[want.Storage] = want.Storage, got.Group
	}
	return nil
}
