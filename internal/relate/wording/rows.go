package wording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/convention"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/text"
)

// maxNamed bounds the sources and slices that a wording names.
const maxNamed = 4

// Made says how a target is made.
type Made struct {
	How   string // [q, k, v] by head of 16 rows
	Rows  string // How, without the name of the source, if there is one
	Plain bool   // How says which rows are where
}

// Of returns the words for a tensor that is made of rows.
func Of(m pairing.Made) (w Made) {
	w.How, w.Plain = partsOf(m.Parts)
	if m.Cast != nil {
		w.How += ", as " + m.Cast.To
	}
	w.Rows = strings.TrimLeft(strings.TrimPrefix(w.How, name(m.Parts[0], m.Parts[0].Runs[0].Source)), ", ")
	return w
}

func partsOf(parts []pairing.Arrangement) (how string, plain bool) {
	first, plain := words(parts[0])
	if parts[0].Outer == pairing.Entire {
		return first, plain
	}
	second, _ := words(parts[1])
	if withoutNumbers(first) != withoutNumbers(second) {
		return first + " at index 0 of dim 0, and otherwise beyond", false
	}
	counted := counting(first, second)
	how = counted("e") + ", for each e of dim 0"
	exceptions := 0
	for e, a := range parts {
		own, _ := words(a)
		if own == counted(strconv.Itoa(e)) {
			continue
		}
		if exceptions == 0 {
			how = fmt.Sprintf("%s, but at %d %s", how, e, own)
		}
		exceptions++
	}
	if 2*exceptions > len(parts) {
		return first + " at index 0 of dim 0, and others at the others", false
	}
	if exceptions > 1 {
		how += fmt.Sprintf(", and %d more exceptions", exceptions-1)
	}
	return how, plain
}

var numbers = lazy.Regexp(`\d+`)

func withoutNumbers(s string) string { return numbers.Get().ReplaceAllString(s, "#") }

// counting returns a function that writes another number for each that is 0 in words for index 0 and 1 in those for index 1, which differ in
// numbers alone.
func counting(first, second string) func(number string) string {
	others := numbers.Get().FindAllString(second, -1)
	return func(number string) string {
		k := -1
		return numbers.Get().ReplaceAllStringFunc(first, func(n string) string {
			k++
			if n == "0" && others[k] == "1" {
				return number
			}
			return n
		})
	}
}

// words says how a target's rows are made of those of sources.
func words(a pairing.Arrangement) (how string, plain bool) {
	how, plain = wordsInOrder(a)
	return how + permuted(a), plain
}

func wordsInOrder(a pairing.Arrangement) (how string, plain bool) {
	runs := patternOf(a.Runs)
	first := a.Runs[0].Source
	single := !slices.ContainsFunc(a.Runs, func(r relate.Run) bool { return r.Source != first })
	if runs.isPermutation(a) {
		blocks := runs.blocks(a.Runs)
		how := fmt.Sprintf("%s in blocks of %d %s, %s", name(a, first), runs.unit, noun(a), text.Ints(blocks, " "))
		return how + called(a, first, convention.Change{Blocks: blocks}), true
	}
	if single {
		rows, plain := rowsOf(a, a.Sources[first].N)
		_, order, _ := strings.Cut(rows, "in order ")
		return indexed(a, first, rows) + called(a, first, convention.Change{Order: strings.Fields(order), Sizes: map[string]int{"row": a.Blocks[0].Rows()}}), plain
	}
	if runs.turns > 1 {
		return inTurn(a, runs), true
	}
	var names []string
	for _, r := range a.Runs {
		names = append(names, indexed(a, r.Source, rangeOf(r.From, r.N, a.Sources[r.Source].N)))
	}
	dim := a.Dim
	if a.Outer != pairing.Entire {
		dim++
	}
	list := "[" + text.First(maxNamed, names, ", ") + "]"
	plain = len(names) <= maxNamed
	if series := seriesOf(names); series != "" {
		list = series
		plain = true
	}
	return list + " along dim " + strconv.Itoa(dim), plain
}

// called returns the name of the order in which a target has a source's rows, after a colon; nothing if it has none.
func called(a pairing.Arrangement, source int, c convention.Change) string {
	c.Names = []string{a.Target, a.Sources[source].Name}
	name := c.Name()
	if name == "" {
		return ""
	}
	return ": " + name
}

// seriesOf returns one name for many that differ in numbers alone, which count from 0: [experts.e.w for e = 0 … 127]; "" if they do not.
func seriesOf(names []string) string {
	if len(names) <= maxNamed || withoutNumbers(names[0]) != withoutNumbers(names[1]) {
		return ""
	}
	counted := counting(names[0], names[1])
	for k, name := range names {
		if counted(strconv.Itoa(k)) != name {
			return ""
		}
	}
	return fmt.Sprintf("[%s for e = 0 … %d]", counted("e"), len(names)-1)
}

// inTurn says in which order the sources' rows recur.
func inTurn(a pairing.Arrangement, p pattern) string {
	var names, shares []string
	equal := true
	for _, r := range a.Runs[:p.period] {
		name := name(a, r.Source)
		names = append(names, name)
		shares = append(shares, fmt.Sprintf("%d of %s", r.N/p.unit, name))
		equal = equal && r.N == p.unit
	}
	list := "[" + text.First(maxNamed, names, ", ") + "]"
	if p.unit == 1 && equal {
		return list + ", " + noun(a) + " in turn"
	}
	heads, group := "in turn", "in turn"
	if areQKV(names) {
		heads, group = "by head", "by group"
	}
	if equal {
		return fmt.Sprintf("%s %s of %d %s", list, heads, p.unit, noun(a))
	}
	return fmt.Sprintf("%s %s: %s, %d %s each", list, group, strings.Join(shares, ", "), p.unit, noun(a))
}
