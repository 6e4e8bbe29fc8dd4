package source

import (
	"errors"
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

// DescriptorPath is where the descriptor of a .npy file lies: beside the file itself, not beside a link to it.
func DescriptorPath(file string) string {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return file + DescriptorSuffix
}

func readDescriptor(path string) (Descriptor, tensor.Layout, error) {
	b, err := OpenBytes(path)
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
		return nil, fault.New(fault.Usage, "%s already says how its data lies", words.Quoted(path)).
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
	b, err := OpenBytes(data)
	if err != nil {
		return nil, err
	}
	t, err := openPlain(path, words.Quoted(data), b, o)
	if err != nil {
		return nil, err
	}
	return t.described(path, d, l, o)
}

// openBeside opens a .npy file under the descriptor that lies beside it, if there is one.
func openBeside(name string, b *Bytes, o Options) (*Tensor, error) {
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

// openPlain opens data of which a descriptor will say how it lies.
func openPlain(source, shown string, b *Bytes, o Options) (*Tensor, error) {
	o.Channels = 0
	return openBytes(source, shown, b, o)
}

// described is describe for a tensor that is closed where it fails.
func (t *Tensor) described(path string, d Descriptor, l tensor.Layout, o Options) (*Tensor, error) {
	if err := t.describe(path, d, l, o); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// describe puts the descriptor's layout in place of the assumed one, if it belongs to the opened file.
func (t *Tensor) describe(path string, d Descriptor, l tensor.Layout, o Options) error {
	if o.Channels != 0 {
		return fault.New(fault.Usage, "%s says the number of channels already", words.Quoted(path)).
			WithHint("name the layout too to read the file without its descriptor")
	}
	if t.bytes != nil {
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

// belongs checks that the descriptor is that of the opened data: by the file's shape and type, and by its fingerprint.
func (t *Tensor) belongs(path string, d Descriptor, hinted bool) error {
	other := func(format string, args ...any) error {
		return fault.In(words.Quoted(path), fault.New(fault.Malformed, format, args...).
			WithHint("it belongs to other data; remove it, or name the layout with --layout or --from"))
	}
	elems, err := tensor.Numel(t.FileShape)
	print, printErr := Fingerprint(t.bytes, t.Header.DataOffset, t.Header.DataBytes)
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
		return other("it describes items of %s, not of %s", words.Quote(d.DType), t.Header.DType)
	}
	if !hinted {
		t.DType = named
	}
	return nil
}

// orderOf takes the memory order that the descriptor names, if its digits lie so.
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
		return fault.New(fault.Malformed, "its digits do not lie as its layout %q says", d.Layout)
	}
	t.Format, t.HasFormat, t.Named = name.Format, true, true
	return nil
}

// checkBytes asks that the layout's elements and storage can be counted in bytes.
func checkBytes(l tensor.Layout, d dtype.Type) error {
	if size := d.ItemSize(); size > 0 && (l.Alloc() > math.MaxInt/size || l.Numel() > math.MaxInt/size) {
		return fault.New(fault.Unsupported, "shape %s of %s has more bytes than an address can count", tensor.Tuple(l.Shape()), d)
	}
	return nil
}
