package convert

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// formats are the endings of outputs that say what they hold, and bare those of bytes alone.
var formats, bare = []string{".npy", ".npz", ".safetensors", ".pt", ".pth", ".ckpt"}, []string{".raw", ".bin"}

func ending(path string) string { return strings.ToLower(filepath.Ext(words.URLPath(path))) }

func isRaw(path string) bool { return slices.Contains(bare, ending(path)) }

// checkEnding refuses an output whose extension is that of no format that is written.
func checkEnding(path string) error {
	_, array, _ := source.SplitTensor(path)
	info, err := os.Stat(path)
	if special := err == nil && !info.Mode().IsRegular(); special || array != "" || path == "" || path == source.Stdin || strings.HasSuffix(path, "/") ||
		slices.Contains(formats, ending(path)) || isRaw(path) {
		return nil // what is no name of a file is refused where it is opened
	}
	text := "has no extension"
	if e := ending(path); e != "" {
		text = "has the unsupported extension " + words.Quote(e)
	}
	return fault.New(fault.Usage, "output %s %s", words.Quoted(path), text).
		WithHint("want %s (PyTorch), or %s (bytes alone)", strings.Join(formats, ", "), words.Or(bare))
}

// readAgain is how the bytes of a raw output are read as the tensor that they are, as options and as flags: the logical sizes and the memory
// order where that says all, those of the file's axes where nothing names them, and else a layout with strides. Errors are fault.Usage: there
// are no bytes.
func (j *job) readAgain() (o source.Options, flags string, err error) {
	typ := j.tensor.DType
	name := typ.String()
	if d, err := dtype.Parse(name); err != nil || !d.Equal(typ) {
		name = typ.Typestr()
	}
	l, order, err := j.recorded()
	if err == nil && l.Numel() == 0 {
		err = fault.New(fault.Usage, "an empty tensor has no bytes to write to %s", words.Quoted(j.out.path)).WithHint("write .npy or .npz")
	}
	if err != nil {
		return o, "", err
	}
	shape, from := l.Shape(), order
	if !j.records() || j.axes == nil && !j.target.Hidden && l.Alloc() == l.Numel() {
		if shape, from = j.target.FileShape, ""; j.target.Fortran {
			from = "fortran"
		}
	} else if f, bad := notation.Parse(order); bad != nil || f.Own != notation.NotOwn || !binds(f.Format, l) {
		shape, from = nil, l.String()
	}
	o = source.Options{DType: &typ, Raw: &source.Typed{Shape: shape}, AllowTrailing: shape == nil}
	flags = "--raw --dtype " + words.Shell(words.Quote(name))
	if shape != nil {
		flags += " --shape " + cmp.Or(words.Ints(shape, ","), "'()'")
	}
	if from != "" {
		layout, err := notation.Parse(from)
		if err != nil {
			return o, "", err
		}
		if o.Layout = &layout; shape != nil {
			from = strings.ToLower(from)
		}
		flags += " --from " + words.Shell(from)
	}
	if names := l.Names(); shape == nil {
		if dims, err := notation.ParseDims(strings.Join(names, ",")); err == nil && slices.Equal(dims, names) {
			o.Raw.Dims, flags = names, flags+" --dims "+strings.Join(names, ",")
		}
		if _, high, ok := l.Span(); !ok || high+1 < l.Alloc() {
			flags += " --allow-trailing"
		}
	}
	return o, flags, nil
}

// binds reports whether a format of the layout's sizes is the layout.
func binds(f notation.Format, l tensor.Layout) bool {
	if f.Rank() != l.Rank() || !slices.Equal(f.Names(), l.Names()) {
		return false
	}
	bound, err := f.Bind(l.Shape())
	return err == nil && bound.String() == l.String() && bound.Alloc() == l.Alloc()
}
