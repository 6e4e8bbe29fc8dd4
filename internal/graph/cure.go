package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// cure fills in what asks for each change, and what to write instead.
func (f *flow) cure() {
	for k := range f.changes {
		c := &f.changes[k]
		c.Forced = f.forced(c)
		c.Cure, c.Proved = f.cureOf(k)
		c.Proved = c.Proved && c.Cure != "" && f.Engine.NamesTensors()
	}
}

// forced returns what asks for the order of a change; empty if nothing is known to.
func (f *flow) forced(c *Change) string {
	op := &f.Operators[c.Operator]
	if !c.Implied {
		return f.demanded(c)
	}
	inside := f.asked(c)
	switch inside.Kind {
	case Multiplies:
		return inside.Name + " merges dims, which needs rows"
	case Elementwise, Joins:
		return "the output is " + c.ToName()
	case Follows:
		return f.followedBecause(inside, c)
	case Unknown, Computes, Views, Copies:
	}
	return cmp.Or(op.Inside, op.Name) + " reads " + c.ToName()
}

// asked returns the operator that makes an implied change for itself.
func (f *flow) asked(c *Change) *Operator {
	op := &f.Operators[c.Operator]
	if op.Inside == "" {
		return op
	}
	for i := c.Operator + 1; i < len(f.Operators); i++ {
		if f.Operators[i].Name == op.Inside {
			return &f.Operators[i]
		}
	}
	return op
}

// followedBecause returns why an operator with the dims of its operand changes it: for a convolution, the order of its other operand.
func (f *flow) followedBecause(op *Operator, c *Change) string {
	names := []string{"input", "weight"}
	if c.Operand >= len(names) || len(op.Inputs) < 2 {
		return op.Name + " writes " + c.ToName()
	}
	other := f.Tensor(op.Inputs[1-c.Operand])
	if other == nil || other.Layout.Rank() != c.To.Rank() {
		return op.Name + " writes " + c.ToName()
	}
	if order, ok := inOrder(c.To, other.Layout.Shape()); ok && sameOrder(order, other.Layout) {
		return "its " + names[1-c.Operand] + " is " + cmp.Or(formats[c.ToName()], f.OrderName(op.Inputs[1-c.Operand]))
	}
	return op.Name + " writes " + c.ToName()
}

// formats are PyTorch's names of memory orders of images and kernels.
var formats = map[string]string{"NHWC": "channels_last", "OHWI": "channels_last", "IHWO": "channels_last", "NDHWC": "channels_last_3d",
	"ODHWI": "channels_last_3d"}

// formatName returns PyTorch's name of a change's new order, channels_last, where it has one.
func formatName(c *Change) string { return cmp.Or(formats[c.ToName()], c.ToName()) }

// demanded returns which view reads the result of a change and has no strides for the order before it; empty if none does.
func (f *flow) demanded(c *Change) string {
	if c.Result == NoValue {
		return ""
	}
	for _, i := range f.readers.of(c.Result) {
		op := &f.Operators[i]
		if f.Engine == ONNX && isImageOperator(op.Name) {
			return op.Name + " reads NCHW"
		}
		if op.Kind != Views || op.Perm != nil || len(op.Outputs) == 0 {
			continue
		}
		to := f.Tensor(op.Outputs[0])
		if to == nil || slices.Equal(to.Layout.Shape(), c.From.Shape()) {
			continue
		}
		if _, viewable := viewed(c.From, to.Layout.Shape()); !viewable {
			return op.Name + " merges dims that are not next to each other in " + c.FromName()
		}
	}
	return ""
}

// cureOf returns what to write instead of a change, and whether the rules of the framework prove that this gives the same values.
func (f *flow) cureOf(k int) (cure string, proved bool) {
	c := &f.changes[k]
	op := &f.Operators[c.Operator]
	if c.Cancels > k {
		return f.cancelCure(c), f.anyOrder(c)
	}
	if c.Cancels >= 0 {
		return "", false
	}
	if c.Repeats >= 0 && f.causeOf(c) == nil {
		return "keep the result of the first change", f.isRepeated(c)
	}
	if c.Weight {
		return f.weightCure(c), false
	}
	if c.Implied {
		return f.operandCure(c), false
	}
	if f.Engine == ONNX && slices.Contains(f.Inputs, c.Source) && c.ToName() == "NCHW" {
		return "export the model with this input in NCHW: tf2onnx --inputs-as-nchw", false
	}
	if f.Engine == ONNX && slices.Contains(f.Outputs, c.Result) && c.FromName() == "NCHW" {
		return "export the model with this output in NCHW: tf2onnx --outputs-as-nchw", false
	}
	if f.Engine == OneDNN && c.Dims != "" {
		return "run the model in channels_last: oneDNN's convolutions take NHWC without a reorder", false
	}
	if c.Forced == "" && f.Engine.IsPyTorch() && f.unneeded(c) {
		return fmt.Sprintf("no operator needs %s: leave out %s", c.ToName(), f.said(op)), true
	}
	return "", false
}

