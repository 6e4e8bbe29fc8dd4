package checkcmd

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents are the documents that the command prints.
var Documents = []cli.Document{
	{Schema: schema, Prints: "check", Type: reflect.TypeFor[report]()},
	recipeDocument,
}

const schema = "tlayout/check/v1"

// report is check's answer for one source.
type report struct {
	document.Head
	// yes, no or unknown
	Verdict    tensor.Answer `json:"result" jsonschema:"no if one assertion is, else unknown if one is"`
	OK         bool          `json:"ok"`                           // it holds or is accepted
	Assertions []assertion   `json:"assertions"`                   // in the order of their flags
	Skipped    []string      `json:"skipped_assertions,omitempty"` // those that are not defined for the tensor's rank, or for quantized blocks

	blocks []string // names of the latter
}

// newReport checks the tensor that s names. For one of several, it skips assertions that are defined for another rank, or for values instead of
// quantized blocks.
func newReport(o *options, t *source.Tensor, s named) (*report, error) {
	r := inspect.Light(t)
	c := &report{Head: document.NewHead(schema, t.Source, r.Warnings...), Verdict: tensor.Yes, Assertions: []assertion{}}
	for _, want := range o.want.layout.all {
		if s.among && !sameRank(want.Layout, t) {
			c.Skipped = append(c.Skipped, "layout")
			continue
		}
		c.Assertions = append(c.Assertions, o.layoutAssertion(want, t))
	}
	c.Assertions = append(c.Assertions, o.elementAssertions(r, t)...)
	for i := range o.want.strides.all {
		c.Assertions = append(c.Assertions, o.stridesAssertion(&o.want.strides.all[i], r, t))
	}
	for _, want := range o.want.contiguous.all {
		if rank := tensor.MemoryFormat(want.word).Rank(); s.among && rank >= 0 && rank != t.Layout.Rank() {
			c.Skipped = append(c.Skipped, "contiguous")
			continue
		}
		c.Assertions = append(c.Assertions, o.contiguousAssertion(want.word, r, t))
	}
	c.Assertions = append(c.Assertions, o.storageAssertions(r, t, s.part)...)
	if err := c.addOfValues(o, r, t, s.among); err != nil {
		return nil, err
	}
	c.Skipped = slices.Compact(c.Skipped)
	c.settle()
	return c, nil
}

// addOfValues adds the answers to --expr and --finite. The elements of a quantized tensor are blocks, of which neither can be asked: both are
// skipped among several tensors, and unknown for a single one.
func (c *report) addOfValues(o *options, r *inspect.Report, t *source.Tensor, among bool) error {
	add := func(name, expected string, answer func() (assertion, error)) error {
		if t.Block == 0 {
			a, err := answer()
			c.Assertions = append(c.Assertions, a)
			return err
		}
		if among {
			c.Skipped = append(c.Skipped, name)
			c.blocks = append(c.blocks, name)
			return nil
		}
		c.Assertions = append(c.Assertions, assertion{Name: name, Expected: expected}.unknown("elements are blocks, "+t.Encoding))
		return nil
	}
	for i := range o.want.expr.all {
		answer := func() (assertion, error) { return o.want.expr.all[i].answer(t) }
		if err := add("expr", "a view at every step", answer); err != nil {
			return err
		}
	}
	if !o.want.finite {
		return nil
	}
	return add("finite", "", func() (assertion, error) { return o.finiteAssertion(r, t) })
}

// sameRank reports whether a layout fits the rank of the tensor or its file, or any rank.
func sameRank(l *notation.Layout, t *source.Tensor) bool {
	f := l.ForRank(t.Layout.Rank()).Format
	return !l.HasFormat() || f.Rank() == t.Layout.Rank() || len(f.Axes()) == len(t.FileShape)
}

// settle derives the answer from the assertions.
func (c *report) settle() {
	for _, x := range c.Assertions {
		if x.Verdict == tensor.No || c.Verdict == tensor.Yes {
			c.Verdict = x.Verdict
		}
	}
	c.OK = c.Verdict == tensor.Yes
}

// line formats an assertion and its answer: "contiguous: expected channels_last, found C-contiguous: C-stride is 20, expected 1".
func (x assertion) line() string {
	expected := text.Quote(x.Expected)
	if x.Name == "accepted-by" {
		return x.because("accepted-by "+expected+": "+string(x.Verdict), ": ")
	}
	if x.OK {
		return x.because(x.Name+": "+x.Found, ": ")
	}
	found := x.Found != string(x.Verdict)
	if expected == "" && found {
		return x.because(x.Name+": "+string(x.Verdict)+": "+x.Found, "; ")
	}
	if expected == "" {
		return x.because(x.Name+": "+string(x.Verdict), ": ")
	}
	if found {
		return x.because(x.Name+": expected "+expected+", found "+x.Found, ": ")
	}
	return x.because(x.Name+": expected "+expected+", "+x.Found, ": ")
}

// because appends the reason to a sentence.
func (x assertion) because(sentence, separator string) string {
	if x.Why == "" {
		return sentence
	}
	return sentence + separator + x.Why
}

