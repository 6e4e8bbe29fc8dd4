package diffcmd

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/convention"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/relate/pairing"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// relation is the layout mistake that turned a into b, and what undoes it.
type relation struct {
	*pairing.Relation
	Fix string `json:"fix,omitempty"` // the command that makes a of b; it was tried
	// the order of a's unnamed axes in which a and b hold the same tensor
	FromA string `json:"from_a,omitempty"`
	noFix noFix  // why there is no Fix, which no page says: most reasons are in the relation
}

// search is what two tensors are known to have in common before their relation is looked for.
type search int

const (
	notSearched  search = iota // their relation is not asked for
	anyRelation                // nothing
	sameElements               // the same elements, by their fingerprints
	nearNumbers                // perhaps numbers: the search is short
)

// relate looks for the mistake that turned a into b.
func (p *pair) relate(d *differ, r *report, s search) error {
	a, b := pairing.View{Tensor: p.tensors[0], Layout: p.layouts[0]}, pairing.Whole(p.tensors[1])
	budget := d.work.Budget(a.Bytes() + b.Bytes())
	if s == nearNumbers {
		budget = pairing.BudgetOfNear(a, b, d.work)
	}
	o := pairing.Search{SameElements: s == sameElements, Near: d.options.near(), Budget: budget, Convert: d.moving}
	found, err := pairing.Related(a, b, o)
	if err != nil {
		return err
	}
	if found == nil {
		if budget.Out() && s != nearNumbers {
			r.Notes = append(r.Notes, relate.NotFound(budget))
		}
		return nil
	}
	if found.Kind == relate.Same {
		if found.Differ > 0 {
			return nil
		}
		// but b was read in another order
		found.Sentence = "holds a's elements in memory order " + strings.Join(found.Order, " ")
	}
	r.Relation = &relation{Relation: found}
	return p.guard(func() error {
		r.Relation.FromA = p.orderOfA(d, found)
		if r.Relation.FromA == "" {
			r.Relation.Fix, r.Relation.noFix = p.fix(d, found)
		}
		return nil
	})
}

// sides returns both tensors, mapped.
func (p *pair) sides() (sides [2]diff.Side, err error) {
	for i, t := range p.tensors {
		data, err := t.Data()
		if err != nil {
			return sides, err
		}
		sides[i] = diff.Side{Layout: p.layouts[i], DType: t.DType, Data: data, Pages: t}
	}
	return sides, nil
}

// lines returns what the page says of the relation, the answer first.
func (r *relation) lines(a, b string) (answer string, more []string) {
	if r.FromA != "" {
		answer = fmt.Sprintf("%s and %s hold the same tensor if %s is %s", a, b, a, strings.ToUpper(r.FromA))
		return answer, []string{"--from-a " + r.FromA + " compares them so"}
	}
	ofA := strings.NewReplacer("a's ", a+"'s ")
	answer = b + " " + ofA.Replace(r.Sentence)
	if r.As != "" {
		more = append(more, ofA.Replace(r.As))
	}
	if t := r.Tolerance; t != nil {
		more = append(more, fmt.Sprintf("‖b − a‖ / ‖b‖ = %s; largest difference %.3g at %s of a", t.Percent(), t.MaxAbs, tensor.Tuple(t.Coord)))
	}
	if r.Differ > 0 {
		more = append(more, fmt.Sprintf("all but %s", text.Count(r.Differ, "element")))
	}
	if r.Ambiguous {
		more = append(more, "ambiguous: "+r.Why)
	} else if r.Kind == relate.Shuffled && r.Why != "" {
		more = append(more, r.Why)
	}
	return answer, more
}

// called returns the name of the order in which b has a's elements; empty if it has none.
func (r *report) called(names ...string) string {
	found := r.Relation
	c := convention.Change{Names: names, ItemSize: r.itemSize, Order: found.Order, Dims: found.Transpose, Sizes: map[string]int{}}
	for d, name := range r.A.Dims {
		c.Sizes[name] = r.A.Shape[d]
	}
	return c.Name()
}

// order returns how b's elements are ordered, in a few words: permuted (3, 2, 0, 1), HWIO → OIHW.
func (t *tensorReport) order() string {
	if t.How != "" {
		return t.How
	}
	r := t.Relation
	if r == nil {
		return "same elements in another order"
	}
	if r.Kind == relate.Shuffled && r.Why != "" {
		return "same elements, " + r.Why
	}
	order := r.Transpose
	how := "permuted " + tensor.Tuple(order) + r.Values
	if order == nil || r.SameDims() {
		how = strings.Replace(r.Sentence, "holds a's", "same", 1)
	}
	names := []string{t.Name}
	if t.MovedTo != nil {
		names = append(names, *t.MovedTo)
	}
	if name := t.report.called(names...); name != "" {
		how += ": " + name
	}
	return how
}
