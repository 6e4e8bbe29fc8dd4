package render

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// grid draws a line for each tick from top to bottom.
func (s *svgChart) grid(top, bottom float64) string {
	var b strings.Builder
	for _, t := range s.shownTicks() {
		b.WriteString(s.upright("grid", t.value, top, bottom))
	}
	return b.String()
}

// numbers writes those of the ticks, and the unit below the texts.
func (s *svgChart) numbers() string {
	ticks := s.shownTicks()
	if ticks == nil {
		return ""
	}
	s.y += 22
	var b strings.Builder
	for _, t := range ticks {
		b.WriteString(text("tick quiet middle", s.left+s.at(t.value), s.y-8, t.label))
	}
	b.WriteString(text("tick quiet end", svgWidth-svgMargin, s.y-8, cut(s.Unit, svgText, "…")))
	return b.String()
}

// shownTicks are none where nothing is drawn.
func (s *svgChart) shownTicks() []tick {
	if s.end == 0 {
		return nil
	}
	return s.ticks(svgTicks)
}

// limitLine has a rim that sets it off from the bars that it crosses.
func (s *svgChart) limitLine(top, bottom float64) string {
	if !solid(s.Limit) {
		return ""
	}
	return s.upright("rim", s.Limit, top, bottom) + s.upright("limit", s.Limit, top, bottom)
}

// limitName stands above the limit's line, in its middle unless the page ends.
func (s *svgChart) limitName() string {
	name := cut(s.LimitName, svgLine, "…")
	x, half := s.left+s.at(s.Limit), float64(svgColumn*float64(displaywidth.String(name)))/2
	switch {
	case x+half > svgWidth-svgMargin:
		return s.row("limit-name end", svgWidth-svgMargin, 18, name)
	case x-half < svgMargin:
		return s.row("limit-name", svgMargin, 18, name)
	}
	return s.row("limit-name middle", x, 18, name)
}

func (s *svgChart) upright(class string, v, top, bottom float64) string {
	x := px(s.left + s.at(v))
	return fmt.Sprintf("<path class=\"%s\" d=\"M%s %sV%s\"/>\n", class, x, px(top), px(bottom))
}
