package formatscmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// catalogue lists layouts and their names.
type catalogue struct {
	Schema     string            `json:"schema"`
	Known      []knownOrder      `json:"well_known"` // common layouts and their names
	Frameworks []framework.Takes `json:"frameworks"`
	Names      []catalogName     `json:"entries"` // the catalogue's names
}

// catalogName is a name of a framework. Order is null if tlayout refuses the name, for the reason Why. Types are the element types of
// the name; empty if it applies to all types of its framework.
type catalogName struct {
	Framework string         `json:"framework"`    // name of the framework
	Name      string         `json:"name"`         // its name
	Order     *string        `json:"memory_order"` // the axes written out, outermost first: N C//4 H W C%4
	Kind      framework.Kind `json:"kind"`
	// types of the name; any: all
	Types   []string `json:"types" jsonschema:"null if unknown"`
	MinDims int      `json:"min_rank,omitempty"` // fewest dims
	Meaning string   `json:"meaning"`            // the name in words
	Why     string   `json:"why,omitempty"`
	Instead string   `json:"instead,omitempty"` // what to write instead of a refused name
}

func newCatalogue(flag string) *catalogue {
	c := &catalogue{Schema: "tlayout/formats_catalogue/v1", Known: []knownOrder{}, Frameworks: []framework.Takes{}, Names: []catalogName{}}
	if flag == allFrameworks {
		c.Known = newKnown()
	}
	for _, f := range framework.Listed() {
		if selected(flag, f.Name) {
			c.Frameworks = append(c.Frameworks, f.Takes())
		}
	}
	for _, e := range framework.Catalogue() {
		if selected(flag, e.Framework) {
			n := catalogName{Framework: e.Framework, Name: e.Name, Order: text.OrNull(e.Order), Kind: e.Kind, Meaning: e.Meaning,
				Types: text.OrEmpty(strings.Fields(e.Types)), MinDims: e.MinDims}
			n.Why, n.Instead = e.Refused()
			c.Names = append(c.Names, n)
		}
	}
	return c
}

// Page writes the well-known orders, the names of one framework, or with --all the names of all frameworks.
func (c *catalogue) Page(p *cli.Page) {
	p.Answer(c.headline(p.All()))
	if len(c.Frameworks) == 1 {
		c.pageOf(p, c.Frameworks[0])
		return
	}
	if p.All() {
		c.pageAll(p)
	} else {
		p.Section(knownTable(c.Known))
	}
	p.More("--all", "tlayout formats nhwc", "tlayout formats onednn")
}

// pageOf writes the names of a framework.
func (c *catalogue) pageOf(p *cli.Page, f framework.Takes) {
	t := catalogTable(c.Names)
	t.Title = ""
	if !p.All() {
		p.Section(t.Fit(p.Columns(), render.Cut(2, 20)))
		p.More("--all")
		return
	}
	p.Section(t)
	p.Paragraph(fmt.Sprintf("%s accepts types %s; dims: %s", f.Framework, typesText(f), dimsText(f)))
	p.Paragraph("Source: " + f.Source)
}

// pageAll writes a table per framework.
func (c *catalogue) pageAll(p *cli.Page) {
	for names := c.Names; len(names) > 0; {
		end := slices.IndexFunc(names, func(n catalogName) bool { return n.Framework != names[0].Framework })
		if end < 0 {
			end = len(names)
		}
		p.Section(catalogTable(names[:end]))
		names = names[end:]
	}
	p.Paragraph("Layouts describe activations unless noted")
	p.Paragraph("C//16 is the index of a block of 16 channels, C%16 the index within it")
	p.Paragraph("One layout in every framework: tlayout formats nChw16c --shape 1,62,5,4")
	p.Paragraph("CuTe's layout algebra: tlayout trace --cute '(6,2):(8,2)' 'composition((4,3):(3,1))'")
}

// headline returns the answer: 95 names in 13 frameworks for 45 memory orders.
func (c *catalogue) headline(all bool) string {
	if len(c.Known) > 0 && !all {
		return "Well-known memory orders, outermost axis first, and their names in frameworks"
	}
	frameworks := map[string]bool{}
	orders := map[string]bool{}
	for _, n := range c.Names {
		frameworks[n.Framework] = true
		if n.Order != nil {
			orders[*n.Order] = true
		}
	}
	in := text.Count(len(frameworks), "framework")
	if len(frameworks) == 1 {
		in = c.Names[0].Framework
	}
	return fmt.Sprintf("%s in %s for %s, outermost axis first", text.Count(len(c.Names), "name"), in,
		text.Count(len(orders), "memory order"))
}

// catalogTable lists the names of one framework. A meaning begins with the kind and the types unless they are the usual ones.
func catalogTable(names []catalogName) render.Table {
	t := render.Table{Title: names[0].Framework, Header: []string{"name", "memory order", "meaning"}}
	for _, n := range names {
		order := "refused"
		meaning := []string{n.Why, n.Instead}
		if n.Order != nil {
			order = *n.Order
			meaning = []string{n.Meaning}
		}
		if n.Order != nil && len(n.Types) > 0 {
			meaning = slices.Insert(meaning, 0, "for "+strings.Join(n.Types, " or "))
		}
		if n.Kind != framework.Activations && n.Kind != framework.AnyRank {
			meaning = slices.Insert(meaning, 0, string(n.Kind))
		}
		meaning = slices.DeleteFunc(meaning, func(s string) bool { return s == "" })
		t.Add(n.Name, order, strings.Join(meaning, "; "))
	}
	return t
}

// Rows returns a row for each name.
func (c *catalogue) Rows() render.Table {
	return cli.TableOf("framework,name,memory_order,kind,types,min_rank,meaning,why,instead", c.Names...)
}
