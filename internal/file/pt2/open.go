package pt2

import (
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/text"
)

// reader fills a container.
type reader struct {
	file   io.ReaderAt
	zip    *zip.Archive
	c      *checkpoint.Container
	limit  checkpoint.Limit
	names  *checkpoint.Claims  // of tensors
	stored map[string]int      // storages by the names of their members
	inner  map[string]pickling // members that torch.save wrote, by their names
}

// part is a member that lists tensors.
type part struct {
	member zip.Member
	kind   kind
	folder string // of the members that it names
	model  string // "" before 2.7
}

// kind is how a member lists tensors.
type kind int

const (
	noPart kind = iota
	config      // JSON, whose tensors are in other members
	saved       // a file of torch.save
)

// Folders and endings of members.
const (
	weights   = "data/weights/"
	constants = "data/constants/"

	weightsConfig   = "_weights_config.json"
	constantsConfig = "_constants_config.json"
)

// old are the members with tensors before 2.7.
var old = []string{"serialized_state_dict.pt", "serialized_state_dict.json", "serialized_constants.pt", "serialized_constants.json"}

// partOf returns what a member of this name in the archive's folder is.
func partOf(folder, name string) part {
	name, inFolder := strings.CutPrefix(name, folder)
	if !inFolder {
		return part{}
	}
	if slices.Contains(old, name) {
		return part{kind: saved}
	}
	for _, x := range []struct{ folder, config string }{{weights, weightsConfig}, {constants, constantsConfig}} {
		base, below := strings.CutPrefix(name, x.folder)
		if !below || strings.Contains(base, "/") {
			continue
		}
		if model, ok := strings.CutSuffix(base, x.config); ok {
			return part{kind: config, folder: folder + x.folder, model: model}
		}
		if model, ok := strings.CutSuffix(base, ".pt"); ok {
			return part{kind: saved, folder: folder + x.folder, model: model}
		}
	}
	return part{}
}

// folderOf returns the folder of all members, with its slash: the part of the first name before its first slash, as in archives of torch.save.
func folderOf(members []string) string {
	if len(members) == 0 {
		return ""
	}
	folder, _, ok := strings.Cut(members[0], "/")
	if !ok {
		return ""
	}
	return folder + "/"
}

// Recognize reports whether a zip archive with these members is a program with tensors that are read.
func Recognize(members []string) bool {
	folder := folderOf(members)
	return slices.ContainsFunc(members, func(name string) bool { return partOf(folder, name).kind != noPart })
}

// Open reads the archive in a file of size bytes: lists of tensors and the headers of members, not their elements. Errors are Malformed,
// Unsupported, Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	z, err := zip.Open(r, size, "program of torch.export")
	if err != nil {
		return nil, err
	}
	if err := (2*limit + 1000).Check(uint64(len(z.Members)), "members"); err != nil {
		return nil, err
	}
	members := make([]string, len(z.Members))
	for i, m := range z.Members {
		members[i] = m.Name
	}
	folder := folderOf(members)
	if err := z.Prefetch(func(m zip.Member) int64 { return likely(partOf(folder, m.Name)) }); err != nil {
		return nil, err
	}
	if err := z.Sound(); err != nil {
		return nil, err
	}
	o := &reader{file: r, zip: z, c: &checkpoint.Container{Format: checkpoint.PT2}, limit: limit, names: limit.Claims(),
		stored: map[string]int{}, inner: map[string]pickling{}}
	if err := o.byteOrder(folder); err != nil {
		return nil, err
	}
	return o.c, o.parts(folder)
}

// likely returns how many bytes of a member are read when the archive is opened.
func likely(p part) int64 {
	if p.kind == config {
		return 1 << 20
	}
	return 0
}

// byteOrder refuses big-endian elements.
func (r *reader) byteOrder(folder string) error {
	m, ok, err := r.zip.Named(folder + "byteorder")
	if !ok || err != nil {
		return err
	}
	order, err := r.content(m, 100)
	if err == nil && strings.TrimSpace(string(order)) == "big" {
		err = fault.New(fault.Unsupported, "its elements are big-endian")
	}
	return err
}

// parts reads the members that list tensors, in the archive's order.
func (r *reader) parts(folder string) error {
	var all []part
	models := map[string]bool{}
	for _, m := range r.zip.Members {
		p := partOf(folder, m.Name)
		if p.kind == noPart {
			continue
		}
		p.member = m
		models[p.model] = true
		all = append(all, p)
	}
	if len(all) == 0 {
		return fault.New(fault.Malformed, "not a program of torch.export: the archive has no list of weights")
	}
	for _, p := range all {
		prefix := ""
		if len(models) > 1 {
			prefix = p.model + "."
		}
		var err error
		switch p.kind {
		case config:
			err = r.config(p, prefix)
		case saved:
			err = r.saved(p.member, prefix)
		}
		if err != nil {
			return fault.In(text.Quoted(text.Cut(p.member.Name, 100)), err)
		}
	}
	return nil
}

// claim takes a name that no other tensor has.
func (r *reader) claim(name string) error {
	again, err := r.names.Claim(name)
	if again {
		return damaged("two tensors have the name %s", checkpoint.Quoted(name))
	}
	return err
}

// refuse adds a tensor that cannot be shown.
func (r *reader) refuse(name, why string) {
	r.c.Refused = append(r.c.Refused, checkpoint.Refused{Name: name, Why: why})
}

// content returns a member's content, of at most limit bytes.
func (r *reader) content(m zip.Member, limit int64) ([]byte, error) {
	if m.Size > limit {
		return nil, fault.New(fault.Resource, "%d bytes are over the limit of %d", m.Size, limit).WithHint("%s", r.limit.Hint())
	}
	content, err := r.zip.Content(m)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(content)
}

// maxConfig is the limit on the bytes of JSON, as for a pickle.
func (r *reader) maxConfig() int64 { return torch.MaxPickle(r.limit) }

// damaged is the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or save the program again")
}

// inTensor adds the tensor's name to an error.
func inTensor(name string, err error) error { return fault.In("tensor "+checkpoint.Quoted(name), err) }
