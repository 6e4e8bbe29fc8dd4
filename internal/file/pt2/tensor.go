package pt2

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// types are the numbers of ScalarType in torch/_export/serde/schema.py, which are not those of c10.
var types = map[int]string{
	1: "uint8", 2: "int8", 3: "<i2", 4: "<i4", 5: "<i8", 6: "<f2", 7: "<f4", 8: "<f8", 9: "<complex32", 10: "<c8", 11: "<c16", 12: "bool",
	13: "<bfloat16", 28: "<u2", 29: "float8_e4m3fn", 30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu",
	34: "<u4", 35: "<u8",
}

// TypeOf returns the type with this number of ScalarType in torch/_export/serde/schema.py; ok is false for an unknown one.
func TypeOf(number int) (d dtype.Type, ok bool) {
	d, err := dtype.Parse(types[number])
	return d, err == nil
}

// strided is the number of torch.strided in Layout.
const strided = 7

// maxDevice bounds the name of a device in bytes.
const maxDevice = 64

// payload adds the tensor of an entry, or the reason why it cannot be shown. Objects that are no tensors are left out.
func (r *reader) payload(folder, name string, p payload) error {
	if p.Meta == nil && p.UsePickle {
		return nil
	}
	if err := r.claim(name); err != nil {
		return err
	}
	if p.Meta == nil {
		return inTensor(name, damaged("it has no tensor_meta"))
	}
	m, err := r.memberOf(folder, p.Path)
	if err != nil {
		return inTensor(name, err)
	}
	if p.UsePickle {
		return inTensor(name, r.pickled(m, name))
	}
	return inTensor(name, r.view(m, name, p.Meta))
}

// memberOf finds the member that holds a tensor, a plain name in a folder.
func (r *reader) memberOf(folder, base string) (zip.Member, error) {
	m, ok, err := r.zip.Named(folder + base)
	if err == nil && !ok {
		err = damaged("the archive has no member %s", checkpoint.Quoted(folder+base))
	}
	return m, err
}

// view adds a tensor that is a view of a member's bytes.
func (r *reader) view(m zip.Member, name string, x *meta) error {
	d, why := typeOf(x)
	if why != "" {
		r.refuse(name, why)
		return nil
	}
	if m.Method != zip.Stored {
		r.refuse(name, "its bytes are compressed ("+m.Method.String()+"); repack the archive: zip -0 -r")
		return nil
	}
	v, why, err := viewOf(x)
	if err != nil {
		return err
	}
	if why != "" {
		r.refuse(name, why)
		return nil
	}
	if m.Size == 0 && !v.Empty() {
		r.refuse(name, "the program was saved without its elements")
		return nil
	}
	if err := within(v, m.Size/int64(d.ItemSize())); err != nil {
		return err
	}
	storage, err := r.storage(m, x)
	if err != nil {
		return err
	}
	r.c.Tensors = append(r.c.Tensors, checkpoint.Tensor{Name: name, Type: d, View: v, Storage: storage})
	return nil
}

// typeOf returns a tensor's type, or why it cannot be shown.
func typeOf(x *meta) (d dtype.Type, why string) {
	if x.Layout != strided {
		return d, "its layout is not strided: number " + strconv.Itoa(x.Layout) + " of torch/_export/serde/schema.py"
	}
	d, err := dtype.Parse(types[x.DType])
	if types[x.DType] == "" || err != nil {
		return d, "its type is number " + strconv.Itoa(x.DType) + ", which does not exist in torch/_export/serde/schema.py of PyTorch 2.15"
	}
	return d, ""
}

// viewOf returns sizes, strides and offset, or why they cannot be shown.
func viewOf(x *meta) (v tensor.Strided, why string, err error) {
	if len(x.Sizes) != len(x.Strides) {
		return v, "", damaged("it has %d sizes and %d strides", len(x.Sizes), len(x.Strides))
	}
	if len(x.Sizes) > tensor.MaxRank {
		return v, "rank " + strconv.Itoa(len(x.Sizes)) + " is over the limit of " + strconv.Itoa(tensor.MaxRank) + " dims", nil
	}
	numbers := append(append([]symInt{x.Offset}, x.Sizes...), x.Strides...)
	all := make([]int, len(numbers))
	for i, n := range numbers {
		if n.Int == nil {
			return v, "a size, a stride or the offset is an expression", nil
		}
		if *n.Int < 0 {
			return v, "", damaged("a size, a stride or the offset is negative: %d", *n.Int)
		}
		if *n.Int > math.MaxInt {
			return v, "a size, a stride or the offset is too large for this machine", nil
		}
		all[i] = int(*n.Int)
	}
	v = tensor.Strided{Offset: all[0], Shape: all[1 : 1+len(x.Sizes)], Strides: all[1+len(x.Sizes):]}
	if _, err := tensor.Numel(v.Shape); err != nil {
		return v, err.Error(), nil
	}
	return v, "", nil
}

// within checks that the elements of a view are among the n of its member. An empty view may have any offset, as in PyTorch.
func within(v tensor.Strided, n int64) error {
	if v.Empty() {
		return nil
	}
	last := uint64(v.Offset)
	for i, size := range v.Shape {
		over, step := bits.Mul64(uint64(size-1), uint64(v.Strides[i]))
		sum, carry := bits.Add64(last, step, 0)
		if over+carry > 0 {
			return outside("beyond all addresses", n)
		}
		last = sum
	}
	if last >= uint64(n) {
		return outside("element "+strconv.FormatUint(last, 10), n)
	}
	return nil
}

func outside(where string, n int64) error {
	return fault.New(fault.Malformed, "its last element is %s of a member of %d", where, n).
		WithHint("the file is damaged or malicious: do not load it")
}

// storage returns the index of the storage that a member is, adding it when it is first named.
func (r *reader) storage(m zip.Member, x *meta) (int, error) {
	if i, known := r.stored[m.Name]; known {
		return i, nil
	}
	at, err := r.zip.Locate(m)
	if err != nil {
		return 0, err
	}
	r.stored[m.Name] = len(r.c.Storages)
	r.c.Storages = append(r.c.Storages, checkpoint.Storage{ID: idOf(m.Name), At: at, Bytes: m.Size, Device: deviceOf(x)})
	return len(r.c.Storages) - 1, nil
}

// idOf returns a member's name in its folder.
func idOf(member string) string { return member[strings.LastIndexByte(member, '/')+1:] }

// deviceOf returns the device of a tensor, such as cuda:0; empty if it has no usable name.
func deviceOf(x *meta) string {
	device := x.Device.Type
	if x.Device.Index != nil {
		device += ":" + strconv.Itoa(*x.Device.Index)
	}
	if len(device) > maxDevice || text.Quote(device) != device {
		return ""
	}
	return device
}