// cancelCure says what becomes of the operator that undoes a change.
func (f *flow) cancelCure(c *Change) string {
	if f.Engine == XLA {
		return "" // no statement of the user's makes them
	}
	back := &f.changes[c.Cancels]
	op := &f.Operators[c.Operator]
	if !back.Implied {
		return fmt.Sprintf("leave out both, %s and %s", f.said(op), f.said(&f.Operators[back.Operator]))
	}
	return fmt.Sprintf("without %s, %s reads %s as it is", f.said(op), f.asked(back).Name, f.subject(c))
}

// subject returns the expression that a change is applied to, as the user's line has it; "its input" if the line is unknown.
func (f *flow) subject(c *Change) string {
	op := &f.Operators[c.Operator]
	call := op.Place.Call(op.Name)
	if receiver, _, ok := strings.Cut(call, "."+op.Name+"("); ok && receiver != "" {
		return receiver
	}
	return "its input"
}

// said returns an operator with its place, as in "contiguous() in net.py:18".
func (f *flow) said(op *Operator) string {
	name := cmp.Or(op.Inside, op.Name)
	if strings.HasPrefix(op.Place.Node, name) {
		return op.Place.Node
	}
	if f.Engine.IsPyTorch() {
		name += "()"
	}
	if at := op.Place.String(); at != "" {
		return name + " in " + at
	}
	return name
}

// causeOf returns the change of the user's program that brought another operand of an operator that mixes orders out of this one's order; nil
// if there is none.
func (f *flow) causeOf(c *Change) *Change {
	op := &f.Operators[c.Operator]
	if op.Kind != Elementwise && op.Kind != Joins {
		return nil
	}
	for _, id := range op.Inputs {
		if id == NoValue || f.makers[id] < 0 || int(f.makers[id]) >= c.Operator {
			continue
		}
		first, end := f.changesBy(f.makers[id])
		for k := first; k < end; k++ {
			other := &f.changes[k]
			if other.Implied || other.Result != id || other.From.Rank() != c.From.Rank() {
				continue
			}
			if other.FromName() == c.FromName() {
				return other
			}
		}
	}
	return nil
}

// weightCure returns how a weight gets its order once.
func (f *flow) weightCure(c *Change) string {
	switch f.Engine {
	case Export, Profile:
		if format := formatName(c); format != c.ToName() {
			return "model.to(memory_format=torch." + format + ") converts the weight once"
		}
		return "convert the weight once, before the model runs"
	case OneDNN:
		return "reorder the weight once, when the model is loaded"
	case XLA, ONNX, TensorRT:
	}
	return ""
}

// operandCure returns how an operand gets the order that its operator wants.
func (f *flow) operandCure(c *Change) string {
	if cause := f.causeOf(c); cause != nil {
		return fmt.Sprintf("without %s, %s reads all operands in %s", f.said(&f.Operators[cause.Operator]), f.asked(c).Name, c.FromName())
	}
	if !f.Engine.IsPyTorch() || formatName(c) == c.ToName() {
		return ""
	}
	maker := f.makers[c.Source]
	if maker < 0 {
		return fmt.Sprintf("pass %s.to(memory_format=torch.%s)", cmp.Or(f.Values[c.Source].Name, "the input"), formatName(c))
	}
	return fmt.Sprintf("keep the output of %s %s", f.said(&f.Operators[maker]), formatName(c))
}

// String returns "net.py:18", the module or the node; empty if nothing is known.
func (p Place) String() string {
	if p.File == "" {
		return cmp.Or(p.Node, p.Module)
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Call returns the call of a function in the line, with its receiver, as in x.contiguous(); empty if the line does not have one.
func (p Place) Call(name string) string {
	at := strings.Index(p.Code, name+"(")
	if at < 0 {
		return ""
	}
	begin := at
	for begin > 0 && isReceiver(p.Code[begin-1]) {
		begin--
	}
	depth := 0
	for i := at + len(name); i < len(p.Code); i++ {
		switch p.Code[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return p.Code[begin : i+1]
		}
	}
	return ""
}

// isReceiver reports whether a byte may be part of names with dots.
func isReceiver(b byte) bool {
	return b == '_' || b == '.' || unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))
}
