package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// addPyTorchFacts adds what PyTorch's calls copy, and the format it suggests.
func (r *Report) addPyTorchFacts(l *factList) {
	if r.PyTorch == nil {
		return
	}
	l.addFull(Useful, "copies", r.copiesText(), r.copyLines())
	l.addFull(Detail, "PyTorch", r.formatText(), []string{joined("suggest_memory_format() is "+r.PyTorch.Suggested, r.SuggestionText())})
	if format, why := r.TracedText(); format != "" {
		l.addFull(Useful, "PyTorch", r.tracedBrief(format), []string{format + " in Python: " + why})
	}
}

// call is a PyTorch call that returns a contiguous tensor, and its result.
type call struct {
	name   string
	result *Copy
}

// calls returns the calls that the rank has a format for.
func (r *Report) calls() []call {
	p := r.PyTorch
	last := r.ChannelsLastFormat()
	all := []call{{".contiguous()", &p.MakeContiguous}, {".contiguous(" + last + ")", p.ContiguousLast()}, {".to(" + last + ")", p.ToLast()}}
	return slices.DeleteFunc(all, func(c call) bool { return c.result == nil })
}

// copiesText lists what the calls copy; empty if PyTorch refuses the tensor, or if there is nothing to copy.
func (r *Report) copiesText() string {
	if r.NBytes == 0 || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	calls := r.shownCalls()
	if len(calls) == 1 && calls[0].result.Self {
		return ""
	}
	texts := make([]string, len(calls))
	for i, c := range calls {
		texts[i] = c.name + " none"
		if !c.result.Self {
			texts[i] = c.name + " " + text.ShortBytes(int64(r.NBytes))
		}
	}
	if r.TwoViews() {
		return r.viewLabel() + ": " + strings.Join(texts, "; ")
	}
	return strings.Join(texts, "; ")
}

// shownCalls returns the calls of the first screen: those for channels_last only if it applies to the tensor, and only the second if both copy, or
// neither does.
func (r *Report) shownCalls() []call {
	calls := r.calls()
	if len(calls) == 1 {
		return calls
	}
	if !r.channelsLastApplies() {
		return calls[:1]
	}
	if calls[1].result.Self == calls[2].result.Self {
		return slices.Delete(calls, 1, 2)
	}
	return calls
}

// copyLines list what each call returns.
func (r *Report) copyLines() (lines []string) {
	for _, c := range r.calls() {
		if c.result.Self {
			lines = append(lines, c.name+" returns the tensor itself")
		} else {
			lines = append(lines, fmt.Sprintf("%s copies %s, with strides %s", c.name, text.Bytes(int64(r.NBytes)), tensor.Tuple(c.result.Strides)))
		}
	}
	return lines
}

// formatText is the result of suggest_memory_format, if it disagrees with is_contiguous.
func (r *Report) formatText() string {
	p := r.PyTorch
	if r.NBytes == 0 || r.LooksLike != "" || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	text := r.SuggestionText()
	if text != "" {
		text = fmt.Sprintf("suggest_memory_format() is %s: %s", p.Suggested, text)
	}
	return text
}

// tracedBrief reports that PyTorch's Python, which traces for torch.compile, suggests this format, and its C++ another; empty if PyTorch refuses
// the tensor.
func (r *Report) tracedBrief(format string) string {
	if r.NBytes == 0 || !r.AcceptedBy["pytorch"].OK {
		return ""
	}
	return fmt.Sprintf("C++ suggests %s, torch.compile's Python %s: --explain", r.PyTorch.Suggested, format)
}

// ChannelsLastFormat returns channels_last, or channels_last_3d for rank 5.
func (r *Report) ChannelsLastFormat() string { return string(channelsLastFormat(len(r.Shape))) }

