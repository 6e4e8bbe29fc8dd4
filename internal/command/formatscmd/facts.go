package formatscmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// besides maps frameworks to those in whose line of the page their name is: ExecuTorch and XLA both list the dims by number, in opposite
// directions; OpenVINO is Intel's, like oneDNN.
var besides = map[string]string{
	framework.ExecuTorch.Name: framework.XLA.Name,
	framework.OpenVINO.Name:   framework.OneDNN.Name,
}

// facts returns the first screen below the axes: the strides of the logical dims, padding, and the layout's name in each framework.
func (r *report) facts() []cli.Fact {
	var facts []cli.Fact
	add := func(label, text string) { facts = append(facts, cli.Fact{Label: label, Text: text}) }
	if text := r.permutation(); text != "" {
		add("axes", text)
	}
	if r.Strides != nil {
		add("strides", tensor.Tuple(r.Strides)+" of "+tensor.NamedSizes(r.Dims, r.Shape))
	}
	if len(r.Padding) > 0 {
		add("padding", r.paddingText())
	}
	facts = append(facts, r.nameFacts()...)
	reasons, frameworks := r.refusals(tensor.No)
	for _, why := range reasons {
		if why != "" {
			add("refused", text.And(frameworks[why])+": "+why)
		}
	}
	reasons, frameworks = r.refusals(tensor.Unknown)
	for _, why := range reasons {
		add("unknown", text.And(frameworks[why])+": "+why)
	}
	if r.Same != nil {
		add("same as", r.Same.String())
	}
	if r.note != "" && len(r.Axes)+len(facts) < 11 { // room for two lines; --all has it
		add("note", r.note)
	}
	return facts
}

// nameFacts returns the layout's name in each framework, and then the names that several share.
func (r *report) nameFacts() (facts []cli.Fact) {
	names, sharing := r.namesByText()
	var shared []cli.Fact
	for _, name := range names {
		frameworks := sharing[name]
		if len(frameworks) > 1 {
			shared = append(shared, cli.Fact{Label: "others", Text: name + " in " + text.And(frameworks)})
			continue
		}
		other, paired := besides[frameworks[0]]
		beside := slices.IndexFunc(facts, func(f cli.Fact) bool { return f.Label == other })
		if paired && beside >= 0 {
			facts[beside].Text += "; " + frameworks[0] + " " + name
			continue
		}
		facts = append(facts, cli.Fact{Label: frameworks[0], Text: name})
	}
	return append(facts, shared...)
}

// permutation returns the direction in which a layout given as a list of axes is read; "" for other layouts, and if both directions are
// equal.
func (r *report) permutation() string {
	if strings.Trim(r.Asked, "0123456789,() ") != "" {
		return ""
	}
	order := ordered(r.format)
	inverse := make([]int, len(order))
	for k, d := range order {
		inverse[d] = k
	}
	if slices.Equal(order, inverse) {
		return ""
	}
	return fmt.Sprintf("as in x.permute(%s); the inverse is (%s)", text.Ints(order, ","), text.Ints(inverse, ","))
}

// namesByText groups the frameworks by their names for the layout, with the types that the names apply to: kHWC (float32, uint8).
func (r *report) namesByText() (names []string, sharing map[string][]string) {
	sharing = map[string][]string{}
	for _, f := range r.Frameworks {
		if !f.OK || len(f.Names) == 0 {
			continue
		}
		spelled := slices.Clone(f.Names)
		for i, name := range spelled {
			for _, t := range r.Takes {
				if t.Framework == f.Framework && t.Name == name && t.Types != nil {
					spelled[i] += " (" + typesText(t) + ")"
				}
			}
		}
		text := strings.Join(spelled, ", ")
		if sharing[text] == nil {
			names = append(names, text)
		}
		sharing[text] = append(sharing[text], f.Framework)
	}
	return names, sharing
}
