package offset

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

func (r *report) write(a *cli.App) error {
	if a.Format == cli.JSON {
		return cli.WriteJSON(a.Stdout, r, true)
	}
	a.Warn(r.Warnings)
	if a.Format == cli.CSV {
		return r.csv().CSV(a.Stdout)
	}
	for i := range r.Results {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		if err := r.writeResult(a, &r.Results[i]); err != nil {
			return err
		}
	}
	for i, note := range r.remarks() {
		if i == 0 {
			fmt.Fprintln(a.Stdout)
		}
		if _, err := fmt.Fprintln(a.Stdout, a.Item(note)); err != nil {
			return err
		}
	}
	return nil
}

// writeResult writes the answer, how it comes about, and the line.
func (r *report) writeResult(a *cli.App, result *offsetResult) error {
	if err := cli.WriteAnswer(a, r.headline(result)); err != nil {
		return err
	}
	label := ""
	for i, w := range r.work(result) {
		if i == 0 {
			fmt.Fprintln(a.Stdout)
		}
		if _, err := fmt.Fprintln(a.Stdout, workText(a, w, w.label != label)); err != nil {
			return err
		}
		label = w.label
	}
	if result.Line == nil {
		return nil
	}
	return r.writeLine(a, result.Line)
}

// workText is a line of the calculation. Lines of one label stand below each other.
func workText(a *cli.App, w workLine, labelled bool) string {
	switch {
	case a.Format == cli.Markdown && w.sum:
		return fmt.Sprintf("- %s: `%s`", w.label, w.text)
	case a.Format == cli.Markdown:
		return fmt.Sprintf("- %s: %s", w.label, w.text)
	case !labelled:
		w.label = ""
	}
	return a.Streams.Fold(fmt.Sprintf("%-8s  %s", w.label, w.text), 10)
}

// remarks say which shape the coordinates are of, and what else is worth knowing.
func (r *report) remarks() []string {
	var lines []string
	if len(r.Shape) > 0 {
		s := "coordinates are logical: " + dimSizes(r.tensor.Layout)
		if r.Layout != "" {
			s += ", in memory order " + r.Layout
		}
		if r.LayoutAssumed {
			s += " (assumed; --layout names another)"
		}
		lines = append(lines, s)
	}
	return append(lines, cli.NoteLines(r.Notes)...)
}

// name is the source as sentences call it.
func (r *report) name() string { return source.DisplayName(r.Source) }

// headline answers: x.npy[1,0,1] lies at offset 7, byte 28 (156 in the file), value 3.5.
func (r *report) headline(result *offsetResult) string {
	place := result.words()
	if outside := result.Offset < 0 || result.Offset >= r.Storage; outside {
		place += fmt.Sprintf(", outside of the storage of %d", r.Storage)
	}
	switch n := result.Elems; {
	case result.Coord != nil:
		return fmt.Sprintf("%s%s lies at offset %d, %s", r.name(), words.Brackets(result.Coord), result.Offset, place)
	case result.Padding != nil:
		return fmt.Sprintf("offset %d of %s is padding %s", result.Offset, r.name(), result.Padding.Why)
	case n == 0:
		return fmt.Sprintf("offset %d of %s: which elements lie there would take too long to find out; %s",
			result.Offset, r.name(), place)
	case n == 1 && result.Complete:
		return fmt.Sprintf("offset %d of %s holds %s%s, %s", result.Offset, r.name(), r.name(), words.Brackets(result.Coords[0]), place)
	default:
		return fmt.Sprintf("offset %d of %s holds %s elements, %s", result.Offset, r.name(), result.count(n), place)
	}
}

// bytes is where the element begins: 28 (156 in the file).
func (p place) bytes() string {
	s := strconv.FormatInt(p.Byte, 10)
	if p.FileByte != nil {
		s += fmt.Sprintf(" (%d in the file)", *p.FileByte)
	}
	return s
}

// words are the element's byte and its value.
func (p place) words() string {
	s := "byte " + p.bytes()
	if p.Value != nil {
		s += ", value " + words.Shorten(*p.Value)
	}
	return s
}

// count is a number of elements, which may be more than were looked for.
func (r *offsetResult) count(n int) string {
	if r.Complete {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("at least %d", n)
}

// workLine is a line of the calculation under its label: a sum, or words.
type workLine struct {
	label, text string
	sum         bool
}

// work is how an answer comes about.
func (r *report) work(result *offsetResult) []workLine {
	var lines []workLine
	add := func(label string, sum bool, texts ...string) {
		for _, text := range texts {
			lines = append(lines, workLine{label, text, sum})
		}
	}
	l := r.tensor.Layout
	switch {
	case result.Coord != nil:
		add("digits", true, explain.NewAddress(l, result.Coord).DigitLines()...)
		add("offset", true, result.Formula)
		if r.ItemSize != 1 {
			add("byte", true, result.ByteFormula)
		}
		if result.FileByte != nil {
			begin := *r.DataOffset
			add("in file", false, fmt.Sprintf("%d + %d = %d: the data begin at byte %d", begin, result.Byte, *result.FileByte, begin))
		}
	case result.Division != nil:
		add("division", true, result.Division.lines(l.Offset())...)
	default:
		for _, coord := range result.Coords[:min(len(result.Coords), shownCoords)] {
			add("offset", true, explain.NewAddress(l, coord).String())
		}
	}
	if result.Padding != nil {
		add("byte", false, result.bytes())
		if result.Value != nil {
			add("value", false, words.Shorten(*result.Value))
		}
	}
	if result.Within > 0 {
		add("byte", false, fmt.Sprintf("%s is byte %d of the item, which begins at byte %d", result.Query, result.Within, result.Byte))
	}
	add("shared", false, r.sharers(result)...)
	return lines
}

// sharers say which elements lie at the same offset, and why.
func (r *report) sharers(result *offsetResult) []string {
	switch {
	case result.Elems == 0 || result.Elems == 1 && result.Complete:
		return nil
	case result.Elems == 1:
		return []string{"whether other elements lie there would take too long to find out"}
	}
	l, all, n, text := r.tensor.Layout, result.Coords, result.Elems, "holds "
	if result.Coord != nil {
		all, n, text = result.Aliases, result.Elems-1, "also at this offset: "
	}
	shown := all[:min(len(all), shownCoords)]
	parts := make([]string, len(shown))
	for i, c := range shown {
		parts[i] = words.Brackets(c)
	}
	text += strings.Join(parts, ", ")
	if n > len(shown) {
		text += fmt.Sprintf(" and %s more", result.count(n-len(shown)))
	}
	lines := []string{text}
	still := 1 // elements that differ in nothing but indices that do not move the address
	for _, i := range l.BroadcastDims() {
		d := l.Dim(i)
		for k, g := range d.Digits {
			if g.Stride == 0 && g.Extent > 1 && d.Size > g.Div {
				lines = append(lines, explain.DigitName(d, k)+" has stride 0, a broadcast: it does not move the address")
				still *= g.Extent
			}
		}
	}
	if still < result.Elems {
		lines = append(lines, "the strides overlap: different sums of steps lead to the same offset")
	}
	return lines
}
