package notation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// Own is the order of a layout name that keeps a file's own axes instead of naming dims.
type Own int

// The values of Own.
const (
	NotOwn       Own = iota
	OwnC             // c: row-major
	OwnFortran       // fortran: column-major
	maxNameBytes = 512
)

// Layout is the meaning of a layout name: a Format, an order of a file's own axes, or a layout with its sizes.
type Layout struct {
	Format Format
	Own    Own
	Exact  *tensor.Layout // of shape:strides@offset; nil for all other names
	Note   string         // how other frameworks read the name, if they differ; empty for most
}

// numberedDim is the explicit form of a single dim without a letter of its own.
var numberedDim = regexp.MustCompile(`^[dD][0-9]+$`)

// Parse reads any spelling of a layout: a canonical name in any case (nchw, NCHW4c), a framework's tag (nChw16c,
// aBcd16b, kCHW32, channels_last, {3,2,1,0:T(8,128)}), the explicit form (N C//4 H W C%4), c and fortran, or a layout
// with its sizes, (2,3):(5,1)@2.
//
// Post: Parse(f.String()) gives f again for every Format f that it returns.
func Parse(s string) (Layout, error) {
	if len(s) > maxNameBytes {
		return Layout{}, badLayout(s, "the name is longer than %d bytes", maxNameBytes)
	}
	switch strings.ToLower(s) {
	case "":
		return Layout{}, fault.New(fault.Usage, "the layout name is empty").WithHint("tlayout help layouts lists the names")
	case "c", "contiguous", "contiguous_format", "torch.contiguous_format", "klinear":
		return Layout{Own: OwnC}, nil
	case "f", "fortran":
		return Layout{Own: OwnFortran}, nil
	}
	if strings.HasPrefix(s, "(") {
		l, err := parseShapeStride(s)
		return Layout{Exact: &l}, err
	}
	f, note, err := parseFormat(s)
	if err == nil && (f.Rank() == 0 || f.String() == "C") { // {} of a scalar and a single C are row-major too
		return Layout{Own: OwnC}, nil
	}
	return Layout{Format: f, Note: note}, err
}

// parseFormat reads the name of a Format; the note is what is worth knowing about the name.
func parseFormat(s string) (f Format, note string, err error) {
	switch {
	case strings.HasPrefix(s, "{"):
		f, err = parseXLA(s)
		return f, "", err
	case strings.ContainsAny(s, " %") || strings.Contains(s, "//") || numberedDim.MatchString(s):
		f, err = parseExplicit(s)
		return f, "", err
	case strings.ContainsRune(s, '['):
		plain := strings.NewReplacer("[", "", "]", "").Replace(s)
		return Format{}, "", badLayout(s, "TVM's [ ] packs blocks into one axis of the shape").
			WithHint("leave out the brackets, memory is the same: %s", words.Quote(clip(plain)))
	}
	canonical, note, err := resolveAlias(s)
	if err != nil {
		return Format{}, "", err
	}
	if f, err = parseShort(canonical); err != nil {
		return Format{}, "", suggest(s, err)
	}
	return f, note, nil
}

// Well-known names, in the order in which help lists them.
var wellKnown = []string{"nchw", "nhwc", "chwn", "nchw4", "nchw8", "nchw16", "nchw32", "nchw64", "chwn4", "nhwcd4",
	"nchw44", "nchw88", "ncdhw", "ndhwc", "chw", "hwc", "hw", "wh", "dhw", "whd", "oihw", "hwio", "ohwi",
	"nChw8c", "nChw16c", "NCHW4c", "OIhw4i16o4i", "kCHW32", "kHWC8", "channels_last", "channels_last_3d", "c", "fortran"}

// WellKnown lists layout names for help and completion.
func WellKnown() []string { return wellKnown }

// suggest adds the nearest well-known name as a hint.
func suggest(s string, err error) error {
	e, ok := err.(*fault.Error)
	if !ok || e.Hint != "" {
		return err
	}
	near := words.Nearest(s, wellKnown)
	if near == "" {
		return e.WithHint("write a memory order, outermost axis first: nchw, nhwc, NCHW4c; tlayout help layouts lists the names")
	}
	return e.WithHint("did you mean %s?", near)
}

// maxBlock bounds a block's size; the largest in use is 128.
const maxBlock = 1 << 20

// written is one axis as a name spells it: a letter, or a block of it.
type written struct {
	letter byte // upper case
	block  int  // 0 for the outer axis
}

