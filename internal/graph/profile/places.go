package profile

import (
	"bytes"
	"slices"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
)

// call is a call of a Python function that tells a place: a line that is not PyTorch's, or a module.
type call struct {
	begin, time int64
	from        position // of the call
	in          position // of the function
	module      uint32   // name; 0 for none
}

// position is a line of a file of the user's.
type position struct {
	file uint32 // name; 0 for none
	line int32
}

// addCall adds a call of a Python function if it tells a place.
func (t *trace) addCall(e *rawEvent, begin, time int64) {
	c := call{begin: begin, time: time}
	name := stringOf(e.name)
	module, isModule := bytes.CutPrefix(name, []byte("nn.Module: "))
	if isModule {
		c.module = t.name(module)
	}
	c.from = t.caller(&e.args)
	c.in = t.function(name)
	if c.from.file == 0 && c.in.file == 0 && c.module == 0 {
		return
	}
	th := t.thread(e)
	if th == nil {
		return
	}
	if t.calls >= maxEvents {
		t.left++
		return
	}
	t.calls++
	th.calls = append(th.calls, c)
}

// caller returns the line that calls a function, in CallFrom as in "net.py:18", which not all versions of PyTorch write.
func (t *trace) caller(args *list) position {
	for {
		key, value, ok := args.member()
		if !ok {
			return position{}
		}
		if string(key) != "CallFrom" {
			continue
		}
		from := stringOf(value)
		colon := bytes.LastIndexByte(from, ':')
		if colon < 0 {
			return position{}
		}
		return t.position(from[:colon], from[colon+1:])
	}
}

// function returns the first line of a function, in its name as in "net.py(12): forward".
func (t *trace) function(name []byte) position {
	file, rest, _ := bytes.Cut(name, []byte("("))
	number, _, isFunction := bytes.Cut(rest, []byte("): "))
	if !isFunction {
		return position{}
	}
	return t.position(file, number)
}

// position returns a line of a file; none for PyTorch's own.
func (t *trace) position(file, line []byte) position {
	n, ok := integer(line)
	if !ok || pytorch.IsOwn(string(file)) {
		return position{}
	}
	n = max(0, min(n, 1<<30))
	return position{t.name([]byte(pytorch.BaseName(string(file)))), int32(n)}
}

// placing finds the places of the operators of a thread, in order of time.
type placing struct {
	next int    // in thread.calls
	open []call // that enclose the time, the innermost last
}

// at returns the innermost line and the innermost module at a time. Operators that no call makes, as of q @ k, have the line that their function
// has reached: that of its last call, or its first line.
func (p *placing) at(t *trace, th *thread, time int64) graph.Place {
	for ; p.next < len(th.calls) && th.calls[p.next].begin <= time; p.next++ {
		p.enter(th.calls[p.next])
	}
	p.leave(time)
	place := graph.Place{}
	for _, c := range slices.Backward(p.open[max(0, len(p.open)-maxEnclosing):]) {
		if place.File == "" && c.in.file != 0 {
			place.File = t.texts[c.in.file]
			place.Line = int(c.in.line)
		}
		if place.File == "" && c.from.file != 0 {
			place.File = t.texts[c.from.file]
			place.Line = int(c.from.line)
		}
		if place.Module == "" && c.module != 0 {
			place.Module = t.texts[c.module]
		}
	}
	return place
}

// enter adds a call to those that are open.
func (p *placing) enter(c call) {
	p.leave(c.begin)
	for i := len(p.open) - 1; i >= max(0, len(p.open)-maxEnclosing); i-- {
		function := &p.open[i].in
		if function.file == 0 {
			continue
		}
		if function.file == c.from.file {
			function.line = c.from.line
		}
		break
	}
	p.open = append(p.open, c)
}

// leave drops the calls that have returned.
func (p *placing) leave(time int64) {
	for len(p.open) > 0 && p.open[len(p.open)-1].begin+p.open[len(p.open)-1].time <= time {
		p.open = p.open[:len(p.open)-1]
	}
}
