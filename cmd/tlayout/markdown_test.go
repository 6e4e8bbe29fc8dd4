package main

import (
	"slices"
	"strings"
	"testing"
)

// more are further commands with Markdown for people, some with refusals, values, differences and cells.
var more = []string{
	"trace X transpose(1,2) view(2,60)", "trace X [1,::2] contiguous --values --limit 9", "trace --numpy X T reshape(-1)",
	"trace --cute (4,2,3):(2,1,8) logical_divide(4:2) coalesce --values", "trace --cute (4,6):(1,8) composition(6:1)",
	"diff X P --from-b nhwc", "formats nChw16c --shape 1,62,5,4", "formats --shape 2,32,7,7 --strides 1568,1,224,32",
	"draw X --limit 12 --label value", "offset X 1,0,1,2 0,0,0,0 --at 7 --line-size 64", "check X --layout nhwc --contiguous=channels_last",
	"bench --quick --shape 1,8,16,16 --layouts nchw,nhwc", "inspect X --offsets --limit 4",
}

// TestMarkdownLines: in Markdown every line of an answer stays a line. CommonMark joins a line of text with the previous one, unless one of
// them is blank, or the line begins a list item, a table row, a heading or a fence.
func TestMarkdownLines(t *testing.T) {
	t.Chdir(t.TempDir())
	pages := 0
	for _, screen := range slices.Concat(screens, more) {
		command := strings.Fields(screen)[0]
		if command == "help" || command == "version" || strings.Contains(screen, "--help") {
			continue
		}
		o := runIn(t, nil, append(screenArgs(t, strings.Replace(screen, " -f table", "", 1)), "-f", "markdown")...)
		if o.code > 1 || o.out == "" {
			t.Errorf("tlayout %s: exit code %d\n%s", screen, o.code, o.err)
			continue
		}
		pages++
		for _, joined := range joinedLines(o.out) {
			t.Errorf("tlayout %s -f markdown: this line joins the one before it: %s", screen, joined)
		}
	}
	if pages < 40 {
		t.Errorf("only %d pages were checked", pages)
	}
}

// joinedLines returns the lines that CommonMark would join with the previous line.
func joinedLines(text string) (joined []string) {
	before, fenced := "", false
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		begins := strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "#")
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			before = ""
			continue
		}
		code := strings.HasPrefix(line, "    ") && before == ""
		if !fenced && !code && trimmed != "" && before != "" && !begins {
			joined = append(joined, line)
		}
		if before = trimmed; code || fenced {
			before = ""
		}
	}
	return joined
}

func TestJoinedLines(t *testing.T) {
	for text, want := range map[string]int{
		"a\nb\n": 1, "a\n\nb\n": 0, "a\n- b\n- c\n": 0, "- a\nb\n": 1, "| a |\n|---|\n| b |\nc\n": 1, "a\n```\nx\ny\n```\nb\n": 0,
		"**a**\n\n| b |\n": 0, "    x\n    y\n": 0, "a\nb\nc": 2,
	} {
		if got := joinedLines(text); len(got) != want {
			t.Errorf("%q: %d lines join, expected %d: %q", text, len(got), want, got)
		}
	}
}
