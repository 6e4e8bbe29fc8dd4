package notation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Own is the order of a layout name that keeps a file's axes instead of naming dims.
type Own int

// The values of Own.
const (
	NotOwn     Own = iota
	OwnC           // c: row-major
	OwnFortran     // fortran: column-major
)

// MaxBytes bounds a layout's name.
const MaxBytes = 512

// Layout is the meaning of a layout name: a Format, an order of a file's own axes, a layout with sizes, or one that takes them.
type Layout struct {
	Format  Format
	Own     Own
	Exact   *tensor.Layout                           // shape:strides@offset; nil for all other names
	Sized   func(sizes []int) (tensor.Layout, error) // a layout of shared memory, which may have a swizzle; nil for all other names
	Shape   []int                                    // of Sized, if its text has it
	Fits    func(bits int, dtype string) error       // of Sized: whether it is of elements of a type and its bits
	Note    string                                   // how other frameworks read the name, if they differ; usually empty
	DType   string                                   // the usual element type of the name; empty: any
	Lacks   error                                    // of Sized: what the text lacks, and where to write it; nil for layouts of shared memory
	Element string                                   // the type of the elements, of a printed type; empty: any

	inBytes func(bits int) (Layout, error) // the layout for elements of these bits, where the text counts bytes; nil for all others
	others  []Format                       // the meanings for tensors of other ranks
}

// ForRank returns the layout for a tensor with this many dims. TensorRT's formats count C from the last dim, so that kCHW4 is NCHW4c
// for 4 dims and CHW4c for 3, and NHD is BNHC for 4; other names mean the same for every rank. (include/NvInferRuntime.h, TensorRT 11.1)
func (l Layout) ForRank(rank int) Layout { return l.fit(Format.Rank, rank) }

// ForAxes returns the layout for an array with this many axes.
func (l Layout) ForAxes(n int) Layout {
	return l.fit(func(f Format) int { return len(f.axes) }, n)
}

// fit returns the layout with the first of its formats that has this measure, or unchanged.
func (l Layout) fit(measure func(Format) int, n int) Layout {
	for _, f := range l.others {
		if measure(l.Format) != n && measure(f) == n {
			l.Format = f
		}
	}
	if l.CountsBytes() {
		ofBits := l.inBytes
		l.inBytes = func(bits int) (Layout, error) {
			other, err := ofBits(bits)
			return other.fit(measure, n), err
		}
	}
	return l
}

// omitN returns the order without N, for a name that does not spell it.
func omitN(s string, f Format) *Format {
	if strings.ContainsAny(s, "nN") || !countedFromEnd(s) {
		return nil
	}
	short, err := parseShort(strings.Replace(f.String(), "N", "", 1))
	if err != nil {
		return nil
	}
	return &short
}

// Parse reads any spelling of a layout: a canonical name in any case (nchw, NCHW4c), a framework's tag (nChw16c,
// aBcd16b, kCHW32, channels_last, {3,2,1,0:T(8,128)}), the explicit form (N C//4 H W C%4), a permutation (0,2,3,1), c and fortran, in
// words too (row-major, channels first), or a layout with its sizes, (2,3):(5,1)@2, swizzled or not, Sw<3,3,3> o 0 o (8,64):(64,1).
//
// Post: Parse(f.String()) gives f again for every Format f that it returns.
func Parse(s string) (Layout, error) {
	if len(s) > MaxBytes {
		return Layout{}, badLayout(s, "the name exceeds %d bytes", MaxBytes)
	}
	s = ofWord(s)
	switch strings.ToLower(s) {
	case "":
		return Layout{}, fault.New(fault.Usage, "the layout name is empty").WithHint("tlayout help layouts lists the names")
	case "c":
		return Layout{Own: OwnC}, nil
	case "fortran":
		return Layout{Own: OwnFortran}, nil
	case "preserve_format", "torch.preserve_format":
		return Layout{}, badLayout(s, "it keeps the tensor's strides and is not an order").WithHint("use an order: channels_last or c")
	}
	if f, note, ok, err := parsePermutation(s); ok {
		return Layout{Format: f, Note: note}, err
	}
	if strings.HasPrefix(s, "(") || isRankOne(s) {
		l, err := parseShapeStride(s)
		return Layout{Exact: &l}, listed(s, err)
	}
	if isSwizzled(s) {
		l, err := parseSwizzled(s)
		return Layout{Exact: &l, DType: pointedType(s), inBytes: ofBytes(s, l)}, err
	}
	f, known, err := parseFormat(s)
	if err != nil {
		return Layout{}, listed(s, err)
	}
	if f.Rank() == 0 || slices.Contains([]string{"C", "F"}, f.String()) { // {} of a scalar and a single dim are row-major too
		return Layout{Own: OwnC}, nil
	}
	l := Layout{Format: f, Note: known.note, DType: known.dtype, others: append(otherRanks(s, f), known.ofBits(usualBits).formats()...)}
	if known.inBytes() {
		l.inBytes = func(bits int) (Layout, error) { return l.ofBits(s, known.ofBits(bits)) }
	}
	return l, nil
}

