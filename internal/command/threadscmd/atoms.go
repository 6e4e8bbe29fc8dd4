package threadscmd

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

const catalogueSchema = "tlayout/threads_catalogue/v1"

// catalogue is all atoms.
type catalogue struct {
	Schema string       `json:"schema"`
	Atoms  []atomReport `json:"atoms"` // in the order of architectures and sizes
	document.Remarks
}

// atomReport is a name of an atom.
type atomReport struct {
	Name   string   `json:"name"`
	Parts  []string `json:"atom_parts"` // A, B, C of a multiplication; src, dst of a copy
	Source string   `json:"defined_in"` // library and file
}

func newCatalogue() *catalogue {
	r := &catalogue{Schema: catalogueSchema, Atoms: []atomReport{}, Remarks: document.Remarks{Warnings: []string{}}}
	for _, a := range threads.Atoms() {
		r.Atoms = append(r.Atoms, atomReport{a.Name, a.Parts, a.Source})
	}
	return r
}

// list lists the atoms, for which flags of a layout have no meaning.
func list(a *cli.App, o *options) error {
	for _, flag := range []string{"tile", "thread", "value", "lane", "column", "at", "dtype", "memory", "output", "limit"} {
		if o.given(flag) {
			return fault.New(fault.Usage, "missing LAYOUT for --%s", flag).WithHint("tlayout threads '((4,8),(2,2)):((32,1),(16,8))' --tile 16,8")
		}
	}
	return a.Write(newCatalogue())
}

// Page counts the names of each source; with --all, it lists them.
func (r *catalogue) Page(p *cli.Page) {
	p.Answer(text.Count(len(r.Atoms), "name") + " of atoms")
	if p.All() || p.Markdown() {
		p.Section(r.Rows())
		return
	}
	t := render.Table{Header: []string{"names", "example", "source"}, Numbers: []int{0}}
	for i, n := 0, 0; i < len(r.Atoms); i += n {
		source := r.Atoms[i].Source
		for n = 1; i+n < len(r.Atoms) && r.Atoms[i+n].Source == source; n++ {
		}
		t.Add(strconv.Itoa(n), r.Atoms[i+n/2].Name, text.Cut(source[strings.LastIndexByte(source, '/')+1:], 34))
	}
	p.Section(t)
	p.More("--all", "tlayout threads ldmatrix.x4")
}

// Rows lists the names.
func (r *catalogue) Rows() render.Table { return cli.TableOf("name,atom_parts,defined_in", r.Atoms...) }

// complete offers the names of atoms.
func complete(_ *cobra.Command, args []string, typed string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 && typed != "" {
		for _, a := range threads.Atoms() {
			if strings.HasPrefix(a.Name, typed) {
				names = append(names, a.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
