package main

import (
	"cmp"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/command"
	"github.com/tlayout/tlayout/internal/command/cli"
)

// twoValues returns two valid values of a flag.
func twoValues(f *pflag.Flag) (string, string) {
	if list, ok := f.Value.(interface{ Words() []string }); ok {
		return list.Words()[0], list.Words()[1]
	}
	byName := map[string][2]string{
		"cache": {"l1=48K,12,64", "l2=2M,16,64"}, "label": {"index", "value"}, "layouts": {"nchw", "nhwc"}, "patterns": {"channel", "spatial"},
		"line-size": {"64", "128"}, "expr": {"x.view(-1)", "x.permute(1,0)"}, "max-tensors": {"7", "8"},
	}
	byType := map[string][2]string{
		"bool": {"true", "false"}, "int": {"7", "8"}, "ints": {"7,8", "5,6"}, "sizes": {"7,8", "5,6"}, "size": {"64", "128"}, "float64": {"0.5", "0.25"},
		"number": {"0.5", "0.25"}, "duration": {"3s", "4s"}, "dtype": {"int8", "float32"}, "layout": {"nchw", "nhwc"}, "names": {"N,C", "H,W"},
		"offsets": {"7", "8"},
	}
	two := [2]string{"a=1", "b=2"} // of texts, files and patterns
	two = cmp.Or(byName[f.Name], byType[f.Value.Type()], two)
	return two[0], two[1]
}

// TestNoFlagLosesAValue: every flag of every command, typed twice, is an error that names it, or both values count. A setting is no
// repetition: config.txtar has it.
func TestNoFlagLosesAValue(t *testing.T) {
	tried, kept := 0, 0
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		visit := func(f *pflag.Flag) {
			if f.Name == "help" {
				return
			}
			tried++
			one, other := twoValues(f)
			both, err := parsed(t, c.Name(), f.Name, one, other)
			if err != nil {
				if want := "--" + f.Name + " given twice"; !strings.Contains(err.Error(), want) {
					t.Errorf("%s --%s %s --%s %s: %v, want %q", c.Name(), f.Name, one, f.Name, other, err, want)
				}
				return
			}
			kept++
			for _, value := range []string{one, other} {
				alone, err := parsed(t, c.Name(), f.Name, value)
				if inner := strings.Trim(alone, "[]"); err != nil || inner == "" || !strings.Contains(both, inner) {
					t.Errorf("%s --%s %s --%s %s: the value is %s, without %s (%v)", c.Name(), f.Name, one, f.Name, other, both, alone, err)
				}
			}
		}
		c.LocalFlags().VisitAll(visit)
		c.InheritedFlags().VisitAll(visit)
	}
	if tried < 300 || kept < 20 {
		t.Errorf("%d flags tried, %d keep both values", tried, kept)
	}
}

// parsed returns the value of a flag of a configured command that is typed with these values, in this order.
func parsed(t *testing.T, name, flag string, values ...string) (string, error) {
	t.Helper()
	args := []string{name}
	if needed := map[string]string{"value": "--thread=0", "column": "--lane=0", "read": "--shared", "write": "--shared"}[flag]; needed != "" {
		args = append(args, needed)
	}
	for _, value := range values {
		args = append(args, "--"+flag+"="+value)
	}
	var found string
	messages := new(strings.Builder)
	streams := &cli.Streams{In: strings.NewReader(""), Out: new(strings.Builder), Err: messages, Env: func(string) (string, bool) { return "", false }}
	code := cli.Run(args, streams, func(a *cli.App) *cobra.Command {
		root := command.NewRoot(a)
		for _, c := range root.Commands() {
			c.Args = nil
			c.RunE = func(cmd *cobra.Command, _ []string) error {
				found = cmd.Flags().Lookup(flag).Value.String()
				return nil
			}
		}
		return root
	})
	if code != 0 {
		return found, errors.New(messages.String())
	}
	return found, nil
}

// TestOtherFlags: an unknown flag that another command or tool has is answered with a flag that works here, as the hint writes it, with a
// command line that works, or with the commands that have it.
func TestOtherFlags(t *testing.T) {
	known := append(cli.OtherNames(), "banks", "explain", "match", "limit", "output", "read", "vec")
	told := map[string]int{}
	for _, c := range command.NewRoot(&cli.App{Streams: &cli.Streams{}}).Commands() {
		for _, word := range known {
			if c.Flags().Lookup(word) != nil || c.InheritedFlags().Lookup(word) != nil || !c.Runnable() {
				continue
			}
			_, err := parsed(t, c.Name(), word, "1")
			if err == nil {
				t.Errorf("%s --%s is accepted", c.Name(), word)
				continue
			}
			_, hint, _ := strings.Cut(err.Error(), "tlayout: hint: ")
			hint = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(hint, "\n  ", " "), "\n", " "))
			switch flag, value, isFlag := strings.Cut(strings.TrimPrefix(hint, "use --"), " "); {
			case strings.HasPrefix(hint, "use --"):
				told["flag"]++
				if !isFlag {
					flag, value, _ = strings.Cut(flag+"=true", "=")
				}
				value = strings.Trim(strings.Replace(strings.TrimSuffix(value, "=true"), "LAYOUT", "nhwc", 1), "'")
				if value == "FILE" {
					value = "x.svg"
				}
				if _, err := parsed(t, c.Name(), flag, value); err != nil && !strings.Contains(err.Error(), " needs ") {
					t.Errorf("%s --%s: the hint %q does not work: %v", c.Name(), word, hint, err)
				}
			case strings.Contains(hint, "is a flag of"):
				told["commands"]++
			case strings.Contains(hint, ": tlayout "):
				told["line"]++
			default:
				told["none"]++
			}
		}
	}
	if told["flag"] < 200 || told["commands"] < 50 || told["line"] < 10 {
		t.Errorf("hints: %v", told)
	}
}
