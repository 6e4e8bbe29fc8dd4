package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// endings are those of outputs. Those of raw bytes are the last.
var endings = []string{".npy", ".npz", ".safetensors", ".pt", ".pth", ".ckpt", ".raw", ".bin"}

func ending(path string) string { return strings.ToLower(filepath.Ext(words.URLPath(path))) }

func isRaw(path string) bool { return slices.Contains(endings[6:], ending(path)) }

// checkEnding refuses an output whose extension is that of no format that is written.
func checkEnding(path string) error {
	_, array, _ := source.SplitTensor(path)
	info, err := os.Stat(path)
	if special := err == nil && !info.Mode().IsRegular(); special || array != "" || path == "" || path == source.Stdin || strings.HasSuffix(path, "/") ||
		slices.Contains(endings, ending(path)) {
		return nil // what is no name of a file is refused where it is opened
	}
	text := "has no extension"
	if e := ending(path); e != "" {
		text = "has the unsupported extension " + words.Quote(e)
	}
	return fault.New(fault.Usage, "output %s %s", words.Quoted(path), text).
		WithHint("want %s (PyTorch), or %s (bytes alone)", strings.Join(endings[:6], ", "), words.Or(endings[6:]))
}

// readAgain is how the bytes of a raw output are read as the tensor that they are, as options and as flags.
func (j *job) readAgain() (o source.Options, flags string) {
	typ, to := j.recordedType(), j.target.Layout
	o.DType, o.Raw = &typ, &source.Typed{}
	name := typ.String()
	if d, err := dtype.Parse(name); err != nil || !d.Equal(typ) {
		name = typ.Typestr()
	}
	flags = "--raw --dtype " + words.Shell(words.Quote(name))
	shape := func(sizes []int) { o.Raw.Shape, flags = sizes, flags+" --shape "+words.Ints(sizes, ",") }
	from := func(layout string) {
		if l, err := notation.Parse(layout); err == nil {
			o.Layout, flags = &l, flags+" --from "+words.Shell(layout)
		}
	}
	switch {
	case j.axes != nil && !j.ofAxes():
		if l, err := j.axes.order.Bind(j.axes.sizes); err == nil && l.String() == to.String() {
			shape(j.axes.sizes)
			from(j.axes.order.Key())
			return o, flags
		}
	case !j.target.Hidden && j.target.FileShape != nil && to.Alloc() == to.Numel():
		shape(j.target.FileShape)
		if j.target.Fortran {
			from("fortran")
		}
		return o, flags
	}
	from(to.String())
	if names := to.Names(); notation.RowMajor(names).Lettered() && slices.Equal(names, notation.LogicalOrder(names)) {
		o.Raw.Dims, flags = names, fmt.Sprintf("%s --dims %s", flags, strings.Join(names, ","))
	}
	return o, flags
}
