// Package profile reads traces of PyTorch's profiler, as a graph.Program.
package profile

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
)

// Read reads the operators in a trace of PyTorch's profiler, as export_chrome_trace writes it, or gzip of it.
//
// A trace has events of operators, which nest by time, with the shapes and strides of what each reads. Operators of the program are the
// outermost ones; what PyTorch's autograd wraps around them is left out. A copy_ inside one that changes the order is an operator of its own.
//
//	json.go     the events of a file, one by one
//	events.go   what is kept of them
//	places.go   the user's line and module at a time
//	shapes.go   tensors, each once
//	values.go   which operators read the same tensor: nothing in a trace identifies one
func Read(r io.Reader) (*graph.Program, error) {
	plain, err := unpacked(r)
	if err != nil {
		return nil, err
	}
	t, err := readTrace(plain)
	if err != nil {
		return nil, err
	}
	if err := t.missing(); err != nil {
		return nil, err
	}
	return newProfiling(t).run(), nil
}

// unpacked returns the contents of a gzip file, or of another as they are.
func unpacked(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	magic, _ := b.Peek(2)
	if string(magic) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fault.New(fault.Malformed, "a gzip file with a broken header")
	}
	return z, nil
}

// missing returns why a trace does not tell layouts. Strides came with pytorch/pytorch pull request 125851.
func (t *trace) missing() error {
	hint := "torch.profiler.profile(record_shapes=True, with_stack=True)"
	if !t.hasOps {
		return fault.New(fault.Unsupported, "a Chrome trace without PyTorch's operators").WithHint("%s", hint)
	}
	if !t.hasDims {
		return fault.New(fault.Unsupported, "a profile without shapes").WithHint("%s", hint)
	}
	if !t.hasSteps {
		return fault.New(fault.Unsupported, "a profile without strides").WithHint("PyTorch 2.4 and newer write them with record_shapes=True")
	}
	return nil
}

// span is an operator of the program: the events [first, end) of a thread, of which the first encloses the others.
type span struct {
	thread     int32
	first, end int32
	begin      int64
}

// profiling makes a Program of a trace.
type profiling struct {
	*trace
	program *graph.Program
	hasGPU  bool      // operators have the times of kernels
	linked  float64   // seconds of kernels that operators have
	places  []placing // by thread
	values  identities
}

func newProfiling(t *trace) *profiling {
	p := &profiling{trace: t, places: make([]placing, len(t.threads))}
	p.program = &graph.Program{Engine: graph.Profile, Timed: true, ListsCopies: true, Notes: t.notes}
	p.values = newIdentities(p.program, len(t.threads))
	p.hasGPU = len(t.kernels) > 0
	t.sortKernels()
	return p
}

func (p *profiling) run() *graph.Program {
	for _, s := range p.spans() {
		p.add(s)
	}
	calls := 0
	for _, th := range p.threads {
		calls += len(th.calls)
	}
	if calls == 0 {
		p.note("with_stack=True names the lines")
	}
	if !p.hasGPU {
		return p.program
	}
	p.note("times are those of GPU kernels")
	others := -p.linked
	for _, k := range p.kernels {
		others += k.seconds
	}
	if others > 1e-7 {
		p.note(fmt.Sprintf("kernels of %.3g ms belong to no operator", 1000*others))
	}
	return p.program
}

func (p *profiling) note(text string) { p.program.Notes = append(p.program.Notes, text) }

// spans returns the operators of all threads in order of time. Kineto writes the events of a thread in that order, and those of Python's
// functions behind them; other writers need not.
func (p *profiling) spans() []span {
	var all []span
	for i, th := range p.threads {
		th.sort()
		for first := 0; first < len(th.events); {
			e := &th.events[first]
			if p.operators[e.name].wraps {
				first++
				continue
			}
			end := first + len(enclosed(th.events[first:]))
			all = append(all, span{int32(i), int32(first), int32(end), e.begin})
			first = end
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.begin, b.begin) })
	return all
}

