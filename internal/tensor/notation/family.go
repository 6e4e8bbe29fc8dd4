package notation

import (
	"slices"
	"strings"
)

// The letters of a name determine its dims and their logical order. The families, whose dims have the frameworks' order in every memory
// order:
//
//	images     N C D H W, weights G O I D H W   any of these letters, in this order: G N O I C D H W; H with W, and D with both
//	           B C H W, B C D H W               a batch called B
//	signals    N C L                            as N C W: L is the W of 1-D convolutions
//	filters    G K C T R S                      cuDNN's and CUTLASS's weights: K, C, R and S, and perhaps G and T
//	outputs    N K P Q                          of those filters
//	matrices   M K, M N                         and of scale factors
//	experts    E M K                            a matrix each
//	caches     L B K H N C                      of keys and values, with B, H, N and C at least; see cache.go
//	positions  A B C …                          oneDNN's tags, up to L, without a gap
//
// All other dims have the order as written, and only letters for names: B S H D and T H D of attention, where H are heads, N H D of
// FlashInfer, N T C H W of video, T N C of sequences, K N and N K of weights. So the sizes of "bhsd" are B,H,S,D, and the memory order is the
// logical one; --from bshd --to bhsd matches dims by their letters.
const (
	imageLetters  = "GNOICDHW"
	batchLetters  = "BCDHW"
	filterLetters = "GKCTRS"
	outputLetters = "NKPQ"
	matrixLetters = "MKN"
	expertLetters = "EMK"
	signalLetters = "NCL"
)

// knownFamilies are tried in this order.
var knownFamilies = []struct {
	order string                    // its letters, in logical order
	with  string                    // letters that a name must have
	also  func(letters string) bool // what else it must fulfill; nil: nothing
}{
	{order: imageLetters, also: hasPixels},
	{order: batchLetters, with: "BCHW"},
	{order: signalLetters, with: "CL"},
	{order: filterLetters, with: "KCRS"},
	{order: outputLetters, with: "NKPQ"},
	{order: matrixLetters, with: "M", also: func(letters string) bool { return len(letters) == 2 }},
	{order: expertLetters, with: "EMK"},
	{order: cacheLetters, with: "BHNC"},
}

// hasPixels reports whether rows have columns, and slices have both.
func hasPixels(letters string) bool {
	if strings.Contains(letters, "D") {
		return containsAll(letters, "HW")
	}
	return !strings.Contains(letters, "H") || strings.Contains(letters, "W")
}

// familyOrder returns the order of the letters' family; ok is false for dims without a family.
func familyOrder(letters []byte) (order string, ok bool) {
	s := string(letters)
	for _, f := range knownFamilies {
		if !onlyOf(s, f.order) || !containsAll(s, f.with) {
			continue
		}
		if f.also == nil || f.also(s) {
			return f.order, true
		}
	}
	return "", false
}

// LogicalOrder returns the names of dims in logical order: N,C,H,W for N,H,W,C, and unchanged for B,T,H,D.
func LogicalOrder(dims []string) []string {
	letters := lettersOf(dims)
	if len(letters) != len(dims) || positional(slices.Sorted(slices.Values(letters))) {
		return dims
	}
	return logicalOrder(letters)
}

// logicalOrder returns the dims of a layout in the order of shapes; letters are those of the outer axes as written, outermost first.
func logicalOrder(letters []byte) []string {
	return strings.Split(string(sortedLetters(letters)), "")
}

// sortedLetters sorts the letters of a family in its order, and those of positions; others stay as written.
func sortedLetters(letters []byte) []byte {
	sorted := slices.Sorted(slices.Values(letters))
	if order, ok := familyOrder(letters); ok {
		slices.SortFunc(sorted, func(a, b byte) int { return strings.IndexByte(order, a) - strings.IndexByte(order, b) })
		return sorted
	}
	if positional(sorted) {
		return sorted
	}
	return letters
}

// positional reports whether the sorted letters are A, B, C, … without a gap, at most oneDNN's twelve.
func positional(sorted []byte) bool {
	for i, c := range sorted {
		if c != 'A'+byte(i) {
			return false
		}
	}
	return len(sorted) > 0 && len(sorted) <= 12
}

// Positional reports whether the dims are named only by position; they take the tensor's names.
func (f Format) Positional() bool {
	letters := lettersOf(f.names)
	return len(letters) == len(f.names) && positional(letters)
}

// outOfPlace returns an A that is not a position: no framework calls a dim A. 0: none.
func outOfPlace(letters []byte) byte {
	if slices.Contains(letters, 'A') && !positional(slices.Sorted(slices.Values(letters))) {
		return 'A'
	}
	return 0
}

// Lettered reports whether the dims' names are letters that a canonical name may have.
func (f Format) Lettered() bool {
	letters := lettersOf(f.names)
	return len(letters) == len(f.names) && outOfPlace(letters) == 0
}

// dimNouns are the common words for an index of a family's dim.
var dimNouns = map[string]string{"N": "image", "B": "image", "C": "channel", "D": "slice", "H": "row", "W": "column",
	"O": "output channel", "I": "input channel", "G": "group"}

// DimNoun returns the common word for an index of dim d of a tensor with these dims: row, for the H of N,C,H,W; ok is false for dims
// without one, such as all dims without a family.
func DimNoun(names []string, d int) (noun string, ok bool) {
	family, ok := familyOrder(lettersOf(names))
	if !ok || family == matrixLetters || len(lettersOf(names)) != len(names) {
		return "", false
	}
	nouns := dimNouns
	if family == cacheLetters {
		nouns = cacheNouns
	}
	noun, ok = nouns[names[d]]
	return noun, ok
}

// AsWritten reports whether the names are letters of no family, so that their order is the one as written.
func AsWritten(names []string) bool {
	letters := lettersOf(names)
	_, family := familyOrder(letters)
	return len(letters) == len(names) && !family && !positional(slices.Sorted(slices.Values(letters)))
}
