//go:build !js

package zarr

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Names of metadata: of both kinds in version 3, and of an array and a group in version 2.
const (
	meta3  = "zarr.json"
	array2 = ".zarray"
	group2 = ".zgroup"
)

// Markers are the names of metadata, one of which is in each folder of an array or a group.
var Markers = []string{meta3, array2, group2}

// maxMeta bounds the bytes of metadata, most of which are attributes.
const maxMeta = 64 << 20

// Open reads the metadata of the array or group in a folder: its arrays, by name. Data are read by Content, from the same files. Errors are
// Malformed, Unsupported, Resource for more arrays than the limit, or of reading.
func Open(files fs.FS, limit checkpoint.Limit) (*checkpoint.Container, error) {
	o := &opener{files: files, names: limit.Claims(), c: &checkpoint.Container{Format: checkpoint.Zarr, Stated: map[string]checkpoint.Stated{}}}
	o.c.Content = func(storage int) (io.Reader, error) { return o.arrays[storage].content(files) }
	if err := o.node(".", 0); err != nil {
		return nil, err
	}
	return o.c, nil
}

type opener struct {
	files  fs.FS
	c      *checkpoint.Container
	names  *checkpoint.Claims
	arrays []*array // of storages
}

// maxDepth bounds groups in groups.
const maxDepth = 100

// node reads the metadata in a folder; one without metadata is none of Zarr's.
func (o *opener) node(dir string, depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Unsupported, "groups are nested deeper than %d", maxDepth)
	}
	for _, marker := range Markers {
		content, err := readAll(o.files, path.Join(dir, marker), maxMeta)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = o.metadata(dir, marker, content, depth)
		}
		return fault.In(path.Join(dir, marker), err)
	}
	return nil
}

func (o *opener) metadata(dir, marker string, content []byte, depth int) error {
	switch marker {
	case group2:
		return o.group(dir, depth)
	case array2:
		a, err := parse2(dir, content)
		return o.add(dir, a, err)
	}
	var node struct {
		Format int    `json:"zarr_format"`
		Type   string `json:"node_type"`
	}
	if err := json.Unmarshal(content, &node); err != nil {
		return malformed("not metadata of Zarr", err)
	}
	if node.Format != 3 {
		return fault.New(fault.Unsupported, "version %d of Zarr", node.Format)
	}
	switch node.Type {
	case "group":
		return o.group(dir, depth)
	case "array":
		a, err := parse3(dir, content)
		return o.add(dir, a, err)
	}
	return damaged("the node type is %s, not array or group", strconv.Quote(node.Type))
}

// group reads the folders in a group.
func (o *opener) group(dir string, depth int) error {
	entries, err := fs.ReadDir(o.files, dir)
	if err != nil {
		return unreadable(err)
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if err := o.node(path.Join(dir, e.Name()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// add adds an array, or why it is not shown.
func (o *opener) add(dir string, a *array, why error) error {
	name := dir
	if name == "." {
		name = ""
	}
	if _, err := o.names.Claim(name); err != nil {
		return err
	}
	if why != nil && fault.ClassOf(why) != fault.Unsupported {
		return why
	}
	if why != nil {
		o.c.Refused = append(o.c.Refused, checkpoint.Refused{Name: name, Why: why.Error()})
		return nil
	}
	t := checkpoint.Tensor{Name: name, Root: dir == ".", Type: a.item, Storage: len(o.c.Storages)}
	o.c.Stated[name] = checkpoint.Stated{Dims: a.dims, Note: a.note()}
	packed, err := tensor.Packed(a.sizes)
	if err != nil {
		return err
	}
	bytes, ok := tensor.Mul(packed.Numel(), a.item.ItemSize())
	if !ok {
		return damaged("its shape overflows %d bits", strconv.IntSize)
	}
	t.View = tensor.Strided{Shape: make([]int, len(a.order)), Strides: make([]int, len(a.order))}
	for axis, dim := range a.order {
		t.View.Shape[dim] = packed.Shape[axis]
		t.View.Strides[dim] = packed.Strides[axis]
	}
	o.c.Tensors = append(o.c.Tensors, t)
	o.c.Storages = append(o.c.Storages, checkpoint.Storage{ID: name, Bytes: int64(bytes), Inline: true})
	o.arrays = append(o.arrays, a)
	return nil
}

// note says how the array is cut: "files: up to 2 x 2 shards (8,6) of chunks (4,3):(3,1), zstd".
func (a *array) note() string {
	files := make([]int, len(a.sizes))
	for i, n := range a.sizes {
		files[i] = ints.CeilDiv(n, a.level.chunk[i])
	}
	s := "files: up to " + cmp.Or(text.Ints(a.byDim(files), " x "), "1") + " "
	last := &a.level
	for last.inner != nil {
		s += "shards " + sizes(a.byDim(last.chunk)) + encoded(last) + " of "
		last = last.inner
	}
	strides := make([]int, len(a.order))
	run := 1
	for axis := len(a.order) - 1; axis >= 0; axis-- {
		strides[axis] = run
		run *= last.chunk[axis]
	}
	return s + "chunks " + sizes(a.byDim(last.chunk)) + ":" + sizes(a.byDim(strides)) + encoded(last)
}

// byDim returns values by dim of values by axis.
func (a *array) byDim(values []int) []int {
	all := make([]int, len(values))
	for axis, dim := range a.order {
		all[dim] = values[axis]
	}
	return all
}

// sizes writes (4,3).
func sizes(values []int) string { return "(" + text.Ints(values, ",") + ")" }

// encoded names a level's codecs.
func encoded(l *level) string {
	names := make([]string, len(l.codecs))
	for i, c := range l.codecs {
		names[i] = c.name
	}
	return strings.Join(slices.Insert(names, 0, ""), ", ")
}
