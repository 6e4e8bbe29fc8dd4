package torch

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// classes are the storage classes by the names of their types, without the quantized ones.
var classes = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for class, elem := range elements {
		if elem.name != "" && !strings.HasPrefix(class, "Q") {
			m[elem.name] = class
		}
	}
	return m
})

// untyped are the types without a storage class: torch.save writes an UntypedStorage, and the type with the tensor, for
// _rebuild_tensor_v3. PyTorch 1.13 reads neither. (torch/storage.py, _new_dtypes; torch/_tensor.py, _reduce_ex_internal, at commit
// 00960f7fe5ae of the main branch)
var untyped = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields("complex32 bcomplex32 uint16 uint32 uint64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2") {
		m[name] = true
	}
	return m
})

// saving assigns keys and a type to storages.
type saving struct {
	order []int          // per key, from 0: the caller's index
	saved []savedStorage // parallel to the caller's storages
}

type savedStorage struct {
	key    int // -1 until a tensor uses it
	bytes  int64
	dtype  dtype.Type
	tensor string // its first tensor
}

// newSaving checks the tensors.
func newSaving(tensors []checkpoint.Tensor, sizes []int64) (*saving, error) {
	s := &saving{saved: make([]savedStorage, len(sizes))}
	for i, n := range sizes {
		s.saved[i] = savedStorage{key: -1, bytes: n}
	}
	names := map[string]bool{}
	for _, t := range tensors {
		if err := s.use(t); err != nil {
			return nil, fault.In("tensor "+text.Quoted(text.Cut(t.Name, 200)), err)
		}
		if names[t.Name] {
			return nil, fault.New(fault.Unsupported, "two tensors have the name %s", text.Quoted(text.Cut(t.Name, 200)))
		}
		names[t.Name] = true
	}
	return s, nil
}

// use checks a tensor, and assigns its storage a key.
func (s *saving) use(t checkpoint.Tensor) error {
	name := t.Type.String()
	_, typed := classes()[name]
	if !typed && !untyped()[name] {
		return fault.New(fault.Unsupported, "PyTorch has no dtype %s", name).WithHint("write .npz or .npy, which hold any dtype, or omit the tensor: --exclude")
	}
	if t.Type.Order() == dtype.Big {
		return fault.New(fault.Unsupported, "its elements are big-endian; a checkpoint's are little-endian")
	}
	if t.View.Negative() || t.View.Offset < 0 {
		return fault.New(fault.Unsupported, "PyTorch has no negative strides").WithHint("copy it to a layout: --to contiguous")
	}
	if !utf8.ValidString(t.Name) {
		return fault.New(fault.Unsupported, "its name is not UTF-8")
	}
	st := &s.saved[t.Storage]
	item := int64(t.Type.ItemSize())
	if err := (ref{numel: st.bytes / item}).holds(t.View, t.Type, item); err != nil {
		return err
	}
	if st.key < 0 {
		st.key = len(s.order)
		st.dtype = t.Type
		st.tensor = t.Name
		s.order = append(s.order, t.Storage)
		if st.bytes%item != 0 {
			return fault.New(fault.Unsupported, "its storage has %d bytes, not a multiple of the itemsize %d", st.bytes, item)
		}
	}
	if !st.dtype.Equal(t.Type) { // as in torch/serialization.py, _save, persistent_id
		return fault.New(fault.Unsupported, "its dtype is %s, but that of tensor %s in the same storage is %s", name,
			text.Quoted(text.Cut(st.tensor, 200)), st.dtype).WithHint("torch.save refuses this too; clone one of them")
	}
	return nil
}

// object returns the pickle, of protocol 2.
func (s *saving) object(tensors []checkpoint.Tensor) (string, error) {
	p := &pickler{b: []byte("\x80\x02"), memo: map[string]int{}}
	if len(tensors) == 1 && tensors[0].Root {
		p.tensor(tensors[0], s.saved[tensors[0].Storage])
	} else {
		p.global("collections", "OrderedDict")
		p.put(")R")
		for i, t := range tensors {
			if i%1000 == 0 { // pickle.Pickler._BATCHSIZE: a reader's stack stays short
				p.put(strings.Repeat("u", min(i, 1)) + "(")
			}
			p.string(t.Name)
			p.tensor(t, s.saved[t.Storage])
		}
		p.put(strings.Repeat("u", min(len(tensors), 1)))
	}
	p.put(".")
	const maxPickle = 1 << 30
	if len(p.b) > maxPickle {
		return "", fault.New(fault.Unsupported, "the names and shapes of %d tensors need %d bytes, over the limit of %d", len(tensors), len(p.b), maxPickle)
	}
	return string(p.b), nil
}

// pickler writes opcodes.
type pickler struct {
	b    []byte
	memo map[string]int // the memo index of what these opcodes made
}

func (p *pickler) put(opcodes string) { p.b = append(p.b, opcodes...) }

// once writes opcodes that make a constant, or gets it from the memo. There are fewer than 256.
func (p *pickler) once(opcodes string) {
	if at, ok := p.memo[opcodes]; ok {
		p.b = append(p.b, 'h', byte(at))
		return
	}
	at := len(p.memo)
	p.memo[opcodes] = at
	p.b = append(append(p.b, opcodes...), 'q', byte(at))
}

func (p *pickler) global(module, name string) { p.once("c" + module + "\n" + name + "\n") }

func (p *pickler) string(s string) {
	p.b = append(binary.LittleEndian.AppendUint32(append(p.b, 'X'), uint32(len(s))), s...)
}

// constant writes a string that occurs again.
func (p *pickler) constant(s string) {
	p.once("X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s)
}

// int writes an integer of at least 0.
func (p *pickler) int(n int64) {
	switch {
	case n <= math.MaxUint8:
		p.b = append(p.b, 'K', byte(n))
	case n <= math.MaxUint16:
		p.b = binary.LittleEndian.AppendUint16(append(p.b, 'M'), uint16(n))
	case n <= math.MaxInt32:
		p.b = binary.LittleEndian.AppendUint32(append(p.b, 'J'), uint32(n))
	default:
		p.b = binary.LittleEndian.AppendUint64(append(p.b, '\x8a', 8), uint64(n))
	}
}

func (p *pickler) tuple(numbers []int) {
	p.put("(")
	for _, n := range numbers {
		p.int(int64(n))
	}
	p.put("t")
}

// tensor writes _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks), or _v3 followed by the dtype.
// (torch/_utils.py)
func (p *pickler) tensor(t checkpoint.Tensor, s savedStorage) {
	class, typed := classes()[t.Type.String()]
	if typed {
		p.global("torch._utils", "_rebuild_tensor_v2")
		p.put("(")
		p.storage("torch", class, s.key, s.bytes/int64(t.Type.ItemSize()))
	} else {
		p.global("torch._utils", "_rebuild_tensor_v3")
		p.put("(")
		p.storage("torch.storage", "UntypedStorage", s.key, s.bytes)
	}
	p.int(int64(t.View.Offset))
	p.tuple(t.View.Shape)
	p.tuple(t.View.Strides)
	p.put("\x89")
	p.global("collections", "OrderedDict")
	p.put(")R")
	if !typed {
		p.global("torch", t.Type.String())
	}
	p.put("tR")
}

// storage writes the persistent id ('storage', class, key, location, elements).
func (p *pickler) storage(module, class string, key int, numel int64) {
	p.put("(")
	p.constant("storage")
	p.global(module, class)
	p.string(strconv.Itoa(key))
	p.constant("cpu")
	p.int(numel)
	p.put("tQ")
}