// parseShort reads the grammar of canonical names, in any case:
//
//	layout := axis+        axis := LETTER | INT LETTER
//
// Each letter appears exactly once without a number; blocks of 1 are dropped.
func parseShort(s string) (Format, error) {
	var axes []written
	for rest := s; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == len(rest) {
			return Format{}, badLayout(s, "the %s at the end needs the letter of the dim that it splits", rest)
		}
		letter := rest[digits]
		if !isLetter(letter) {
			return Format{}, badLayout(s, "%q is not an axis letter", rune(letter))
		}
		w := written{letter: letter &^ 0x20}
		if digits > 0 {
			n, err := strconv.Atoi(rest[:digits])
			if err != nil || n < 1 || n > maxBlock {
				return Format{}, badLayout(s, "the block %s is not between 1 and %d", rest[:digits], maxBlock)
			}
			w.block = n
		}
		axes = append(axes, w)
		rest = rest[digits+1:]
	}
	return fromWritten(s, axes)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// outerLetters are those of the outer axes, of which every letter has one at most.
func outerLetters(s string, axes []written) (letters []byte, err error) {
	for _, w := range axes {
		if w.block != 0 {
			continue
		}
		if slices.Contains(letters, w.letter) {
			return nil, badLayout(s, "axis %c appears twice", w.letter)
		}
		letters = append(letters, w.letter)
	}
	if c := unknownLetter(letters); c != 0 {
		return nil, badLayout(s, "%c is not a dim that frameworks name", c)
	}
	return letters, nil
}

// fromWritten checks that every block has an outer axis, and gives each axis its divisor.
func fromWritten(s string, axes []written) (Format, error) {
	letters, err := outerLetters(s, axes)
	if err != nil {
		return Format{}, err
	}
	names := logicalOrder(letters)
	f := Format{names: names}
	div := make([]int, len(names))
	for i := range div {
		div[i] = 1
	}
	for _, w := range slices.Backward(axes) {
		d := slices.Index(names, string(w.letter))
		switch {
		case d < 0:
			return Format{}, badLayout(s, "%d%c splits axis %c, which is missing", w.block, w.letter|0x20, w.letter)
		case w.block == 1:
			continue
		case w.block > 1:
			f.axes = append(f.axes, Axis{d, div[d], w.block})
			if div[d] *= w.block; div[d] > maxBlock {
				return Format{}, badLayout(s, "the blocks of %c multiply to more than %d", w.letter, maxBlock)
			}
		default:
			f.axes = append(f.axes, Axis{Dim: d})
		}
	}
	slices.Reverse(f.axes)
	for k, a := range f.axes {
		if a.Extent == 0 {
			f.axes[k].Div = div[a.Dim]
		}
	}
	if len(f.axes) == 0 || len(f.axes) > tensor.MaxRank {
		return Format{}, badLayout(s, "it has %d axes, the limits are 1 and %d", len(f.axes), tensor.MaxRank)
	}
	return f, nil
}

// frameworkOrder ranks the letters of activations (N or B for the batch, C, T and L of sequences, D H W), weights
// (G O I D H W; K C R S) and outputs (N K P Q) in the order in which frameworks list a tensor's sizes.
const frameworkOrder = "GBNOKICTLDPRHQSW"

// logicalOrder returns the dims of a layout in the order in which its user writes shapes: by position if the letters are
// a, b, c, … without a gap (oneDNN's positional tags), by frameworkOrder otherwise. Unknown letters come last, as written.
func logicalOrder(letters []byte) []string {
	sorted := slices.Clone(letters)
	slices.Sort(sorted)
	if !positional(sorted) {
		sorted = slices.Clone(letters)
		rank := func(c byte) int { return strings.IndexByte(frameworkOrder+string(letters), c) }
		slices.SortStableFunc(sorted, func(a, b byte) int { return rank(a) - rank(b) })
	}
	names := make([]string, len(sorted))
	for i, c := range sorted {
		names[i] = string(c)
	}
	return names
}

// unknownLetter returns a letter of a name that is neither positional nor known to frameworks; 0 if there is none.
func unknownLetter(letters []byte) byte {
	sorted := slices.Clone(letters)
	slices.Sort(sorted)
	for _, c := range letters {
		if !positional(sorted) && strings.IndexByte(frameworkOrder, c) < 0 {
			return c
		}
	}
	return 0
}

// positional reports whether the sorted letters are A, B, C, … without a gap, at most the twelve of oneDNN.
func positional(sorted []byte) bool {
	for i, c := range sorted {
		if c != 'A'+byte(i) {
			return false
		}
	}
	return len(sorted) > 0 && len(sorted) <= 12
}

// Positional reports whether the dims are named by position only; their names are those of the tensor.
func (f Format) Positional() bool {
	letters := lettersOf(f.names)
	return len(letters) == len(f.names) && positional(letters)
}

// badLayout is the error of a name that cannot be read.
func badLayout(s, format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, format, args...)
	e.Text = "layout " + words.Quoted(clip(s)) + ": " + e.Text
	return e
}

// clip cuts a name to what an error shows of it.
func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
