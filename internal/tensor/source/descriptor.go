package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// DescriptorSuffix ends the name of a descriptor; that of x.npy is x.npy.layout.json.
const DescriptorSuffix = ".layout.json"

// descriptorSchema names the format and its version.
const descriptorSchema = "tlayout/layout/v1"

// maxDescriptor bounds a descriptor's size in bytes.
const maxDescriptor = 1 << 20

// Descriptor says of a .npy file what its header cannot: logical sizes, digits, strides, offset. Numbers count
// elements.
type Descriptor struct {
	Schema    string                    `json:"schema"`
	Data      string                    `json:"data"` // the .npy file, in the same folder; empty for none
	DType     string                    `json:"dtype"`
	FileShape []int                     `json:"file_shape"`
	Dims      []string                  `json:"dims"`
	Shape     []int                     `json:"shape"`
	Layout    string                    `json:"layout"` // memory order, outermost axis first; may be empty
	Digits    map[string][]tensor.Digit `json:"digits"`
	Offset    int                       `json:"offset"`
	Alloc     int                       `json:"alloc"`
}

// NewDescriptor describes a layout whose data lies in the .npy file named data, of the given dtype and shape.
func NewDescriptor(data string, d tensor.DType, fileShape []int, l tensor.Layout, order string) Descriptor {
	desc := Descriptor{descriptorSchema, data, d.String(), fileShape, l.Names(), l.Shape(), order,
		map[string][]tensor.Digit{}, l.Offset(), l.Alloc()}
	for i := range l.Rank() {
		desc.Digits[l.Dim(i).Name] = l.Dim(i).Digits
	}
	return desc
}

// JSON returns the descriptor as it is written.
func (d Descriptor) JSON() []byte {
	out, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		panic(err) // a Descriptor holds nothing that JSON cannot
	}
	return append(out, '\n')
}

// parseDescriptor reads a descriptor and checks that it fits together.
func parseDescriptor(text []byte) (Descriptor, tensor.Layout, error) {
	var d Descriptor
	bad := func(format string, args ...any) (Descriptor, tensor.Layout, error) {
		return Descriptor{}, tensor.Layout{}, fault.New(fault.Malformed, format, args...)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		return bad("not a layout descriptor: %s", fault.Quote(err.Error()))
	}
	switch {
	case d.Schema != descriptorSchema:
		return bad("its schema is %q, expected %q", d.Schema, descriptorSchema)
	case len(d.Dims) != len(d.Shape) || len(d.Digits) != len(d.Dims) || len(d.Dims) > tensor.MaxRank:
		return bad("%d dims, %d sizes, digits of %d", len(d.Dims), len(d.Shape), len(d.Digits))
	case d.Data != filepath.Base(d.Data) && d.Data != "" || strings.ContainsAny(d.Data, `/\`) || d.Data == "." || d.Data == "..":
		return bad("its data file %q is not in the same folder", d.Data)
	case d.Alloc < 0 || d.Offset < 0:
		return bad("offset %d, alloc %d", d.Offset, d.Alloc)
	}
	dims := make([]tensor.Dim, len(d.Dims))
	for i, name := range d.Dims {
		if len(name) == 0 || len(name) > 32 || slices.Contains(d.Dims[:i], name) || fault.Quote(name) != name {
			return bad("dim name %q is not usable", name)
		}
		dims[i] = tensor.Dim{Name: name, Size: d.Shape[i], Digits: d.Digits[name]}
	}
	l, err := tensor.New(dims, d.Offset, d.Alloc)
	if err != nil {
		return bad("%s", err)
	}
	if !l.InBounds() {
		return bad("the layout %s reaches outside of its %d elements", l, d.Alloc)
	}
	return d, l, nil
}

func readDescriptor(path string) (Descriptor, tensor.Layout, error) {
	b, err := OpenBytes(path)
	if err != nil {
		return Descriptor{}, tensor.Layout{}, err
	}
	defer b.Close()
	if b.Size() > maxDescriptor {
		return Descriptor{}, tensor.Layout{}, fault.New(fault.Malformed, "%s: larger than a descriptor may be, %d bytes", quoted(path), maxDescriptor)
	}
	text, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		return Descriptor{}, tensor.Layout{}, err
	}
	d, l, err := parseDescriptor(text)
	return d, l, fault.In(quoted(path), err)
}

// openDescriptor opens x.layout.json and the data file that it names.
func openDescriptor(path string, o Options) (*Tensor, error) {
	if o.Layout != nil || o.Channels != 0 {
		return nil, fault.New(fault.Usage, "%s already says how its data lies", quoted(path)).
			WithHint("name the .npy file itself to read it under another layout")
	}
	d, l, err := readDescriptor(path)
	if err != nil {
		return nil, err
	}
	t := &Tensor{Source: path, Kind: "shape"}
	if d.Data != "" {
		data := filepath.Join(filepath.Dir(path), d.Data)
		b, err := OpenBytes(data)
		if err != nil {
			return nil, err
		}
		if t, err = openBytes(path, quoted(data), b, o); err != nil {
			return nil, err
		}
	} else if t.DType, err = tensor.ParseDType(d.DType); err != nil {
		return nil, fault.In(quoted(path), err)
	}
	return t.describe(path, d, l)
}

// describedBeside applies the descriptor that lies beside the opened .npy file, if there is one.
func (t *Tensor) describedBeside() (*Tensor, error) {
	path := t.Source + DescriptorSuffix
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	d, l, err := readDescriptor(path)
	if err != nil {
		t.Close()
		return nil, err
	}
	return t.describe(path, d, l)
}

// describe puts the descriptor's layout in place of the assumed one, if it belongs to the opened file.
func (t *Tensor) describe(path string, d Descriptor, l tensor.Layout) (*Tensor, error) {
	if t.bytes != nil {
		n, err := tensor.Numel(t.FileShape)
		if err != nil || !slices.Equal(d.FileShape, t.FileShape) || t.Header.Fortran || n != d.Alloc {
			t.Close()
			return nil, fault.New(fault.Malformed, "%s describes a file of shape %s, not one of shape %s", quoted(path),
				tensor.Tuple(d.FileShape), tensor.Tuple(t.FileShape)).
				WithHint("it belongs to another file; remove it, or name the layout with --layout")
		}
	}
	t.Layout, t.Described, t.Assumed = l, true, false
	t.Warnings, t.Notes = nil, nil
	t.Format, t.HasFormat = notation.Format{}, false
	if name, err := notation.Parse(d.Layout); err == nil && name.Own == notation.NotOwn && slices.Equal(name.Format.Names(), d.Dims) {
		t.Format, t.HasFormat = name.Format, true
	}
	return t, nil
}
