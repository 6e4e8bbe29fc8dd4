package benchcmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// layoutsFlag is a list of layouts: nchw,nhwc,{0,2,3,1}. Commas inside brackets are part of a name.
// Repeated flags append to it.
type layoutsFlag struct {
	text    string
	formats []notation.Format
}

func (f *layoutsFlag) String() string { return f.text }

func (f *layoutsFlag) Type() string { return "layouts" }

func (f *layoutsFlag) Set(s string) error {
	f.text = strings.Trim(f.text+","+s, ",")
	for _, name := range text.SplitNames(s) {
		l, err := printed.ParseName(name)
		if err != nil {
			return err
		}
		if !l.HasFormat() {
			return fault.New(fault.Usage, "%s is not a memory order of named dims", text.Quoted(name)).
				WithHint("use names such as nchw,nhwc,nchw16; --from sets the order of the source")
		}
		f.formats = append(f.formats, l.Format)
	}
	return nil
}

// patternsFlag is a list of patterns. Repeated flags append to it.
type patternsFlag []bench.Pattern

func (f *patternsFlag) String() string { return strings.Join(patternNames(*f), ",") }

func (f *patternsFlag) Type() string { return "patterns" }

func (f *patternsFlag) Set(s string) error {
	for word := range strings.SplitSeq(s, ",") {
		p, err := bench.ParsePattern(strings.TrimSpace(word))
		if err != nil {
			return err
		}
		*f = append(*f, p)
	}
	return nil
}

func patternNames(patterns []bench.Pattern) []string {
	names := make([]string, len(patterns))
	for i, p := range patterns {
		names[i] = string(p)
	}
	return names
}

// cacheFlag is the geometry of the model's caches, which several flags may set in parts.
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

// resolve parses all parts together, because some are valid only together: l2=none needs l3=none.
func (f *cacheFlag) resolve() error {
	spec := f.String()
	if slices.Contains(f.parts, "machine") {
		if len(f.parts) > 1 {
			return fault.New(fault.Usage, "machine sets every cache and excludes %s", text.Quote(spec))
		}
		var err error
		spec, err = bench.MachineCache()
		if err != nil {
			return err
		}
	}
	var err error
	f.geometry, err = cachesim.Parse(spec)
	return err
}
