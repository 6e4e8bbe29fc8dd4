package inspect

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/framework"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// Acceptance is whether a framework takes the tensor as it lies, without a copy.
type Acceptance struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"` // the reason of a no, or what to know of a yes
}

// consumer is a framework that is asked whether it takes a tensor, by its name in JSON.
type consumer struct {
	Key string
	framework.Framework
}

var Consumers = newConsumers()

func newConsumers() []consumer {
	var all []consumer
	for _, f := range framework.Takers() {
		all = append(all, consumer{strings.ToLower(f.Name), f})
	}
	return all
}

// NewOffer shows a tensor to the frameworks: under the order that it was given, and those that its strides cannot tell
// from it.
func NewOffer(t *source.Tensor, overlapping tensor.Answer) framework.Offer {
	l := t.Layout
	o := framework.Offer{Layout: l, Overlapping: overlapping, DType: t.DType, FileShape: t.FileShape,
		Copy: words.Bytes(int64(l.Numel()) * int64(t.DType.ItemSize()))}
	add := func(f notation.Format) {
		same := func(g notation.Format) bool { return g.Explicit() == f.Explicit() }
		if f.Packs(l) && !slices.ContainsFunc(o.Orders, same) {
			o.Orders = append(o.Orders, f)
		}
	}
	if t.HasFormat {
		o.Order = &t.Format
		add(t.Format)
	}
	if s, plain := l.Strided(); plain {
		for _, c := range s.Infer(l.Names(), source.KnownOrders(l.Names())).Candidates {
			add(notation.Order(l.Names(), c.Order))
		}
		if s.CContiguous().OK {
			add(notation.RowMajor(l.Names()))
		}
	}
	return o
}

// offerTo asks all consumers.
func (r *Report) offerTo(t *source.Tensor) {
	r.AcceptedBy = map[string]Acceptance{}
	for o, c := NewOffer(t, tensor.Answer(r.Overlapping)), 0; c < len(Consumers); c++ {
		a := Consumers[c].Takes(o)
		r.AcceptedBy[Consumers[c].Key] = Acceptance{a.OK, a.Why}
	}
}
