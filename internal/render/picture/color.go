package picture

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/shared"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Coloring selects the meaning of an element's tint.
type Coloring string

// The colorings.
const (
	ByChannel Coloring = "channel" // its index of C, otherwise of I, O, the planes, the rows, or the columns; for BSHD, of the planes
	ByMemory  Coloring = "memory"  // its position in the first memory
	ByValue   Coloring = "value"   // its value, on a scale over the finite values drawn, symmetric around 0 if they have both signs
	ByDim     Coloring = "dim"     // its index of Options.Dim
	ByBank    Coloring = "bank"    // its bank of shared memory in the source's layout
	Plain     Coloring = "none"
)

// tints assigns tints to elements.
type tints struct {
	scale  scene.Scale
	at     func(coord []int) int // nil if tints depend on values
	values map[*scene.Cell]sample
	odd    bool // a non-finite value was drawn
}

type sample struct {
	text string
	x    float64
}

func newTints(s Subject, memories []Memory, o Options, counts []int) (tints, error) {
	switch o.Color {
	case Plain:
		return tints{at: func([]int) int { return -1 }}, nil
	case ByValue:
		return tints{values: map[*scene.Cell]sample{}}, nil
	case ByMemory:
		return memoryTints(s, memories), nil
	case ByBank:
		scale := scene.Scale{Tints: ramp(shared.Banks), Name: "bank", Low: "0", High: strconv.Itoa(shared.Banks - 1)}
		return tints{scale: scale, at: func(coord []int) int { return bankOf(s.Layout.At(coord...), max(1, s.Size)) }}, nil
	case ByDim:
		for i, name := range s.Layout.Names() {
			if strings.EqualFold(name, o.Dim) {
				return dimTints(s, i), nil
			}
		}
		return tints{}, fault.New(fault.Usage, "no dim %s to color by", text.Quoted(o.Dim)).
			WithHint("dims are %s", strings.Join(s.Layout.Names(), ", "))
	}
	return channelTints(s, counts), nil
}

// channelTints picks the first likely channel dim of which the grid shows several indices, preferably one that is not broadcast: memory
// could show only its first index's color. Dims in the order as written have no channels, so planes are colored.
func channelTints(s Subject, counts []int) tints {
	l := s.Layout
	names := l.Names()
	rank := l.Rank()
	candidates := []int{rank - 3, rank - 2, rank - 1}
	if !notation.AsWritten(names) {
		candidates = append([]int{slices.Index(names, "C"), slices.Index(names, "I"), slices.Index(names, "O")}, candidates...)
	}
	for _, broadcast := range []bool{false, true} {
		for _, d := range candidates {
			if d >= 0 && counts[d] > 1 && isBroadcast(l.Dim(d)) == broadcast {
				return dimTints(s, d)
			}
		}
	}
	return tints{scale: scene.Scale{Tints: vector.HuesOf(1)}, at: func([]int) int { return 0 }}
}

// isBroadcast reports whether all indices of the dim have the same address.
func isBroadcast(d tensor.Dim) bool {
	return !slices.ContainsFunc(d.Digits, func(g tensor.Digit) bool { return g.Extent > 1 && g.Stride != 0 })
}

// dimTints show the index of a dim.
func dimTints(s Subject, d int) tints {
	dim := s.Layout.Dim(d)
	name := dim.Name
	index := strings.ToLower(dim.Name) + "="
	if noun, ok := s.noun(d); ok {
		name = noun
	}
	hues := vector.HuesOf(dim.Size)
	n := hues.N
	if n < dim.Size {
		name = fmt.Sprintf("%s mod %d", name, n)
		index = ""
	}
	scale := scene.Scale{Tints: hues, Name: name, Low: index + "0", High: index + strconv.Itoa(n-1)}
	return tints{scale: scale, at: func(coord []int) int { return coord[d] % n }}
}

func memoryTints(s Subject, memories []Memory) tints {
	l := s.Layout
	name := "position in memory"
	if len(memories) > 0 {
		l = memories[0].Layout
		name = "position in " + memories[0].Name
	}
	low, _, _ := l.Span()
	n, each := shares(l.Extent())
	scale := scene.Scale{Tints: ramp(n), Name: name,
		Low: "offset " + strconv.Itoa(low), High: "offset " + strconv.Itoa(low+max(0, l.Extent()-1))}
	return tints{scale: scale, at: func(coord []int) int { return (l.At(coord...) - low) / each }}
}

func ramp(n int) vector.Tints { return vector.Tints{Kind: vector.Ramp, N: n} }

// shares divides size indices evenly among n tints; the last may have fewer.
func shares(size int) (n, each int) {
	each = max(1, (size-1)/vector.MaxRamp+1)
	return max(1, (size-1)/each+1), each
}

// tintOf returns the tint of an element; finish assigns those of values.
func (t *tints) tintOf(c *scene.Cell, coord []int, text string, x float64, ok bool) scene.Tint {
	if t.at != nil {
		return scene.Tint(t.at(coord))
	}
	if !ok || math.IsNaN(x) || math.IsInf(x, 0) {
		t.odd = true
	} else {
		t.values[c] = sample{text, x}
	}
	return scene.NoTint
}

// finish assigns the tints of values, which depend on all values drawn. Values of both signs get a diverging scale, symmetric around 0, so
// that colors show the sign:
//
//	tint = ⌊(x − min) / (max − min) · n⌋, at most n − 1        one sign
//	tint = ⌊(x / far + 1) / 2 · (n − 1) + ½⌋                  both, far = max(−min, max)
func (t *tints) finish(short func(string) string) scene.Scale {
	if t.at != nil {
		return t.scale
	}
	scale := scene.Scale{Tints: ramp(1), Name: "value"}
	if len(t.values) > 0 {
		low, high := t.ends()
		if low.complex() || high.complex() {
			scale.Name = "real part"
		}
		scale.Low = short(low.real())
		scale.High = short(high.real())
		tint := func(float64) float64 { return 0 }
		if low.x < 0 && high.x > 0 {
			far := max(-low.x, high.x)
			scale.Tints = vector.Tints{Kind: vector.Diverging, N: vector.MaxDiverging}
			if far == high.x {
				scale.Low = "-" + scale.High
			} else {
				scale.High = strings.TrimPrefix(scale.Low, "-")
			}
			tint = func(x float64) float64 { return (x/far+1)/2*float64(scale.N-1) + 0.5 }
		} else if high.x > low.x {
			scale.N = vector.MaxRamp // halves, because the difference may overflow
			tint = func(x float64) float64 { return (x/2 - low.x/2) / (high.x/2 - low.x/2) * float64(scale.N) }
		}
		for c, s := range t.values {
			c.Tint = scene.Tint(min(int(tint(s.x)), scale.N-1))
		}
	}
	if t.odd {
		scale.Name += ", if finite"
	}
	return scale
}

// complex reports whether a value is complex: its number is only the real part.
func (s sample) complex() bool { return strings.HasSuffix(strings.TrimRight(s.text, ")"), "j") }

// real returns the text of the number.
func (s sample) real() string {
	if s.complex() {
		return strconv.FormatFloat(s.x, 'g', -1, 64)
	}
	return s.text
}

// ends returns the minimum and maximum drawn, deterministically if values are equal.
func (t *tints) ends() (low, high sample) {
	all := slices.Collect(maps.Values(t.values))
	return slices.MinFunc(all, sample.compare), slices.MaxFunc(all, sample.compare)
}

// compare orders samples by value, and equal ones by text.
func (s sample) compare(other sample) int {
	return cmp.Or(cmp.Compare(s.x, other.x), cmp.Compare(s.text, other.text))
}
