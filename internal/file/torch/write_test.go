package torch

import (
	"archive/zip"
	"bytes"
	"errors"
	"github.com/tlayout/tlayout/internal/random"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestWrittenIsOpened: of random checkpoints of all types, Open finds the same tensors, and who shares; storages are aligned; the
// same checkpoint is the same file; Go's archive/zip finds every checksum right, and no time.
func TestWrittenIsOpened(t *testing.T) {
	r := random.New(t)
	all := slices.Concat(typedNames, untypedNames)
	for range oracle.Cases(t, 500) {
		s := randomState(r, all)
		alignment := 64 << r.IntN(7)
		f := s.save(t, alignment)
		if !bytes.Equal(f, s.save(t, alignment)) {
			t.Fatal("written twice, the files differ")
		}
		s.isOpened(t, f, alignment)
		z, err := zip.NewReader(bytes.NewReader(f), int64(len(f)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range z.File {
			content, err := m.Open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, content); err != nil || m.Modified.Year() > 1980 {
				t.Fatal(m.Name, err, m.Modified)
			}
		}
	}
}

// isOpened compares a state dict with what Open finds in its file.
func (s stateDict) isOpened(t *testing.T, f []byte, alignment int) {
	c, err := openBytes(f)
	if err != nil {
		t.Fatalf("%v\n%+v", err, s.tensors)
	}
	if len(c.Tensors) != len(s.tensors) || len(c.Refused)+len(c.Opcodes) > 0 || slices.ContainsFunc(c.Globals, func(g checkpoint.Global) bool { return !g.WeightsOnly }) {
		t.Fatalf("%+v", c)
	}
	same := map[int]int{}
	for i, want := range s.tensors {
		got := c.Tensors[i]
		if !got.Type.Equal(want.Type) || got.Name != want.Name || got.View.Offset != want.View.Offset ||
			!slices.Equal(got.View.Shape, want.View.Shape) || !slices.Equal(got.View.Strides, want.View.Strides) {
			t.Fatalf("%+v became %+v", want, got)
		}
		if known, ok := same[want.Storage]; ok && known != got.Storage {
			t.Fatalf("%q shares no more", want.Name)
		}
		same[want.Storage] = got.Storage
		at := c.Storages[got.Storage]
		if at.At%int64(alignment) != 0 || !bytes.Equal(f[at.At:][:at.Bytes], s.storages[want.Storage]) {
			t.Fatalf("%q: other bytes at byte %d", want.Name, at.At)
		}
	}
	if len(same) != len(c.Storages) {
		t.Fatalf("%d storages, want %d", len(c.Storages), len(same))
	}
}

// TestWriteGlobals: the names in the pickle are those that torch.save writes for a state_dict of that type. (torch/_tensor.py,
// _reduce_ex_internal; torch/storage.py, _dtype_to_storage_type_map, _new_dtypes; seen in files of 1.13 for those of the first)
func TestWriteGlobals(t *testing.T) {
	for name, want := range map[string]string{
		"bool": "BoolStorage", "uint8": "ByteStorage", "int8": "CharStorage", "int16": "ShortStorage", "int32": "IntStorage", "int64": "LongStorage",
		"float16": "HalfStorage", "bfloat16": "BFloat16Storage", "float32": "FloatStorage", "float64": "DoubleStorage",
		"complex64": "ComplexFloatStorage", "complex128": "ComplexDoubleStorage",
		"complex32": "", "uint16": "", "uint32": "", "uint64": "", "float8_e4m3fn": "", "float8_e4m3fnuz": "", "float8_e5m2": "",
		"float8_e5m2fnuz": "", "float8_e8m0fnu": "",
	} {
		all := []string{"collections.OrderedDict", "torch." + want, "torch._utils._rebuild_tensor_v2"}
		if want == "" {
			all = []string{"collections.OrderedDict", "torch." + name, "torch._utils._rebuild_tensor_v3", "torch.storage.UntypedStorage"}
		}
		s := stateDict{[]checkpoint.Tensor{view("w", name, 0, nil, nil)}, [][]byte{make([]byte, 16)}}
		c, err := openBytes(s.save(t, 64))
		if err != nil {
			t.Fatal(name, err)
		}
		var names []string
		for _, g := range c.Globals {
			names = append(names, g.Name)
		}
		if slices.Sort(all); !slices.Equal(names, all) {
			t.Errorf("%s: %v, want %v", name, names, all)
		}
	}
}

// view is a tensor of storage 0.
func view(name, of string, offset int, shape, strides []int) checkpoint.Tensor {
	t, err := dtype.Parse(of)
	if err != nil {
		panic(err)
	}
	return checkpoint.Tensor{Name: name, Type: t, View: tensor.Strided{Shape: shape, Strides: strides, Offset: offset}}
}

// TestWriteRefuses: what PyTorch has not is refused before anything is written, with the tensor's name.
func TestWriteRefuses(t *testing.T) {
	two := []int{2}
	for _, c := range []struct {
		tensors []checkpoint.Tensor
		want    string
	}{
		{[]checkpoint.Tensor{view("w", "float128", 0, nil, nil)}, `tensor "w": PyTorch has no dtype float128`},
		{[]checkpoint.Tensor{view("w", "S4", 0, nil, nil)}, `tensor "w": PyTorch has no dtype S4`},
		{[]checkpoint.Tensor{view("w", "float8_e4m3b11fnuz", 0, nil, nil)}, `tensor "w": PyTorch has no dtype float8_e4m3b11fnuz`},
		{[]checkpoint.Tensor{view("w", "f4,i4", 0, nil, nil)}, `tensor "w": PyTorch has no dtype struct{`},
		{[]checkpoint.Tensor{view("w", "M8[s]", 0, nil, nil)}, `tensor "w": PyTorch has no dtype datetime64[s]`},
		{[]checkpoint.Tensor{view("w", ">f4", 0, two, []int{1})}, `tensor "w": its elements are big-endian`},
		{[]checkpoint.Tensor{view("w", "f4", 1, two, []int{-1})}, `tensor "w": PyTorch has no negative strides`},
		{[]checkpoint.Tensor{view("w", "f4", -1, two, []int{1})}, `tensor "w": PyTorch has no negative strides`},
		{[]checkpoint.Tensor{view("w", "f4", 0, two, []int{4})}, `tensor "w": its last element is element 4 of a storage of 4`},
		{[]checkpoint.Tensor{view("\xff", "f4", 0, two, []int{1})}, `its name is not UTF-8`},
		{[]checkpoint.Tensor{view("w", "f4", 0, two, []int{1}), view("w", "f4", 2, two, []int{1})}, `two tensors have the name "w"`},
		{[]checkpoint.Tensor{view("w", "f4", 0, two, []int{1}), view("v", "i4", 0, two, []int{1})},
			`tensor "v": its dtype is int32, but that of tensor "w" in the same storage is float32`},
		{[]checkpoint.Tensor{view("w", "c16", 0, nil, nil), view("v", "u1", 0, two, []int{1})}, `tensor "v": its dtype is uint8`},
	} {
		_, err := Place(c.tensors, []int64{16}, 64)
		if fault.ClassOf(err) == fault.Resource || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := Place([]checkpoint.Tensor{view("w", "f4", 0, nil, nil)}, []int64{7}, 64); err == nil || !strings.Contains(err.Error(), "7 bytes") {
		t.Error(err)
	}
	for _, alignment := range []int{-64, 0, 32, 96, 1 << 16} {
		if _, err := Place(nil, nil, alignment); fault.ClassOf(err) != fault.Usage {
			t.Errorf("alignment %d: %v", alignment, err)
		}
	}
}

// TestWriteFails: an error of the output at any write, or of a storage, is returned, as is a storage that has other bytes than it
// said.
func TestWriteFails(t *testing.T) {
	s := stateDict{[]checkpoint.Tensor{view("w", "f4", 0, []int{2}, []int{1})}, [][]byte{[]byte("8 bytes.")}}
	p, err := Place(s.tensors, s.sizes(), 64)
	if err != nil {
		t.Fatal(err)
	}
	whole := func(_ int, w io.Writer) error {
		return errors.Join(second(io.WriteString(w, "8 by")), second(io.WriteString(w, "tes.")))
	}
	writes := 0
	for ; ; writes++ {
		f := &memory{b: make([]byte, p.Size()), fails: writes}
		err := write(p, f, whole)
		if err == nil {
			break
		}
		if !errors.Is(err, errFull) || f.written == len(f.b) {
			t.Fatalf("write %d: %v, %d bytes", writes, err, f.written)
		}
	}
	if writes != 10 { // three texts, the storage in two, four headers, the end
		t.Errorf("%d writes", writes)
	}
	broken := errors.New("broken")
	for want, content := range map[string]func(int, io.Writer) error{
		"broken": func(int, io.Writer) error { return broken },
	} {
		err := write(p, &memory{b: make([]byte, p.Size()), fails: -1}, content)
		if err == nil || err.Error() != strings.TrimSpace(want) || fault.ClassOf(err) != fault.Resource {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func second(_ int, err error) error { return err }

// TestWriteWide: a storage of more than 4 GiB is written to a file with holes, where zeros take no room; Open finds tensors at both of
// its ends, and behind it. So does PyTorch, which has it in memory, if TLAYOUT_TEST_CHECKPOINT_CASES asks for more.
func TestWriteWide(t *testing.T) {
	if testing.Short() || strconv.IntSize < 64 {
		t.Skip("a file of 4.5 GiB, with holes")
	}
	big := int64(1)<<32 + 1<<16 // more than 32 bits say
	tensors := []checkpoint.Tensor{view("first", "f4", 0, []int{2}, []int{1}), view("last", "f4", int(big/4)-2, []int{2}, []int{1}),
		view("after", "i8", 1, []int{2}, []int{3})}
	tensors[2].Storage = 1
	p, err := Place(tensors, []int64{big, 40}, 4096)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(t.TempDir() + "/wide.pt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(p.Size()); err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	err = write(p, holes{f, zeros}, func(i int, w io.Writer) error {
		if i == 1 {
			return second(io.WriteString(w, strings.Repeat("01234567", 5)))
		}
		for range big >> 20 {
			if _, err := w.Write(zeros); err != nil {
				return err
			}
		}
		b := make([]byte, big%(1<<20))
		copy(b[len(b)-8:], "\x00\x00\x80\x3f\x00\x00\x00\x40")
		return second(w.Write(b))
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(f, p.Size(), checkpoint.MaxLimit)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Tensors) != 3 || c.Storages[0].Bytes != big || c.Storages[1].At < big || c.Storages[1].At%4096 != 0 || c.Tensors[1].View.Offset != int(big/4)-2 {
		t.Fatalf("%+v", c)
	}
	b := make([]byte, 8)
	if _, err := f.ReadAt(b, c.Storages[0].At+big-8); err != nil || string(b) != "\x00\x00\x80\x3f\x00\x00\x00\x40" {
		t.Fatal(b, err)
	}
	z, err := zip.OpenReader(f.Name())
	if err != nil || len(z.File) != 5 || z.File[2].UncompressedSize64 != uint64(big) || z.File[2].CRC32 == crc32.ChecksumIEEE(nil) {
		t.Fatal(err, z)
	}
	z.Close()
	if os.Getenv("TLAYOUT_TEST_CHECKPOINT_CASES") == "" {
		return
	}
	o := oracle.Torch(t, "written.py")
	var answers []loaded
	if err := errors.Join(o.Ask(map[string]string{"path": f.Name()}), o.Read(&answers)); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if len(a.Tensors) != 3 || a.Tensors[0].Nbytes != big || string(a.Tensors[0].Data) != "\x00\x00\x00\x00\x00\x00\x00\x00" ||
			string(a.Tensors[1].Data) != "\x00\x00\x80\x3f\x00\x00\x00\x40" || string(a.Tensors[2].Data) != "0123456701234567" {
			t.Errorf("%+v", a)
		}
	}
}

// holes leaves out blocks of zeros.
type holes struct {
	io.WriterAt
	zeros []byte
}

func (h holes) WriteAt(p []byte, off int64) (int, error) {
	if bytes.Equal(p, h.zeros[:min(len(p), len(h.zeros))]) {
		return len(p), nil
	}
	return h.WriterAt.WriteAt(p, off)
}

// write writes a checkpoint with the storages' bytes that content writes.
func write(p *Placement, w io.WriterAt, content func(storage int, w io.Writer) error) error {
	sums := make([]uint32, slices.Max(p.storages)+1)
	for storage, at := range p.Storages() {
		sum := crc32.NewIEEE()
		if err := content(storage, io.MultiWriter(io.NewOffsetWriter(w, at), sum)); err != nil {
			return err
		}
		sums[storage] = sum.Sum32()
	}
	return p.Frame(w, sums)
}
