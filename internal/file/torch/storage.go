package torch

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// storageKey identifies a storage: a persistent id's key in the folder of the pickle's storages.
type storageKey struct{ folder, name string }

// id returns the storage's displayed name: 7 for data/7, constants/7.
func (k storageKey) id() string {
	if k.folder == "constants/" {
		return k.folder + k.name
	}
	return k.name
}

// stored is a storage as persistent ids describe it.
type stored struct {
	key   storageKey
	elem  element
	numel int64 // elements
}

// element is the element type of a storage class.
type element struct {
	name string // PyTorch's; empty for UntypedStorage, whose elements are bytes
	size int64  // bytes
}

// elements are the storage classes. Source: torch/storage.py, _dtype_to_storage_type_map, which is closed: later types use an
// UntypedStorage.
var elements = map[string]element{
	"DoubleStorage": {"float64", 8}, "FloatStorage": {"float32", 4}, "HalfStorage": {"float16", 2}, "LongStorage": {"int64", 8},
	"IntStorage": {"int32", 4}, "ShortStorage": {"int16", 2}, "CharStorage": {"int8", 1}, "ByteStorage": {"uint8", 1},
	"BoolStorage": {"bool", 1}, "BFloat16Storage": {"bfloat16", 2}, "ComplexDoubleStorage": {"complex128", 16},
	"ComplexFloatStorage": {"complex64", 8}, "QInt8Storage": {"qint8", 1}, "QInt32Storage": {"qint32", 4}, "QUInt8Storage": {"quint8", 1},
	"QUInt4x2Storage": {"quint4x2", 1}, "QUInt2x4Storage": {"quint2x4", 1},
	"UntypedStorage": {"", 1}, "_UntypedStorage": {"", 1}, // the second name is 1.12's
}

// ref is the part of a storage that a persistent id refers to: all of it, except for views in legacy files.
type ref struct {
	storage       int // index
	offset, numel int64
	module        bool // it is a module's class, which legacy files also name by persistent ids
}

// register adds the storages that a pickle names; their positions are still unknown.
func (r *reader) register(p *pickle.Pickle, folder string) error {
	for i, id := range p.Persistent {
		f, err := r.persistent(id.ID, folder)
		if err != nil {
			return fault.In(fmt.Sprintf("persistent id %d", i+1), err)
		}
		r.refs[id] = f
	}
	return nil
}

// persistent reads an id: ('storage', class, key, location, elements), and in legacy files then a view, None or (key, offset,
// elements). TorchScript archives of 2019 have a view too, always None; torch.jit.load ignores it, and torch.load of other archives refuses
// it. (torch/serialization.py, persistent_load in _load and _legacy_load; torch/csrc/jit/serialization/unpickler.cpp, BINPERSID)
func (r *reader) persistent(id pickle.Value, folder string) (ref, error) {
	if s, ok := id.(pickle.String); ok {
		if strings.HasPrefix(string(s), "('module', ") && folder == "" {
			return ref{module: true}, nil
		}
		id = idOf(string(s))
	}
	t, ok := id.(*pickle.Tuple)
	if !ok || len(t.Items) < 4 {
		return ref{}, fault.New(fault.Malformed, "it is not a tuple that names a storage")
	}
	what, _ := stringOf(t.Items[0])
	if what == "module" && folder == "" && len(t.Items) == 4 {
		return ref{module: true}, nil
	}
	if what != "storage" || !r.namesStorage(t, folder) {
		return ref{}, fault.New(fault.Malformed, "it names %s, not a storage", text.Quoted(text.Cut(what, 61)))
	}
	name, ok := stringOf(t.Items[2])
	if !ok {
		return ref{}, fault.New(fault.Malformed, "the key of the storage is not a string")
	}
	if err := r.keys.TakeName(int64(len(name))); err != nil {
		return ref{}, err
	}
	key := storageKey{folder, name}
	numel, ok := natural(t.Items[4])
	if !ok {
		return ref{}, storageError(key, "its number of elements is not a number")
	}
	elem, err := elementOf(key, t.Items[1])
	if err != nil {
		return ref{}, err
	}
	i, err := r.storage(stored{key, elem, numel}, deviceOf(t.Items[3]))
	if err != nil {
		return ref{}, err
	}
	f := ref{storage: i, numel: numel}
	if len(t.Items) == 6 {
		err = f.narrow(key, t.Items[5])
	}
	return f, err
}

// namesStorage reports whether a persistent id that begins with 'storage' has as many items as its kind of file allows.
func (r *reader) namesStorage(id *pickle.Tuple, folder string) bool {
	switch len(id.Items) {
	case 5:
		return true
	case 6:
		return folder == "" || r.c.Format == checkpoint.TorchScript && id.Items[5] == pickle.Value(pickle.None{})
	}
	return false
}