// SuggestionText explains why suggest_memory_format disagrees with contiguity; empty if they agree.
func (r *Report) SuggestionText() string {
	if !r.Contiguous.channelsLast() {
		if r.PyTorch.suggestsLast() {
			return "channels_last order, but with gaps"
		}
		return ""
	}
	if r.Contiguous.C {
		return "both orders match; the strides of size-1 dims decide"
	}
	if r.PyTorch.suggestsLast() {
		return ""
	}
	return "the suggestion compares the strides of size-1 dims too; is_contiguous ignores them"
}

// TracedText is the format that PyTorch's Python suggests, if it differs from C++, and the comparison that decides; otherwise empty.
// (tensor.Strided.PrimsLikeChannelsLast)
func (r *Report) TracedText() (format, why string) {
	s, plain := r.tensor.Layout.Strided()
	if !plain || !r.PyTorch.languagesDiffer() {
		return "", ""
	}
	eager := explain.NewHint(s, r.Dims, explain.Eager)
	traced := explain.NewHint(s, r.Dims, explain.Traced)
	format = string(tensor.ContiguousFormat)
	why = traced.String()
	if *r.PyTorch.PrimsLike {
		format = traced.Format
		why = "in C++ " + eager.String()
	}
	for i, step := range traced.Steps {
		if span := eager.Steps[i].Span; span != step.Span {
			why = fmt.Sprintf("%s has stride 1 and spans 1, not %d; %s", step.Name, span, why)
			break
		}
	}
	return format, "torch._prims_common, used by torch.compile's tracing in PyTorch 1.13 to 2.10: " + why
}

// acceptedFacts list the frameworks that accept the tensor without a copy, and those that refuse it, with reasons. Frameworks with the same answer
// share a fact; --all has the full reasons, which differ more, and those that are not on the first screen.
func (r *Report) acceptedFacts() (facts []Fact) {
	var v verdicts
	for _, c := range Consumers {
		v.add(c.Name, r.AcceptedBy[c.Key])
	}
	add := func(label, who, why string) {
		facts = append(facts, Fact{Label: label, Text: who + ": " + why, Priority: Vital, Who: who})
	}
	if names := strings.Join(v.plain, ", "); names != "" {
		facts = append(facts, Fact{Label: "zero-copy", Text: firstNames(v.plain), Full: []string{names}, Priority: Vital, Who: names})
	}
	begin := len(facts)
	for _, a := range v.yes {
		add("zero-copy", a.names(), a.why)
	}
	facts = spelledOut(facts, begin, "zero-copy", v.fullYes)
	begin = len(facts)
	for _, a := range v.no {
		add("refused", v.refusing(a), a.why)
	}
	facts = spelledOut(facts, begin, "refused", v.fullNo)
	for _, a := range v.unchecked {
		add("unknown", a.names(), a.why)
	}
	return facts
}

// verdicts groups the frameworks by answer and reason.
type verdicts struct {
	plain   []string // accept the tensor without a condition
	yes, no answers  // of the first screen, with brief reasons

	fullYes, fullNo answers // of --all
	unchecked       answers // no one has checked the type
}

func (v *verdicts) add(name string, a Acceptance) {
	if a.OK {
		v.addYes(name, a)
		return
	}
	if a.Answer == tensor.Unknown && !a.Assumes {
		v.unchecked.add(a.Why, name)
		return
	}
	if a.onFirstScreen() {
		v.no.add(strings.Join(a.brief, "; "), name)
	}
	v.fullNo.add(a.Why, name)
}

func (v *verdicts) addYes(name string, a Acceptance) {
	for _, clause := range a.brief {
		v.yes.add(clause, name)
	}
	if len(a.brief) == 0 {
		v.plain = append(v.plain, name)
	}
	if a.Why != "" {
		v.fullYes.add(a.Why, name)
	}
}

