package render

import (
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// text writes words whose middle is at y. Nothing is written for none.
func text(class string, x, y float64, words string) string {
	if words == "" {
		return ""
	}
	return fmt.Sprintf("<text class=\"%s\" x=\"%s\" y=\"%s\">%s</text>\n", class, px(x), px(y+4.5), escape(words))
}

// figureBlanks keeps runs of blanks, which stand for digits, as wide as they are.
func figureBlanks(s string) string {
	s = strings.ReplaceAll(s, "  ", "\u2007\u2007")
	return strings.ReplaceAll(s, "\u2007 ", "\u2007\u2007")
}

// inWords tells the whole chart.
func (c Chart) inWords() string {
	sentences := []string{}
	if c.Subtitle != "" {
		sentences = append(sentences, strings.TrimRight(c.Subtitle, ".")+".")
	}
	for _, g := range c.Groups {
		for _, b := range g.Bars {
			sentences = append(sentences, b.inWords(g.Name)+".")
		}
	}
	if solid(c.Limit) {
		sentences = append(sentences, fmt.Sprintf("Line at %s: %s.", strconv.FormatFloat(c.Limit, 'g', 4, 64), c.LimitName))
	}
	return strings.Join(sentences, " ")
}

// inWords tells a bar: spatial, nhwc: 21.3 GB/s, best.
func (b Bar) inWords(group string) string {
	words := b.Label
	if group != "" {
		words = group + ", " + words
	}
	if b.Text != "" {
		words += ": " + b.Text
	}
	if b.Best {
		words += ", best"
	}
	return words
}

// px prints a coordinate.
func px(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// escape writes text as XML has it.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}
