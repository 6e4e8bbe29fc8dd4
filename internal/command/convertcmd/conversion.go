package convertcmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// request is a conversion that somebody asks for: the flags, with the source, and a target that may come from an output's name.
type request struct {
	conversionFlags
	source name.Name
	named  name.Name // the output whose name alone sets to; none if --to does
}

// conversion is a tensor and its target layout.
type conversion struct {
	request *request
	tensor  *source.Tensor
	// from is the source layout: over the logical dims, or over the file's axes if the target keeps those.
	from   tensor.Layout
	target convert.Target
	frame  frame
}

// frame is whose axes from and target are over. --to c and fortran keep the axes that a tensor has.
type frame int

const (
	logicalDims frame = iota // the logical dims, which --to orders
	ofFile                   // the file's axes
	ofStorage                // the tensor's dims: its file is plain storage, or it has none
	ofTensor                 // the tensor's dims, whose order somebody named
)

// frameOf returns the frame of a request for a tensor; named if the order of its dims takes precedence over the axes of its file.
func frameOf(r *request, t *source.Tensor, named bool) frame {
	if r.to.Layout == nil || r.to.Layout.Own == notation.NotOwn {
		return logicalDims
	}
	if named {
		return ofTensor
	}
	if t.StorageView || t.FileShape == nil {
		return ofStorage
	}
	return ofFile
}

func newConversion(r *request, t *source.Tensor) (conversion, error) {
	c := conversion{request: r, tensor: t, frame: frameOf(r, t, false)}
	if err := c.bind(); err != nil {
		return c, err
	}
	if err := c.requireOrder(); err != nil {
		return c, err
	}
	return c, c.aim()
}

// bind binds the request to the tensor, whose assumed names give way to those of --to.
func (c *conversion) bind() (err error) {
	t := c.tensor
	c.request, err = c.request.bound(t)
	if err != nil {
		return err
	}
	if to := c.request.to.Layout; to != nil && to.HasFormat() {
		t.AssumeLike(to.ForRank(t.Layout.Rank()).Format)
	}
	return nil
}

// requireOrder refuses a tensor whose shape casts doubt on the assumed order of its dims, if that matters.
func (c *conversion) requireOrder() error {
	if c.keepsAxes() {
		return nil
	}
	return c.tensor.RequireLayout("--from")
}

// aim sets both layouts.
func (c *conversion) aim() (err error) {
	c.from = c.tensor.Layout
	if c.frame == ofFile {
		c.from, err = c.tensor.FileLayout()
		if err != nil {
			return err
		}
	}
	c.target, err = c.newTarget()
	return err
}

// bound returns the request with a target of shared memory bound to the sizes and the type of a tensor.
func (r *request) bound(t *source.Tensor) (*request, error) {
	if r.to.Layout == nil || r.to.Layout.HasFormat() && !r.to.Layout.CountsBytes() {
		return r, nil
	}
	g := *r
	to, err := r.to.Layout.For(t.Layout.Shape(), t.DType.Bits())
	g.to.Layout = &to
	return &g, fault.In("--to", err)
}

// keepsAxes reports whether the target is c or fortran, which keep the axes that the tensor has.
func (c *conversion) keepsAxes() bool { return c.frame != logicalDims }

// newTarget returns the target of the request for the tensor.
func (c *conversion) newTarget() (convert.Target, error) {
	r := c.request
	t := c.tensor
	pitches, err := parsePitches(r.pitch, t.DType)
	if err != nil {
		return convert.Target{}, err
	}
	exact := r.to.Layout.Exact
	named := exact == nil && !c.keepsAxes()
	if c.keepsAxes() && r.Channels != 0 {
		return convert.Target{}, fault.New(fault.Usage, "--channels crops C, but --to %s keeps the file's own axes, padding included", r.to.Name).
			WithHint("convert to a layout with named dims: --to nchw")
	}
	if len(pitches) > 0 && !named {
		return convert.Target{}, fault.New(fault.Usage, "--to-pitch needs a layout with named dims")
	}
	if exact != nil {
		if err := r.to.Layout.Holds(t.DType.String()); err != nil {
			return convert.Target{}, fault.In("--to", err)
		}
		return convert.Sized(t.Layout.Names(), t.Layout.Shape(), *exact)
	}
	if c.keepsAxes() {
		return convert.Own(c.from, r.to.Layout.Own == notation.OwnFortran)
	}
	f, sizes, err := t.SizesIn(r.to.Layout.ForRank(t.Layout.Rank()).Format)
	if e := (*fault.Error)(nil); errors.As(err, &e) && !r.named.IsZero() {
		return convert.Target{}, fault.New(e.Class, "%s names its layout: %s", r.named, e.Text).WithHint("use --to for another layout")
	}
	if err != nil {
		return convert.Target{}, err
	}
	target, err := convert.Named(f, sizes, pitches)
	if c.dimNames() == assumedNames {
		target.Name = "permuted"
	}
	return target, err
}

