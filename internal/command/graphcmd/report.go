package graphcmd

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/gate"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

const schema = "tlayout/graph/v1"

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: schema, Prints: "graph", Type: reflect.TypeFor[report]()}}

// report is what a program does with layouts. Changes that are alike, at one place of the user's program, are one.
type report struct {
	document.Head
	Answer    string      `json:"answer"`
	Engine    string      `json:"engine"`                                                               // what wrote the file
	Operators int         `json:"operators"`                                                            // operators of the program
	Seconds   *float64    `json:"seconds" jsonschema:"of all operators; null if the file has no times"` // duration
	Moved     total       `json:"total"`                                                                // all changes but those of weights
	Weights   total       `json:"weights"`                                                              // changes of weights
	Same      int         `json:"same_order"`                                                           // copies that keep the memory order
	Unknown   []unknown   `json:"unknown"`                                                              // operators that no rule covers
	Changes   []change    `json:"changes"`                                                              // in the order of the program
	Gates     []gate.Gate `json:"gates,omitempty"`                                                      // conditions that decide the exit code
	Picture   *string     `json:"picture,omitzero"`                                                     // file of the picture

	program *graph.Program
	found   []graph.Change
	group   []int // of each found one, the index in Changes
}

// total sums changes up.
type total struct {
	Times   int      `json:"times"`                                                              // times it runs
	Bytes   int64    `json:"bytes" jsonschema:"of the elements that are moved"`                  // size, or data read and written, in bytes
	Seconds *float64 `json:"seconds" jsonschema:"of the changes; null if the file has no times"` // duration
	Share   *float64 `json:"share"`                                                              // fraction of the time of all operators
}

// unknown is an operator that no rule covers.
type unknown struct {
	Operator string `json:"operator"` // operator of the program
	Times    int    `json:"times"`    // times it runs
}

