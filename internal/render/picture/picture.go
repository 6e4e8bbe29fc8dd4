package picture

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Subject is the tensor that is drawn.
type Subject struct {
	Name   string        // its first line: "x.npy: float32 (2, 64, 3, 3), NCHW"
	Layout tensor.Layout // where the elements lie in the source
	Size   int           // bytes of an item; 1 where it is 0

	// Value is what the source holds at a storage offset, in elements: as text, and as a number, NaN where it is none.
	// ok is false where it holds nothing. Value is nil without data.
	Value func(offset int) (text string, number float64, ok bool)
}

// Memory is one storage of the tensor.
type Memory struct {
	Name   string
	Layout tensor.Layout
	Own    bool // the source's own storage, whose padding has values too
}

// Options are what of it is drawn, and how.
type Options struct {
	Labels []Label // a line each; Index where there are none
	Colour Colouring
	Dim    string // of ByDim
	Line   int    // bytes of a cache line; tensor.CacheLine where it is 0
	Wrap   int    // cells of a memory's row; as many as a cache line holds where it is 0
	Limit  int    // most elements that the grid shows, and most cells of each memory; 0 for all
	Path   Path
	Steps  int // accesses that the path shows; 16 where it is 0
}

// Most is how many cells a picture has at most.
const Most = 200_000

// sketch is a picture being drawn.
type sketch struct {
	Subject
	Options
	source place
	names  []string // of the dims, as their indices are written: c
	digits int      // of the largest number of an element
	counts []int    // indices of each dim that the grid shows
	trail  trail
	tints  tints
	text   []byte // room for the detail that is being written
	lost   error  // an element that is not found
}

// New decides what of the subject and its memories is drawn. Its time and memory are in proportion to that, however large
// the tensor is.
//
// It fails with Usage where a memory has another shape, an option makes no sense for the tensor, or there are no values
// to write or to colour by; with Unsupported where the picture would have more than Most cells, or what lies at an
// offset cannot be found soon.
func New(s Subject, memories []Memory, o Options) (scene.Scene, error) {
	s.Size, o = max(s.Size, 1), o.complete()
	if err := check(s, memories, o); err != nil {
		return scene.Scene{}, err
	}
	d := &sketch{Subject: s, Options: o, source: newPlace(s.Layout, s.Size), names: indexNames(s.Layout),
		digits: len(strconv.Itoa(s.Layout.Numel() - 1))}
	var err error
	if d.trail, err = newTrail(s.Layout, o.Path, o.Steps); err != nil {
		return scene.Scene{}, err
	}
	if d.tints, err = newTints(s, memories, o); err != nil {
		return scene.Scene{}, err
	}
	d.counts = cut(s.Layout.Shape(), o.Limit, d.trail.reach(s.Layout.Rank()))
	drawn := scene.Scene{Title: s.Name, Lines: d.lines(memories), Tensor: d.grid()}
	for _, m := range memories {
		drawn.Memories = append(drawn.Memories, d.memory(m))
	}
	if d.lost != nil {
		return scene.Scene{}, d.lost
	}
	drawn.Scale = d.tints.finish()
	return drawn, nil
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
	for _, m := range memories {
		if !slices.Equal(m.Layout.Shape(), s.Layout.Shape()) {
			return fault.New(fault.Usage, "%s has shape %s, and the tensor %s", words.Quote(m.Name),
				tensor.Tuple(m.Layout.Shape()), tensor.Tuple(s.Layout.Shape())).
				WithHint("all memories hold the same tensor: give each layout for its logical shape")
		}
		if err := fits(m.Layout, s.Size); err != nil {
			return err
		}
		cells = min(cells+atMost(m.Layout.Alloc(), o.Limit), Most+1)
	}
	if cells > Most || o.Steps > Most {
		return fault.New(fault.Unsupported, "the picture would have more than %d cells", Most).
			WithHint("--limit 256 draws the beginning and the end of each dim and each memory")
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
	if s.Value == nil && (slices.Contains(o.Labels, Value) || o.Colour == ByValue) {
		return fault.New(fault.Usage, "there are no values to draw").
			WithHint("name a file with data, or label elements with their index and colour them by channel")
	}
	return nil
}

func atMost(n, limit int) int {
	if limit == 0 {
		return min(n, Most+1)
	}
	return min(n, limit, Most+1)
}

// fits refuses a layout whose addresses in bytes an int cannot count.
func fits(l tensor.Layout, size int) error {
	_, high, _ := l.Span()
	if _, ok := tensor.Mul(max(l.Alloc(), high+1), size); !ok {
		return fault.New(fault.Unsupported, "layout %s reaches past what a byte address can count", l)
	}
	return nil
}