// sides describes the source and the target.
func (c *conversion) sides() (from, to cli.Side) {
	order := c.tensor.OrderName()
	if c.frame == ofFile {
		order = "c"
		if c.tensor.Header.Fortran {
			order = "fortran"
		}
	}
	toOrder := c.target.Order
	if c.keepsAxes() {
		toOrder = c.target.Name
	}
	return cli.NewSide(order, c.tensor.FileShape, c.from), cli.NewSide(toOrder, c.target.FileShape, c.target.Layout)
}

// orderOrigin is the origin of the source's memory order; zero for c and fortran, which do not depend on it.
func (c *conversion) orderOrigin() order {
	if c.keepsAxes() {
		return order{}
	}
	return order{c.tensor.Assumed(), c.tensor.OrderSource, c.tensor.OrderMark()}
}

// notes returns remarks on the layout names of both sides.
func (c *conversion) notes() []string {
	notes := append([]string{}, c.tensor.Notes()...)
	if named := c.request.to.Layout; named != nil && named.Note != "" && !slices.Contains(notes, named.Note) {
		notes = append(notes, named.Note)
	}
	if note := source.SwizzleNote(c.target.Layout, c.tensor.DType); note != "" && !slices.Contains(notes, note) {
		notes = append(notes, note)
	}
	return notes
}

// view returns the expression that makes the target from the source without a copy; nil if none exists or none is needed.
func (c *conversion) view() *string {
	t := c.tensor
	sameShape := t.FileShape == nil || slices.Equal(t.FileShape, c.target.FileShape)
	if sameShape && c.from.String() == c.target.Layout.String() {
		return nil
	}
	if c.reshapes() {
		text := "x.reshape" + tensor.Tuple(c.target.FileShape)
		return &text
	}
	if s, ok := c.target.Layout.Strided(); ok {
		text := fmt.Sprintf("x.as_strided(%s, %s)", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides))
		return &text
	}
	return nil
}

// reshapes reports whether both sides are C order of a file's array, of the same size.
func (c *conversion) reshapes() bool {
	t := c.tensor
	if t.StorageView || t.FileShape == nil {
		return false
	}
	fortran := t.Header.Fortran || c.target.Fortran
	return !fortran && c.from.Alloc() == c.target.Layout.Alloc()
}

// dimName spells a dim as in layouts: letters in upper case, numbered dims in lower case.
func dimName(s string) string {
	if len(s) == 1 {
		return strings.ToUpper(s)
	}
	return strings.ToLower(s)
}

// maxPitch limits a pitch, in elements.
const maxPitch = 1 << 30

// parsePitches parses W=64B (bytes) and W=16 (elements).
func parsePitches(list []string, d dtype.Type) ([]convert.Pitch, error) {
	var pitches []convert.Pitch
	for _, s := range list {
		dim, value, _ := strings.Cut(s, "=")
		number, inBytes := strings.CutSuffix(value, "B")
		n, err := strconv.Atoi(number)
		if dim == "" || err != nil || n < 1 {
			return nil, fault.New(fault.Usage, "invalid --to-pitch %s: want W=64B (bytes) or W=16 (elements)", text.Quoted(s))
		}
		if inBytes {
			if d.ItemSize() == 0 || n%d.ItemSize() != 0 {
				return nil, fault.New(fault.Usage, "--to-pitch %s is not a multiple of the itemsize (%d bytes)", text.Quote(s), d.ItemSize())
			}
			n = n / d.ItemSize() * d.PerByte()
		}
		if n > maxPitch {
			return nil, fault.New(fault.Usage, "--to-pitch %s exceeds %d elements", text.Quote(s), maxPitch)
		}
		pitches = append(pitches, convert.Pitch{Dim: dimName(dim), Align: n})
	}
	return pitches, nil
}
