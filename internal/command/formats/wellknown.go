package formats

import (
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// knownOrders are the memory orders that most questions are about, in three groups: activations, volumes, weights.
var knownOrders = []string{"NCHW", "NHWC", "CHWN", "NCHW4c", "NCHW8c", "NCHW16c", "NCHW32c", "NCDHW", "NDHWC", "OIHW", "OHWI", "HWIO"}

// knownIn are the frameworks that have a column, in its order; the rest is in the catalogue.
var knownIn = []*framework.Framework{framework.PyTorch, framework.OneDNN, framework.TensorRT, framework.MegEngine, framework.XLA}

// knownOrder is a well-known memory order, outermost axis first, and what the frameworks call it.
type knownOrder struct {
	Layout string              `json:"layout"`
	Order  string              `json:"memory_order"`
	Names  map[string][]string `json:"spellings_by_framework"` // names in each framework
}

// newKnown asks the frameworks.
func newKnown() []knownOrder {
	all := make([]knownOrder, len(knownOrders))
	for i, name := range knownOrders {
		l, err := notation.Parse(name)
		cli.Must(err)
		k := knownOrder{Layout: name, Order: l.Format.Explicit(), Names: map[string][]string{}}
		for _, f := range framework.All() {
			if names := f.NamesOf(l.Format); len(names) > 0 {
				k.Names[strings.ToLower(f.Name)] = names
			}
		}
		all[i] = k
	}
	return all
}

// knownTable has a row for each order, and a column of first names for each framework.
func knownTable(orders []knownOrder) render.Table {
	t := render.Table{Header: []string{"memory order"}}
	for _, f := range knownIn {
		t.Header = append(t.Header, f.Name)
	}
	for _, k := range orders {
		cells := []string{k.Order}
		for _, f := range knownIn {
			name := "-"
			if names := k.Names[strings.ToLower(f.Name)]; len(names) > 0 {
				name = names[0]
			}
			if _, tile, tiled := strings.Cut(name, ":"); tiled { // of XLA: the order is a row's above
				name = ":" + strings.TrimSuffix(tile, "}")
			}
			cells = append(cells, name)
		}
		t.Add(cells...)
	}
	return t
}
