package pickle

import "slices"

// Value is a node of the graph: one of the types below. It must not be changed.
type Value interface{ value() }

type (
	// None is Python's None.
	None struct{}
	// Bool is True or False.
	Bool bool
	// Int is an integer that fits 64 bits.
	Int int64
	// BigInt is any other integer, in hexadecimal: "-0x1950a86a20f9469cfc6c".
	BigInt string
	// Float is a float.
	Float float64
	// String is a str; in a pickle of Python 2, also a byte str. It need not be UTF-8.
	String string
	// Bytes is a bytes or bytearray.
	Bytes string
)

// Tuple is a tuple.
type Tuple struct{ Items []Value }

// List is a list.
type List struct{ Items []Value }

// Dict is a dict. If a key occurs twice, the last value counts, at the first one's position.
type Dict struct{ Pairs []Pair }

// Set is a set or frozenset.
type Set struct{ Items []Value }

// Pair is an entry of a dict.
type Pair struct{ Key, Value Value }

// Global is something that Python would import: a class or a function.
type Global struct{ Module, Name string }

// String returns module.name.
func (g *Global) String() string { return g.Module + "." + g.Name }

// Call is an object that Python would make by a call: REDUCE and NEWOBJ.
type Call struct {
	Callable Value  // usually a *Global
	Args     *Tuple // never nil
	Keywords Value  // of NEWOBJ_EX; nil: none
	State    Value  // of BUILD; nil: none
	Items    []Value
	Pairs    []Pair // the items set in it, if it is a kind of dict
}

// Attribute returns an attribute of an object, from the dict that BUILD gave it; nil without one.
func (c *Call) Attribute(name string) Value {
	state, _ := c.State.(*Dict)
	if state == nil {
		return nil
	}
	for _, p := range slices.Backward(state.Pairs) {
		if p.Key == String(name) {
			return p.Value
		}
	}
	return nil
}

// Class returns the name of the class or function that makes the object, without its module; empty if it has none.
func (c *Call) Class() string {
	g, _ := c.Callable.(*Global)
	if g == nil {
		return ""
	}
	return g.Name
}

// Persistent stands for an object outside the pickle.
type Persistent struct{ ID Value }

func (None) value()        {}
func (Bool) value()        {}
func (Int) value()         {}
func (BigInt) value()      {}
func (Float) value()       {}
func (String) value()      {}
func (Bytes) value()       {}
func (*Tuple) value()      {}
func (*List) value()       {}
func (*Dict) value()       {}
func (*Set) value()        {}
func (*Global) value()     {}
func (*Call) value()       {}
func (*Persistent) value() {}

// kind returns a value's name for an error.
func kind(v Value) string {
	switch v.(type) {
	case None:
		return "None"
	case Bool:
		return "a bool"
	case Int, BigInt:
		return "an int"
	case Float:
		return "a float"
	case String:
		return "a string"
	case Bytes:
		return "bytes"
	case *Tuple:
		return "a tuple"
	case *List:
		return "a list"
	case *Dict:
		return "a dict"
	case *Set:
		return "a set"
	case *Global:
		return "a global"
	case *Call:
		return "an object"
	case *Persistent:
		return "a persistent object"
	}
	return "a mark"
}
