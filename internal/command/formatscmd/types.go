package formatscmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/render"
)

// takes lists the names of a memory order that apply only to some types.
func (r *report) takes() []framework.Takes {
	all := []framework.Takes{}
	if !r.ordered || !r.Packed {
		return all
	}
	for _, f := range framework.All() {
		if selected(r.framework, f.Name) {
			all = append(all, f.NamesTake(r.format)...)
		}
	}
	return all
}

// takesTable lists the types and ranks of those names.
func takesTable(all []framework.Takes) render.Table {
	t := render.Table{Title: "Types and dims of the names", Header: []string{"framework", "name", "types", "dims"}}
	for _, x := range all {
		t.Add(x.Framework, x.Name, typesText(x), dimsText(x))
	}
	return t
}

// typesText returns a list of types: "float32, uint8".
func typesText(x framework.Takes) string {
	if x.Types == nil {
		return "not known"
	}
	if x.Types[0] == framework.AnyType {
		return "any"
	}
	return strings.Join(x.Types, ", ")
}

// dimsText returns a rank or a range: "4", "3 to 8", "at least 3", "any".
func dimsText(x framework.Takes) string {
	if x.MaxDims != nil {
		if *x.MaxDims == x.MinDims {
			return strconv.Itoa(x.MinDims)
		}
		return fmt.Sprintf("%d to %d", x.MinDims, *x.MaxDims)
	}
	if x.MinDims > 0 {
		return fmt.Sprintf("at least %d", x.MinDims)
	}
	return "any"
}
