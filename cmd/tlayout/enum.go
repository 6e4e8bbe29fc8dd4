package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
)

// enum is a flag that takes one of a few words.
type enum[T ~string] struct {
	value  *T
	values []T
}

func newEnum[T ~string](value *T, first T, others ...T) *enum[T] {
	*value = first
	return &enum[T]{value, append([]T{first}, others...)}
}

func (e *enum[T]) String() string { return string(*e.value) }

func (e *enum[T]) Type() string { return strings.Join(e.words(), "|") }

func (e *enum[T]) Set(s string) error {
	if !slices.Contains(e.values, T(s)) {
		bad := fault.New(fault.Usage, `"%s": valid values are %s`, fault.Quote(s), strings.Join(e.words(), ", "))
		if near := fault.Nearest(s, e.words()); near != "" {
			return bad.WithHint("did you mean %s?", near)
		}
		return bad
	}
	*e.value = T(s)
	return nil
}

func (e *enum[T]) words() []string {
	words := make([]string, len(e.values))
	for i, v := range e.values {
		words[i] = string(v)
	}
	return words
}

// format is how results are written.
type format string

const (
	formatTable    format = "table"
	formatJSON     format = "json"
	formatCSV      format = "csv"
	formatMarkdown format = "markdown"
	formatGoBench  format = "gobench" // of bench alone
)

// colorMode says when headings are set in bold.
type colorMode string

const (
	colorAuto   colorMode = "auto"
	colorAlways colorMode = "always"
	colorNever  colorMode = "never"
)

// bold marks a heading on terminals that want it.
func (a *app) bold(s string) string {
	if a.bolds() {
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return s
}

func (a *app) bolds() bool {
	_, noColor := a.streams.env("NO_COLOR")
	term, _ := a.streams.env("TERM")
	auto := a.streams.width > 0 && !noColor && term != "dumb"
	return a.format != formatMarkdown && (a.color == colorAlways || a.color == colorAuto && auto)
}

// textOptions says what the terminal shows.
func (a *app) textOptions() render.TextOptions {
	depth, _ := a.streams.env("COLORTERM")
	return render.TextOptions{Width: a.streams.columns(), Unicode: a.streams.unicode, Color: a.bolds(),
		TrueColor: depth == "truecolor" || depth == "24bit"}
}
