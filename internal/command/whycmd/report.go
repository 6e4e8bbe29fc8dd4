package whycmd

import (
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const schema = "tlayout/why/v1"

// report explains a message, or lists the known ones.
type report struct {
	Schema     string        `json:"schema"`
	Query      string        `json:"query"`
	Recognized string        `json:"recognized"` // name of the error message; empty if unknown
	Framework  string        `json:"framework"`  // name of the framework
	Answer     string        `json:"answer"`
	Same       tensor.Answer `json:"memory_is_same"` // the existing memory already has the wanted order
	Cost       string        `json:"cost"`           // cost of the difference, or what the fix copies
	Facts      []string      `json:"facts"`          // facts derived from the message's numbers
	Fixes      []string      `json:"fixes"`          // statements that fix it
	Commands   []string      `json:"commands"`       // next commands to run
	Reference  string        `json:"reference"`      // where it is documented
	Known      []known       `json:"known"`          // known error messages, if the query is not one
	document.Remarks
}

// known is a message that why recognizes.
type known struct {
	Recognized string `json:"recognized"` // name of the error message; empty if unknown
	Framework  string `json:"framework"`  // name of the framework
	Message    string `json:"message"`
	Reference  string `json:"reference"` // where it is documented
}

// newReport explains a message.
func newReport(message string) *report {
	a, ok := diagnose.Read(message)
	if !ok {
		r := newCatalogue()
		r.Query = text.Quote(message)
		r.Answer = "no known error message in this text"
		if found := diagnose.Found(message); found.What != "" {
			r.Answer = found.What
			r.Facts = found.Facts
			r.Commands = append(found.Commands, "tlayout why  # lists the known messages")
		}
		return r
	}
	return &report{
		Schema: schema, Query: text.Quote(message), Recognized: a.Message.ID, Framework: a.Message.Framework, Answer: a.What, Same: a.Same, Cost: a.Cost,
		Facts: text.OrEmpty(a.Facts), Fixes: text.OrEmpty(a.Fixes), Commands: text.OrEmpty(a.Commands), Reference: a.Message.Reference,
		Known: []known{}, Remarks: document.Remarks{Warnings: []string{}},
	}
}

// newCatalogue lists the known messages.
func newCatalogue() *report {
	r := &report{Schema: schema, Same: tensor.Unknown, Facts: []string{}, Fixes: []string{}, Commands: []string{}, Known: []known{},
		Remarks: document.Remarks{Warnings: []string{}}}
	for _, m := range diagnose.Known() {
		r.Known = append(r.Known, known{m.ID, m.Framework, strings.Join(strings.Fields(m.Text), " "), m.Reference})
	}
	r.Answer = text.Count(len(r.Known), "known message")
	return r
}

// Failed reports whether a message was not recognized.
func (r *report) Failed() bool { return r.Query != "" && r.Recognized == "" }

// Lines and columns of a page besides the messages, and the maximal length of a message off a terminal.
const linesAround, columnsAround, maxColumns = 10, 18, 160

// Page writes the explanation, or the list of known messages.
func (r *report) Page(p *cli.Page) {
	p.Answer(r.Answer)
	if r.Recognized == "" && len(r.Facts) == 0 {
		r.list(p)
		return
	}
	p.Items(r.Facts...)
	if r.Recognized == "" {
		p.Code("Next", "sh", r.Commands)
		return
	}
	p.Facts(cli.Fact{Label: "message", Text: r.Framework + ", " + r.Recognized}, cli.Fact{Label: "same bytes", Text: string(r.Same)}, cli.Fact{Label: "cost", Text: r.Cost})
	if len(r.Fixes) > 0 {
		heading, name := r.language()
		p.Code("In "+heading, name, r.Fixes)
	}
	if len(r.Commands) > 0 {
		p.Code("Next", "sh", r.Commands)
	}
	if p.All() {
		p.Remarks("printed by " + r.Reference)
	}
	p.More("--all")
}

// language returns the heading of the fixes and the name of their language for Markdown.
func (r *report) language() (heading, name string) {
	switch r.Framework {
	case "Python", "NumPy":
		return "NumPy", "python"
	case "candle", "burn":
		return "Rust", "rust"
	case "CUTLASS":
		return "C++", "cpp"
	}
	return "Python", "python"
}

// list writes the known messages, cut to the size of the terminal unless --all is given.
func (r *report) list(p *cli.Page) {
	t := render.Table{Header: []string{"framework", "message"}}
	for i, k := range r.Known {
		if i == p.Height()-linesAround && !p.All() {
			break
		}
		s := k.Message
		if !p.All() {
			s = text.Truncate(s, min(p.Columns(), maxColumns)-columnsAround, p.Ellipsis())
		}
		t.Add(k.Framework, s)
	}
	p.Section(t)
	p.More("--all")
}

// Rows returns a row for the explanation, or one for each known message.
func (r *report) Rows() render.Table {
	t := render.Table{Header: strings.Split("recognized,framework,message,answer,memory_is_same,cost,fixes,commands,reference", ",")}
	if r.Recognized != "" {
		t.Add(r.Recognized, r.Framework, r.Query, r.Answer, string(r.Same), r.Cost, strings.Join(r.Fixes, "\n"), strings.Join(r.Commands, "\n"), r.Reference)
	}
	for _, k := range r.Known {
		t.Add(k.Recognized, k.Framework, k.Message, "", "", "", "", "", k.Reference)
	}
	return t
}
