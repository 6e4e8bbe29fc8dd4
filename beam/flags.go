package beam

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// withoutEffect lists flags of tlayout convert that a pipeline cannot honor, with the reason and a hint.
var withoutEffect = []struct{ flag, reason, hint string }{
	{"shard", "the runner distributes the sources", "remove it"},
	{"jobs", "the runner decides how many sources are converted at once", "remove it"},
	{"list", "sources are named before --", "pass @- for names on standard input, @FILE for names in a file"},
	{"null", "lists have one name per line", "pass a file with one name per line: @FILE"},
	{"output", "each source has its own result", "use -d FOLDER"},
	{"dry-run", "a pipeline writes its results", "use tlayout convert --dry-run"},
}

// CheckFlags refuses flags that Convert cannot honor for any source. Errors are Usage.
func CheckFlags(flags []string) error {
	s := cli.System()
	s.In = nil
	s.Out = io.Discard
	s.Err = io.Discard
	cmd := convertcmd.NewCmd(&cli.App{Streams: s, Stdout: io.Discard})
	if err := cmd.ParseFlags(flags); err != nil {
		return cli.UsageError(cmd, err)
	}
	if extra := cmd.Flags().Args(); len(extra) > 0 {
		return fault.New(fault.Usage, "%s is not a flag of tlayout convert", text.Quoted(extra[0])).WithHint("put sources before --")
	}
	for _, f := range withoutEffect {
		if cmd.Flags().Changed(f.flag) {
			return fault.New(fault.Usage, "--%s has no effect in a pipeline: %s", f.flag, f.reason).WithHint("%s", f.hint)
		}
	}
	return (&convertFn{Flags: flags}).Setup()
}

// CheckResults refuses a list for the same reasons as tlayout convert: two sources have the same result, a result exists, without --force
// and --update, or a result is an input.
func CheckResults(sources *batch.List, flags []string) error {
	c, err := convertcmd.NewConverter(flags, cli.System())
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Check(sources)
}

// repeatable returns flags that allow converting a source again: a runner repeats work that it lost track of. CheckResults found no
// existing results, so any result is of this pipeline.
func repeatable(flags []string) []string {
	cmd := convertcmd.NewCmd(&cli.App{Streams: cli.System()})
	if cmd.ParseFlags(flags) != nil || cmd.Flags().Changed("force") || cmd.Flags().Changed("update") {
		return flags
	}
	return append(slices.Clone(flags), "--update")
}
