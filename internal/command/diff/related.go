package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/convert/pairing"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/relate"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/text"
)

// relation is the layout mistake that turned a into b, and what undoes it.
type relation struct {
	*pairing.Relation
	Fix string `json:"fix,omitempty"` // the command that makes a of b; it was tried
}

// relate looks for the mistake that turned a into b; alike says that their fingerprints are equal.
func (p *pair) relate(d *differ, alike bool) (*relation, error) {
	found, err := pairing.Related(pairing.View{Tensor: p.tensors[0], Layout: p.layouts[0]}, pairing.Whole(p.tensors[1]), alike, d.moving)
	if err != nil || found == nil || found.Kind == relate.Same && found.Differ > 0 {
		return nil, err
	}
	if found.Kind == relate.Same { // but b was read in another order
		found.Sentence = "holds a's elements in memory order " + strings.Join(found.Order, " ")
	}
	r := &relation{Relation: found}
	return r, p.guard(func() error { r.Fix = p.fix(d, found); return nil })
}

// fix returns the command that makes a of b; "" if none was found that does when its conversion is tried.
func (p *pair) fix(d *differ, r *pairing.Relation) string {
	name, typ, flag := p.sources[1], p.tensors[1].DType, ""
	if typ.Packed() || !r.CanRead && !r.HasRows || r.Scale != nil || r.DType != "" && !r.Viewed || name == source.Stdin || !text.Typable(name) {
		return ""
	}
	if r.Viewed || r.Swapped {
		spelt := r.DType
		if r.Swapped {
			spelt = typ.OtherOrder().Typestr()
		}
		var err error
		if typ, err = dtype.Parse(spelt); err != nil {
			return ""
		}
		flag = " --dtype " + text.Shell(spelt)
	}
	a := p.layouts[0]
	if r.HasRows {
		rows, err := reshaped(a, r.Rows.Shape())
		back, also := convert.Own(a, false)
		if err != nil || also != nil || !p.readsAs(d, r.Rows.String(), typ, r.Rows) || !p.makes(d, rows, r.Rows, typ, r.Differ) {
			return ""
		}
		return fmt.Sprintf("tlayout convert %s%s --from %s --to c -o - | tlayout convert - --from %s --to c -o fixed.npy",
			text.File(name), flag, text.Shell(r.Rows.String()), text.Shell(back.Layout.String()))
	}
	from, to := strings.ToLower(strings.Join(r.Order, "")), strings.ToLower(strings.Join(a.Names(), ""))
	if !p.readsAs(d, from, typ, r.Reading) {
		from, to = r.Reading.String(), "c"
		if !p.readsAs(d, from, typ, r.Reading) {
			return ""
		}
	}
	if !r.Counted && !p.makes(d, a, r.Reading, typ, r.Differ) { // otherwise it was
		return ""
	}
	return fmt.Sprintf("tlayout convert %s%s --from %s --to %s -o fixed.npy", text.File(name), flag, text.Shell(from), to)
}

// readsAs reports whether b, opened with --from and --dtype and no other flags, is a layout of the storage that it has here. Axes in
// another order, strides that the file records and a file without a header refuse that, or make it another.
func (p *pair) readsAs(d *differ, from string, typ dtype.Type, want tensor.Layout) bool {
	named, err := notation.Parse(from)
	if err != nil || d.options.Raw {
		return false
	}
	in := *d.inputs[1]
	in.options = func(string) source.Options { return source.Options{Layout: &named, DType: &typ} }
	t, err := in.open(p.sources[1])
	if err != nil {
		return false
	}
	defer t.Close()
	if t.Header.DataOffset != p.tensors[1].Header.DataOffset || !t.DType.Equal(typ) {
		return false
	}
	got, _ := diff.Aligned(want, t.Layout)
	return got.Offset() == want.Offset() && slices.Equal(got.Shape(), want.Shape()) && sameAddresses(got, want)
}

// reshaped returns a layout under another shape; it fails if that takes a copy.
func reshaped(l tensor.Layout, shape []int) (tensor.Layout, error) {
	s, ok := l.Strided()
	if !ok {
		return l, fault.New(fault.Unsupported, "blocks are not reshaped")
	}
	v, err := s.View(shape)
	if err != nil {
		return l, err
	}
	return v.Layout(nil, l.Alloc())
}

// makes reports whether b, read in a layout and as a type, is a in another one, but for some elements.
func (p *pair) makes(d *differ, a, b tensor.Layout, typ dtype.Type, differ int) bool {
	sides, err := p.sides()
	if err != nil {
		return false
	}
	sides[0].Layout, sides[1].Layout, sides[1].DType = a, b, typ
	found, err := diff.Run(sides[0], sides[1], diff.Rule{}, diff.Options{Convert: d.moving})
	return err == nil && found.Differing == differ
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
	ofA := strings.NewReplacer("a's ", a+"'s ")
	answer = b + " " + ofA.Replace(r.Sentence)
	if r.As != "" {
		more = append(more, ofA.Replace(r.As))
	}
	if r.Differ > 0 {
		more = append(more, fmt.Sprintf("all but %s", text.Count(r.Differ, "element")))
	}
	if r.Ambiguous {
		more = append(more, "ambiguous: "+r.Why)
	}
	return answer, more
}

// conventions are the orders in which frameworks keep the weights of convolutions, by the permutation from one to the other: Keras and
// Flax have HWIO, MLX has OHWI, PyTorch has OIHW.
var conventions = map[string]string{
	"(3, 2, 0, 1)": "HWIO → OIHW", "(2, 3, 1, 0)": "OIHW → HWIO", "(0, 3, 1, 2)": "OHWI → OIHW", "(0, 2, 3, 1)": "OIHW → OHWI",
	"(4, 3, 0, 1, 2)": "DHWIO → OIDHW", "(2, 3, 4, 1, 0)": "OIDHW → DHWIO",
}

// order returns how b's elements are ordered, in a few words: permuted (3, 2, 0, 1), HWIO → OIHW.
func (one *tensorReport) order() string {
	r := one.Relation
	if r == nil {
		return "same elements in another order"
	}
	order := r.Transpose
	if order == nil || r.SameDims() {
		return strings.Replace(r.Sentence, "holds a's", "same", 1)
	}
	s := "permuted " + tensor.Tuple(order)
	if names := conventions[tensor.Tuple(order)]; names != "" && lastWord(one.Name, "weight", "kernel", "w") {
		s += ", " + names
	}
	return s
}

// lastWord reports whether a name ends in one of some words: conv1/kernel in kernel.
func lastWord(name string, words ...string) bool {
	return slices.Contains(words, name[strings.LastIndexAny(name, "./_")+1:])
}
