package torch

import (
	"bufio"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/text"
)

// archive is a zip archive of torch.save or torch.jit.save.
type archive struct {
	*zip.Archive
	folder string // folder of all members, with its slash
}

// archive reads a zip archive.
func (r *reader) archive(file io.ReaderAt, size int64) error {
	z, err := zip.Open(file, size, "PyTorch checkpoint")
	if err != nil {
		return err
	}
	if err := (2*r.limit + 1000).Check(uint64(len(z.Members)), "members"); err != nil { // storages, and a TorchScript archive's code
		return err
	}
	if err := r.sound(z); err != nil {
		return err
	}
	a := archive{z, ""}
	if err := a.enter(); err != nil {
		return err
	}
	r.c.Format = checkpoint.Torch
	if err := r.records(a); err != nil {
		return err
	}
	data, err := r.member(a, "data.pkl")
	if err != nil {
		return err
	}
	constants, err := r.optional(a, "constants.pkl")
	if err != nil {
		return err
	}
	if constants != nil {
		r.c.Format = checkpoint.TorchScript
	}
	if err := r.take(a, data, "data/"); err != nil {
		return err
	}
	if constants != nil {
		if err := r.take(a, constants, "constants/"); err != nil {
			return err
		}
	}
	if err := r.unnamed(a); err != nil {
		return err
	}
	if err := r.walk(visit{v: data.Root}); err != nil || constants == nil {
		return err
	}
	return r.constants(constants.Root)
}

// likelyPickle is the pickle size of some thousand tensors.
const likelyPickle = 1 << 20

// sound compares the headers of all members with the directory. Of a remote archive, those of storages are compared when they are used, if
// the directory implies where all begin.
func (r *reader) sound(z *zip.Archive) error {
	r.remote = r.remote && implied(z)
	if r.remote {
		return nil
	}
	err := z.Prefetch(func(m zip.Member) int64 {
		if strings.HasSuffix(m.Name, ".pkl") {
			return likelyPickle
		}
		return 0
	})
	if err != nil {
		return err
	}
	return z.Sound()
}

// alignment is the divisor of the bytes at which contents begin. (caffe2/serialize/inline_container.h, kFieldAlignment)
const alignment = 64

// implied reports whether the directory implies where each uncompressed member begins.
func implied(z *zip.Archive) bool {
	for _, m := range z.Members {
		if m.Method != zip.Stored {
			continue
		}
		if _, ok := z.Implied(m, alignment); !ok {
			return false
		}
	}
	return true
}

// enter finds the folder of all members: the part of the first name before its first slash. (caffe2/serialize/inline_container.cc,
// PyTorchStreamReader::init)
func (a *archive) enter() error {
	if len(a.Members) > 0 {
		folder, _, ok := strings.Cut(a.Members[0].Name, "/")
		a.folder = folder + "/"
		if !ok {
			a.folder = ""
		}
	}
	if _, ok, err := a.Named(a.folder + "data.pkl"); ok || err != nil {
		return err
	}
	if strings.HasSuffix(a.firstName(), ".npy") {
		return fault.New(fault.Malformed, "not a PyTorch checkpoint: the archive has NumPy arrays").WithHint("rename it: x.npz")
	}
	if _, ok, _ := a.Named(a.folder + ".data/extern_modules"); ok {
		return fault.New(fault.Unsupported, "a torch.package archive, which has no data.pkl").
			WithHint("load its model with PyTorch and save the state_dict")
	}
	return fault.New(fault.Malformed, "not a PyTorch checkpoint: the archive has no %s", text.Quoted(text.Cut(a.folder, 61)+"data.pkl"))
}

func (a *archive) firstName() string {
	if len(a.Members) == 0 {
		return ""
	}
	return a.Members[0].Name
}

// deflated is the hint for compressed members, which cannot be used in place.
const deflated = "PyTorch requires uncompressed members; unpack the archive and repack it: zip -0 -r new.pt folder"

// stored finds an uncompressed member.
func (a *archive) stored(name string) (m zip.Member, err error) {
	full := a.folder + name
	m, ok, err := a.Named(full)
	if err != nil {
		return m, err
	}
	if !ok {
		return m, fault.New(fault.Malformed, "the archive has no member %s", text.Quoted(text.Cut(full, 100))).
			WithHint("the file is incomplete; copy or download it again")
	}
	if m.Method != zip.Stored {
		return m, fault.New(fault.Unsupported, "the member %s is compressed (%s)", text.Quoted(text.Cut(full, 100)), m.Method).
			WithHint(deflated)
	}
	return m, nil
}

