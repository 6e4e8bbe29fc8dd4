package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// repeatable annotates flags that may be typed several times.
const repeatable = "repeatable"

// Repeatable lets flags be typed several times; their values must keep all of them. Any other flag with a value that is typed twice is an
// error, and so is a switch that is typed as both on and off: keeping the last would ignore what the user asked for.
func Repeatable(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cmd.Flags().Lookup(name).Usage += "; repeatable"
		Must(cmd.Flags().SetAnnotation(name, repeatable, nil))
	}
}

// IsRepeatable reports whether a flag may be typed several times.
func IsRepeatable(f *pflag.Flag) bool {
	_, is := f.Annotations[repeatable]
	return is
}

// checkRepeated returns an error if a flag was typed twice that takes one value. Settings do not count: a typed flag overrides them.
func (a *App) checkRepeated(cmd *cobra.Command) error {
	if cmd.DisableFlagParsing { // what a shell completes is a line of another command
		return nil
	}
	first := map[string]string{}
	return cmd.Flags().ParseAll(a.typed, func(f *pflag.Flag, value string) error {
		before, again := first[f.Name]
		first[f.Name] = value
		sameSwitch := f.Value.Type() == "bool" && before == value
		if !again || sameSwitch || IsRepeatable(f) {
			return nil
		}
		return fault.New(fault.Usage, "--%s given twice: %s and %s", f.Name, shownValue(before), shownValue(value)).WithHint("remove one of them")
	})
}

// shownValue quotes a flag's value for an error.
func shownValue(value string) string { return text.Quoted(text.Cut(name.Parse(value).Redacted(), 40)) }

// Patterns is a repeatable flag with patterns of names: those that match any of them are selected.
type Patterns struct{ source.Patterns }

func (f *Patterns) String() string { return strings.Join(f.Patterns, ", ") }

// Type is the placeholder in help.
func (f *Patterns) Type() string { return "pattern" }

// Set adds a pattern.
func (f *Patterns) Set(s string) error { return f.Add(s) }

// NoMatch is the error for a pattern that matches no tensor of a source.
func NoMatch(source name.Name, pattern string) *fault.Error {
	return fault.New(fault.Usage, "%s has no tensor that matches %s", source, text.Quoted(pattern))
}
