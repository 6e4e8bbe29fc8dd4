package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// DescriptorSuffix ends the name of a descriptor; that of x.npy is x.npy.layout.json.
const DescriptorSuffix = ".layout.json"

// descriptorSchema names the format and its version.
const descriptorSchema = "tlayout/layout/v1"

// MaxDescriptor bounds a descriptor's size in bytes.
const MaxDescriptor = 1 << 20

// Descriptor has what the header of a .npy file cannot express: logical sizes, digits, strides, offset. Numbers count
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
	// Fingerprint binds the descriptor to its data, so that it is not used for another file; empty if written by hand.
	Fingerprint string `json:"fingerprint"`
}

// NewDescriptor describes a layout whose data is in the .npy file named data, of the given dtype and shape.
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

// parseDescriptor reads a descriptor and checks that it is consistent.
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

// jsonTrouble explains an error of encoding/json without the names of Go types.
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

// DescriptorPath is the path of a .npy file's descriptor: next to the file itself, not next to a link to it.
func DescriptorPath(file string) string {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return file + DescriptorSuffix
}

func readDescriptor(path string) (Descriptor, tensor.Layout, error) {
	b, err := openInput(path)
	if err != nil {
		return Descriptor{}, tensor.Layout{}, err
	}
	defer b.Close()
	if b.Size() > MaxDescriptor {
		return Descriptor{}, tensor.Layout{}, fault.New(fault.Malformed, "%s: larger than a descriptor may be, %d bytes", words.Quoted(path), MaxDescriptor)
	}
	text, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		return Descriptor{}, tensor.Layout{}, err
	}
	d, l, err := parseDescriptor(text)
	return d, l, fault.In(words.Quoted(path), err)
}

