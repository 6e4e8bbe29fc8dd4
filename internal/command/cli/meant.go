package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// otherVerbs maps commands of other tools to ours.
var otherVerbs = map[string]string{
	"explain": "tlayout inspect x.npy --explain",
	"reshape": "tlayout trace x.npy 'reshape(-1)'",
	"flatten": "tlayout trace x.npy 'flatten()'",
	"permute": "tlayout trace x.npy 'permute(0,2,3,1)'",
}

// meantLine returns the command line probably meant by an unknown verb and its arguments; for a lone source, the command's first example with that
// source. It is empty if no command or several are near, or if the arguments cannot be typed.
func meantLine(cmd *cobra.Command, verb string, args []string) string {
	typed := make([]string, len(args))
	for i, arg := range args {
		n := name.Parse(arg)
		if !n.IsTypable() {
			return ""
		}
		typed[i] = text.Shell(arg)
		if isSource(arg) {
			typed[i] = n.Arg()
		}
	}
	if line, ok := otherVerbs[verb]; ok && len(args) > 0 && isSource(args[0]) {
		return strings.Replace(line, "x.npy", typed[0], 1)
	}
	near := nearCommands(cmd, verb)
	if len(near) != 1 || len(args) == 0 {
		return ""
	}
	example, _, _ := strings.Cut(strings.TrimSpace(near[0].Example), "\n")
	if len(args) == 1 && isSource(args[0]) && strings.Count(example, ".np") == 1 {
		return strings.Replace(example, "x.npy", typed[0], 1)
	}
	return near[0].CommandPath() + " " + strings.Join(typed, " ")
}

// nearCommands returns the commands that a verb may mean: a synonym from other tools, or similar names.
func nearCommands(cmd *cobra.Command, verb string) (near []*cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	similar := cmd.SuggestionsFor(verb)
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, verb) {
			return []*cobra.Command{c}
		}
		if slices.Contains(similar, c.Name()) {
			near = append(near, c)
		}
	}
	return near
}

// otherNames map flags of other tools, and of other commands, to ours: the first one that the command has, with a value.
var otherNames = []struct {
	typed string
	here  []string
}{
	{"out outfile output-file dst dest", []string{"output FILE"}},
	{"output-format fmt", []string{"format json"}},
	{"to-layout out-layout output-layout dst-layout target-layout target order dst-order", []string{"to LAYOUT", "from LAYOUT"}},
	{"layout from-layout src-layout in-layout input-layout source-layout src-order memory-order", []string{"from LAYOUT", "layout LAYOUT", "memory c"}},
	{"to", []string{"layout LAYOUT", "layouts nchw,nhwc"}},
	{"from", []string{"memory c"}},
	{"perm permute permutation axes transpose", []string{"to 0,2,3,1", "from 0,2,3,1"}},
	{"channels-last nhwc", []string{"contiguous=channels_last", "to channels_last", "from channels_last"}},
	{"channels-first nchw", []string{"to nchw", "from nchw"}},
	{"layouts", []string{"layout LAYOUT", "from LAYOUT"}},
	{"type data-type datatype precision", []string{"expect-dtype float32", "dtype float32"}},
	{"shape size sizes dims input-shape", []string{"shape 2,3,4,5", "tile 16,8"}},
	{"tile tile-shape block-shape", []string{"shape 16,8"}},
	{"stride", []string{"strides 60,20,5,1"}},
	{"pitch to-pitch", []string{"to-pitch W=64B", "pitch 64"}},
	{"to-strides", []string{"to '(2,3):(5,1)'"}},
	{"bin binary headerless", []string{"raw"}},
	{"header-size header-bytes skip-bytes seek", []string{"skip 128"}},
	{"overwrite", []string{"force"}},
	{"full everything long", []string{"all"}},
	{"silent", []string{"quiet"}},
	{"cache-line linesize", []string{"line-size 64"}},
	{"vector vec vector-size vec-size", []string{"banks h:16", "read h:16"}},
}

// otherWays are hints at what to type instead of flags, where a command takes the value in another way, or finds it.
var otherWays = []struct{ command, typed, hint string }{
	{"guess", "shape dims strides dtype from raw skip channels layout", "of a dump whose shape is known: tlayout inspect dump.bin --raw --shape 2,3,4,5 --dtype uint8 --allow-trailing"},
	{"formats", "layout layouts from to", "the layout is an argument: tlayout formats nhwc"},
	{"why", "shape strides dtype from layout", "paste them with the message, or: tlayout inspect --shape 2,3,4,5 --strides 60,20,5,1"},
}

// OtherNames returns the words for flags that hints know, of other tools and of other commands.
func OtherNames() (words []string) {
	for _, other := range otherNames {
		words = append(words, strings.Fields(other.typed)...)
	}
	for _, other := range otherWays {
		words = append(words, strings.Fields(other.typed)...)
	}
	return words
}

// FlagError is UsageError with a hint at the commands that have an unknown flag, if there is no better one.
func (a *App) FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return UsageError(cmd, err)
	}
	name := unknown.GetSpecifiedName()
	e := fault.New(fault.Usage, "%s", text.Quote(err.Error()))
	if hint := nearestFlag(cmd, name, a.typedValue(name)); hint != "" {
		return e.WithHint("%s", hint)
	}
	var having []string
	for _, c := range a.whole(cmd.Root()).Commands() {
		if c.LocalFlags().Lookup(name) != nil {
			having = append(having, c.Name())
		}
	}
	if having == nil {
		return UsageError(cmd, err)
	}
	return e.WithHint("--%s is a flag of %s; %s --help --all lists those of %s", name, text.And(having), cmd.CommandPath(), cmd.Name())
}

// typedValue returns the value that the command line gives a flag; empty without one.
func (a *App) typedValue(name string) string {
	for i, arg := range a.typed {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(a.typed) {
			return a.typed[i+1]
		}
	}
	return ""
}

// nearestFlag is a hint with the flag probably meant; empty if none is close. value is what was typed for it, which the hint repeats if the flag
// takes it.
func nearestFlag(cmd *cobra.Command, name, value string) string {
	for _, other := range otherWays {
		if other.command == cmd.Name() && slices.Contains(strings.Fields(other.typed), name) {
			return other.hint
		}
	}
	for _, other := range otherNames {
		if !slices.Contains(strings.Fields(other.typed), strings.ReplaceAll(strings.ToLower(name), "_", "-")) {
			continue
		}
		for _, here := range other.here {
			flag, _, _ := strings.Cut(strings.Replace(here, " ", "=", 1), "=")
			own := cmd.Flags().Lookup(flag)
			if own == nil {
				continue
			}
			if strings.Contains(here, " ") && takes(own, value) {
				return "use --" + flag + " " + text.Shell(value)
			}
			return "use --" + here
		}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := text.Nearest(name, names); near != "" && len(name) > 1 {
		return "did you mean --" + near + "?"
	}
	return ""
}

// takes reports whether a flag's parser takes a value. One of any text does not count: the command may refuse it. The flag is set: the command does
// not run.
func takes(f *pflag.Flag, value string) bool {
	if value == "" || f.Value.Type() == "string" {
		return false
	}
	return f.Value.Set(value) == nil
}
