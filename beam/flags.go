package beam

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// withoutEffect are flags of tlayout convert that a pipeline cannot honor, and why.
var withoutEffect = []struct{ flag, reason, hint string }{
	{"shard", "the runner distributes the sources", "leave it out"},
	{"jobs", "the runner decides how many sources are converted at once", "leave it out"},
	{"report", "outcomes are lines on standard output", "--outcomes FILE, before --, writes them into a file"},
	{"list", "sources are named before --", "@- reads names from standard input, @FILE from a file"},
	{"null", "lists have one name a line", "name a file with one name a line: @FILE"},
	{"output", "each source has a result of its own", "-d FOLDER"},
	{"split", "it cuts the result of one source", "tlayout convert x.npy --split N -d FOLDER"},
	{"dry-run", "a pipeline writes its results", "tlayout convert --dry-run shows what would be written"},
}

// CheckFlags refuses flags that Convert could not honor for any source. Errors are Usage.
func CheckFlags(flags []string) error {
	s := cli.System()
	s.In, s.Out, s.Err = nil, io.Discard, io.Discard
	cmd := convert.NewCmd(&cli.App{Streams: s, Stdout: io.Discard})
	if err := cmd.ParseFlags(flags); err != nil {
		return cli.UsageError(cmd, err)
	}
	if extra := cmd.Flags().Args(); len(extra) > 0 {
		return fault.New(fault.Usage, "%s is not a flag of tlayout convert", words.Quoted(extra[0])).WithHint("sources are named before --")
	}
	for _, f := range withoutEffect {
		if cmd.Flags().Changed(f.flag) {
			return fault.New(fault.Usage, "--%s has no effect in a pipeline: %s", f.flag, f.reason).WithHint("%s", f.hint)
		}
	}
	return (&convertFn{Flags: flags}).Setup()
}

// CheckResults refuses sources whose results would have the same name: only one of them would be there in the end.
func CheckResults(sources *many.List, flags []string) error {
	var c *convert.Converter
	for group := range sources.Alike(stem) {
		if c == nil {
			var err error
			if c, err = convert.NewConverter(append(slices.Clone(flags), "--dry-run", "--force"), cli.System()); err != nil {
				return err
			}
			defer c.Close()
		}
		taken := map[string]string{}
		for _, u := range group {
			out := c.Unit(u).Destination
			if other, ok := taken[out]; ok && out != "" {
				return fault.New(fault.Usage, "%s and %s would both become %s", words.Quoted(other), words.Quoted(u.Name), words.Quoted(out)).
					WithHint("name their folder, or a pattern in quotes, to keep their paths")
			}
			taken[out] = u.Name
		}
	}
	return nil
}

// stem is what sources with the same result have in common: the name without the endings that say its kind and layout.
func stem(rel string) string {
	dir, base := path.Split(rel)
	if file, member, ok := strings.Cut(base, ":"); ok {
		return dir + strings.TrimSuffix(file, path.Ext(file)) + "." + member
	}
	return dir + strings.TrimSuffix(base, source.Tail(base))
}