// textID matches a persistent id in a pickle of protocol 0: text, as str writes it. torch.save writes such files; torch.load refuses
// them.
var textID = lazy.Regexp(`^\('storage', <class '([\w.]+)\.(\w+)'>, '([^'\\]*)', '([^'\\]*)', (\d+)(?:, None)?\)$`)

// idOf returns the tuple that such a text describes; nil for other texts.
func idOf(s string) pickle.Value {
	m := textID.Get().FindStringSubmatch(s)
	if m == nil {
		return nil
	}
	numel, err := strconv.ParseInt(m[5], 10, 64)
	if err != nil {
		return nil
	}
	return &pickle.Tuple{Items: []pickle.Value{pickle.String("storage"), &pickle.Global{Module: m[1], Name: m[2]}, pickle.String(m[3]),
		pickle.String(m[4]), pickle.Int(numel)}}
}

// elementOf returns the type of a storage class.
func elementOf(key storageKey, class pickle.Value) (element, error) {
	g, ok := class.(*pickle.Global)
	if !ok {
		return element{}, storageError(key, "its class is not a name")
	}
	elem, ok := elements[g.Name]
	if !ok || g.Module != "torch" && !strings.HasPrefix(g.Module, "torch.") {
		return element{}, fault.New(fault.Unsupported, "storage %s: unknown class %s",
			text.Quoted(text.Cut(key.id(), 61)), text.Quoted(text.Cut(g.String(), 100)))
	}
	return elem, nil
}

// narrow returns a view of the storage: (key, offset, elements).
func (f *ref) narrow(key storageKey, view pickle.Value) error {
	if view == (pickle.None{}) {
		return nil
	}
	items := tupleOf(3, view)
	if items == nil {
		return storageError(key, "its view does not have three values")
	}
	offset, hasOffset := natural(items[1])
	numel, hasNumel := natural(items[2])
	if !hasOffset || !hasNumel || numel > f.numel-offset {
		return storageError(key, "its view exceeds its %d elements", f.numel)
	}
	f.offset = offset
	f.numel = numel
	return nil
}

// natural returns a number of at least 0; ok is false for other values.
func natural(v pickle.Value) (n int64, ok bool) {
	i, ok := v.(pickle.Int)
	return int64(i), ok && i >= 0
}

// storage returns the index of a storage, adding it when it is first named.
func (r *reader) storage(s stored, device string) (int, error) {
	if i, ok := r.index[s.key]; ok {
		if r.stored[i] != s {
			return 0, storageError(s.key, "it has both %d elements of %s and %d of %s", r.stored[i].numel, r.stored[i].elem, s.numel, s.elem)
		}
		return i, nil
	}
	if s.numel > 1<<62/s.elem.size {
		return 0, storageError(s.key, "%d elements of %s exceed any file", s.numel, s.elem)
	}
	return r.add(s.key, s, checkpoint.Storage{Bytes: s.numel * s.elem.size, Device: device}), nil
}

// maxDevice bounds the name of a device in bytes.
const maxDevice = 64

// deviceOf returns the device that an id records for a storage, such as cuda:0; empty if none. (torch/serialization.py, location_tag)
func deviceOf(location pickle.Value) string {
	if s, ok := stringOf(location); ok && len(s) <= maxDevice {
		return s
	}
	return ""
}

func (r *reader) add(key storageKey, s stored, at checkpoint.Storage) int {
	s.key = key
	at.ID = key.id()
	r.index[key] = len(r.stored)
	r.stored = append(r.stored, s)
	r.c.Storages = append(r.c.Storages, at)
	return len(r.stored) - 1
}

func (e element) String() string {
	if e.name == "" {
		return "bytes"
	}
	return e.name
}

// sized returns the error for a storage whose size differs from that of its elements. PyTorch 1.13 accepts such a file; this is half of
// CVE-2026-24747.
func (r *reader) sized(i int, have int64) error {
	s := r.stored[i]
	return storageError(s.key, "its %d elements of %s need %d bytes, the file has %d", s.numel, s.elem, r.c.Storages[i].Bytes, have)
}

func storageError(key storageKey, format string, args ...any) error {
	err := fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again; if that does not help, do not load it")
	return fault.In("storage "+text.Quoted(text.Cut(key.id(), 61)), err)
}

// stringOf returns a string; Python 2 wrote some as bytes.
func stringOf(v pickle.Value) (string, bool) {
	switch v := v.(type) {
	case pickle.String:
		return string(v), true
	case pickle.Bytes:
		return string(v), true
	}
	return "", false
}