// locate sets where a storage begins, and records the member if its header is read later.
func (r *reader) locate(a archive, i int, m zip.Member) (err error) {
	if r.remote {
		r.c.Storages[i].At, _ = a.Implied(m, alignment)
		r.members[i] = m
		r.c.Locate = func(storage int) (l checkpoint.Located) {
			m := r.members[storage]
			l.From, l.Bytes = a.Extent(m)
			l.Find = func() (int64, error) {
				at, err := a.Locate(m)
				return at, fault.In(text.Quoted(text.Cut(m.Name, 100)), err)
			}
			return l
		}
		return nil
	}
	r.c.Storages[i].At, err = a.Locate(m)
	return fault.In(text.Quoted(text.Cut(m.Name, 100)), err)
}

// member loads a member, which must be a single pickle, comparing the archive's checksum.
func (r *reader) member(a archive, name string) (*pickle.Pickle, error) {
	m, err := a.stored(name)
	if err == nil {
		_, err = a.Locate(m)
		err = fault.In(text.Quoted(text.Cut(m.Name, 100)), err)
	}
	if err != nil {
		return nil, err
	}
	if m.Size > r.maxPickle() {
		return nil, fault.New(fault.Resource, "%s has %d bytes, over the limit of %d", name, m.Size, r.maxPickle()).WithHint("%s", r.limit.Hint())
	}
	content, err := a.Content(m)
	if err != nil {
		return nil, fault.In(name, err)
	}
	b := bufio.NewReader(content)
	p, err := r.load(b, m.Size)
	if err != nil {
		return nil, fault.In(name, err)
	}
	if p.Bytes != m.Size {
		return nil, fault.New(fault.Malformed, "%s: %d bytes follow the pickle", name, m.Size-p.Bytes)
	}
	_, err = io.Copy(io.Discard, b) // compare the checksum
	return p, fault.In(name, err)
}

// optional is member, but returns nil if there is no such member.
func (r *reader) optional(a archive, name string) (*pickle.Pickle, error) {
	if _, ok, err := a.Named(a.folder + name); !ok || err != nil {
		return nil, err
	}
	return r.member(a, name)
}

// records reads the small text members that describe the file.
func (r *reader) records(a archive) error {
	for _, name := range []string{"version", "byteorder", ".format_version", ".storage_alignment", ".data/serialization_id"} {
		m, ok, err := a.Named(a.folder + name)
		if err != nil {
			return err
		}
		if !ok || m.Size > 1000 {
			continue
		}
		content, err := a.Content(m)
		if err != nil {
			return fault.In(name, err)
		}
		line, err := io.ReadAll(content)
		if err != nil {
			return fault.In(name, err)
		}
		value := strings.TrimSpace(string(line))
		r.c.Metadata = append(r.c.Metadata, checkpoint.Entry{Key: name, Value: value})
		// torch/serialization.py: _save writes sys.byteorder, _load swaps if it differs. Without the record it is little-endian.
		if name == "byteorder" {
			if value != "little" && value != "big" {
				return fault.New(fault.Malformed, "byteorder is %s, neither little nor big", text.Quoted(text.Cut(value, 61)))
			}
			r.big = value == "big"
		}
	}
	return nil
}

// take records a pickle and finds the storages that it names, members of a folder.
func (r *reader) take(a archive, p *pickle.Pickle, folder string) error {
	r.note(p)
	first := len(r.c.Storages)
	if err := r.register(p, folder); err != nil {
		return err
	}
	for i := first; i < len(r.c.Storages); i++ {
		s := &r.c.Storages[i]
		m, err := a.stored(folder + r.stored[i].key.name)
		if err == nil {
			err = r.locate(a, i, m)
		}
		if err != nil {
			return fault.In("storage "+text.Quoted(text.Cut(s.ID, 61)), err)
		}
		if m.Size != s.Bytes {
			return r.sized(i, m.Size)
		}
	}
	return nil
}

// unnamed adds the storages that no pickle names.
func (r *reader) unnamed(a archive) error {
	for _, m := range a.Members {
		name, ok := strings.CutPrefix(m.Name, a.folder)
		if !ok || !isStorage(name) || m.Method != zip.Stored {
			continue
		}
		folder, key, _ := strings.Cut(name, "/")
		if _, known := r.index[storageKey{folder + "/", key}]; known {
			continue
		}
		r.add(storageKey{folder + "/", key}, stored{}, checkpoint.Storage{Bytes: m.Size})
		if err := r.locate(a, len(r.c.Storages)-1, m); err != nil {
			return fault.In(text.Quoted(text.Cut(name, 61)), err)
		}
	}
	return nil
}

// isStorage reports whether a member's name is that of a storage: data/7 or constants/7.
func isStorage(name string) bool {
	folder, number, _ := strings.Cut(name, "/")
	return (folder == "data" || folder == "constants") && number != "" && strings.Trim(number, "0123456789") == ""
}
