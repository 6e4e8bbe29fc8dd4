package notation

import (
	"slices"
	"strings"
)

// A name of letters without blanks is a layout only if its letters are those that frameworks give to dims, so that a word, such as coreml or
// dicom, is none. Sets of letters, each with what it must have:
//
//	one letter        any
//	positions         A B C …, without a gap
//	weights           G O I D H W with O and I; of RNNs L D G O I with L, D and O; filters G K C T R S with K, C, R and S
//	scores            B H I J with I and J
//	outputs           N K Z P Q with N, K, P and Q
//	pixels by X, Y    B N S T C G K Z Y X with Y and X
//	matrices          B M N K with M
//	frames            B N F T C D H W with F, H and W
//	all others        B N S T L H K Q G D C W: images, sequences and attention
//
// Dims of the user's own are separated by blanks: "T I L E".
var unspacedSets = []struct{ letters, with string }{
	{weightLetters, "OI"},
	{"LDGOI", "LDO"},
	{filterLetters, "KCRS"},
	{"BHIJ", "IJ"},
	{"NKZPQ", "NKPQ"},
	{"BNSTCGKZYX", "YX"},
	{"BMNK", "M"},
	{"BNFTCDHW", "FHW"},
	{"BNSTLHKQGDCW", ""},
}

const weightLetters = "GOIDHW"

// isUnspaced reports whether a name of these letters is a layout without blanks between them.
func isUnspaced(letters string) bool {
	letters = strings.ToUpper(letters)
	if len(letters) == 1 || positional(slices.Sorted(slices.Values([]byte(letters)))) {
		return true
	}
	for _, set := range unspacedSets {
		if onlyOf(letters, set.letters) && containsAll(letters, set.with) {
			return true
		}
	}
	return false
}

// onlyOf reports whether a text has none but these letters.
func onlyOf(s, letters string) bool { return strings.Trim(s, letters) == "" }

// containsAll reports whether a text has all of these letters.
func containsAll(s, letters string) bool {
	return !strings.ContainsFunc(letters, func(r rune) bool { return !strings.ContainsRune(s, r) })
}

// IsLetters reports whether a name has only letters.
func IsLetters(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r > 'z' || !isLetter(byte(r)) })
}

// maxSpelt is the number of letters up to which a word may be meant as dims.
const maxSpelt = 4

// mayBeDims reports whether the letters of an unknown word may be meant as dims: few, and each once.
func mayBeDims(s string) bool {
	letters := []byte(strings.ToUpper(s))
	slices.Sort(letters)
	return len(s) <= maxSpelt && len(slices.Compact(letters)) == len(s)
}

// unknownWord is the error for letters that do not name a layout. Its hint spells a short word as dims of the user's own, if they can be, and
// names the list of known names for others.
func unknownWord(s string) error {
	e := badLayout(s, "no framework calls dims by these letters")
	if suggestion(s) != "" {
		return suggest(s, e)
	}
	spaced := strings.Join(strings.Split(strings.ToUpper(s), ""), " ")
	if _, err := parseExplicit(spaced); err == nil && mayBeDims(s) {
		return e.WithHint("dims of your own are separated by blanks: '%s'", spaced)
	}
	return e.WithHint("tlayout formats lists the known names")
}
