package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// layoutsFlag is a list of layouts: nchw,nhwc,{0,2,3,1}. Commas within brackets belong to a name.
type layoutsFlag struct {
	text    string
	formats []notation.Format
}

func (f *layoutsFlag) String() string { return f.text }

func (f *layoutsFlag) Type() string { return "layouts" }

func (f *layoutsFlag) Set(s string) error {
	f.text, f.formats = s, nil
	for _, name := range splitNames(s) {
		l, err := notation.Parse(name)
		if err != nil {
			return err
		}
		if l.Exact != nil || l.Own != notation.NotOwn {
			return fault.New(fault.Usage, `"%s" is no order of named dims`, fault.Quote(name)).
				WithHint("such as nchw,nhwc,nchw16; --layout says how the source itself lies")
		}
		f.formats = append(f.formats, l.Format)
	}
	return nil
}

// splitNames splits at commas that are in no brackets.
func splitNames(s string) (names []string) {
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',':
			if depth == 0 {
				names, from = append(names, strings.TrimSpace(s[from:i])), i+1
			}
		}
	}
	return append(names, strings.TrimSpace(s[from:]))
}

// patternsFlag is a list of patterns, or walks, or all. named are those that were not meant by all.
type patternsFlag struct{ list, named []bench.Pattern }

func (f *patternsFlag) String() string {
	words := make([]string, len(f.list))
	for i, p := range f.list {
		words[i] = string(p)
	}
	return strings.Join(words, ",")
}

func (f *patternsFlag) Type() string { return "patterns" }

func (f *patternsFlag) Set(s string) error {
	f.list, f.named = nil, nil
	for word := range strings.SplitSeq(s, ",") {
		switch word = strings.TrimSpace(word); word {
		case "all":
			f.list = append(f.list, bench.Patterns...)
		case "walks":
			f.list = append(f.list, bench.Channel, bench.Spatial)
		default:
			p, err := bench.ParsePattern(word)
			if err != nil {
				return err
			}
			f.list, f.named = append(f.list, p), append(f.named, p)
		}
	}
	return nil
}

func completePatterns(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	words := []string{"walks", "all"}
	for _, p := range bench.Patterns {
		words = append(words, string(p))
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// cacheFlag is the geometry of the model's caches. It may be given in several parts.
type cacheFlag struct {
	parts    []string
	geometry cachesim.Geometry
}

func (f *cacheFlag) String() string { return strings.Join(f.parts, " ") }

func (f *cacheFlag) Type() string { return "caches" }

func (f *cacheFlag) Set(s string) error {
	f.parts = append(f.parts, s)
	return nil
}

// settle reads all parts together: one alone may contradict what another one is going to say.
func (f *cacheFlag) settle() error {
	text := f.String()
	if slices.Contains(f.parts, "machine") {
		if len(f.parts) > 1 {
			return fault.New(fault.Usage, "machine is all of this machine's caches, but more are said: %s", fault.Quote(text))
		}
		var err error
		if text, err = bench.MachineCache(); err != nil {
			return err
		}
	}
	var err error
	f.geometry, err = cachesim.Parse(text)
	return err
}
