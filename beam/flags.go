package beam

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/words"
)

// withoutEffect are flags of tlayout convert that a pipeline cannot honor, and why.
var withoutEffect = []struct{ flag, reason, hint string }{
	{"shard", "the runner distributes the sources", "leave it out"},
	{"jobs", "the runner decides how many sources are converted at once", "leave it out"},
	{"list", "sources are named before --", "@- reads names from standard input, @FILE from a file"},
	{"null", "lists have one name a line", "name a file with one name a line: @FILE"},
	{"output", "each source has a result of its own", "-d FOLDER"},
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

// CheckResults refuses a list as tlayout convert does: two sources would have one result, a result exists, without --force and --update, or it
// is an input.
func CheckResults(sources *many.List, flags []string) error {
	c, err := convert.NewConverter(flags, cli.System())
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Check(sources)
}

// repeatable are the flags with which a source may be converted again: a runner repeats what it has lost sight of. Nothing existed when
// CheckResults looked, so that a result that exists is one of this pipeline.
func repeatable(flags []string) []string {
	cmd := convert.NewCmd(&cli.App{Streams: cli.System()})
	if cmd.ParseFlags(flags) != nil || cmd.Flags().Changed("force") || cmd.Flags().Changed("update") {
		return flags
	}
	return append(slices.Clone(flags), "--update")
}