// lines has a line for each failed assertion, with a hint if a command fixes it, or one line if all hold. With all it has that line and every answer.
func (c *report) lines(all bool) (lines []string) {
	name := c.Named.Shown() + ": "
	if c.OK || all {
		lines = append(lines, name+c.summary())
	}
	for _, x := range c.Assertions {
		if x.OK && !all {
			continue // settle has removed its hint
		}
		lines = append(lines, name+x.line())
		if hint := "  hint: " + x.Hint; x.Hint != "" && !slices.Contains(lines, hint) {
			lines = append(lines, hint)
		}
	}
	return lines
}

// summary counts the assertions that hold; if all do, it adds the conditions.
func (c *report) summary() string {
	n := len(c.Assertions)
	if c.OK {
		return fmt.Sprintf("ok, %d of %[1]d hold%s", n, c.conditions())
	}
	passed := len(slices.DeleteFunc(slices.Clone(c.Assertions), func(x assertion) bool { return !x.OK }))
	return fmt.Sprintf("%d of %d hold", passed, n)
}

// conditions names the assertions about the array as stored, and the conditions of the others, each after a semicolon.
func (c *report) conditions() (conditions string) {
	var stored []string
	for _, x := range c.Assertions {
		if x.stored {
			stored = append(stored, x.Name)
			continue
		}
		if x.Name == "accepted-by" && x.Why != "" {
			conditions += "; " + x.Expected + ": " + x.Why
		}
	}
	if len(c.blocks) > 0 {
		conditions += "; quantized, without " + strings.Join(slices.Compact(c.blocks), ", ")
	}
	if len(stored) > 0 {
		names := slices.Compact(stored)
		return "; " + text.And(names) + text.Plural(len(names), " checks", " check") + " the array as stored" + conditions
	}
	return conditions
}

// passedOver says why nothing was asserted.
func (c *report) passedOver() string {
	if len(c.blocks) > 0 {
		return "quantized"
	}
	return "of another rank"
}

// Failed reports whether an assertion fails.
func (c *report) Failed() bool { return !c.OK }

// Page writes a line for each failed assertion, or one if all hold; in Markdown, a table of all.
func (c *report) Page(p *cli.Page) {
	if p.Markdown() {
		p.Section(c.table())
		return
	}
	p.Items(c.lines(p.All())...)
}

// header names the CSV columns, as in JSON.
var header = []string{"source", "name", "asserted", "actual", "result", "why", "hint"}

// table has one row per assertion.
func (c *report) table() render.Table {
	t := render.Table{Title: c.Named.Shown() + ": " + c.summary(),
		Header: []string{"assertion", "expected", "found", "verdict", "why", "hint"}}
	for _, x := range c.Assertions {
		t.Add(x.Name, x.Expected, x.Found, string(x.Verdict), x.Why, x.Hint)
	}
	return t
}

// Rows returns the table with a source column.
func (c *report) Rows() render.Table {
	t := c.table()
	name := cmp.Or(text.Quote(c.Source), "tensor")
	t.Header = header
	for i, row := range t.Rows {
		t.Rows[i] = append([]string{name}, row...)
	}
	return t
}

// tally counts sources, for the end of a page.
type tally struct {
	sources, failed, unread int
	passed                  map[string]int // sources without a line of their own, by their conditions
	passedOver              map[string]int // sources of which nothing is asserted, by the reason
}

// skipped returns the parts of a sentence about the sources of which nothing is asserted, and their number.
func (n *tally) skipped() (parts []string, sum int) {
	for _, why := range slices.Sorted(maps.Keys(n.passedOver)) {
		parts = append(parts, fmt.Sprintf("%d %s", n.passedOver[why], why))
		sum = sum + n.passedOver[why]
	}
	return parts, sum
}

// plusOne counts one more of a kind.
func plusOne(counts *map[string]int, kind string) {
	if *counts == nil {
		*counts = map[string]int{}
	}
	(*counts)[kind]++
}

// Page writes the totals: "3 of 40 sources fail", after what passes under conditions: "37 sources ok; contiguous checks the array as stored".
func (n *tally) Page(p *cli.Page) {
	for _, conditions := range slices.Sorted(maps.Keys(n.passed)) {
		if conditions != "" {
			p.Items(text.Count(n.passed[conditions], "source") + " ok" + conditions)
		}
	}
	skipped, passedOver := n.skipped()
	var parts []string
	if n.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d sources %s", n.failed, n.sources-passedOver, text.Plural(n.failed, "fails", "fail")))
	}
	if n.unread > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d cannot be read", n.unread, n.sources))
	}
	all := "1 source passes"
	if n.sources-passedOver > 1 {
		all = fmt.Sprintf("all %d sources pass", n.sources-passedOver)
	}
	text := cmp.Or(strings.Join(parts, ", "), all)
	if passedOver > 0 {
		text += ", " + strings.Join(skipped, " and ") + " skipped"
	}
	if p.Markdown() {
		p.Paragraph(text)
		return
	}
	p.Items(text)
}
