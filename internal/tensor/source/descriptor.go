package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/words"
)

// DescriptorSuffix ends the name of a descriptor; that of x.npy is x.npy.layout.json.
const DescriptorSuffix = ".layout.json"

// descriptorSchema names the format and its version.
const descriptorSchema = "tlayout/layout/v1"

// MaxDescriptor bounds a descriptor's size in bytes.
const MaxDescriptor = 1 << 20

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
	// Fingerprint binds the descriptor to its data, so that it is never taken to describe another file's; empty in one
	// that is written by hand.
	Fingerprint string `json:"fingerprint"`
}

// NewDescriptor describes a layout whose data lies in the .npy file named data, of the given dtype and shape.
func NewDescriptor(data string, d dtype.Type, fileShape []int, l tensor.Layout, order string) Descriptor {
	desc := Descriptor{descriptorSchema, data, d.String(), fileShape, l.Names(), l.Shape(), order,
		map[string][]tensor.Digit{}, l.Offset(), l.Alloc(), ""}
	for i := range l.Rank() {
		desc.Digits[l.Dim(i).Name] = l.Dim(i).Digits
	}
	return desc
}

// JSON returns the descriptor as it is written.
func (d Descriptor) JSON() []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		panic(err) // a Descriptor holds nothing that JSON cannot
	}
	return out.Bytes()
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
		return bad("not a layout descriptor: %s", jsonTrouble(err))
	}
	switch _, err := dec.Token(); {
	case err != io.EOF:
		return bad("something follows the descriptor")
	case d.Schema != descriptorSchema:
		return bad("its schema is %q, expected %q", d.Schema, descriptorSchema)
	case len(d.Dims) != len(d.Shape) || len(d.Digits) != len(d.Dims) || len(d.Dims) > tensor.MaxRank:
		return bad("%d dims, %d sizes, digits of %d", len(d.Dims), len(d.Shape), len(d.Digits))
	case d.Alloc < 0 || d.Offset < 0:
		return bad("offset %d, alloc %d", d.Offset, d.Alloc)
	}
	dims := make([]tensor.Dim, len(d.Dims))
	for i, name := range d.Dims {
		if len(name) == 0 || len(name) > 32 || slices.Contains(d.Dims[:i], name) || words.Quote(name) != name {
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

// jsonTrouble says what encoding/json found wrong, without the names of Go's types.
func jsonTrouble(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	case errors.As(err, &typ):
		return fmt.Sprintf("a %s does not fit its member %s", words.Quote(typ.Value), words.Quote(typ.Field))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it ends too early"
	}
	return words.Quote(strings.TrimPrefix(err.Error(), "json: "))
}
