package scene

import (
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// Sizes of a scene's text, pixels.
const (
	titleSize   = 17
	headingSize = 14
	quietSize   = 12.5
	nameSize    = 11 // of planes, rows and columns
	labelSize   = 13 // of a cell's first label
	belowSize   = 11 // of its others
	slimSize    = 10 // of the first label of a slim cell
	cornerSize  = 9
	maxName     = 200 // width of a name
)

func measure(words string, size float64) float64 { return vector.Measure(words, size, false, false) }

func measureMono(words string, size float64) float64 { return vector.Measure(words, size, false, true) }

// whole rounds a width up to whole pixels: the last digits of float sums differ between platforms, drawings must not.
func whole(width float64) float64 { return math.Ceil(width - 1.0/1024) }

// ceil returns the width of words in whole pixels.
func ceil(words string, size float64) float64 { return whole(measure(words, size)) }

// clean makes words printable.
func clean(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return text.Printable(s)
		}
	}
	return strings.TrimSpace(s)
}

// name truncates the name of a row, column, plane or tint to maxName.
func name(words string) string { return fitMono(words, maxName, nameSize) }

// fitMono truncates monospaced words to a width, in pixels.
func fitMono(words string, width, size float64) string {
	return fit(clean(words), width, func(w string) float64 { return measureMono(w, size) })
}

// fitTo truncates proportional words.
func fitTo(words string, width, size float64) string {
	return fit(clean(words), width, func(w string) float64 { return measure(w, size) })
}

// fit truncates by the average width first, then column by column.
func fit(s string, width float64, in func(string) float64) string {
	all := in(s)
	if all <= width {
		return s
	}
	columns := int(float64(displaywidth.String(s))*max(0, width)/all) + 1
	for columns > 1 && in(text.TruncateNumber(s, columns, "…")) > width {
		columns--
	}
	return text.TruncateNumber(s, columns, "…")
}

// foldTo wraps sentences between words into lines of a width, in pixels.
func foldTo(sentences []string, width, size float64) []string {
	var lines []string
	for _, sentence := range sentences {
		line := ""
		for word := range strings.FieldsSeq(clean(sentence)) {
			longer := strings.TrimSpace(line + " " + word)
			if line != "" && measure(longer, size) > width {
				lines = append(lines, line)
				longer = word
			}
			line = fitTo(longer, width, size)
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// outsideWords names the kind Outside.
const outsideWords = "outside of the tensor"

// inWords describes the scene for screen readers.
func (s Scene) inWords() string {
	parts := append([]string{}, s.Lines...)
	parts = append(parts, s.Tensor.inWords())
	for _, m := range s.Memories {
		parts = append(parts, m.inWords())
	}
	if s.Scale.Name != "" {
		parts = append(parts, "Colors: "+s.Scale.Name+", from "+s.Scale.Low+" to "+s.Scale.High)
	}
	return sentences(parts)
}

// inWords names the planes and what is omitted.
func (g Grid) inWords() string {
	parts := []string{g.Name}
	for _, b := range g.Bands {
		names := []string{b.Name + b.Skip}
		for _, p := range b.Planes {
			names = append(names, p.Name+p.Skip)
		}
		parts = append(parts, strings.TrimSpace(strings.Join(names, " ")))
	}
	return sentences(parts)
}

// inWords names the memory, its sentences and what is omitted.
func (m Memory) inWords() string {
	parts := []string{"Memory " + m.Name + ": " + strings.Join(m.Lines, "; ")}
	for _, r := range m.Rows {
		parts = append(parts, r.Skip)
	}
	return sentences(parts)
}

// sentences ends each part with a full stop, and joins them.
func sentences(parts []string) string {
	var all []string
	for _, p := range parts {
		p = strings.TrimRight(clean(p), " .")
		if p != "" {
			all = append(all, p+".")
		}
	}
	return strings.Join(all, " ")
}
