package vector

import "strings"

// Blanks that keep their width: as wide as a digit, and as a blank is.
const figureBlank, firmBlank = '\u2007', '\u00a0'

// spread gives blanks beside each other, and those at either end, the width of a digit each, so that numbers which
// stand one below the other line up. SVG would make one of them.
func spread(words string, mono bool) string {
	if words == "" || !strings.Contains(words, "  ") && words[0] != ' ' && words[len(words)-1] != ' ' {
		return words
	}
	firm := figureBlank
	if mono {
		firm = firmBlank
	}
	runes := []rune(words)
	for i, r := range runes {
		beside := i == 0 || i == len(runes)-1 || runes[i-1] == firm || runes[i+1] == ' '
		if r == ' ' && beside {
			runes[i] = firm
		}
	}
	return string(runes)
}
