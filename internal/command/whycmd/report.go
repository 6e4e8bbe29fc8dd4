package whycmd

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/framework/diagnose"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const schema = "tlayout/why/v1"

// report explains a message, or lists the kinds of messages and those that are known by their words.
type report struct {
	Schema     string        `json:"schema"`
	Query      string        `json:"query"`
	Recognized string        `json:"recognized"` // name of the error message; empty if unknown
	Kind       string        `json:"complaint"`  // kind of complaint; empty if unknown
	Framework  string        `json:"framework"`  // name of the framework
	Answer     string        `json:"answer"`
	Code       string        `json:"raised_by"`      // line of the query's code that raised the error, with its file
	Same       tensor.Answer `json:"memory_is_same"` // the existing memory already has the wanted order
	Cost       string        `json:"cost"`           // cost of the difference, or what the fix copies
	Facts      []string      `json:"facts"`          // facts derived from the message's numbers
	Fixes      []string      `json:"fixes"`          // statements that fix it
	Commands   []string      `json:"commands"`       // next commands to run
	Reference  string        `json:"reference"`      // where it is documented
	Kinds      []kind        `json:"complaints"`     // kinds of complaints, if there is no query
	Known      []known       `json:"known"`          // known error messages, if there is no query
	document.Remarks
	answer diagnose.Answer
}

// kind is a kind of complaints that why answers, whatever their words.
type kind struct {
	Kind    string `json:"complaint"` // kind of complaint; empty if unknown
	Title   string `json:"about"`     // what is complained about
	Example string `json:"example"`   // a message of this kind
}

// known is a message that why knows by its words.
type known struct {
	Recognized string `json:"recognized"` // name of the error message; empty if unknown
	Framework  string `json:"framework"`  // name of the framework
	Message    string `json:"message"`
	Reference  string `json:"reference"` // where it is documented
}

// newReport explains a message.
func newReport(message string) *report {
	a, ok := diagnose.Read(message)
	r := &report{Schema: schema, Query: text.Quote(message), Recognized: a.Message.ID, Kind: a.Kind.ID, Framework: a.Framework, Answer: a.What, Code: a.Code, Same: a.Same,
		Cost: a.Cost, Facts: text.OrEmpty(a.Facts), Fixes: text.OrEmpty(a.Fixes), Commands: text.OrEmpty(a.Commands), Reference: a.Message.Reference,
		Kinds: []kind{}, Known: []known{}, Remarks: document.Remarks{Warnings: []string{}}, answer: a}
	if ok {
		return r
	}
	r.Same = tensor.Unknown
	r.Answer = "no complaint about a memory layout that why knows in this text"
	r.Commands = []string{"tlayout why  # lists the kinds of complaints"}
	if found := diagnose.Found(message); found.What != "" {
		r.Answer = found.What
		r.Facts = found.Facts
		r.Commands = append(found.Commands, r.Commands...)
	}
	return r
}

// newCatalogue lists the kinds of messages, and those that are known by their words.
func newCatalogue() *report {
	r := newReport("")
	r.Query = ""
	r.Commands = []string{}
	for _, k := range diagnose.Kinds() {
		r.Kinds = append(r.Kinds, kind{k.ID, k.Title, k.Example})
	}
	for _, m := range diagnose.Known() {
		r.Known = append(r.Known, known{m.ID, m.Framework, strings.Join(strings.Fields(m.Text), " "), m.Reference})
	}
	r.Answer = fmt.Sprintf("%s of complaints, and %s known by their words", text.Count(len(r.Kinds), "kind"), text.Count(len(r.Known), "message"))
	return r
}

// Failed reports whether a message was not understood.
func (r *report) Failed() bool { return r.Query != "" && !r.understood() }

func (r *report) understood() bool { return r.Recognized != "" || r.Kind != "" }

// Page writes the explanation, or the list of kinds. What happened and what to write come in the first ten lines.
func (r *report) Page(p *cli.Page) {
	if len(r.Kinds) > 0 {
		r.list(p)
		return
	}
	p.Answer(r.Answer)
	if !r.understood() && len(r.Facts) == 0 {
		p.Items(r.Commands...)
		return
	}
	if r.Code != "" {
		p.Items("raised by " + r.Code)
	}
	p.Items(r.Facts...)
	if len(r.Fixes) > 0 {
		p.Code("In "+r.answer.Language, r.answer.Markdown, r.Fixes)
	}
	if r.understood() {
		p.Facts(append([]cli.Fact{{Label: "same bytes", Text: string(r.Same)}, {Label: "cost", Text: r.Cost}}, r.source()...)...)
	}
	p.Code("Next", "sh", r.Commands)
	if p.All() && r.Reference != "" {
		p.Remarks("printed by " + r.Reference)
	}
	if r.Reference != "" {
		p.More("--all")
	}
}

// source says whose message it is, and which one or of which kind.
func (r *report) source() []cli.Fact {
	if r.Recognized != "" {
		return []cli.Fact{{Label: "message", Text: r.Framework + ", " + r.Recognized}}
	}
	kind := cli.Fact{Label: "kind", Text: r.Kind + ": " + r.answer.Kind.Title}
	if r.Framework == "" {
		return []cli.Fact{kind, {Label: "framework", Text: "not named; PyTorch or NumPy is assumed"}}
	}
	return []cli.Fact{kind, {Label: "framework", Text: r.Framework}}
}

// list writes the kinds of messages, each with an example; with --all, the messages that are known by their words, too.
func (r *report) list(p *cli.Page) {
	p.Answer(r.Answer)
	t := render.Table{Header: []string{"kind", "such as"}}
	for _, k := range r.Kinds {
		example := k.Example
		if !p.All() {
			example = text.Truncate(example, min(p.Columns(), maxColumns)-columnsAround, p.Ellipsis())
		}
		t.Add(k.Kind, example)
	}
	p.Section(t)
	if p.All() {
		t := render.Table{Header: []string{"framework", "message"}}
		for _, k := range r.Known {
			t.Add(k.Framework, k.Message)
		}
		p.Section(t)
	}
	p.More("--all")
}

// columnsAround are the columns of a list besides the examples, and maxColumns is the maximal length of one off a terminal.
const columnsAround, maxColumns = 16, 160

// Rows returns a row for the explanation, or one for each kind and each known message.
func (r *report) Rows() render.Table {
	t := render.Table{Header: strings.Split("recognized,complaint,framework,message,answer,memory_is_same,cost,fixes,commands,reference", ",")}
	if r.Query != "" {
		t.Add(r.Recognized, r.Kind, r.Framework, r.Query, r.Answer, string(r.Same), r.Cost, strings.Join(r.Fixes, "\n"), strings.Join(r.Commands, "\n"), r.Reference)
	}
	for _, k := range r.Kinds {
		t.Add("", k.Kind, "", k.Example, "", "", "", "", "", "")
	}
	for _, k := range r.Known {
		t.Add(k.Recognized, "", k.Framework, k.Message, "", "", "", "", "", k.Reference)
	}
	return t
}