// sort puts events in order of time, those that enclose others first.
func (th *thread) sort() {
	events := func(a, b event) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.time, a.time)) }
	if !slices.IsSortedFunc(th.events, events) {
		slices.SortStableFunc(th.events, events)
	}
	calls := func(a, b call) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(b.time, a.time)) }
	if !slices.IsSortedFunc(th.calls, calls) {
		slices.SortStableFunc(th.calls, calls)
	}
}

// add adds the operator of a span, behind the copies that it makes for itself.
func (p *profiling) add(s span) {
	events := p.threads[s.thread].events[s.first:s.end]
	name := p.operators[events[0].name]
	place := p.places[s.thread].at(p.trace, p.threads[s.thread], events[0].begin)
	op := graph.Operator{Name: name.short, Kind: name.kind, Place: place, Seconds: p.seconds(events)}
	p.linked += op.Seconds
	copies := p.copies(events)
	v := p.values.of(s.thread)
	operands := p.operands[events[0].signature]
	if name.copies && len(copies) == 1 && copies[0].outermost == 0 {
		p.copied(v, &op, operands, events, copies[0])
		p.program.Operators = append(p.program.Operators, op)
		v.made(len(p.program.Operators) - 1)
		return
	}
	op.Inputs = v.read(&name, place.Module, operands)
	for _, c := range copies {
		if c.changes {
			op.Seconds = max(0, op.Seconds-p.copyInside(v, &op, operands, events, c))
		}
	}
	if made := p.operands[events[0].outputs]; len(made) > 0 && !strings.HasSuffix(name.short, "_") {
		v.returned(&op, made)
	} else {
		v.settle(&op, &name, operands, p.viewsOf(events))
	}
	p.program.Operators = append(p.program.Operators, op)
	v.made(len(p.program.Operators) - 1)
}

// copied makes an operator the copy that it has made.
func (p *profiling) copied(v *threadValues, op *graph.Operator, operands []operand, events []event, c copied) {
	to := c.operands[0]
	from := c.operands[1]
	op.Kind = graph.Copies
	source := operands
	if c.at == 0 {
		source = operands[1:]
	}
	read := v.read(&p.operators[events[0].name], op.Place.Module, source)
	op.Inputs = []graph.ID{v.matching(source, read, from)}
	for _, result := range p.viewsOf(events[c.at:]) { // reshape() makes a view of what it has copied
		to = result
	}
	op.Outputs = []graph.ID{v.define(to, false)}
}

// copyInside adds the copy that an operator makes for itself, and returns its time.
func (p *profiling) copyInside(v *threadValues, op *graph.Operator, operands []operand, events []event, c copied) float64 {
	seconds := 0.0
	if !c.counted {
		seconds = p.seconds(enclosed(events[c.outermost:]))
	}
	from := c.operands[1]
	inside := graph.Operator{Name: p.operators[events[c.outermost].name].short, Kind: graph.Copies, Inside: op.Name, Place: op.Place,
		Seconds: seconds}
	inside.Operand = slices.IndexFunc(operands, func(o operand) bool { return o.geometry == from.geometry })
	if inside.Operand < 0 { // it copies what it has made: convolution_backward, a gradient
		inside.Operand = len(operands)
	}
	inside.Inputs = []graph.ID{v.matching(operands, op.Inputs, from)}
	inside.Outputs = []graph.ID{v.hidden(c.operands[0])}
	p.program.Operators = append(p.program.Operators, inside)
	return seconds
}

// enclosed returns the first of some events, and those inside it.
func enclosed(events []event) []event {
	end := 1
	for end < len(events) && events[end].begin < events[0].end() {
		end++
	}
	return events[:end]
}

// seconds returns the time of a span of events: that of the first one, or of the kernels of all.
func (p *profiling) seconds(events []event) float64 {
	if !p.hasGPU {
		return float64(events[0].time) / 1e9
	}
	sum := 0.0
	for _, e := range events {
		sum += p.onGPU(e.external)
	}
	return sum
}

// copied is a copy_ inside an operator.
type copied struct {
	at, outermost int       // the events of copy_, and of the outermost one that has no other purpose
	operands      []operand // what is written, and what is read
	changes       bool      // the memory order
	counted       bool      // the time of outermost is that of an earlier copy in it
}

