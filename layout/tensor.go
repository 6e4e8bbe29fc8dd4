package layout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Tensor is a tensor in memory whose dtype is known at run time: any dtype, also those that Go has no type for, such as bfloat16.
type Tensor struct {
	DType  string // in any spelling: float32, <f4, torch.bfloat16, bf16; little-endian unless it says otherwise
	Layout Layout // of the elements in Data
	Data   []byte // the storage; values below a byte, such as int4, share bytes: the first one is in the lowest bits
}

// TensorOf returns the tensor of a storage of Go's numbers, whose memory it shares.
func TensorOf[T Number](values []T, l Layout) Tensor {
	word, _ := dtypeOf[T]().Spelling()
	return Tensor{DType: word, Layout: l, Data: kernel.BytesOf(values)}
}

// dtypeOf returns the dtype of a type of Go, in this machine's byte order.
func dtypeOf[T Number]() dtype.Type {
	var zero T
	d, err := dtype.Parse(fmt.Sprintf("%T", zero))
	if err != nil {
		panic(err) // every Number has a dtype of its name
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return d.OtherOrder()
	}
	return d
}

// Values returns the storage of a tensor as a slice of Go's numbers, which its Layout indexes. It shares the memory of the tensor if the
// byte order is this machine's and the data are aligned, and is a copy otherwise. The error is [ErrDType] if the elements are not of type T.
func Values[T Number](t Tensor) ([]T, error) {
	d, err := dtype.ParseTyped(t.DType)
	if err != nil {
		return nil, err
	}
	want := dtypeOf[T]()
	swapped := d.Equal(want.OtherOrder()) && !d.Equal(want)
	if !swapped && !d.Equal(want) {
		return nil, fmt.Errorf("%w: the elements are %s, not %s", ErrDType, d, want)
	}
	if values, ok := kernel.ValuesOf[T](t.Data); ok && !swapped {
		return values, nil
	}
	values := make([]T, len(t.Data)/d.ItemSize())
	memory := kernel.BytesOf(values)
	copy(memory, t.Data)
	if swapped {
		reverse(memory, d.ItemSize())
	}
	return values, nil
}

// Float32s returns a copy of the storage of a tensor as float32, which its Layout indexes: of bfloat16, float16, float8 and all other real
// numbers, rounded. The error is [ErrDType] for other elements, and for numbers below a byte.
func Float32s(t Tensor) ([]float32, error) {
	d, err := dtype.ParseTyped(t.DType)
	if err != nil {
		return nil, err
	}
	read := dtype.NearFloat64s(d)
	if read == nil || d.Packed() {
		return nil, fmt.Errorf("%w: the elements are %s, not numbers of whole bytes", ErrDType, d)
	}
	size := d.ItemSize()
	if swap := dtype.LittleEndian(d); swap != nil {
		t.Data = bytes.Clone(t.Data[:len(t.Data)/size*size])
		swap(t.Data)
	}
	values := make([]float32, len(t.Data)/size)
	var memory [1024]float64
	for at := 0; at < len(values); at += len(memory) {
		part := memory[:min(len(memory), len(values)-at)]
		read(part, t.Data[at*size:(at+len(part))*size])
		for i, x := range part {
			values[at+i] = float32(x)
		}
	}
	return values, nil
}

// reverse reverses the bytes of each element.
func reverse(b []byte, itemSize int) {
	for ; len(b) >= itemSize; b = b[itemSize:] {
		slices.Reverse(b[:itemSize])
	}
}

// In returns a copy of the tensor in another layout, moved on all cores. Dims are matched as by [Convert]. Errors are those of Check,
// [ErrShape], and that of elements below a byte, such as int4, and of no bytes, such as S0, which are not moved.
func (t Tensor) In(to Layout) (Tensor, error) {
	d, err := t.check()
	if err != nil {
		return Tensor{}, err
	}
	if d.Packed() {
		return Tensor{}, fmt.Errorf("values of %s share bytes, and cannot be moved", d)
	}
	size := d.ItemSize()
	if size == 0 {
		return Tensor{}, fmt.Errorf("elements of %s have no bytes, and cannot be moved", d)
	}
	dst, src, err := newStorages(to, t.Layout, size, size)
	if err != nil {
		return Tensor{}, err
	}
	p, err := dst.plan(src.layout, size)
	if err != nil {
		return Tensor{}, err
	}
	moved := Tensor{DType: t.DType, Layout: to, Data: make([]byte, dst.size*size)}
	return moved, dst.run(p, moved.Data, t.Data[:src.size*size])
}

// RowMajor returns the tensor in row-major order of its dims, with the bytes of its elements only: a copy, unless it is that already.
func (t Tensor) RowMajor() (Tensor, error) {
	d, err := t.check()
	if err != nil {
		return Tensor{}, err
	}
	dense, err := Parse("c", t.Layout.Shape()...)
	if err != nil {
		return Tensor{}, err
	}
	if !t.Layout.Equal(dense) {
		return t.In(dense)
	}
	t.Data = t.Data[:d.Size(int64(dense.Len()))]
	return t, nil
}

// Check returns an error if the dtype is unknown, and [ErrShort] if Data ends before the layout.
func (t Tensor) Check() error {
	_, err := t.check()
	return err
}

// check returns the dtype, after checking that Data has all elements of the layout.
func (t Tensor) check() (dtype.Type, error) {
	d, err := dtype.ParseTyped(t.DType)
	if err != nil {
		return d, err
	}
	if err := t.Layout.l.CheckBytes(d.ItemSize(), d); err != nil {
		return d, err
	}
	if want := d.Size(int64(t.Layout.Size())); want > int64(len(t.Data)) {
		return d, fmt.Errorf("%w: %d bytes, %s of %s needs %d", ErrShort, len(t.Data), t.Layout, d, want)
	}
	return d, nil
}
