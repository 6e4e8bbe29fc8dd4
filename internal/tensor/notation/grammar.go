package notation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// maxBlock bounds a block's size; the largest in use is 128.
const maxBlock = 1 << 20

// written is one axis as a name spells it: a letter, or a block of one.
type written struct {
	letter byte // upper case
	block  int  // 0 for the outer axis
}

// parseShort reads the grammar of canonical names, in any case:
//
//	layout := axis+        axis := LETTER | INT LETTER
//
// Each letter stands exactly once without a number; blocks of 1 are dropped.
func parseShort(s string) (Format, error) {
	var axes []written
	for rest := s; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == len(rest) {
			return Format{}, badLayout(s, "the %s at the end has no letter that says which dim it splits", rest)
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

// fromWritten checks that every letter has one outer axis and gives each block its divisor.
func fromWritten(s string, axes []written) (Format, error) {
	var letters []byte
	for _, w := range axes {
		if w.block != 0 {
			continue
		}
		if slices.Contains(letters, w.letter) {
			return Format{}, badLayout(s, "axis %c stands twice", w.letter)
		}
		letters = append(letters, w.letter)
	}
	if c := unknownLetter(letters); c != 0 {
		return Format{}, badLayout(s, "%c is not a dim that frameworks name", c)
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
			return Format{}, badLayout(s, "%d%c splits an axis %c that is not there", w.block, w.letter|0x20, w.letter)
		case w.block == 1:
			continue
		case w.block > 1:
			f.axes = append(f.axes, Axis{d, div[d], w.block})
			if div[d] *= w.block; div[d] > maxBlock {
				return Format{}, badLayout(s, "the blocks of %c are larger than %d together", w.letter, maxBlock)
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
		return Format{}, badLayout(s, "it has %d axes, from 1 to %d are possible", len(f.axes), tensor.MaxRank)
	}
	return f, nil
}

// frameworkOrder ranks the letters of activations (N or B for the batch, C, T and L of sequences, D H W), weights
// (G O I D H W; K C R S) and outputs (N K P Q) in the order in which frameworks list a tensor's sizes.
const frameworkOrder = "GBNOKICTLDPRHQSW"

// logicalOrder returns the dims of a layout in the order in which its user writes shapes: by position where the
// letters are a, b, c, … without a gap (oneDNN's positional tags), by frameworkOrder otherwise. Letters that it does
// not know come last, as they were written.
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

// unknownLetter returns a letter of a name that is neither positional nor known to frameworks; 0 where there is none.
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

// positional reports whether the sorted letters are A, B, C, … without a gap, at most the twelve that oneDNN has.
func positional(sorted []byte) bool {
	for i, c := range sorted {
		if c != 'A'+byte(i) {
			return false
		}
	}
	return len(sorted) > 0 && len(sorted) <= 12
}

// Positional reports whether the dims are named by position only, and take their names from the tensor.
func (f Format) Positional() bool {
	letters := lettersOf(f.names)
	return len(letters) == len(f.names) && positional(letters)
}

func badLayout(s, format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, format, args...)
	e.Text = "layout \"" + words.Quote(clip(s)) + "\": " + e.Text
	return e
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
