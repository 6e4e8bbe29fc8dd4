package notation

import (
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/text"
)

// A dim is called by a letter, in upper case; by its number, d0, where it has no name; or by a word, in lower case, which stands only between
// commas or blanks: blocks,heads,dim and "blocks heads dim". So no word is read as letters, and no letters as a word.

// maxDimName bounds a dim's name in bytes.
const maxDimName = 32

// wordDim matches a word of at least two characters that is a dim.
var wordDim = lazy.Regexp(`^[a-z][a-z0-9_]+$`)

// isWordDim reports whether a name is a word, and not a letter or a number.
func isWordDim(s string) bool {
	return len(s) <= maxDimName && wordDim.Get().MatchString(s) && !isNumberedDim(s)
}

// isNumberedDim reports whether s is the explicit form of a single unnamed dim: d0.
func isNumberedDim(s string) bool {
	return len(s) > 1 && s[0]|0x20 == 'd' && isNumber(s[1:])
}

// isGivenName reports whether a user may call a dim by this name: a letter or a word.
func isGivenName(s string) bool {
	if len(s) == 1 {
		return isLetter(s[0])
	}
	return isWordDim(s)
}

// isDimName reports whether an explicit form may have this name.
func isDimName(s string) bool {
	return isGivenName(s) || isNumberedDim(s) && len(s) <= 4
}

// AnyNumbered reports whether a dim has a number, d0, for want of a name.
func AnyNumbered(names []string) bool { return slices.ContainsFunc(names, isNumberedDim) }

// canonicalDim returns a dim's name in its own case.
func canonicalDim(s string) string {
	if len(s) == 1 {
		return strings.ToUpper(s)
	}
	return strings.ToLower(s)
}

// JoinDims writes the names of dims in an order: NCHW of letters, "blocks heads dim" of words and numbers.
func JoinDims(names []string) string {
	if len(lettersOf(names)) == len(names) {
		return strings.Join(names, "")
	}
	return strings.Join(names, " ")
}

// misspelled returns the layout that words are a misspelling of, "chanels last"; "" if they are dims of the user's own.
func misspelled(s string, names []string) string {
	if !slices.ContainsFunc(names, isWordDim) {
		return ""
	}
	if near := suggestion(strings.ReplaceAll(s, " ", "_")); near != "" {
		return near
	}
	return text.Nearest(squeezed(s), slices.Sorted(maps.Keys(layoutOfWord())))
}

// ParseDims reads the names of dims as a list or a word: B,T,H,D (B, T, H, D) bthd; blocks,heads,dim. Letters are in any case. Errors are
// fault.Usage.
func ParseDims(s string) ([]string, error) {
	dims := SplitList(s)
	if len(dims) == 1 {
		dims = strings.Split(dims[0], "")
	}
	return NamedDims(dims)
}

// NamedDims reads the names of dims one by one, as ParseDims does.
func NamedDims(given []string) ([]string, error) {
	dims := make([]string, len(given))
	for i, given := range given {
		name := strings.TrimSpace(given)
		if len(name) == 1 {
			name = canonicalDim(name)
		}
		if isNumber(name) {
			return nil, fault.New(fault.Usage, "%s is a size, not the name of a dim", text.Quoted(text.Cut(name, 40))).
				WithHint("name every dim: blocks,kv,tokens,heads,dim; --shape has the sizes")
		}
		if !isGivenName(name) {
			return nil, notADim(given)
		}
		if name == "A" {
			return nil, fault.New(fault.Usage, "A is the first position of layouts such as abcd, not a name").WithHint("choose another letter")
		}
		if slices.Contains(dims[:i], name) {
			return nil, fault.New(fault.Usage, "dim %s is repeated", name)
		}
		dims[i] = name
	}
	return dims, nil
}

// notADim is the error for a text that cannot name a dim.
func notADim(s string) error {
	return fault.New(fault.Usage, "%s is not a dim: want a letter, or a word of at most %d small letters, digits and _", text.Quoted(text.Cut(s, 40)), maxDimName).
		WithHint("write N,H,W,C or blocks,heads,dim")
}
