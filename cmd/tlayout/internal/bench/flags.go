package bench

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
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
	for _, name := range words.SplitNames(s) {
		l, err := notation.Parse(name)
		if err != nil {
			return err
		}
		if l.Exact != nil || l.Own != notation.NotOwn {
			return fault.New(fault.Usage, "%s is no order of named dims", words.Quoted(name)).
				WithHint("such as nchw,nhwc,nchw16; --layout says how the source itself lies")
		}
		f.formats = append(f.formats, l.Format)
	}
	return nil
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
			return fault.New(fault.Usage, "machine is all of this machine's caches, but more are said: %s", words.Quote(text))
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

// gates are the conditions that the report must meet.
type gates []*bench.Condition

// readGates reads --require, and refuses what names rows that will not be there.
func (j *benchJob) readGates() error {
	for _, text := range j.options.require {
		c, err := bench.ParseGate(text, rowName)
		if err != nil {
			return err
		}
		if err := c.Check(j.subject.Keys(), j.measuring.Geometry, j.baseline); err != nil {
			return err
		}
		j.gates = append(j.gates, c)
	}
	return nil
}

// rowName is how rows name a layout, whatever its spelling.
func rowName(spelled string) string {
	l, err := notation.Parse(spelled)
	if err != nil || l.Exact != nil || l.Own != notation.NotOwn {
		return spelled
	}
	return notation.LowerName(l.Format)
}

// patterns are those that must be measured for the gates.
func (g gates) patterns() (all []bench.Pattern) {
	for _, c := range g {
		all = append(all, c.Patterns()...)
	}
	return all
}

// eval writes into the report which gates hold.
func (g gates) eval(r, baseline *bench.Report) {
	for _, c := range g {
		r.Gates = append(r.Gates, c.Eval(r, baseline))
	}
}
