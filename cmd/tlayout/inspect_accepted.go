package main

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// acceptance is whether a framework takes the tensor as it lies, without a copy.
type acceptance struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"` // the reason of a no, or what to know of a yes
}

// consumer is a framework that is asked whether it takes a tensor, by its name in JSON.
type consumer struct {
	key string
	notation.Framework
}

var consumers = newConsumers()

func newConsumers() []consumer {
	var all []consumer
	for _, f := range notation.Takers() {
		all = append(all, consumer{strings.ToLower(f.Name), f})
	}
	return all
}

// newOffer shows a tensor to the frameworks: under the order that it was given, and those that its strides cannot tell
// from it.
func newOffer(t *source.Tensor, overlapping tensor.Answer) notation.Offer {
	l := t.Layout
	o := notation.Offer{Layout: l, Overlapping: overlapping, DType: t.DType, FileShape: t.FileShape,
		Copy: formatBytes(int64(l.Numel()) * int64(t.DType.ItemSize()))}
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
func (r *inspectReport) offerTo(t *source.Tensor) {
	r.AcceptedBy = map[string]acceptance{}
	for o, c := newOffer(t, tensor.Answer(r.Overlapping)), 0; c < len(consumers); c++ {
		a := consumers[c].Takes(o)
		r.AcceptedBy[consumers[c].key] = acceptance{a.OK, a.Why}
	}
}

// acceptedTable has one row for all who give the same answer.
func (r screen) acceptedTable() render.Table {
	t := render.Table{Title: "Who takes it as it lies?", Header: []string{"answer", "who"}}
	who := map[acceptance][]string{}
	var answers []acceptance
	for _, c := range consumers {
		a := r.AcceptedBy[c.key]
		if who[a] == nil {
			answers = append(answers, a)
		}
		who[a] = append(who[a], c.Name)
	}
	rank := func(a acceptance) int {
		switch {
		case a.OK && a.Why == "":
			return 0
		case a.OK:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(answers, func(a, b acceptance) int { return rank(a) - rank(b) })
	for _, a := range answers {
		t.Add(yesNo(a.OK), strings.TrimSuffix(strings.Join(who[a], ", ")+": "+a.Why, ": "))
	}
	return t
}
