package pickle

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
)

// object runs the opcodes that make Python import, call or ask for something.
func (m *machine) object() error {
	switch m.op {
	case opGlobal:
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		return m.global(module, name, err)
	case opStackGlobal:
		name, err := m.popString()
		if err != nil {
			return err
		}
		module, err := m.popString()
		return m.global(module, name, err)
	case opBinPersID, opPersID:
		id, err := m.identity()
		if err != nil {
			return err
		}
		p := &Persistent{id}
		m.p.Persistent = append(m.p.Persistent, p)
		return m.pushNew(p, nil)
	case opBuild:
		return m.build()
	case opInst, opObj:
		return m.instance()
	}
	return m.call()
}

// identity reads a persistent id. In protocol 0 it is a text.
func (m *machine) identity() (Value, error) {
	if m.op == opBinPersID {
		return m.pop()
	}
	line, err := m.lineUpTo(m.limits.Name, func() error {
		return fault.New(fault.Unsupported, "%s: a persistent id of more than %d bytes", m.name(), m.limits.Name)
	})
	return String(line), err
}

// instance makes an object of a class, which INST names and OBJ has above the last mark, followed by the arguments.
func (m *machine) instance() error {
	c := &Call{}
	if m.op == opInst {
		module, err := m.line()
		if err != nil {
			return err
		}
		name, err := m.line()
		err = m.global(module, name, err)
		if err != nil {
			return err
		}
		c.Callable, _ = m.pop()
	}
	items, err := m.popMark()
	if err != nil {
		return err
	}
	if m.op == opObj {
		if len(items) == 0 {
			return m.broken("it has no class")
		}
		c.Callable = items[0]
		items = items[1:]
	}
	c.Args = &Tuple{slices.Clone(items)}
	return m.called(c)
}

func (m *machine) global(module, name string, err error) error {
	if err != nil {
		return err
	}
	if module == "" || name == "" {
		return m.broken("a name is empty: %s of %s", quoted(name), quoted(module))
	}
	n := len(module) + len(name)
	m.names += int64(n)
	if n > m.limits.Name {
		return m.longName()
	}
	if m.names > m.limits.Names {
		return fault.New(fault.Unsupported, "the pickle's globals exceed %d bytes: %s", m.limits.Names, m.name())
	}
	g := &Global{module, name}
	m.p.Globals = append(m.p.Globals, g)
	return m.pushNew(g, nil)
}

// longName returns the error for a global that is longer than the limits allow.
func (m *machine) longName() error {
	return fault.New(fault.Unsupported, "the name of a global has more than %d bytes: %s", m.limits.Name, m.name())
}

func (m *machine) popString() (string, error) {
	v, err := m.pop()
	if err != nil {
		return "", err
	}
	s, ok := v.(String)
	if !ok {
		return "", m.broken("it needs a string, not %s", kind(v))
	}
	return string(s), nil
}

// call makes an object from a callable and its arguments.
func (m *machine) call() (err error) {
	c := &Call{}
	if m.op == opNewObjEx {
		c.Keywords, err = m.pop()
		if err != nil {
			return err
		}
		if _, ok := c.Keywords.(*Dict); !ok {
			return m.broken("its keywords are %s, not a dict", kind(c.Keywords))
		}
	}
	args, err := m.pop()
	if err != nil {
		return err
	}
	var ok bool
	c.Args, ok = args.(*Tuple)
	if !ok {
		return m.broken("its arguments are %s, not a tuple", kind(args))
	}
	c.Callable, err = m.pop()
	if err != nil {
		return err
	}
	return m.called(c)
}

// called pushes a call of a callable.
func (m *machine) called(c *Call) error {
	switch c.Callable.(type) {
	case *Global, *Call, *Persistent:
		return m.pushNew(c, nil)
	}
	return m.broken("%s cannot be called", kind(c.Callable))
}

// build gives an object its state.
func (m *machine) build() error {
	state, err := m.pop()
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	c, ok := v.(*Call)
	if !ok {
		return m.broken("%s has no state", kind(v))
	}
	if c.State != nil {
		return m.broken("the object already has a state")
	}
	c.State = state
	return nil
}

// empty is the only empty tuple.
var empty = &Tuple{}

// collection makes tuples, lists, dicts and sets, and fills them.
func (m *machine) collection() error {
	switch m.op {
	case opEmptyTuple:
		return m.pushNew(empty, nil)
	case opEmptyList:
		return m.pushNew(&List{}, nil)
	case opEmptyDict:
		return m.pushNew(&Dict{}, nil)
	case opEmptySet:
		return m.pushNew(&Set{}, nil)
	case opTuple1, opTuple2, opTuple3:
		n := int(m.op-opTuple1) + 1
		if len(m.stack)-m.floor() < n {
			return m.broken("it needs %d values", n)
		}
		at := len(m.stack) - n
		t := &Tuple{slices.Clone(m.stack[at:])}
		m.stack = m.stack[:at]
		return m.pushNew(t, nil)
	case opAppend:
		v, err := m.pop()
		if err != nil {
			return err
		}
		return m.extend([]Value{v})
	case opSetItem:
		v, err := m.pop()
		if err != nil {
			return err
		}
		k, err := m.pop()
		if err != nil {
			return err
		}
		return m.set([]Value{k, v})
	}
	return m.marked()
}

// marked runs the opcodes that consume the values above the last mark.
func (m *machine) marked() error {
	items, err := m.popMark()
	if err != nil {
		return err
	}
	switch m.op {
	case opTuple:
		if len(items) == 0 {
			return m.pushNew(empty, nil)
		}
		return m.pushNew(&Tuple{slices.Clone(items)}, nil)
	case opFrozenSet:
		return m.pushNew(&Set{slices.Clone(items)}, nil)
	case opList:
		return m.pushNew(&List{slices.Clone(items)}, nil)
	case opDict:
		items = slices.Clone(items)
		if err := m.pushNew(&Dict{}, nil); err != nil {
			return err
		}
		return m.set(items)
	case opSetItems:
		return m.set(items)
	}
	return m.extend(items) // APPENDS, ADDITEMS
}

// extend appends to the last value.
func (m *machine) extend(items []Value) error {
	v, err := m.top()
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case *List:
		if m.op != opAddItems {
			v.Items = append(v.Items, items...)
			return nil
		}
	case *Set:
		if m.op == opAddItems {
			v.Items = append(v.Items, items...)
			return nil
		}
	case *Call:
		v.Items = append(v.Items, items...)
		return nil
	}
	return m.broken("%s has no items", kind(v))
}

// set adds alternating keys and values to the last value.
func (m *machine) set(items []Value) error {
	if len(items)%2 != 0 {
		return m.broken("a key has no value")
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	var pairs *[]Pair
	switch v := v.(type) {
	case *Dict:
		pairs = &v.Pairs
	case *Call:
		pairs = &v.Pairs
	default:
		return m.broken("%s has no keys", kind(v))
	}
	*pairs = slices.Grow(*pairs, len(items)/2)
	for i := 0; i < len(items); i += 2 {
		*pairs = append(*pairs, Pair{items[i], items[i+1]})
	}
	return nil
}
