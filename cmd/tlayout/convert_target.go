package main

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

func (c *conversion) newTarget() (convert.Target, error) {
	o, t := c.flags, c.tensor
	pitches, err := parsePitches(o.pitch, t.DType.ItemSize())
	if err != nil {
		return convert.Target{}, err
	}
	switch {
	case c.keepsAxes() && o.channels != 0:
		return convert.Target{}, fault.New(fault.Usage, "--channels is about C, and --to %s keeps the file's own axes, padding included", o.to.name).
			WithHint("convert to a layout with named dims, --to nchw")
	case len(pitches) > 0 && (o.strides.set || c.keepsAxes()):
		return convert.Target{}, fault.New(fault.Usage, "--pitch needs a layout with named dims")
	case o.strides.set:
		return convert.Exact(t.Layout.Names(), t.Layout.Shape(), o.strides.values)
	case c.keepsAxes():
		return convert.Own(c.sourceLayout(), o.to.layout.Own == notation.OwnFortran)
	}
	f, sizes, err := sizesFor(o.to.layout.Format, t.Layout)
	if err != nil {
		return convert.Target{}, err
	}
	return convert.Named(f, sizes, pitches)
}

// sizesFor orders the tensor's sizes as the format lists its dims, and refuses other dims. A format that counts dims
// takes the tensor's names.
func sizesFor(f notation.Format, l tensor.Layout) (notation.Format, []int, error) {
	if f.Positional() && f.Rank() == l.Rank() {
		f = f.Rename(l.Names())
	}
	names, sizes := l.Names(), make([]int, f.Rank())
	for i, n := range f.Names() {
		at := slices.Index(names, n)
		if at < 0 || f.Rank() != l.Rank() {
			return f, nil, fault.New(fault.Usage, "layout %s has dims %s, the source has %s", f,
				strings.Join(f.Names(), ", "), cmp.Or(strings.Join(names, ", "), "none")).
				WithHint("name the source's own layout, or one with the same dims")
		}
		sizes[i] = l.Dim(at).Size
	}
	return f, sizes, nil
}

// dimName spells a dim as layouts do: letters upper case, numbered dims lower case.
func dimName(s string) string {
	if len(s) == 1 {
		return strings.ToUpper(s)
	}
	return strings.ToLower(s)
}

// maxPitch bounds a pitch in elements.
const maxPitch = 1 << 30

// parsePitches reads W=64B (bytes) and W=16 (elements).
func parsePitches(list []string, itemSize int) ([]convert.Pitch, error) {
	var pitches []convert.Pitch
	for _, s := range list {
		dim, value, ok := strings.Cut(s, "=")
		number, inBytes := strings.CutSuffix(value, "B")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 1 || dim == "" {
			return nil, fault.New(fault.Usage, `--pitch "%s" is not of the form W=64B (bytes) or W=16 (elements)`, fault.Quote(s))
		}
		if inBytes {
			if itemSize == 0 || n%itemSize != 0 {
				return nil, fault.New(fault.Usage, "--pitch %s is no multiple of the item size, %d bytes", fault.Quote(s), itemSize)
			}
			n /= itemSize
		}
		if n > maxPitch {
			return nil, fault.New(fault.Usage, "--pitch %s is larger than %d elements", fault.Quote(s), maxPitch)
		}
		pitches = append(pitches, convert.Pitch{Dim: dimName(dim), Align: n})
	}
	return pitches, nil
}

// samePath reports whether two names lead to one file.
func samePath(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// sameAsInput reports whether standard input is the file at path.
func sameAsInput(in io.Reader, path string) bool {
	file, ok := in.(*os.File)
	if !ok {
		return false
	}
	a, errA := file.Stat()
	b, errB := os.Stat(path)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// outputName is --out, or <stem>.<layout>.npy beside the input. The input itself is refused.
func (j *convertJob) outputName() (string, error) {
	o, t := j.options, j.tensor
	out := o.out
	if out == "" {
		if o.source == source.Stdin {
			return "", fault.New(fault.Usage, "the input has no name to make the output's of").WithHint("--out names the output; - is standard output")
		}
		stem, err := outputStem(o.source, t.Member)
		if err != nil {
			return "", err
		}
		out = stem + "." + j.target.Name + ".npy"
	}
	if out == source.Stdin && o.verify {
		return "", fault.New(fault.Usage, "--verify needs an output that can be read again").WithHint("name a file with --out")
	}
	if out == source.Stdin {
		return out, nil
	}
	descriptor := source.DescriptorPath(out)
	resolved := strings.TrimSuffix(descriptor, source.DescriptorSuffix)
	if strings.HasSuffix(out, source.DescriptorSuffix) || strings.HasSuffix(resolved, source.DescriptorSuffix) {
		return "", fault.New(fault.Usage, `output "%s" has the name of a descriptor`, fault.Quote(out)).WithHint("end it in .npy")
	}
	if t.Descriptor != "" && (samePath(descriptor, t.Descriptor) || samePath(out, t.Descriptor)) {
		return "", fault.New(fault.Usage, `output "%s" would take the place of the input's descriptor`, fault.Quote(out)).
			WithHint("write to another name")
	}
	if t.SameFile(out) || o.source == source.Stdin && sameAsInput(j.in, out) {
		return "", fault.New(fault.Usage, `output "%s" is the input itself`, fault.Quote(filepath.Clean(out))).
			WithHint("write to another name and rename it afterwards")
	}
	if strings.EqualFold(filepath.Ext(out), ".npz") {
		return "", fault.New(fault.Usage, `output "%s" has the name of an archive`, fault.Quote(out)).WithHint("end it in .npy")
	}
	return out, nil
}