// change is elements that are moved into another memory order.
type change struct {
	Number   int      `json:"number"`   // of the change, from 1
	Operator string   `json:"operator"` // operator of the program
	Operand  *string  `json:"operand"`  // operand of the operator that an implied change moves
	Times    int      `json:"times"`    // times it runs
	Shape    []int    `json:"shape" jsonschema:"-1 for a size that the file leaves open"`
	DType    string   `json:"dtype"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	FromS    []int    `json:"from_strides" jsonschema:"null for a blocked layout, or open sizes"` // strides before
	ToS      []int    `json:"to_strides" jsonschema:"null for a blocked layout, or open sizes"`   // strides after
	Bytes    int64    `json:"bytes" jsonschema:"of the elements, of all times"`                   // size, or data read and written, in bytes
	Seconds  *float64 `json:"seconds" jsonschema:"of all times; null if the file has no times"`   // duration
	Share    *float64 `json:"share"`                                                              // fraction of the time of all operators
	Implied  bool     `json:"implied"`                                                            // the operator does it for itself
	Weight   bool     `json:"weight"`                                                             // the elements are a weight's
	Where    string   `json:"where"`                                                              // file and line, or the operator's name in the file; empty if unknown
	Call     string   `json:"call"`                                                               // call in the user's line, or the line; empty if unknown
	Module   string   `json:"module"`                                                             // module that runs the operator; empty if unknown
	Cancels  []int    `json:"cancels"`                                                            // numbers of changes that it undoes, or that undo it
	Repeats  []int    `json:"repeats"`                                                            // numbers of earlier changes of the same tensor into the same order
	Forced   string   `json:"forced"`                                                             // what asks for the order; empty if unknown
	Cure     string   `json:"cure"`                                                               // what to write instead; empty if unknown
	Proved   bool     `json:"proved"`                                                             // the cure gives the same values, by the operators' rules

	sizes string // of the shape, with the names of those that the file leaves open
}

// newReport reports on the program in a file.
func newReport(source name.Name, p *graph.Program) *report {
	r := &report{Head: document.NewHead(schema, source), Engine: string(p.Engine), Operators: len(p.Operators), Unknown: []unknown{},
		Changes: []change{}, program: p, found: p.Changes()}
	r.Notes = append([]string{}, p.Notes...)
	if p.Timed {
		all := p.Seconds()
		r.Seconds = &all
	}
	r.Same = p.SameOrder(r.found)
	for name, times := range p.UnknownOperators() {
		r.Unknown = append(r.Unknown, unknown{name, times})
	}
	sorting.By(r.Unknown, func(a, b unknown) int {
		return cmp.Or(b.Times-a.Times, strings.Compare(a.Operator, b.Operator))
	})
	r.join()
	r.Moved = r.total(false)
	r.Weights = r.total(true)
	r.Answer = r.answer()
	return r
}

// join makes one change of those that are alike.
func (r *report) join() {
	index := map[string]int{}
	r.group = make([]int, len(r.found))
	for k := range r.found {
		c := r.change(&r.found[k])
		key := fmt.Sprint(c.operator(), c.sizes, c.DType, c.FromS, c.ToS, c.From, c.To, c.Where, c.Call, c.Module, c.Weight, c.Forced, c.Cure)
		at, known := index[key]
		if !known {
			at = len(r.Changes)
			index[key] = at
			c.Number = at + 1
			r.Changes = append(r.Changes, c)
		} else {
			r.Changes[at].add(c)
		}
		r.group[k] = at
	}
	for k := range r.found {
		c := &r.Changes[r.group[k]]
		c.Cancels = addNumber(c.Cancels, r.group, r.found[k].Cancels)
		c.Repeats = addNumber(c.Repeats, r.group, r.found[k].Repeats)
	}
}

// addNumber adds the number of another change, if there is one.
func addNumber(all, numbers []int, other int) []int {
	if other < 0 || slices.Contains(all, numbers[other]+1) {
		return all
	}
	return append(all, numbers[other]+1)
}

// add counts a change like this one.
func (c *change) add(other change) {
	c.Times++
	c.Bytes += other.Bytes
	if c.Seconds != nil {
		*c.Seconds += *other.Seconds
	}
	if c.Share != nil {
		*c.Share += *other.Share
	}
}

// change describes a change.
func (r *report) change(f *graph.Change) change {
	op := &r.program.Operators[f.Operator]
	c := change{Operator: cmp.Or(op.Inside, op.Name), Times: 1, Shape: shapeOf(f.Tensor), sizes: f.Tensor.Sizes(), DType: f.Tensor.Type.String(), From: f.FromName(), To: f.ToName(),
		FromS: stridesOf(f, f.From), ToS: stridesOf(f, f.To), Bytes: f.Bytes(), Implied: f.Implied, Weight: f.Weight, Where: op.Place.String(),
		Call: cmp.Or(op.Place.Call(op.Name), op.Place.Code), Module: op.Place.Module, Cancels: []int{}, Repeats: []int{}, Forced: f.Forced, Cure: f.Cure,
		Proved: f.Proved}
	if f.Implied {
		operand := operandName(c.Operator, f.Operand)
		c.Operand = &operand
		c.Call = op.Place.Code
	}
	if r.Seconds != nil && op.Kind == graph.Copies {
		seconds := op.Seconds
		c.Seconds = &seconds
		if *r.Seconds > 0 {
			share := seconds / *r.Seconds
			c.Share = &share
		}
	}
	return c
}

// openSize stands for a size that a file leaves open, as in TensorRT's dims.
const openSize = -1

// shapeOf returns the sizes of a tensor, openSize for those that the file leaves open.
func shapeOf(t *graph.Tensor) []int {
	shape := t.Layout.Shape()
	for d, symbol := range t.Symbols {
		if symbol != "" {
			shape[d] = openSize
		}
	}
	return shape
}

// stridesOf returns the strides of a layout of a change in elements; nil if it is blocked, or the file leaves sizes open.
func stridesOf(f *graph.Change, l tensor.Layout) []int {
	s, plain := l.Strided()
	if !plain || f.Tensor.Symbols != nil {
		return nil
	}
	return s.Strides
}

// operandName returns what an operator calls an operand.
func operandName(operator string, k int) string {
	names := []string{"input", "weight", "bias"}
	if operator == "convolution_backward" {
		names = []string{"gradient", "input", "weight", "result"}
	}
	if strings.Contains(operator, "conv") || strings.HasPrefix(operator, "linear") {
		return names[min(k, len(names)-1)]
	}
	if k == 0 {
		return "input"
	}
	return fmt.Sprintf("operand %d", k)
}

// total sums up the changes of weights, or of everything else.
func (r *report) total(weights bool) total {
	t := total{}
	seconds := 0.0
	for i := range r.Changes {
		c := &r.Changes[i]
		if c.Weight != weights {
			continue
		}
		t.Times += c.Times
		t.Bytes += c.Bytes
		if c.Seconds != nil {
			seconds += *c.Seconds
		}
	}
	if r.Seconds != nil {
		t.Seconds = &seconds
		share := 0.0
		if *r.Seconds > 0 {
			share = seconds / *r.Seconds
		}
		t.Share = &share
	}
	return t
}

// The figures that gates compare.
const (
	gateExample = "changes == 0"
	figureHint  = "the figures are changes, bytes, seconds, share, weights, weight_bytes, operators and unknown: tlayout help gates"
)

var figureNames = []string{"changes", "bytes", "seconds", "share", "weights", "weight_bytes", "operators", "unknown"}

// figures returns the numbers that gates compare; a file without times has no seconds and no share.
func (r *report) figures() map[string]float64 {
	unknowns := 0
	for _, u := range r.Unknown {
		unknowns += u.Times
	}
	all := map[string]float64{"changes": float64(r.Moved.Times), "bytes": float64(r.Moved.Bytes), "weights": float64(r.Weights.Times),
		"weight_bytes": float64(r.Weights.Bytes), "operators": float64(r.Operators), "unknown": float64(unknowns)}
	if r.Seconds != nil {
		all["seconds"] = *r.Moved.Seconds
		all["share"] = *r.Moved.Share
	}
	return all
}

// Failed reports whether a gate failed.
func (r *report) Failed() bool {
	return slices.ContainsFunc(r.Gates, func(g gate.Gate) bool { return !g.Holds })
}

// Rows returns a row for each change.
func (r *report) Rows() render.Table {
	return cli.TableOf("number,operator,operand,times,shape,dtype,from,to,from_strides,to_strides,bytes,seconds,share,implied,weight,where,call,module,"+
		"cancels,repeats,forced,cure,proved", r.Changes...)
}

// count returns "2 changes" or "1 change".
func (t total) count() string { return text.Count(t.Times, "change") }
