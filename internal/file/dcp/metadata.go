package dcp

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// File is the name of the file that describes such a folder.
const File = ".metadata"

// Objects of the metadata. A tensor of one chunk takes some 60, a further chunk 35, of 3 bytes each.
const (
	objectsOfTensor = 100 // at most, for each tensor of the limit
	bytesOfObject   = 2   // at least, beyond a million
)

// Open reads the metadata in r, of size bytes. Each tensor is a storage of its own, put together from slices; none of their files is opened.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	if most := torch.MaxPickle(limit); size > most {
		return nil, fault.New(fault.Resource, "metadata of %s, over the limit of %s", text.Bytes(size), text.Bytes(most)).WithHint("%s", limit.Hint())
	}
	limits := pickle.Limits{Objects: objectsOfTensor * int(limit), Name: checkpoint.MaxName, Names: limit.Room("the globals").Left(), Bytes: bytesOfObject}
	p, err := pickle.Load(bufio.NewReader(io.NewSectionReader(r, 0, size)), size, limits)
	if err != nil {
		return nil, err
	}
	root, _ := p.Root.(*pickle.Call)
	if root == nil || root.Class() != "Metadata" {
		return nil, malformed("its pickle is not a Metadata of torch.distributed.checkpoint")
	}
	m := &reader{c: &checkpoint.Container{Format: checkpoint.DCP}, names: limit.Claims(), places: map[string]place{}}
	if err := m.findPlaces(root.Attribute("storage_data")); err != nil {
		return nil, err
	}
	tensors, ok := root.Attribute("state_dict_metadata").(*pickle.Dict)
	if !ok {
		return nil, malformed("its state_dict_metadata is not a dict")
	}
	for _, entry := range tensors.Pairs {
		if err := m.add(entry); err != nil {
			return nil, err
		}
	}
	return m.c, nil
}

// place is where the bytes of a chunk or an object are.
type place struct {
	file      string
	at, bytes int64
	why       string // they cannot be read; empty if they can
}

// reader fills a container.
type reader struct {
	c      *checkpoint.Container
	names  *checkpoint.Claims
	places map[string]place // by keyOf
}

// keyOf is the key of a chunk: the name of its tensor and its offsets; that of an object has none.
func keyOf(name string, offsets []int) string { return fmt.Sprintf("%q%v", name, offsets) }

// findPlaces reads storage_data: a _StorageInfo by each MetadataIndex.
func (m *reader) findPlaces(v pickle.Value) error {
	d, ok := v.(*pickle.Dict)
	if !ok {
		return malformed("its storage_data is not a dict")
	}
	for _, p := range d.Pairs {
		index, _ := p.Key.(*pickle.Call)
		info, _ := p.Value.(*pickle.Call)
		if index == nil || info == nil {
			return malformed("an entry of its storage_data is not an object")
		}
		name, ok := index.Attribute("fqn").(pickle.String)
		if !ok {
			return malformed("a key of its storage_data has no name")
		}
		var offsets []int
		if at := index.Attribute("offset"); at != nil && at != pickle.Value(pickle.None{}) {
			var err error
			offsets, err = torch.Sizes("offset", at)
			if err != nil {
				return inTensor(string(name), err)
			}
		}
		found, err := placeOf(info)
		if err != nil {
			return inTensor(string(name), err)
		}
		m.places[keyOf(string(name), offsets)] = found
	}
	return nil
}

// placeOf reads a _StorageInfo.
func placeOf(info *pickle.Call) (place, error) {
	if class := info.Class(); class != "_StorageInfo" {
		return place{why: "its place is a " + checkpoint.Quoted(class) + ", not of a file system"}, nil
	}
	file, _ := info.Attribute("relative_path").(pickle.String)
	at, hasOffset := info.Attribute("offset").(pickle.Int)
	bytes, hasLength := info.Attribute("length").(pickle.Int)
	if known := hasOffset && hasLength; !known || min(at, bytes) < 0 {
		return place{}, malformed("the offset or the length of its bytes is not a natural number")
	}
	if !checkpoint.IsBelow(string(file)) {
		return place{}, malformed("its bytes are in %s, which is not a path below the folder", checkpoint.Quoted(string(file)))
	}
	p := place{file: path.Clean(string(file)), at: int64(at), bytes: int64(bytes)}
	if list, _ := info.Attribute("transform_descriptors").(*pickle.List); list != nil && len(list.Items) > 0 {
		first, _ := list.Items[0].(pickle.String)
		p.why = "its bytes are transformed by " + checkpoint.Quoted(string(first)) + ", an extension of DCP"
	}
	return p, nil
}

// add adds an entry of state_dict_metadata: a tensor, or bytes.
func (m *reader) add(entry pickle.Pair) error {
	key, ok := entry.Key.(pickle.String)
	if !ok {
		return malformed("a key of its state_dict_metadata is not a string")
	}
	name := string(key)
	if again, err := m.names.Claim(name); again || err != nil {
		return err
	}
	v, _ := entry.Value.(*pickle.Call)
	if v == nil {
		return inTensor(name, malformed("its metadata are not an object"))
	}
	if v.Class() != "TensorStorageMetadata" {
		p := m.places[keyOf(name, nil)]
		m.c.Metadata = append(m.c.Metadata, checkpoint.Entry{Key: name, Value: fmt.Sprintf("pickled object, %d bytes at byte %d of %s", p.bytes, p.at, p.file)})
		return nil
	}
	return inTensor(name, m.tensor(name, v))
}

