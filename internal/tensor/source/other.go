package source

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/words"
)

// format is a well-known format of files that hold tensors or numbers, and the Python that makes .npy files or an archive of one.
type format struct {
	name    string
	magic   []string // one of which begins the file; none if it is told by its name alone
	endings []string // of names
	python  string   // IN is the file, OUT its name without the ending
	advice  string   // what else to know, after the Python
}

const (
	fromONNX = "import numpy, onnx; from onnx.numpy_helper import to_array; m = onnx.load('IN'); " +
		"numpy.savez('OUT.npz', **{t.name: to_array(t) for t in m.graph.initializer})"
)

// formats are told by their first bytes, and those of none by the ending of the name. (HDF5 1.14, File Format Specification,
// section II.A; onnx 1.15, numpy_helper.py)
var formats = []format{
	{"an HDF5 file", []string{"\x89HDF\r\n\x1a\n"}, []string{".h5", ".hdf5", ".keras"},
		"import h5py, numpy; numpy.save('OUT.npy', h5py.File('IN')['NAME'][...])", ""},
	{"a pickle", []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}, []string{".pkl", ".pickle"},
		"import numpy; numpy.save('OUT.npy', numpy.load('IN', allow_pickle=True))", ", if you trust the file: a pickle runs code"},
	{"an ONNX model", nil, []string{".onnx"}, fromONNX, ""},
	{"an image", []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff"}, []string{".png", ".jpg", ".jpeg"},
		"import numpy, PIL.Image; numpy.save('OUT.npy', numpy.asarray(PIL.Image.open('IN')))", ""},
	{"a table of numbers as text", nil, []string{".csv"}, "import numpy; numpy.save('OUT.npy', numpy.loadtxt('IN', delimiter=','))", ""},
	{"a table of numbers as text", nil, []string{".txt", ".tsv"}, "import numpy; numpy.save('OUT.npy', numpy.loadtxt('IN'))", ""},
}

// rawHint is how a file without a header is read.
const rawHint = "the bytes of a tensor without a header are read with --raw --shape 2,3,4,5 --dtype float32"

// otherFormat says which well-known format a file has that is neither .npy nor named as an archive; nil if none is recognized. Errors
// are fault.Unsupported.
func (b *input) otherFormat(name string) error {
	if err := b.lfsPointer(); err != nil {
		return fault.In(words.Quoted(name), err)
	}
	var head [16]byte
	var e *fault.Error
	err := b.Guard(func() error {
		n, _ := b.ReadAt(head[:], 0) // what cannot be read is not recognized
		e = b.recognize(name, string(head[:n]))
		return nil
	})
	if err != nil || e == nil {
		return err
	}
	return fault.In(words.Quoted(name), e)
}

// lfsMagic begins a file that Git LFS leaves where another one belongs. (git-lfs 3.6, docs/spec.md: such a file is smaller than 1024 bytes)
const lfsMagic = "version https://git-lfs.github.com/spec/v1\n"

// lfsPointer is the error of a file that is no more than Git LFS's pointer to it: fault.Unsupported.
func (b *input) lfsPointer() error {
	var head [1024]byte
	n := 0
	err := b.Guard(func() error {
		n, _ = b.ReadAt(head[:], 0) // what cannot be read is not recognized
		return nil
	})
	text := string(head[:n])
	if err != nil || !strings.HasPrefix(text, lfsMagic) {
		return err
	}
	of := ""
	for line := range strings.Lines(text) {
		if size, ok := strings.CutPrefix(strings.TrimSpace(line), "size "); ok {
			if bytes, err := strconv.ParseInt(size, 10, 64); err == nil && bytes >= 0 {
				of = ", which has " + words.ExactBytes(bytes)
			}
		}
	}
	return fault.New(fault.Unsupported, "a Git LFS pointer instead of the file itself%s", of).WithHint("git lfs pull fetches it")
}

// recognize names the format of a file that begins so.
func (b *input) recognize(name, begins string) *fault.Error {
	ending := strings.ToLower(filepath.Ext(words.URLPath(name)))
	named := func(endings ...string) bool { return slices.Contains(endings, ending) }
	switch {
	case strings.HasPrefix(begins, "PK\x03\x04"):
		return b.zipFormat()
	}
	for i, f := range formats {
		if slices.ContainsFunc(f.magic, func(m string) bool { return strings.HasPrefix(begins, m) }) {
			return formats[i].refuse(name)
		}
	}
	if named(".txt") && !strings.ContainsAny(begins[:min(1, len(begins))], "0123456789+-.# ") {
		return nil // prose
	}
	for i, f := range formats {
		if named(f.endings...) {
			return formats[i].refuse(name)
		}
	}
	return nil
}

// refuse is the error of a file of that format; the hint is the command that makes a .npy file of it.
func (f *format) refuse(name string) *fault.Error {
	in, out := name, strings.TrimSuffix(name, filepath.Ext(words.URLPath(name)))
	if strings.ContainsAny(name, "'\"$`\\!") || words.Quote(name) != name {
		in, out = "FILE", "OUT"
	}
	return fault.New(fault.Unsupported, "%s, not a .npy file", f.name).
		WithHint(`python3 -c "%s"%s`, strings.NewReplacer("IN'", in+"'", "OUT.", out+".").Replace(f.python), f.advice)
}

// zipFormat is the error of a zip archive without arrays.
func (b *input) zipFormat() *fault.Error {
	if _, err := npz.Open(b, b.Size()); err != nil {
		return fault.New(fault.Unsupported, "a damaged zip archive, not a .npy file")
	}
	return fault.New(fault.Unsupported, "a zip archive, not a .npy file")
}

// withRawHint adds how to read a file without a header to the error of one that is no .npy file, nor called so.
func withRawHint(name string, err error) error {
	var e *fault.Error
	if errors.As(err, &e) && e.Class == fault.Malformed && e.Hint == "" && !strings.EqualFold(filepath.Ext(words.URLPath(name)), ".npy") {
		return e.WithHint("%s", rawHint)
	}
	return err
}