// ofBits returns the layout of a name whose blocks count bytes, with the blocks of an alias for the elements.
func (l Layout) ofBits(s string, a alias) (Layout, error) {
	f, err := parseExplicit(a.format)
	if err != nil {
		return l, badLayout(s, "its blocks have fewer bytes than an element")
	}
	return Layout{Format: f, Note: l.Note, DType: l.DType, others: a.formats()}, nil
}

// dimList matches a list of letters: (B, S, H, D), BxSxHxD.
var dimList = lazy.Regexp(`^[(\[]?[A-Za-z](?:(?:, ?| ?[xX*-] ?)[A-Za-z])+[)\]]?$`)

// listed replaces an error's hint by the layout's name, if its dims were written as a list.
func listed(s string, err error) error {
	e, ok := err.(*fault.Error)
	if ok && strings.Contains(s, ",") && slices.ContainsFunc(SplitList(s), isWordDim) {
		dims, bad := ParseDims(s)
		if bad != nil {
			return bad
		}
		return e.WithHint("an order has blanks between its dims: '%s'", strings.Join(dims, " "))
	}
	if !ok || !dimList.Get().MatchString(s) {
		return err
	}
	name := strings.NewReplacer(",", "", " ", "", "(", "", ")", "", "[", "", "]", "", "*", "", "-", "").Replace(s)
	if strings.ContainsAny(s, "xX") && !strings.ContainsAny(s, ",*-") {
		name = strings.NewReplacer("x", "", "X", "").Replace(name)
	}
	return e.WithHint("write the letters without separators: %s", name)
}

// parseFormat parses the name of a Format; meant has the remark and type of an alias.
func parseFormat(s string) (f Format, known alias, err error) {
	if strings.HasPrefix(s, "{") {
		f, err = parseXLA(s)
		return f, alias{}, err
	}
	if strings.HasPrefix(s, "affine_map") {
		f, err = ParseAffine(s)
		return f, alias{}, err
	}
	if m := jaxLayout.Get().FindStringSubmatch(s); m != nil {
		return parseJAX(s, m)
	}
	if isExplicit(s) {
		f, err = parseExplicit(s)
		return f, alias{}, err
	}
	if strings.ContainsRune(s, '[') {
		plain := strings.NewReplacer("[", "", "]", "").Replace(s)
		return Format{}, alias{}, badLayout(s, "TVM's [ ] packs blocks into one axis of the shape").
			WithHint("remove the brackets; the memory order is the same: %s", text.Quote(clip(plain)))
	}
	known, err = resolveAlias(s)
	if err != nil {
		return Format{}, alias{}, err
	}
	format := known.ofBits(usualBits).format
	if format == s && IsLetters(s) && !isUnspaced(s) {
		return Format{}, alias{}, unknownWord(s)
	}
	parse := parseShort
	if isExplicit(format) {
		parse = parseExplicit
	}
	f, err = parse(format)
	if err != nil {
		return Format{}, alias{}, suggest(s, err)
	}
	return f, known, nil
}

// isExplicit reports whether a name is in the explicit form.
func isExplicit(s string) bool {
	return strings.ContainsAny(s, " %") || strings.Contains(s, "//") || isNumberedDim(s)
}

// Well-known names, in the order in which help lists them.
var wellKnown = []string{"nchw", "nhwc", "chwn", "nchw4", "nchw8", "nchw16", "nchw32", "nchw64", "chwn4", "nhwcd4",
	"nchw44", "nchw88", "ncdhw", "ndhwc", "chw", "hwc", "hw", "wh", "dhw", "whd", "oihw", "hwio", "ohwi",
	"nChw8c", "nChw16c", "NCHW4c", "OIhw4i16o4i", "kCHW32", "kHWC8", "channels_last", "channels_last_3d", "c", "fortran"}

// WellKnown returns layout names for help and completion.
func WellKnown() []string { return wellKnown }

