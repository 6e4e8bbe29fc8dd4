package pickle

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"github.com/tlayout/tlayout/internal/random"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// printer writes a graph as text: a node that is met again is @ and its number.
type printer struct {
	out  strings.Builder
	seen map[Value]int
}

func (p *printer) each(items []Value) {
	p.out.WriteByte('[')
	for i, v := range items {
		if i > 0 {
			p.out.WriteByte(' ')
		}
		p.value(v)
	}
	p.out.WriteByte(']')
}

func (p *printer) both(pairs []Pair) {
	p.out.WriteByte('{')
	for i, x := range pairs {
		if i > 0 {
			p.out.WriteByte(' ')
		}
		p.value(x.Key)
		p.out.WriteByte(':')
		p.value(x.Value)
	}
	p.out.WriteByte('}')
}

func (p *printer) value(v Value) {
	switch v := v.(type) {
	case *Tuple, *List, *Dict, *Set, *Global, *Call, *Persistent:
		if n, ok := p.seen[v]; ok {
			fmt.Fprintf(&p.out, "@%d", n)
			return
		}
		if v != Value(empty) {
			p.seen[v] = len(p.seen)
		}
	}
	switch v := v.(type) {
	case None:
		p.out.WriteString("None")
	case Bool:
		p.out.WriteString(map[Bool]string{true: "True", false: "False"}[v])
	case Int:
		p.out.WriteString(strconv.FormatInt(int64(v), 10))
	case BigInt:
		p.out.WriteString(string(v))
	case Float:
		p.out.WriteString("f" + strconv.FormatFloat(float64(v), 'x', -1, 64))
	case String:
		p.out.WriteString("s" + hex.EncodeToString([]byte(v)))
	case Bytes:
		p.out.WriteString("b" + hex.EncodeToString([]byte(v)))
	case *Tuple:
		p.out.WriteByte('T')
		p.each(v.Items)
	case *List:
		p.out.WriteByte('L')
		p.each(v.Items)
	case *Set:
		p.out.WriteByte('S')
		p.each(v.Items)
	case *Dict:
		p.out.WriteByte('D')
		p.both(v.Pairs)
	case *Global:
		p.out.WriteString("<" + v.String() + ">")
	case *Persistent:
		p.out.WriteByte('P')
		p.value(v.ID)
	case *Call:
		p.call(v)
	}
}

func (p *printer) call(c *Call) {
	p.out.WriteByte('C')
	p.value(c.Callable)
	p.value(c.Args)
	p.each(c.Items)
	p.both(c.Pairs)
	var state []Value
	if c.State != nil {
		state = []Value{c.State}
	}
	p.each(state)
}

// textOf is a graph as text. It is recursive: not for hostile graphs.
func textOf(v Value) string {
	p := &printer{seen: map[Value]int{}}
	p.value(v)
	return p.out.String()
}

// unbounded are limits that no test reaches.
var unbounded = Limits{1 << 30, 1 << 30, 1 << 30, 0}

func load(pickle string) (*Pickle, error) {
	return Load(bufio.NewReader(strings.NewReader(pickle)), int64(len(pickle)), unbounded)
}

// TestPython: random objects that CPython pickled with protocols 0 to 5, with cycles and shared parts, are the graph that CPython's
// unpickler makes, if it imports and calls nothing.
func TestPython(t *testing.T) {
	o := oracle.NumPy(t, "pickles.py")
	n, first := oracle.Cases(t, 500), int(random.Seed(t))
	go func() {
		for seed := first; seed < first+n; seed++ {
			fmt.Fprintln(o, seed)
		}
		o.Close()
	}()
	for seed := first; seed < first+n; seed++ {
		var a struct {
			Pickle []byte
			Text   string
		}
		if err := o.Read(&a); err != nil {
			t.Fatal(seed, err)
		}
		behind := append(bytes.Clone(a.Pickle), "more"...)
		r := bufio.NewReader(bytes.NewReader(behind))
		p, err := Load(r, int64(len(behind)), unbounded)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		if got, want := floats(textOf(p.Root)), floats(a.Text); got != want {
			t.Errorf("seed %d:\n%s, Python has\n%s", seed, got, want)
		}
		rest, _ := r.Peek(4)
		if p.Bytes != int64(len(a.Pickle)) || string(rest) != "more" || p.Nodes > len(a.Pickle) {
			t.Errorf("seed %d: %d of %d bytes, then %q; %d nodes", seed, p.Bytes, len(a.Pickle), rest, p.Nodes)
		}
	}
}

// floats replaces hexadecimal floats, which Python and Go spell differently, by their bits.
func floats(text string) string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]{}: ", r) })
	for _, f := range fields {
		if !strings.HasPrefix(f, "f") {
			continue
		}
		if x, err := strconv.ParseFloat(f[1:], 64); err == nil {
			text = strings.ReplaceAll(text, f, fmt.Sprintf("f%x", math.Float64bits(x)))
		}
	}
	return text
}
