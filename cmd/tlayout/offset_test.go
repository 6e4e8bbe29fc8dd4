package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/text"
)

// TestOffsetBothWays: for layouts on the command line, --at returns every coordinate for its offset.
func TestOffsetBothWays(t *testing.T) {
	d := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		l := fixture.SomeLayout(d)
		var coords []string
		fixture.EachCoord(l, func(coord []int, _ int) { coords = append(coords, text.Ints(coord, ",")) })
		layout := "--from=" + l.String()
		there := decode(t, tlayout(t, append([]string{"offset", "--json", layout}, coords...)...))
		var offsets []string
		for k := range coords {
			off, _ := valueAt(there, fmt.Sprintf("results.%d.offset", k))
			offsets = append(offsets, fmt.Sprint(off))
		}
		back := decode(t, tlayout(t, "offset", "--json", layout, "--at", strings.Join(offsets, ",")))
		for k, coord := range coords {
			found, _ := valueAt(back, fmt.Sprintf("results.%d.coords", k))
			text := func(c any) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", ","), "[]") }
			if !slices.ContainsFunc(found.([]any), func(c any) bool { return text(c) == coord }) {
				t.Errorf("%s: %s lies at %s, where %v lie", l, coord, offsets[k], found)
			}
		}
	}
}

// TestOffsetScreen: the answer about an element of an ordinary tensor, or its cache line, fits 20 lines of 80 columns; several elements have
// a line each.
func TestOffsetScreen(t *testing.T) {
	d := rand.New(rand.NewPCG(8, 9))
	for range 60 {
		l := fixture.SomeLayout(d)
		if l.Numel() == 0 {
			continue
		}
		coord := make([]int, l.Rank())
		for i, n := range l.Shape() {
			coord[i] = d.IntN(n)
		}
		layout, at := "--from="+l.String(), fmt.Sprintf("--at=%d", l.At(coord...))
		one := text.Ints(coord, ",")
		for _, args := range [][]string{{one}, {at}, {one, "--line-size", "64"}, {at, "--line-size", "64"}, {one, at, one, at}} {
			o := runIn(t, []func(*cli.Streams){onTerminal(80)}, append([]string{"offset", layout}, args...)...)
			if lines := strings.Count(o.out, "\n"); o.code != 0 || lines > 20 {
				t.Errorf("offset %s %v: %d lines, exit code %d: %s\n%s", layout, args, lines, o.code, o.err, o.out)
			}
		}
	}
}
