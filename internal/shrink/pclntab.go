package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
)

// table is the table of functions in the memory of a program (runtime, symtab.go: pcHeader; cmd/link, pcln.go). Offsets are from its begin.
type table struct {
	bytes     []byte
	functions int // number
	// Offsets of its parts, which follow one another: names of functions, indices of files, files, values by program counter, and functions.
	names, units, files, values, entries int
}

// header begins the table: the magic number of Go 1.20 and later, two zeros, the smallest instruction and the size of a pointer.
var header = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

var errUnknown = errors.New("no table of functions as Go 1.20 to 1.26 write it")

// findTable finds the table in a memory.
func findTable(memory []byte) (t table, err error) {
	const word = 8
	for from := 0; ; {
		at := bytes.Index(memory[from:], header)
		if at < 0 {
			return t, errUnknown
		}
		from += at
		t.bytes = memory[from:]
		from += len(header)
		if len(t.bytes) < 9*word {
			return t, errUnknown
		}
		field := func(k int) int { return int(binary.LittleEndian.Uint64(t.bytes[word*k:])) }
		t.functions = field(1)
		t.names = field(4)
		t.units = field(5)
		t.files = field(6)
		t.values = field(7)
		t.entries = field(8)
		if t.isOrdered() {
			return t, nil
		}
	}
}

// isOrdered reports whether the parts follow the header and one another, and the functions fit.
func (t table) isOrdered() bool {
	at := 0
	for _, next := range []int{t.names, t.units, t.files, t.values, t.entries} {
		if next < at || next > len(t.bytes) {
			return false
		}
		at = next
	}
	return t.functions > 0 && t.functions <= (len(t.bytes)-t.entries)/entrySize
}

// entrySize is the size of an entry of the list of functions: the program counter and the offset of the function, 32 bits each.
const entrySize = 8

// number returns an offset or a count of 32 bits; one that no table of this size has is outside of every part.
func number(b []byte) int {
	const outside = 1 << 28
	return int(min(binary.LittleEndian.Uint32(b), outside))
}

// function is a _func (runtime, runtime2.go) at an offset of the table.
type function struct {
	*table
	at int
}

// Offsets of 32-bit fields of a _func. Values by program counter follow one another: pcsp, pcfile, pcln; npcdata counts those behind
// the _func.
const (
	nameField    = 4
	stackField   = 16
	fileField    = 20
	lineField    = 24
	countField   = 28
	startField   = 36
	kindField    = 40 // a byte: abi.FuncID, 0 for functions as they are written
	functionSize = 44
)

func (f function) field(offset int) int {
	return number(f.bytes[f.at+offset:])
}

func (f function) set(offset, value int) {
	binary.LittleEndian.PutUint32(f.bytes[f.at+offset:], uint32(value))
}

// name returns the function's name.
func (f function) name() string {
	names := f.bytes[f.names:f.units]
	begin := f.field(nameField)
	if begin >= len(names) {
		return ""
	}
	name, _, _ := bytes.Cut(names[begin:], []byte{0})
	return string(name)
}

// isRead reports whether the runtime reads the name of a function: of its own, to count goroutines, and of reflect's stubs, to find the
// pointers in their frames, it compares the names (stkframe.go and traceback.go); of a wrapper, it parses the name for the panic "value method
// main.T.M called using nil *T pointer" (error.go: panicwrap).
func (f function) isRead(name string) bool {
	if f.isMethodWrapper(name) {
		return true
	}
	return strings.HasPrefix(name, "runtime.") || name == "reflect.makeFuncStub" || name == "reflect.methodValueCall"
}

// isMethodWrapper reports whether the compiler made the function as a method of a pointer, such as main.(*T).M of the method main.T.M.
// The number of abi.FuncIDWrapper differs between versions of Go; in all of them, wrappers and some functions of the runtime have one.
func (f function) isMethodWrapper(name string) bool {
	isMade := f.bytes[f.at+kindField] != 0
	return isMade && strings.Contains(name, ".(*")
}

// clear removes names, files and lines, and keeps what the runtime reads of each function while the program runs: the size of its frame,
// and which of its variables are pointers.
func (t *table) clear() error {
	keptNames := make([]bool, t.units-t.names)
	keptValues := make([]bool, t.entries-t.values)
	var all []function
	for k := range t.functions {
		f := function{t, t.entries + number(t.bytes[t.entries+entrySize*k+4:])}
		if f.at+functionSize > len(t.bytes) || f.at+functionSize+4*f.field(countField) > len(t.bytes) {
			return errUnknown
		}
		all = append(all, f)
		if name := f.name(); f.isRead(name) {
			mark(keptNames, f.field(nameField), len(name)+1)
		}
		used := []int{f.field(stackField)}
		for i := range f.field(countField) {
			used = append(used, f.field(functionSize+4*i))
		}
		for _, offset := range used {
			mark(keptValues, offset, t.valuesLength(offset))
		}
	}
	nameless := -1 // offset of an empty name
	for i, kept := range keptNames {
		if !kept {
			t.bytes[t.names+i] = 0
			nameless = i
		}
	}
	clear(t.bytes[t.units:t.values])
	for i, kept := range keptValues {
		if !kept {
			t.bytes[t.values+i] = 0
		}
	}
	for _, f := range all {
		if f.name() == "" {
			f.set(nameField, max(nameless, 0))
		}
		f.set(fileField, 0) // 0 is no list of values
		f.set(lineField, 0)
		f.set(startField, 0)
	}
	return nil
}

// mark marks a range of offsets, as far as it is inside.
func mark(kept []bool, from, length int) {
	for i := from; i < min(from+length, len(kept)); i++ {
		kept[i] = true
	}
}

// valuesLength returns the length in bytes of a list of values by program counter: pairs of variable-length numbers, the change of the value
// and that of the counter, up to a change of 0 that is not the first (runtime, symtab.go: step).
func (t *table) valuesLength(offset int) int {
	list := t.bytes[t.values+min(offset, t.entries-t.values) : t.entries]
	at := 0
	for first := true; at < len(list); first = false {
		change, n := binary.Uvarint(list[at:])
		if n <= 0 {
			break
		}
		at += n
		if change == 0 && !first {
			return at
		}
		_, n = binary.Uvarint(list[at:])
		if n <= 0 {
			break
		}
		at += n
	}
	return len(list)
}
