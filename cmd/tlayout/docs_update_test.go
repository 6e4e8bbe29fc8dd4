package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// updated returns a document with its examples' outputs replaced by got. A line "…" still stands for lines like none in the document, and
// lines that differ only in times stay. The examples are in the order of the text.
func updated(text string, found []example, got []string) string {
	lines := strings.Split(text, "\n")
	for n := len(found) - 1; n >= 0; n-- {
		e := found[n]
		if outputMatches(e.want, got[n]) {
			continue
		}
		shown := merged(trimmed(e.want), trimmed(got[n]))
		lines = append(lines[:e.begin:e.begin], append(shown, lines[e.end:]...)...)
	}
	return strings.Join(lines, "\n")
}

// trimmed returns the lines of an output, without trailing blanks and without empty lines at both ends.
func trimmed(output string) []string {
	lines := strings.Split(output, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	output = strings.Trim(strings.Join(lines, "\n"), "\n")
	if output == "" {
		return nil
	}
	return strings.Split(output, "\n")
}

// merged returns what a document that shows want should show of got: the lines of got that are like one of want, all lines where want has
// no "…", and "…" for the others.
func merged(want, got []string) []string {
	pairs := aligned(want, got)
	var shown []string
	at, after := 0, 0 // lines of want and got that are done
	gap := func(w, g int) {
		switch {
		case !hasEllipsis(want[at:w]):
			shown = append(shown, got[after:g]...)
		case g > after:
			shown = append(shown, "…")
		}
	}
	for w, g := range pairs {
		if g < 0 {
			continue
		}
		gap(w, g)
		line := got[g]
		if normal(want[w]) == normal(line) {
			line = want[w]
		}
		shown = append(shown, line)
		at, after = w+1, g+1
	}
	gap(len(want), len(got))
	return shown
}

func isEllipsis(line string) bool {
	line = strings.TrimSpace(line)
	return line == "…" || line == "..."
}

func hasEllipsis(lines []string) bool {
	for _, line := range lines {
		if isEllipsis(line) {
			return true
		}
	}
	return false
}

// aligned matches lines of want with lines of got, in the order of both, so that the sum of similarities is largest. It returns an index of
// got for each line of want, or -1.
func aligned(want, got []string) []int {
	best := make([][]float64, len(want)+1) // best[w][g]: of want[w:] and got[g:]
	like := func(w, g int) float64 {
		s := similarity(want[w], got[g])
		if !isEllipsis(want[w]) && (w == 0 && g == 0 || w == len(want)-1 && g == len(got)-1) {
			s += 0.5 // first and last lines of an output match, whatever their words
		}
		return s
	}
	for w := len(want); w >= 0; w-- {
		best[w] = make([]float64, len(got)+1)
		for g := len(got); g >= 0; g-- {
			if w == len(want) || g == len(got) {
				continue
			}
			best[w][g] = max(best[w+1][g], best[w][g+1])
			if s := like(w, g); s >= 0.5 {
				best[w][g] = max(best[w][g], s+best[w+1][g+1])
			}
		}
	}
	pairs := make([]int, len(want))
	g := 0
	for w := range want {
		pairs[w] = -1
		for g < len(got) && best[w][g] == best[w][g+1] && best[w][g] > best[w+1][g] {
			g++
		}
		if g < len(got) && best[w][g] > best[w+1][g] {
			pairs[w] = g
			g++
		}
	}
	return pairs
}

// similarity is 2 for lines equal up to times, otherwise the fraction of words that both have, below 1.
func similarity(want, got string) float64 {
	if isEllipsis(want) || (want == "") != (got == "") {
		return 0
	}
	if normal(want) == normal(got) {
		return 2
	}
	words := map[string]int{}
	for _, word := range strings.Fields(want) {
		words[word]++
	}
	common := 0
	for _, word := range strings.Fields(got) {
		if words[word] > 0 {
			words[word]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(strings.Fields(want))+len(strings.Fields(got))+1)
}

// TestUpdated: an updated document matches the program, keeps "…" and lines that differ only in times, and changes nothing but outputs.
// Updating twice is updating once.
func TestUpdated(t *testing.T) {
	for _, c := range []struct{ name, want, got, shown string }{
		{"equal", "a\nb", "a\nb", "a\nb"},
		{"the first line and a row", "title one\n…\n row 1 two 3", "title 1\nother\n row 1 two 4\nend", "title 1\n…\n row 1 two 4\nend"},
		{"the rest stays hidden", "title one\n…", "title 1\nx\ny", "title 1\n…"},
		{"nothing is hidden any more", "title\n…", "heading", "heading"},
		{"the middle", "a 1\n…\nthe fact is here\n…", "a 1\nx\nthe fact was here\ny", "a 1\n…\nthe fact was here\n…"},
		{"new lines where nothing was left out", "a\nc", "a\nb\nc", "a\nb\nc"},
		{"gone", "a\nb\n…\nz z", "a\nq\nz z", "a\n…\nz z"},
		{"times stay", "960 bytes moved in 19.7 µs, 0.0487 GB/s\nold", "960 bytes moved in 1 ms, 3 GB/s\nnew", "960 bytes moved in 19.7 µs, 0.0487 GB/s\nnew"},
		{"the end", "…\nlast one", "x\ny\nfinal", "…\nfinal"},
		{"empty lines", "a\n\nb 1 2 3\n…", "a\nz\n\nb 1 2 4\n…", "a\nz\n\nb 1 2 4\n…"},
		{"nothing was said", "", "a\nb", "a\nb"},
		{"nothing is printed", "a\n…", "", ""},
	} {
		shown := strings.Join(merged(trimmed(c.want), trimmed(c.got)), "\n")
		if shown != c.shown {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.shown, shown))
		}
		if !outputMatches(shown, c.got) {
			t.Errorf("%s: what is shown does not match", c.name)
		}
		if again := strings.Join(merged(trimmed(shown), trimmed(c.got)), "\n"); again != shown {
			t.Errorf("%s: again: %s", c.name, cmp.Diff(shown, again))
		}
	}
	text := "# A\n```\n$ tlayout a \\\n> b\nout\n\n$ tlayout c\n```\ntext\n```sh\n$ tlayout d\n```\n"
	found := examples("x.md", text)
	want := "# A\n```\n$ tlayout a \\\n> b\nnew\n\n$ tlayout c\nc\n```\ntext\n```sh\n$ tlayout d\nd\n```\n"
	if diff := cmp.Diff(want, updated(text, found, []string{"new\n", "c\n", "d\n"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(text, updated(text, found, []string{"out\n", "", ""})); diff != "" {
		t.Error(diff)
	}
}
