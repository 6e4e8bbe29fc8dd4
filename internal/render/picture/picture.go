package picture

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Subject is the tensor to draw.
type Subject struct {
	Name   string        // title: "x.npy: float32 [2, 64, 3, 3], NCHW"
	Layout tensor.Layout // the source's layout
	Size   int           // bytes per element; 0 means 1
	Shared int           // elements that share a byte, 2 of int4; 0 means 1
	// Byte says where an offset is, "64 low" of an element that shares its byte; nil: offset times Size.
	Byte func(offset int) string

	// Assumed means that the dims' names are a guess from the rank.
	Assumed bool

	// Value returns the element at a storage offset, as text and as a number, NaN if not numeric. ok is false outside the stored data. Value
	// is nil without data.
	Value func(offset int) (text string, number float64, ok bool)

	// Reader is another layout over the same storage: the grid shows the elements that its reader finds. It may be nil.
	Reader *tensor.Layout

	// Numeric means that values are numbers, which cells may round.
	Numeric bool

	cell func(c *scene.Cell, coord []int) // draws an element of the grid; nil: as the options say
}

// Memory is one storage of the tensor.
type Memory struct {
	Name   string
	Gloss  string // what the name means: "row-major"; may be empty
	Layout tensor.Layout
	Own    bool // the source's own storage, whose padding has values too
}

// Options select what to draw, and how.
type Options struct {
	Labels []Label // one line each; Index by default
	Exact  bool    // values in full; otherwise to three significant digits
	Color  Coloring
	Dim    string // for ByDim
	Line   int    // bytes of a cache line; 0 means tensor.CacheLine
	Wrap   int    // cells per row of memory; 0 means a cache line
	Limit  int    // maximum elements in the grid, and cells per memory, at least two rows; 0 means all
	Shown  []int  // indices of each dim that the grid shows; nil: as many as Limit allows
	Rows   int    // maximum rows per memory, at least two; 0 means as many as Limit allows
	Path   Path
	Steps  int    // accesses of the path; 0 means 16
	Banks  string // accesses to shared memory, as shared.Parse reads them; "" for none
}

// maxCells bounds the cells of a picture.
const maxCells = 200_000

// sketch is a picture being drawn.
type sketch struct {
	Subject
	Options
	source          storage
	names           []string // of dims, in lower case: c
	counts          []int    // shown indices of each dim
	drawn           [][]int  // coordinates in the grid
	trail           trail
	banks           *shared.Cost // for the source's layout; nil without Options.Banks
	tints           tints
	text            []byte // buffer for details
	lost            error  // a search that was cut short
	severalMemories bool   // more than one memory
}

// New selects what to draw of the subject and its memories. Time and space are proportional to the picture, however large the tensor.
//
// It fails with Usage if a memory has another shape, an option does not apply to the tensor, or there are no values to write or to color
// by; with Unsupported if the picture would have more than maxCells cells, or the search for the elements at an offset takes too long.
func New(s Subject, memories []Memory, o Options) (scene.Scene, error) {
	s.Size = max(s.Size, 1)
	s.Shared = max(s.Shared, 1)
	o = o.complete()
	if err := check(s, memories, o); err != nil {
		return scene.Scene{}, err
	}
	d := &sketch{Subject: s, Options: o, source: newStorage(s.Layout, s.Size), names: indexNames(s.Layout), severalMemories: len(memories) > 1}
	var err error
	d.trail, err = newTrail(s.Layout, o.Path, o.Steps)
	if err != nil {
		return scene.Scene{}, err
	}
	if o.Banks != "" {
		if s.Shared > 1 {
			return scene.Scene{}, fault.New(fault.Unsupported, "elements share bytes: their banks are not counted")
		}
		c, err := shared.Simulate(o.Banks, s.Layout, s.Size)
		if err != nil {
			return scene.Scene{}, err
		}
		d.banks = &c
		d.source.banks = &c
	}
	d.counts = o.Shown
	if d.counts == nil {
		d.counts = cut(s.Layout.Shape(), o.Limit, d.trail.reach(s.Layout.Rank()))
	}
	d.tints, err = newTints(s, memories, o, d.counts)
	if err != nil {
		return scene.Scene{}, err
	}
	drawn := scene.Scene{Title: s.Name, Lines: d.lines(memories), Tensor: d.grid()}
	for _, m := range memories {
		drawn.Memories = append(drawn.Memories, d.memory(m))
	}
	if d.lost != nil {
		return scene.Scene{}, d.lost
	}
	if s.Layout.Numel() > 0 {
		drawn.Scale = d.tints.finish(d.short)
	}
	return drawn, nil
}

// line returns the elements of a cache line, times their size.
func (d *sketch) line() int { return d.Line * d.Shared }

// byteOf returns the byte of an offset.
func (d *sketch) byteOf(off int) string {
	if d.Byte != nil {
		return d.Byte(off)
	}
	return strconv.Itoa(off * d.Size)
}

func (o Options) complete() Options {
	if len(o.Labels) == 0 {
		o.Labels = []Label{Index}
	}
	if o.Line == 0 {
		o.Line = tensor.CacheLine
	}
	if o.Steps == 0 {
		o.Steps = 16
	}
	return o
}

func check(s Subject, memories []Memory, o Options) error {
	if err := o.check(s); err != nil {
		return err
	}
	if err := fits(s.Layout, s.Size); err != nil {
		return err
	}
	cells := atMost(s.Layout.Numel(), o.Limit)
	if o.Shown != nil {
		cells = ints.Product(o.Shown)
	}
	for _, m := range memories {
		if !slices.Equal(m.Layout.Shape(), s.Layout.Shape()) {
			return fault.New(fault.Usage, "%s has shape %s, the tensor has %s", text.Quote(m.Name),
				tensor.Tuple(m.Layout.Shape()), tensor.Tuple(s.Layout.Shape())).
				WithHint("give every layout for the tensor's logical shape")
		}
		if err := fits(m.Layout, s.Size); err != nil {
			return err
		}
		cells = min(cells+atMost(m.Layout.Alloc(), o.Limit), maxCells+1)
	}
	if cells > maxCells || o.Steps > maxCells {
		return fault.New(fault.Unsupported, "the picture would have more than %d cells", maxCells).
			WithHint("pass --limit 256 to draw the beginning and end of each dim and memory")
	}
	return nil
}

func (o Options) check(s Subject) error {
	for _, n := range []struct {
		name  string
		value int
	}{{"a cache line of %d bytes", o.Line}, {"rows of %d cells", o.Wrap}, {"a limit of %d", o.Limit}, {"%d steps", o.Steps}} {
		if n.value < 0 {
			return fault.New(fault.Usage, n.name, n.value)
		}
	}
	if s.Value == nil && (slices.Contains(o.Labels, Value) || o.Color == ByValue) {
		return fault.New(fault.Usage, "no values to draw").
			WithHint("pass a file with data, or --label index and --color-by channel")
	}
	return nil
}

func atMost(n, limit int) int {
	if limit == 0 {
		return min(n, maxCells+1)
	}
	return min(n, limit, maxCells+1)
}

// fits returns an error if byte addresses of a layout overflow an int.
func fits(l tensor.Layout, size int) error {
	_, high, _ := l.Span()
	if _, ok := tensor.Mul(max(l.Alloc(), high+1), size); !ok {
		return fault.New(fault.Unsupported, "layout %s overflows a 64-bit byte address", l)
	}
	return nil
}
