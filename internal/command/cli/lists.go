package cli

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// Lists holds the flags of commands with many sources.
type Lists struct {
	Stdin bool // also read names from standard input
	Null  bool // names end with a zero byte
}

// AddLists adds the flags.
func (l *Lists) AddLists(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&l.Stdin, "list", "@", false, "read source names from standard input, one per line; @FILE reads them from a file")
	flags.BoolVarP(&l.Null, "null", "0", false, "names in lists end with a zero byte, as written by find -print0")
	groupSource(cmd)
}

// Expand lists the sources that the arguments name: files, folders, patterns and lists. any includes every file of a folder; out is a folder to skip.
func (l *Lists) Expand(a *App, args []name.Name, any bool, out name.Name) (*batch.List, error) {
	if l.Stdin {
		args = append(args[:len(args):len(args)], name.StdinList)
	}
	all, err := batch.Expand(args, batch.Options{Stdin: a.Streams.In, Null: l.Null, Any: any, Out: out})
	if err != nil {
		return nil, err
	}
	if all.Len() == 0 {
		return nil, fault.New(fault.Resource, "no sources in %s", text.And(quotedAll(args)))
	}
	a.Hint(all.PassedText())
	return all, nil
}

// quotedAll quotes names for a sentence.
func quotedAll(args []name.Name) []string {
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = arg.String()
		if arg == name.StdinList {
			shown[i] = "the list on standard input"
		}
	}
	return shown
}