// suggest adds the nearest well-known name as a hint.
func suggest(s string, err error) error {
	e, ok := err.(*fault.Error)
	if !ok || e.Hint != "" {
		return err
	}
	if near := suggestion(s); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("write a memory order, outermost axis first: nchw, nhwc, NCHW4c; tlayout help layouts lists the names")
}

// suggestion returns the well-known name nearest to a misspelt one, or "".
func suggestion(s string) string {
	return cmp.Or(text.Nearest(s, wellKnown), text.Nearest(s, longNames()))
}

// longNames returns the names that are words of at least six letters: a shorter one is near to any word.
var longNames = sync.OnceValue(func() (names []string) {
	for _, a := range aliases {
		if a.literal && len(a.name) >= 6 {
			names = append(names, a.name)
		}
	}
	for _, r := range Refused {
		if len(r.Name) >= 6 {
			names = append(names, r.Name)
		}
	}
	return names
})

// splitHint returns the name to write in place of one that ends in a number: that splits the channels, or else the innermost dim. It is empty for
// letters that are no dims.
func splitHint(s, number string) string {
	upper := strings.ToUpper(s)
	letters := strings.TrimSuffix(upper, number)
	if letters == "NC1HWC" { // CANN's, with the number for C0
		return "if C0 is " + number + ", write NCHW" + number + "c"
	}
	if !IsLetters(letters) || !isUnspaced(letters) {
		return ""
	}
	dim := "C"
	if !strings.Contains(letters, dim) {
		dim = letters[len(letters)-1:]
	}
	return "if it splits " + dim + ", write " + upper + strings.ToLower(dim)
}

// maxBlock bounds a block's size; the largest common one is 128.
const maxBlock = 1 << 20

// written is an axis as a name spells it: a letter, or a block of it.
type written struct {
	letter byte // upper case
	block  int  // 0: the outer axis
}

// parseShort parses the grammar of canonical names, in any case:
//
//	layout := axis+        axis := LETTER | INT LETTER
//
// Each letter appears exactly once without a number; blocks of 1 are dropped.
func parseShort(s string) (Format, error) {
	var axes []written
	for rest := s; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, numerals))
		if digits == len(rest) {
			return Format{}, badLayout(s, "the %s at the end lacks the letter of the dim that it splits", rest).WithHint("%s", splitHint(s, rest))
		}
		letter := rest[digits]
		if !isLetter(letter) {
			return Format{}, badLayout(s, "%q is not an axis letter", rune(letter))
		}
		w := written{letter: letter &^ 0x20}
		if digits > 0 {
			n, err := strconv.Atoi(rest[:digits])
			if err != nil || n < 1 || n > maxBlock {
				return Format{}, badLayout(s, "block %s is outside 1 to %d", rest[:digits], maxBlock)
			}
			w.block = n
		}
		axes = append(axes, w)
		rest = rest[digits+1:]
	}
	return fromWritten(s, axes)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// outerLetters returns the letters of the outer axes, at most one axis per letter.
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
	if c := outOfPlace(letters); c != 0 {
		return nil, badLayout(s, "%c belongs to the positions A, B, C, …, which must not skip a letter", c)
	}
	return letters, nil
}

// fromWritten checks that every block has an outer axis, and sets each axis's divisor.
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
		if d < 0 {
			return Format{}, badLayout(s, "%d%c splits axis %c, which is missing", w.block, w.letter|0x20, w.letter)
		}
		switch w.block {
		case 0:
			f.axes = append(f.axes, Axis{Dim: d})
		case 1: // dropped
		default:
			f.axes = append(f.axes, Axis{d, div[d], w.block})
			if div[d] *= w.block; div[d] > maxBlock {
				return Format{}, badLayout(s, "the blocks of %c multiply to more than %d", w.letter, maxBlock)
			}
		}
	}
	slices.Reverse(f.axes)
	for k, a := range f.axes {
		if a.Extent == 0 {
			f.axes[k].Div = div[a.Dim]
		}
	}
	if len(f.axes) == 0 || len(f.axes) > tensor.MaxRank {
		return Format{}, badLayout(s, "it has %d axes, want 1 to %d", len(f.axes), tensor.MaxRank)
	}
	return f, nil
}

// badLayout returns the error for an unreadable name.
func badLayout(s, format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, format, args...)
	e.Text = "layout " + text.Quoted(clip(s)) + ": " + e.Text
	return e
}

// clip shortens a name for an error.
func clip(s string) string { return text.Cut(s, 81) }
