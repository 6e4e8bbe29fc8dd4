package command

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/docs/schema"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// newNamesCmd returns tlayout help json [NAME], which says what a name of the JSON documents means.
func newNamesCmd(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:    "json [NAME]",
		Short:  jsonShort,
		Long:   jsonTopic(),
		Hidden: true, // help lists the topic
		Args:   cli.Args(0, 1, "name", "tlayout help json strides"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			page, err := findName(args[0])
			if err != nil {
				return err
			}
			a.Format = cli.Table
			return a.Write(page)
		},
		ValidArgsFunction: completeNames,
	}
}

// completeNames offers the names of the JSON documents.
func completeNames(_ *cobra.Command, args []string, _ string) (offers []string, _ cobra.ShellCompDirective) {
	names, err := schema.Names()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		offers = append(offers, cobra.CompletionWithDesc(name, names[name].Meaning))
	}
	return offers, cobra.ShellCompDirectiveNoFileComp
}

// namePage says what a name of the JSON documents means, and which documents have it.
type namePage struct {
	name string
	*schema.Name
}

// findName returns the page of a name.
func findName(typed string) (namePage, error) {
	names, err := schema.Names()
	if err != nil {
		return namePage{}, err
	}
	if len(names) == 0 {
		return namePage{}, fault.New(fault.Unsupported, "a page has no JSON schemas").WithHint("the program at a terminal has them")
	}
	if n := names[typed]; n != nil {
		return namePage{typed, n}, nil
	}
	unknown := fault.New(fault.Usage, "no JSON document has the name %s", text.Quoted(typed))
	if near := nearNames(typed, slices.Sorted(maps.Keys(names))); near != nil {
		return namePage{}, unknown.WithHint("did you mean %s?", text.Or(near))
	}
	return namePage{}, unknown.WithHint("tlayout help json lists the documents")
}

// maxNear limits how many names a hint has.
const maxNear = 5

// nearNames returns the name that the typed one probably misspells, or else those that contain it or that it begins with, as columns of -f csv do:
// contiguous for contiguous_c.
func nearNames(typed string, names []string) (near []string) {
	if name := text.Nearest(typed, names); name != "" {
		return []string{name}
	}
	for _, name := range names {
		contains := len(typed) > 1 && strings.Contains(name, typed)
		if contains || strings.HasPrefix(typed, name+"_") {
			near = append(near, name)
		}
	}
	return near[:min(len(near), maxNear)]
}

// kind returns the type and the unit: array of integers or null, in bytes.
func (n namePage) kind() string {
	types := slices.DeleteFunc(slices.Clone(n.Types), func(t string) bool { return t == "any" && len(n.Types) > 1 })
	if n.Null {
		types = append(types, "null")
	}
	if n.Unit == "" {
		return text.Or(types)
	}
	return text.Or(types) + ", in " + n.Unit
}

// Page writes the meaning, the type, and a line for each member: what prints it, and its path in the document.
func (n namePage) Page(p *cli.Page) {
	p.Answer(n.name + ": " + n.Meaning)
	p.Items("type: " + n.kind())
	var facts []cli.Fact
	for _, d := range Documents {
		for _, m := range n.Members {
			if m.Document != d.Schema {
				continue
			}
			f := cli.Fact{Label: d.Prints, Text: m.Path}
			if m.Note != "" {
				f.Text += ": " + m.Note
			}
			facts = append(facts, f)
		}
	}
	p.Facts(facts...)
}
