package convert

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// conversionFlags say what is converted to what.
type conversionFlags struct {
	cli.Source
	source  string
	to      cli.Layout
	strides cli.Ints
	pitch   []string
}

func (f *conversionFlags) addConversion(cmd *cobra.Command) {
	f.AddReading(cmd, "from")
	flags := cmd.Flags()
	flags.Var(&f.Layout, "layout", "the same as --from")
	flags.Var(&f.to, "to", "memory order of the result, outermost axis first")
	flags.Var(&f.strides, "strides", "instead of --to: exact strides of the logical dims, in elements")
	flags.StringSliceVar(&f.pitch, "pitch", nil, "round rows up: W=64B in bytes, W=16 in elements")
	cli.Must(cmd.RegisterFlagCompletionFunc("to", cli.CompleteLayouts))
	cli.Must(cmd.RegisterFlagCompletionFunc("layout", cli.CompleteLayouts))
}

// checkTarget refuses what does not say a target. verb is the command's.
func (f *conversionFlags) checkTarget(verb string) error {
	if (f.to.Layout == nil) == !f.strides.Given {
		return fault.New(fault.Usage, "either --to or --strides says what to convert to").
			WithHint("tlayout %s x.npy --to nhwc; tlayout help layouts lists the names", verb)
	}
	if f.to.Layout != nil && f.to.Layout.Exact != nil {
		return fault.New(fault.Usage, "--to %s says sizes, which a conversion does not change", f.to.Layout.Exact).
			WithHint("--strides takes exact strides of the result")
	}
	return nil
}

// conversion is a tensor and the layout that it is to have.
type conversion struct {
	flags  *conversionFlags
	tensor *source.Tensor
	target convert.Target
}

func newConversion(f *conversionFlags, t *source.Tensor) (conversion, error) {
	c := conversion{flags: f, tensor: t}
	if err := t.RequireLayout("--from"); err != nil && !c.keepsAxes() {
		return c, err
	}
	var err error
	c.target, err = c.newTarget()
	return c, err
}

// keepsAxes reports whether the target is c or fortran, which keep the file's own axes.
func (c *conversion) keepsAxes() bool {
	return c.flags.to.Layout != nil && c.flags.to.Layout.Own != notation.NotOwn
}

// sourceLayout is the layout that is converted: over the logical dims, or over the file's axes where those are kept.
// A described tensor's axes are its logical dims, for its file is mere storage, and so are those of one without a file.
func (c *conversion) sourceLayout() tensor.Layout {
	t := c.tensor
	if !c.keepsAxes() || t.Described || t.FileShape == nil {
		return t.Layout
	}
	axes, err := t.FileLayout()
	if err != nil {
		panic(err) // the shape was checked when the file was opened
	}
	return axes
}

func (c *conversion) newTarget() (convert.Target, error) {
	o, t := c.flags, c.tensor
	pitches, err := parsePitches(o.pitch, t.DType.ItemSize())
	if err != nil {
		return convert.Target{}, err
	}
	switch {
	case c.keepsAxes() && o.Channels != 0:
		return convert.Target{}, fault.New(fault.Usage, "--channels is about C, and --to %s keeps the file's own axes, padding included", o.to.Name).
			WithHint("convert to a layout with named dims, --to nchw")
	case len(pitches) > 0 && (o.strides.Given || c.keepsAxes()):
		return convert.Target{}, fault.New(fault.Usage, "--pitch needs a layout with named dims")
	case o.strides.Given:
		return convert.Exact(t.Layout.Names(), t.Layout.Shape(), o.strides.Values)
	case c.keepsAxes():
		return convert.Own(c.sourceLayout(), o.to.Layout.Own == notation.OwnFortran)
	}
	f, sizes, err := t.SizesIn(o.to.Layout.Format)
	if err != nil {
		return convert.Target{}, err
	}
	return convert.Named(f, sizes, pitches)
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
			return nil, fault.New(fault.Usage, "--pitch %s is not of the form W=64B (bytes) or W=16 (elements)", words.Quoted(s))
		}
		if inBytes {
			if itemSize == 0 || n%itemSize != 0 {
				return nil, fault.New(fault.Usage, "--pitch %s is no multiple of the item size, %d bytes", words.Quote(s), itemSize)
			}
			n /= itemSize
		}
		if n > maxPitch {
			return nil, fault.New(fault.Usage, "--pitch %s is larger than %d elements", words.Quote(s), maxPitch)
		}
		pitches = append(pitches, convert.Pitch{Dim: dimName(dim), Align: n})
	}
	return pitches, nil
}

// outputName is --out, or <stem>.<layout>.npy beside the input. The input itself is refused.
func (j *job) outputName() (string, error) {
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
		return "", fault.New(fault.Usage, "output %s has the name of a descriptor", words.Quoted(out)).WithHint("end it in .npy")
	}
	if t.Descriptor != "" && (cli.SamePath(descriptor, t.Descriptor) || cli.SamePath(out, t.Descriptor)) {
		return "", fault.New(fault.Usage, "output %s would take the place of the input's descriptor", words.Quoted(out)).
			WithHint("write to another name")
	}
	if t.SameFile(out) || o.source == source.Stdin && cli.SameAsInput(j.in, out) {
		return "", fault.New(fault.Usage, "output %s is the input itself", words.Quoted(filepath.Clean(out))).
			WithHint("write to another name and rename it afterwards")
	}
	if strings.EqualFold(filepath.Ext(out), ".npz") {
		return "", fault.New(fault.Usage, "output %s has the name of an archive", words.Quoted(out)).WithHint("end it in .npy")
	}
	return out, nil
}
