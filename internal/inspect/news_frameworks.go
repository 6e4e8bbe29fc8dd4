package inspect

import (
	"cmp"
	"fmt"
	"strings"
)

// acceptedFacts say which frameworks accept the tensor without a copy, and which refuse it and why. Frameworks of one answer
// are one fact.
func (r *Report) acceptedFacts() (facts []Fact) {
	who := map[string][]string{}
	var plain, yes, no []string // frameworks; answers
	group := func(answers *[]string, why, name string) {
		if who[why] == nil {
			*answers = append(*answers, why)
		}
		who[why] = append(who[why], name)
	}
	for _, c := range Consumers {
		a := r.AcceptedBy[c.Key]
		switch {
		case a.OK && a.Why == "":
			plain = append(plain, c.Name)
		case a.OK:
			for _, clause := range a.brief {
				group(&yes, clause, c.Name)
			}
		default:
			group(&no, strings.Join(a.brief, "; "), c.Name)
		}
	}
	add := func(label, who, text string) { facts = append(facts, Fact{label, text, Vital, who}) }
	switch names := strings.Join(plain, ", "); {
	case len(plain) == len(Consumers):
		add("zero-copy", names, fmt.Sprintf("all %d: %s", len(plain), names))
	case len(plain) > 0:
		add("zero-copy", names, names)
	}
	for _, why := range yes {
		names := strings.Join(who[why], ", ")
		add("zero-copy", names, names+": "+why)
	}
	for _, why := range no {
		names := strings.Join(who[why], ", ")
		switch n := len(who[why]); {
		case n == len(Consumers):
			names = fmt.Sprintf("all %d", n)
		case len(no) == 1 && n > len(Consumers)/2:
			names = "all others"
		}
		add("refused", names, names+": "+why)
	}
	return facts
}

// namesText is the layout's name in each framework that accepts the tensor; frameworks of one name share it. Empty where the
// axes are unknown.
func (r *Report) namesText() string {
	if r.LooksLike != "" {
		return ""
	}
	first := func(names []string) string { return cmp.Or(append(names, "")...) }
	value := func(name *string) string {
		if name == nil {
			return ""
		}
		return *name
	}
	n, cute := r.Names, ""
	if r.Strides == nil { // otherwise it is the sizes and strides again
		cute = n.CuTe
	}
	who := map[string][]string{}
	var spelled []string
	for _, x := range [][2]string{{"PyTorch", value(n.PyTorch)}, {"oneDNN", first(n.OneDNN)}, {"TVM", value(n.TVM)}, {"MegEngine", first(n.MegEngine)},
		{"cuDNN", value(n.CuDNN)}, {"XLA", value(n.XLA)}, {"TensorRT", first(n.TensorRT)},
		{"CuTe", cute}} {
		if x[1] == "" {
			continue
		}
		if who[x[1]] == nil {
			spelled = append(spelled, x[1])
		}
		who[x[1]] = append(who[x[1]], x[0])
	}
	parts := make([]string, len(spelled))
	for i, name := range spelled {
		parts[i] = strings.Join(who[name], ", ") + " " + name
	}
	return strings.Join(parts, "; ")
}
