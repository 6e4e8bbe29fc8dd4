package torch

import (
	"bufio"
	"encoding/binary"
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/text"
)

// The first bytes of a legacy file. (torch/serialization.py, MAGIC_NUMBER and PROTOCOL_VERSION)
const (
	magic   = pickle.BigInt("0x1950a86a20f9469cfc6c")
	version = pickle.Int(1001)

	magicText  = "L119547037146038801333356L\n."                     // the magic number in a pickle of protocol 0 or 1
	magicBytes = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19." // that of later protocols, after PROTO and from 4 on a frame
)

// BeginsLegacy reports whether a file with these first bytes is a legacy one.
func BeginsLegacy(head string) bool {
	return strings.HasPrefix(head, magicText) || strings.HasPrefix(head, "\x80") && strings.Contains(head[:min(len(head), 24)], magicBytes)
}

// legacy reads a file of pickles and storages. Storages are little-endian on every machine. (torch/csrc/StorageMethods.cpp,
// writeFileRaw)
func (r *reader) legacy(file io.ReaderAt, size int64) error {
	r.c.Format = checkpoint.TorchLegacy
	l := &legacy{size: size, file: file, b: bufio.NewReader(io.NewSectionReader(file, 0, size))}
	first, err := r.next(l, "the magic number")
	if err != nil {
		return err
	}
	if first.Root != magic {
		return fault.New(fault.Malformed, "not a PyTorch checkpoint: its first pickle is not the number %s", magic).
			WithHint("only files of torch.save are supported, not those of pickle.dump")
	}
	second, err := r.next(l, "the version")
	if err != nil {
		return err
	}
	if second.Root != version {
		return fault.New(fault.Unsupported, "unsupported version of a legacy checkpoint: want %d", version)
	}
	if err := r.system(l); err != nil {
		return err
	}
	object, err := r.next(l, "the object")
	if err != nil {
		return err
	}
	for _, p := range []*pickle.Pickle{first, second, object} {
		r.note(p)
	}
	if err := r.register(object, ""); err != nil {
		return err
	}
	if err := r.findStorages(l); err != nil {
		return err
	}
	return r.walk(visit{v: object.Root})
}

// legacy is the file, and the position of its next pickle.
type legacy struct {
	file     io.ReaderAt
	b        *bufio.Reader
	at, size int64
}

// next reads the next pickle.
func (r *reader) next(l *legacy, what string) (*pickle.Pickle, error) {
	p, err := r.load(l.b, min(l.size-l.at, r.maxPickle()))
	if err != nil {
		return nil, fault.In(what, err)
	}
	l.at += p.Bytes
	return p, nil
}

// system reads the description of the machine that wrote the file.
func (r *reader) system(l *legacy) error {
	p, err := r.next(l, "the system's description")
	if err != nil {
		return err
	}
	r.note(p)
	d, ok := p.Root.(*pickle.Dict)
	if !ok {
		return fault.New(fault.Malformed, "the system's description is not a dict")
	}
	for _, pair := range d.Pairs {
		key, ok := stringOf(pair.Key)
		if !ok || key != "little_endian" {
			continue
		}
		if little, isBool := pair.Value.(pickle.Bool); isBool {
			r.c.Metadata = append(r.c.Metadata, checkpoint.Entry{Key: key, Value: strconv.FormatBool(bool(little))})
		}
	}
	return nil
}

// findStorages reads the keys and finds each storage: its number of elements and its elements.
func (r *reader) findStorages(l *legacy) error {
	keys, err := r.next(l, "the storages' keys")
	if err != nil {
		return err
	}
	r.note(keys)
	list, ok := keys.Root.(*pickle.List)
	if !ok {
		return fault.New(fault.Malformed, "the storages' keys are not a list")
	}
	placed := make([]bool, len(r.stored))
	for _, v := range list.Items {
		name, _ := stringOf(v)
		i, ok := r.index[storageKey{"", name}]
		if !ok || placed[i] {
			return storageError(storageKey{"", name}, "its key is listed, but the object never names it")
		}
		placed[i] = true
		if err := r.placeStorage(l, i); err != nil {
			return err
		}
	}
	for i, ok := range placed {
		if !ok {
			return storageError(r.stored[i].key, "the object names it, but the list of keys does not")
		}
	}
	if l.at != l.size {
		return fault.New(fault.Malformed, "%d bytes follow the last storage", l.size-l.at).
			WithHint("if several objects were saved into one file, save each into its own")
	}
	return nil
}

func (r *reader) placeStorage(l *legacy, i int) error {
	var n [8]byte
	s := &r.c.Storages[i]
	if l.size-l.at < 8 || l.size-l.at-8 < s.Bytes {
		return fault.New(fault.Malformed, "storage %s: it needs %d bytes from byte %d, the file has %d", text.Quoted(text.Cut(s.ID, 61)),
			8+s.Bytes, l.at, l.size-l.at).WithHint("the file is incomplete; copy or download it again")
	}
	if k, err := l.file.ReadAt(n[:], l.at); k < len(n) {
		return err
	}
	if numel := int64(binary.LittleEndian.Uint64(n[:])); numel != r.stored[i].numel {
		return storageError(r.stored[i].key, "the object has %d elements of %s, the storage %d", r.stored[i].numel, r.stored[i].elem, numel)
	}
	s.At = l.at + 8
	l.at = s.At + s.Bytes
	return nil
}