// openDescriptor opens x.layout.json and the data file that it names.
func openDescriptor(path string, o Options) (*Tensor, error) {
	if o.Layout != nil {
		return nil, fault.New(fault.Usage, "%s already defines the layout of its data", words.Quoted(path)).
			WithHint("name the .npy file itself to read it under another layout")
	}
	d, l, err := readDescriptor(path)
	if err != nil {
		return nil, err
	}
	if d.Data == "" {
		t := &Tensor{Source: path, Kind: "shape"}
		if t.DType, err = dtype.Parse(d.DType); err != nil {
			return nil, fault.In(words.Quoted(path), err)
		}
		return t, t.describe(path, d, l, o)
	}
	if d.Data != filepath.Base(d.Data) || strings.ContainsAny(d.Data, `/\`) || d.Data == "." || d.Data == ".." {
		return nil, fault.New(fault.Malformed, "%s: its data file %q is not in the same folder", words.Quoted(path), d.Data)
	}
	data := filepath.Join(filepath.Dir(path), d.Data)
	b, err := openInput(data)
	if err != nil {
		return nil, err
	}
	t, err := openPlain(path, words.Quoted(data), b, o)
	if err != nil {
		return nil, err
	}
	return t.described(path, d, l, o)
}

// openBeside opens a .npy file under the descriptor next to it, if there is one.
func openBeside(name string, b *input, o Options) (*Tensor, error) {
	path := DescriptorPath(name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return openBytes(name, words.Quoted(name), b, o)
	}
	t, err := openPlain(name, words.Quoted(name), b, o)
	if err != nil {
		return nil, err
	}
	d, l, err := readDescriptor(path)
	if err != nil {
		t.Close()
		return nil, err
	}
	return t.described(path, d, l, o)
}

// openPlain opens data whose layout a descriptor defines.
func openPlain(source, shown string, b *input, o Options) (*Tensor, error) {
	o.Channels = 0
	return openBytes(source, shown, b, o)
}

// described is describe, and closes the tensor if that fails.
func (t *Tensor) described(path string, d Descriptor, l tensor.Layout, o Options) (*Tensor, error) {
	if err := t.describe(path, d, l, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// describe replaces the assumed layout by the descriptor's, if that belongs to the opened file.
func (t *Tensor) describe(path string, d Descriptor, l tensor.Layout, o Options) error {
	if o.Channels != 0 {
		return fault.New(fault.Usage, "%s has its own number of channels", words.Quoted(path)).
			WithHint("name the layout too to read the file without its descriptor")
	}
	if t.input != nil {
		if err := t.belongs(path, d, o.DType != nil); err != nil {
			return err
		}
	}
	t.Layout, t.Described, t.Assumed, t.Descriptor = l, true, false, path
	t.Warnings, t.Notes = nil, nil
	if err := checkBytes(l, t.DType); err != nil {
		return fault.In(words.Quoted(path), err)
	}
	return fault.In(words.Quoted(path), t.orderOf(d))
}

// belongs checks that the descriptor is that of the opened data, by the file's shape, type and fingerprint.
func (t *Tensor) belongs(path string, d Descriptor, hinted bool) error {
	other := func(format string, args ...any) error {
		return fault.In(words.Quoted(path), fault.New(fault.Malformed, format, args...).
			WithHint("it belongs to other data; remove it, or name the layout with --layout or --from"))
	}
	elems, err := tensor.Numel(t.FileShape)
	print, printErr := Fingerprint(t.input, t.Header.DataOffset, t.Header.DataBytes)
	switch {
	case err != nil || printErr != nil:
		return errors.Join(err, printErr)
	case !slices.Equal(d.FileShape, t.FileShape) || t.Header.Fortran || elems != d.Alloc:
		return other("it describes a file of shape %s, not one of shape %s", tensor.Tuple(d.FileShape), tensor.Tuple(t.FileShape))
	case d.Fingerprint != "" && d.Fingerprint != print:
		return other("its fingerprint is not that of the data")
	case d.DType == t.Header.DType.String():
		return nil
	}
	named, err := dtype.Parse(d.DType)
	if err != nil || t.Header.DType.Kind() != dtype.Void || named.ItemSize() != t.Header.DType.ItemSize() {
		return other("it describes elements of %s, not of %s", words.Quote(d.DType), t.Header.DType)
	}
	if !hinted {
		t.DType = named
	}
	return nil
}

// orderOf takes the memory order that the descriptor names, if its digits agree.
func (t *Tensor) orderOf(d Descriptor) error {
	t.Format, t.HasFormat = notation.Format{}, false
	if d.Layout == "" {
		return nil
	}
	name, err := notation.Parse(d.Layout)
	if err == nil && name.Own == notation.OwnC && len(d.Dims) == 1 {
		return nil // a lone dim has no order
	}
	if err != nil || name.Own != notation.NotOwn || name.Exact != nil || !slices.Equal(name.Format.Names(), d.Dims) ||
		!name.Format.Agrees(t.Layout) {
		return fault.New(fault.Malformed, "its digits contradict its layout %q", d.Layout)
	}
	t.Format, t.HasFormat, t.Named = name.Format, true, true
	return nil
}

// checkBytes checks that the layout's elements and storage can be counted in bytes.
func checkBytes(l tensor.Layout, d dtype.Type) error {
	if size := d.ItemSize(); size > 0 && (l.Alloc() > math.MaxInt/size || l.Numel() > math.MaxInt/size) {
		return fault.New(fault.Unsupported, "shape %s of %s overflows a 64-bit address", tensor.Tuple(l.Shape()), d)
	}
	return nil
}

// fingerprintEnd is how much of either end of the data a fingerprint covers, in bytes.
const fingerprintEnd = 64 << 10

// Fingerprint identifies the size bytes of data at byte at: their number and the CRC-32C of the first and last 64 KiB. It
// is quick for data of any size, and no protection against malice.
func Fingerprint(file io.ReaderAt, at, size int64) (string, error) {
	crc := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	head := min(size, fingerprintEnd)
	tail := max(head, size-fingerprintEnd)
	for _, end := range []*io.SectionReader{io.NewSectionReader(file, at, head), io.NewSectionReader(file, at+tail, size-tail)} {
		if _, err := io.Copy(crc, end); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d:%08x", size, crc.Sum32()), nil
}