// refusing names the frameworks that refuse for one reason: "all 13" and "all others" replace long lists.
func (v *verdicts) refusing(a answer) string {
	n := len(a.frameworks)
	if n == len(Consumers) {
		return fmt.Sprintf("all %d", n)
	}
	allRefusals := len(v.no) == 1 && v.fullNo.count() == n
	if allRefusals && n > len(Consumers)/2 {
		return "all others"
	}
	return a.names()
}

// firstNames lists as many names as fit on a line beside its label; "all 13: " comes before them if they are all.
func firstNames(names []string) (list string) {
	all := ""
	if len(names) == len(Consumers) {
		all = fmt.Sprintf("all %d: ", len(names))
	}
	for n := len(names); n > 0; n-- {
		list = all + text.First(n, names, ", ")
		if len(list) <= namesWidth {
			break
		}
	}
	return list
}

// namesWidth is the columns of a screen beside the labels.
const namesWidth = 68

// spelledOut sets the --all lines for the facts from index begin on, jointly.
func spelledOut(facts []Fact, begin int, label string, full answers) []Fact {
	for i := begin; i < len(facts); i++ {
		facts[i].Full = []string{}
	}
	for _, a := range full {
		facts = append(facts, Fact{Label: label, Text: a.names() + ": " + a.why, Priority: Plain})
	}
	return facts
}

// answers are the frameworks' answers, each with its frameworks, in order of appearance.
type answers []answer

type answer struct {
	why        string
	frameworks []string
}

func (a *answers) add(why, name string) {
	i := slices.IndexFunc(*a, func(x answer) bool { return x.why == why })
	if i < 0 {
		i = len(*a)
		*a = append(*a, answer{why: why})
	}
	(*a)[i].frameworks = append((*a)[i].frameworks, name)
}

// count returns the number of frameworks that gave these answers.
func (a answers) count() (n int) {
	for _, x := range a {
		n += len(x.frameworks)
	}
	return n
}

func (a *answer) names() string { return strings.Join(a.frameworks, ", ") }

// namesText is the layout's name in each framework that accepts the tensor, grouped by name; empty if the axes are unknown.
func (r *Report) namesText() string {
	if r.LooksLike != "" {
		return ""
	}
	var spelled answers
	for _, x := range r.spellings() {
		if len(x.names) > 0 && !r.repeatsStrides(x.framework) {
			spelled.add(x.names[0], x.framework)
		}
	}
	parts := make([]string, len(spelled))
	for i, a := range spelled {
		parts[i] = a.names() + " " + a.why
	}
	return strings.Join(parts, "; ")
}

// repeatsStrides reports whether a framework's name for the layout only repeats the sizes and strides.
func (r *Report) repeatsStrides(framework string) bool {
	switch framework {
	case "DirectML":
		return true
	case "CuTe":
		return r.Strides != nil
	}
	return false
}

// nameLines list all names of the layout, a line per framework that has one.
func (r *Report) nameLines() (lines []string) {
	for _, x := range r.spellings() {
		if len(x.names) > 0 {
			lines = append(lines, x.framework+" "+strings.Join(x.names, ", "))
		}
	}
	return lines
}

// spelling is a framework's names for the layout.
type spelling struct {
	framework string
	names     []string
}

// spellings are the frameworks' names in the order of the page.
func (r *Report) spellings() (all []spelling) {
	for _, f := range namingFrameworks {
		all = append(all, spelling{f.Name, r.Names[f.Key()]})
	}
	return append(all, spelling{"CuTe", r.Names["cute"]}, spelling{"DirectML", r.directMLNames()})
}

// directMLNames are the members of DirectML's description; nil if it refuses the tensor.
func (r *Report) directMLNames() []string {
	d := r.DirectML
	if d == nil {
		return nil
	}
	if d.Strides == nil {
		return []string{"Sizes " + braces(d.Sizes), "Strides null"}
	}
	return []string{"Sizes " + braces(d.Sizes), "Strides " + braces(d.Strides)}
}

func braces(xs []int) string { return "{" + text.Ints(xs, ", ") + "}" }