// tensor adds a tensor, or the reason why it cannot be read.
func (m *reader) tensor(name string, v *pickle.Call) error {
	refuse := func(why string) { m.c.Refused = append(m.c.Refused, checkpoint.Refused{Name: name, Why: why}) }
	word, layout, err := properties(v.Attribute("properties"))
	if err != nil {
		return err
	}
	if layout != "torch.strided" {
		refuse("its layout is " + checkpoint.Quoted(layout))
		return nil
	}
	typ, ok := torch.TypeOf(word, false)
	if !ok {
		refuse("its dtype " + checkpoint.Quoted(word) + " is unknown")
		return nil
	}
	shape, err := torch.Sizes("size", v.Attribute("size"))
	if err != nil {
		return err
	}
	view, err := tensor.Packed(shape)
	if err != nil {
		return err
	}
	if _, ok := tensor.Mul(view.Numel(), typ.ItemSize()); !ok {
		return malformed("%s elements exceed any file", tensor.Tuple(shape))
	}
	s := checkpoint.Storage{ID: name, Bytes: typ.Size(int64(view.Numel()))}
	chunks, ok := v.Attribute("chunks").(*pickle.List)
	if !ok {
		return malformed("its chunks are not a list")
	}
	var all []checkpoint.Slice
	for _, item := range chunks.Items {
		x, why, err := m.slice(name, item)
		if err != nil {
			return err
		}
		if why != "" {
			refuse(why)
			return nil
		}
		all = append(all, x)
	}
	checkpoint.SortSlices(all)
	m.c.Tensors = append(m.c.Tensors, checkpoint.Tensor{Name: name, Type: typ, View: view, Storage: len(m.c.Storages)})
	m.c.Storages = append(m.c.Storages, s)
	m.c.Slices = append(m.c.Slices, all)
	return nil
}

// slice reads a ChunkStorageMetadata and finds its bytes; why says that they cannot be read.
func (m *reader) slice(name string, v pickle.Value) (s checkpoint.Slice, why string, err error) {
	chunk, _ := v.(*pickle.Call)
	if chunk == nil {
		return s, "", malformed("one of its chunks is not an object")
	}
	s.Offsets, err = torch.Sizes("offset", chunk.Attribute("offsets"))
	if err == nil {
		s.Sizes, err = torch.Sizes("size", chunk.Attribute("sizes"))
	}
	if err != nil {
		return s, "", err
	}
	if len(s.Offsets) != len(s.Sizes) {
		return s, "", malformed("a chunk has %d offsets and %d sizes", len(s.Offsets), len(s.Sizes))
	}
	p, ok := m.places[keyOf(name, s.Offsets)]
	if !ok {
		return s, "no file is named for its slice " + s.String(), nil
	}
	s.File = p.file
	s.At = p.at
	s.Bytes = p.bytes
	return s, p.why, nil
}

// properties reads the state of TensorProperties: (dtype, layout, requires_grad, memory format, pin_memory), since 2.9 with strides.
func properties(v pickle.Value) (word, layout string, err error) {
	c, _ := v.(*pickle.Call)
	if c == nil {
		return "", "", malformed("its properties are not an object")
	}
	state, _ := c.State.(*pickle.Tuple)
	if state == nil || len(state.Items) < 2 {
		return "", "", malformed("its properties have no dtype and layout")
	}
	typ, _ := state.Items[0].(*pickle.Global)
	form, _ := state.Items[1].(*pickle.Call)
	if typ == nil || form == nil || len(form.Args.Items) != 1 {
		return "", "", malformed("its dtype or its layout is not one of torch's")
	}
	of, _ := form.Args.Items[0].(pickle.String)
	return typ.Name, string(of), nil
}

func malformed(format string, args ...any) error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the folder again; if that does not help, do not load it")
}

func inTensor(name string, err error) error { return fault.In("tensor "+checkpoint.Quoted(name), err) }

// Names returns the tensors that begin at bytes of one file of the folder: their names, with their slices if they have several.
func Names(c *checkpoint.Container, is func(file string) bool) map[int64]string {
	names := map[int64]string{}
	for _, t := range c.Tensors {
		all := c.SlicesOf(t.Storage)
		for _, s := range all {
			if !is(s.File) {
				continue
			}
			names[s.At] = t.Name
			if len(all) > 1 {
				names[s.At] += s.String()
			}
		}
	}
	return names
}

// Begins reports whether a file with these first bytes describes a checkpoint: a pickle that names a class of torch.distributed.checkpoint.
func Begins(head string) bool {
	return strings.HasPrefix(head, "\x80") && strings.Contains(head[:min(len(head), 128)], "torch.distributed.checkpoint.metadata")
}
