package formatscmd

import (
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// knownOrders are the most common memory orders, in three groups: activations, volumes, weights.
var knownOrders = []string{"NCHW", "NHWC", "CHWN", "NCHW4c", "NCHW8c", "NCHW16c", "NCHW32c", "NCDHW", "NDHWC", "OIHW", "OHWI", "HWIO"}

// knownIn are the frameworks with a column, in order.
var knownIn = []*framework.Framework{framework.PyTorch, framework.OneDNN, framework.TensorRT, framework.MegEngine, framework.XLA}

// knownOrder is a well-known memory order, outermost axis first, and its names in frameworks.
type knownOrder struct {
	Layout string              `json:"layout"`
	Order  string              `json:"memory_order"`           // the axes written out, outermost first: N C//4 H W C%4
	Names  map[string][]string `json:"spellings_by_framework"` // names in each framework
}

// newKnown returns the well-known orders with their names in all frameworks.
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

// knownTable returns a row for each order, with the first name in each framework of knownIn.
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
			if _, tile, tiled := strings.Cut(name, ":"); tiled { // XLA's tile: a row above has its order
				name = ":" + strings.TrimSuffix(tile, "}")
			}
			cells = append(cells, name)
		}
		t.Add(cells...)
	}
	return t
}