// maxEnclosing limits how many events, or calls, around one are looked at: a stack of Python has 1000.
const maxEnclosing = 1000

// copies returns the outermost copies inside a span.
func (p *profiling) copies(events []event) []copied {
	var all []copied
	var open []int // the events that enclose the next one
	covered := int64(-1 << 62)
	for i := range events {
		e := &events[i]
		for len(open) > 0 && events[open[len(open)-1]].end() <= e.begin {
			open = open[:len(open)-1]
		}
		open = append(open, i)
		operands := p.operands[e.signature]
		if !p.operators[e.name].isCopy || e.begin < covered || len(operands) < 2 {
			continue
		}
		covered = e.end()
		c := copied{at: i, outermost: i, operands: operands, changes: changesOrder(operands[1].tensor, operands[0].tensor)}
		for _, k := range slices.Backward(open[max(0, len(open)-maxEnclosing):]) {
			if !p.operators[events[k].name].copies {
				break
			}
			c.outermost = k
		}
		c.counted = len(all) > 0 && all[len(all)-1].outermost == c.outermost
		all = append(all, c)
	}
	return all
}

// changesOrder reports whether two tensors of a shape have their elements in different memory orders.
func changesOrder(from, to *graph.Tensor) bool {
	if from == nil || to == nil {
		return false
	}
	a, _ := from.Layout.Strided()
	b, _ := to.Layout.Strided()
	if !slices.Equal(a.Shape, b.Shape) || a.Empty() {
		return false
	}
	order := func(strides []int) []int {
		var dims []int
		for d, n := range a.Shape {
			if n > 1 && a.Strides[d] != 0 && b.Strides[d] != 0 {
				dims = append(dims, d)
			}
		}
		slices.SortStableFunc(dims, func(x, y int) int { return cmp.Compare(strides[y], strides[x]) })
		return dims
	}
	return !slices.Equal(order(a.Strides), order(b.Strides))
}

// viewsOf returns the tensors that the views in a span of events make, the last one last.
func (p *profiling) viewsOf(events []event) []operand {
	var all []operand
	for i := range events {
		e := &events[i]
		operands := p.operands[e.signature]
		if e.asks == 0 || len(operands) == 0 || operands[0].tensor == nil {
			continue
		}
		a := p.asks[e.asks]
		strides := a.strides
		if p.operators[e.name].view == viewShaped {
			of, _ := operands[0].tensor.Layout.Strided()
			view, err := of.View(a.shape)
			if err != nil {
				continue
			}
			a.shape = view.Shape
			strides = view.Strides
		}
		o := p.shapes.like(operands[0], a.shape, strides)
		if o.tensor != nil && len(all) < maxOperands {
			all = append(all, o)
		}
	}
	return all
}

// operatorName is what an operator's name says.
type operatorName struct {
	short  string
	kind   graph.Kind
	wraps  bool // not an operator: what autograd or a user's annotation encloses operators with
	copies bool // it returns the elements of its operand
	isCopy bool // copy_, which has the operands [to, from]
	view   viewing
}

// viewing is how a view's arguments tell its result.
type viewing uint8

const (
	viewUnknown viewing = iota
	viewStrided         // sizes and strides are arguments
	viewShaped          // sizes are
)

func newOperatorName(name string) operatorName {
	n := operatorName{}
	var own bool
	n.short, own = pytorch.Name(name)
	n.wraps = !strings.Contains(name, "::") || strings.HasPrefix(name, "autograd::") || strings.HasPrefix(name, "torch::autograd::")
	if !own {
		return n
	}
	n.kind = pytorch.Kind(n.short)
	switch n.short {
	case "copy_":
		n.isCopy = true
	case "_to_copy", "type_as":
		n.kind = graph.Views
	case "as_strided", "_reshape_alias":
		n.view = viewStrided
	case "view", "_unsafe_view":
		n.view = viewShaped
	}
	n.copies = n.kind == graph.Views || n.kind == graph.Copies
	return n
}
