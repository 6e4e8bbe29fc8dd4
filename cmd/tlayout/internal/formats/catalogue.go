package formats

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/words"
)

// catalogue is what formats says without a layout.
type catalogue struct {
	Schema string        `json:"schema"`
	Names  []catalogName `json:"names"`
}

// catalogName is a name; order is null where it is refused, and then why and instead say the reason and the way out.
type catalogName struct {
	Framework string         `json:"framework"`
	Name      string         `json:"name"`
	Order     *string        `json:"order"`
	Kind      framework.Kind `json:"kind"`
	Meaning   string         `json:"meaning"`
	Why       string         `json:"refused,omitempty"`
	Instead   string         `json:"instead,omitempty"`
}

func newFormatsCatalogue(fw string) *catalogue {
	c := &catalogue{Schema: schema, Names: []catalogName{}}
	for _, e := range framework.Catalogue() {
		if keeps(fw, e.Framework) {
			n := catalogName{Framework: e.Framework, Name: e.Name, Order: words.OrNull(e.Order), Kind: e.Kind, Meaning: e.Meaning}
			n.Why, n.Instead = e.Refused()
			c.Names = append(c.Names, n)
		}
	}
	return c
}

func (c *catalogue) write(a *cli.App) error {
	switch a.Format {
	case cli.JSON:
		return cli.WriteJSON(a.Stdout, c, true)
	case cli.CSV:
		return c.csv().CSV(a.Stdout)
	}
	if err := cli.WriteAnswer(a, c.headline()); err != nil {
		return err
	}
	for names := c.Names; len(names) > 0; {
		end := slices.IndexFunc(names, func(n catalogName) bool { return n.Framework != names[0].Framework })
		if end < 0 {
			end = len(names)
		}
		if err := cli.WriteSection(a, catalogTable(names[:end])); err != nil {
			return err
		}
		names = names[end:]
	}
	if slices.ContainsFunc(c.Names, func(n catalogName) bool { return n.Order != nil && strings.Contains(*n.Order, "%") }) {
		fmt.Fprintln(a.Stdout, "\n"+a.Streams.Fold("C//16 is the number of a block of 16 channels, C%16 the place in it", 2))
	}
	_, err := fmt.Fprintln(a.Stdout, "\n"+a.Streams.Fold("One in all spellings: tlayout formats nChw16c --shape 1,62,5,4", 2))
	return err
}

// headline counts: 95 names of 13 frameworks for 45 memory orders.
func (c *catalogue) headline() string {
	frameworks, orders := map[string]bool{}, map[string]bool{}
	for _, n := range c.Names {
		if frameworks[n.Framework] = true; n.Order != nil {
			orders[*n.Order] = true
		}
	}
	of := fmt.Sprintf("%d frameworks", len(frameworks))
	if len(frameworks) == 1 {
		of = c.Names[0].Framework
	}
	names := words.Plural(len(c.Names), "name", "names")
	return fmt.Sprintf("%d %s of %s for %d memory %s, outermost axis first; activations unless said", len(c.Names), names, of,
		len(orders), words.Plural(len(orders), "order", "orders"))
}

func catalogTable(names []catalogName) render.Table {
	t := render.Table{Title: names[0].Framework, Header: []string{"name", "memory order", "meaning"}}
	for _, n := range names {
		order, meaning := "refused", n.Why+"; "+n.Instead
		if n.Order != nil {
			order, meaning = *n.Order, n.Meaning
		}
		if n.Kind != framework.Activations && n.Kind != framework.AnyRank {
			meaning = strings.Join(nonEmpty(string(n.Kind), meaning), "; ")
		}
		t.Add(n.Name, order, meaning)
	}
	return t
}

func (c *catalogue) csv() render.Table {
	t := render.Table{Header: []string{"framework", "name", "order", "kind", "meaning", "refused", "instead"}}
	for _, n := range c.Names {
		order := cmp.Or(n.Order, new(string))
		t.Add(n.Framework, n.Name, *order, string(n.Kind), n.Meaning, n.Why, n.Instead)
	}
	return t
}
