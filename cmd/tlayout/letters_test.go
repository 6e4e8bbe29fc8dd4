package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// imageWords are names of the dims of images. Row-major and channels_last do not count, nor do the rows of a drawn memory, which are cache
// lines.
var imageWords = regexp.MustCompile(`(?i)\b(images?|slices?|channels?|columns?|pixels?|rows?)\b([^-]|$)`)

// letterScreens are commands that show a tensor of four dims, in the order DIMS, in the memory order LAYOUT.
var letterScreens = []string{
	"inspect --shape 2,3,9,40 --from LAYOUT", "inspect --shape 2,3,9,40 --from LAYOUT --explain",
	"inspect --shape 2,3,2,4 --from LAYOUT --storage", "formats LAYOUT", "formats LAYOUT --shape 2,3,9,40",
	"draw --shape 2,3,9,40 --from LAYOUT --limit 30", "draw --shape 2,3,2,4 --from DIMS --layouts DIMS,LAYOUT",
	"trace --shape 2,3,9,40 --from LAYOUT transpose(1,2) contiguous", "plan --shape 2,3,9,40 --from DIMS --to LAYOUT",
	"offset --shape 2,3,9,40 --from LAYOUT --at 7", "plan --shape 2,3,9,40 --from LAYOUT --to DIMS",
}

// TestLetters: for letters other than those of images, no screen has a word for the dims of images, in any memory order, and each shows the
// dims in the order as written.
func TestLetters(t *testing.T) {
	screens := 0
	for _, dims := range []string{"bshd", "bnsh"} {
		for _, layout := range random.Sample(orders(dims), 6) {
			for _, screen := range letterScreens {
				args := strings.Fields(strings.NewReplacer("LAYOUT", layout, "DIMS", dims).Replace(screen))
				text := strings.ReplaceAll(tlayout(t, args...), "a row is a cache line", "")
				if word := imageWords.FindString(text); word != "" {
					t.Errorf("%s: %q in\n%s", strings.Join(args, " "), word, text)
				}
				screens++
			}
		}
	}
	if screens != 2*len(random.Sample(make([]int, 24), 6))*len(letterScreens) {
		t.Errorf("%d screens", screens)
	}
}

// orders lists all permutations of some letters.
func orders(letters string) (all []string) {
	if letters == "" {
		return []string{""}
	}
	for i, c := range letters {
		for _, rest := range orders(letters[:i] + letters[i+1:]) {
			all = append(all, string(c)+rest)
		}
	}
	return all
}
