package framework

import (
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Kind is what a layout is for.
type Kind string

// The values of Kind.
const (
	AnyRank     Kind = "any"         // a rule for every rank
	Activations Kind = "activations" // N C H W
	Volumes     Kind = "3-D"         // N C D H W
	Weights     Kind = "weights"     // O I H W
	Matrices    Kind = "matrices"    // H W, or N C
	Sequences   Kind = "sequences"   // T N C
)

// The memory orders of names that keep a tensor's own dims.
const (
	RowMajorOrder    = "row-major"
	ColumnMajorOrder = "column-major"
)

// Entry is a row of the catalogue: a name as its framework writes it, and what it means there.
type Entry struct {
	Framework string
	Name      string // Parse reads it, unless it is refused
	Order     string // in the explicit form, or RowMajorOrder, ColumnMajorOrder; empty where Parse refuses the name
	Kind      Kind
	Meaning   string // what is worth knowing, in a few words; may be empty
}

// Refused returns why Parse refuses the entry's name, and what to write instead; empty where it does not.
func (e Entry) Refused() (why, instead string) {
	for _, r := range notation.Refused {
		if r.Name == e.Name {
			return r.Why, r.Hint
		}
	}
	return "", ""
}

// Catalogue lists every named layout of the frameworks, framework by framework in the order of Frameworks.
//
// Post: Parse of an entry's name gives its order, or the error that Refused tells.
func Catalogue() []Entry {
	var all []Entry
	for _, f := range All() {
		for _, e := range catalogue[f.Name] {
			e.Framework = f.Name
			all = append(all, e)
		}
	}
	return all
}
