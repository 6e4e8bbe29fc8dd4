package pickle

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// maxStack bounds the values on the stack, and the marks.
const maxStack = 1_000_000

// maxLong bounds the bytes of an integer.
const maxLong = 1 << 16

// Limits bound what a pickle makes, and so its memory and time.
type Limits struct {
	Objects int   // objects made, and objects taken from the memo: the limit of each
	Name    int   // bytes of a global's module and name
	Names   int64 // bytes of all globals
	Bytes   int64 // read for each object beyond a million, of each kind; 0: 8
}

// Pickle is the content of one pickle.
type Pickle struct {
	Root       Value
	Globals    []*Global     // every one named, even outside the graph; in the pickle's order, with repetitions
	Persistent []*Persistent // likewise
	Bytes      int64         // bytes read, from PROTO to STOP
	Nodes      int           // objects made, at most Bytes
	ops        [256]bool
}

// Opcodes returns the names of the pickle's opcodes, in the order of their bytes.
func (p *Pickle) Opcodes() (names []string) {
	for op, used := range p.ops {
		if used {
			names = append(names, opcodeNames[opcode(op)])
		}
	}
	return names
}

// Load reads the pickle at the start of r, at most left bytes, and nothing after its STOP. More objects than the limits allow are
// fault.Resource, longer names fault.Unsupported.
func Load(r *bufio.Reader, left int64, limits Limits) (*Pickle, error) {
	m := machine{r: r, size: left, limits: limits, p: &Pickle{}}
	for {
		done, err := m.step()
		if err != nil {
			return nil, err
		}
		if done {
			m.p.Bytes = m.at
			return m.p, nil
		}
	}
}

// machine is the state between two opcodes.
type machine struct {
	r       *bufio.Reader
	at      int64 // bytes read
	size    int64 // bytes left to read
	limits  Limits
	recalls int   // values taken from the memo, and copies
	names   int64 // bytes of globals
	op      opcode
	opAt    int64 // its byte
	stack   []Value
	marks   []int // lengths of the stack at each MARK
	memo    []Value
	sparse  map[uint32]Value // the memo for numbers beyond its end
	buffer  [8]byte          // buffer of number
	p       *Pickle
}

// name returns the opcode with its byte, for errors.
func (m *machine) name() string {
	if n := opcodeNames[m.op]; n != "" {
		return fmt.Sprintf("%s at byte %d", n, m.opAt)
	}
	return fmt.Sprintf("opcode 0x%02x at byte %d", byte(m.op), m.opAt)
}

func (m *machine) broken(format string, args ...any) error {
	return fault.New(fault.Malformed, "the pickle is broken: %s: %s", m.name(), fmt.Sprintf(format, args...)).
		WithHint("copy or download the file again, or write it again")
}

// step runs an opcode. done is true after STOP.
func (m *machine) step() (done bool, err error) {
	m.opAt = m.at
	m.op = 0
	b := byte(0)
	err = io.EOF
	if m.at < m.size {
		b, err = m.r.ReadByte()
	}
	if err == io.EOF {
		return false, fault.New(fault.Malformed, "the pickle ends at byte %d, without STOP", m.at).
			WithHint("the file is incomplete; copy or download it again")
	}
	if err != nil {
		return false, err
	}
	m.at++
	m.op = opcode(b)
	if m.op == opStop {
		return true, m.stop()
	}
	if opcodeNames[m.op] == "" {
		return false, m.refuse()
	}
	m.p.ops[m.op] = true
	if err := m.run(); err != nil {
		return false, err
	}
	if len(m.stack) > maxStack || len(m.marks) > maxStack {
		return false, fault.New(fault.Unsupported, "the pickle needs a stack of more than %d values: %s", maxStack, m.name())
	}
	return false, nil
}

// refuse returns the error for an unsupported opcode.
func (m *machine) refuse() error {
	if r, ok := refused[m.op]; ok {
		return fault.New(fault.Unsupported, "unsupported opcode %s at byte %d of the pickle: %s", r.name, m.opAt, r.why).
			WithHint("write it again with protocol 2, as torch.save does")
	}
	if m.opAt == 0 {
		return fault.New(fault.Malformed, "not a pickle: it starts with 0x%02x", byte(m.op))
	}
	return fault.New(fault.Malformed, "the pickle is broken: invalid opcode 0x%02x at byte %d", byte(m.op), m.opAt).
		WithHint("copy or download the file again, or write it again")
}

// stop sets the root, the last value. CPython ignores other values too: a call whose result is dropped leaves some. (Modules/_pickle.c,
// load)
func (m *machine) stop() (err error) {
	m.p.ops[opStop] = true
	m.p.Root, err = m.pop()
	return err
}

// run runs a supported opcode other than STOP.
func (m *machine) run() error {
	switch m.op {
	case opProto:
		return m.proto()
	case opFrame:
		_, err := m.number(8) // how far a reader may read ahead
		return err
	case opMark:
		m.marks = append(m.marks, len(m.stack))
		return nil
	case opPop:
		if n := len(m.marks); n > 0 && m.marks[n-1] == len(m.stack) {
			m.marks = m.marks[:n-1] // as in CPython
			return nil
		}
		_, err := m.pop()
		return err
	case opPopMark:
		_, err := m.popMark()
		return err
	case opDup:
		v, err := m.top()
		return m.pushAgain(v, err)
	case opNone, opNewTrue, opNewFalse, opBinInt, opBinInt1, opBinInt2, opLong1, opLong4, opBinFloat, opBinString, opShortString,
		opBinUnicode, opShortBinUnicode, opBinUnicode8, opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		v, err := m.scalar()
		return m.pushNew(v, err)
	case opInt, opLong, opFloat, opString, opUnicode:
		v, err := m.written()
		return m.pushNew(v, err)
	case opBinPut, opLongBinPut, opMemoize, opBinGet, opLongBinGet, opPut, opGet:
		return m.remember()
	case opGlobal, opStackGlobal, opReduce, opNewObj, opNewObjEx, opBuild, opBinPersID, opPersID, opInst, opObj:
		return m.object()
	}
	return m.collection()
}

func (m *machine) proto() error {
	n, err := m.number(1)
	if err != nil {
		return err
	}
	if m.opAt != 0 {
		return m.broken("a second PROTO")
	}
	if n > 5 {
		return fault.New(fault.Unsupported, "unsupported pickle protocol %d: want 0 to 5", n).
			WithHint("write it again with protocol 2, as torch.save does")
	}
	return nil
}

// has requires n more bytes.
func (m *machine) has(n uint64) error {
	if left := m.size - m.at; n > uint64(left) {
		return m.broken("it needs %d bytes, %d remain", n, left)
	}
	return nil
}

// few reads at most 8 bytes, valid until the next call.
func (m *machine) few(n int) ([]byte, error) {
	if err := m.has(uint64(n)); err != nil {
		return nil, err
	}
	k, err := io.ReadFull(m.r, m.buffer[:n])
	m.at += int64(k)
	return m.buffer[:n], m.cut(err, n, k)
}

// cut explains an error after k of n bytes.
func (m *machine) cut(err error, n, k int) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return m.broken("it needs %d bytes, %d remain", n, k)
	}
	return err
}

// number reads a little-endian unsigned number of this many bytes.
func (m *machine) number(bytes int) (uint64, error) {
	if _, err := m.few(bytes); err != nil {
		return 0, err
	}
	clear(m.buffer[bytes:])
	return binary.LittleEndian.Uint64(m.buffer[:]), nil
}

// counted reads bytes after their number, which has this many bytes.
func (m *machine) counted(size int) (string, error) {
	n, err := m.number(size)
	if err != nil {
		return "", err
	}
	if err := m.has(n); err != nil {
		return "", err
	}
	if n > math.MaxInt {
		return "", fault.New(fault.Unsupported, "%s: %d bytes do not fit this machine's memory", m.name(), n)
	}
	var text strings.Builder
	text.Grow(int(n))
	k, err := io.CopyN(&text, m.r, int64(n))
	m.at += k
	return text.String(), m.cut(err, int(n), int(k))
}

// line reads a name up to a newline.
func (m *machine) line() (string, error) { return m.lineUpTo(m.limits.Name, m.longName) }

// lineUpTo reads up to a newline, but at most limit bytes; tooLong makes the error for a longer line.
func (m *machine) lineUpTo(limit int, tooLong func() error) (string, error) {
	var line []byte
	for m.at < m.size {
		b, err := m.r.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
		m.at++
		if b == '\n' {
			return string(line), nil
		}
		line = append(line, b)
		if len(line) > limit {
			return "", tooLong()
		}
	}
	return "", m.broken("its line is not terminated")
}

// scalar makes a value without parts.
func (m *machine) scalar() (Value, error) {
	switch m.op {
	case opNone:
		return None{}, nil
	case opNewTrue, opNewFalse:
		return Bool(m.op == opNewTrue), nil
	case opBinInt:
		n, err := m.number(4)
		return Int(int32(uint32(n))), err
	case opBinInt1:
		n, err := m.number(1)
		return Int(n), err
	case opBinInt2:
		n, err := m.number(2)
		return Int(n), err
	case opBinFloat:
		p, err := m.few(8)
		if err != nil {
			return nil, err
		}
		return Float(math.Float64frombits(binary.BigEndian.Uint64(p))), nil
	case opLong1, opLong4:
		s, err := m.counted(map[opcode]int{opLong1: 1, opLong4: 4}[m.op])
		if len(s) > maxLong {
			return nil, fault.New(fault.Unsupported, "%s: an integer of %d bytes, more than %d", m.name(), len(s), maxLong)
		}
		return integer(s), err
	}
	return m.text()
}

// text makes a string or bytes.
func (m *machine) text() (Value, error) {
	size := 4
	switch m.op {
	case opShortString, opShortBinUnicode, opShortBinBytes:
		size = 1
	case opBinUnicode8, opBinBytes8, opByteArray8:
		size = 8
	}
	s, err := m.counted(size)
	switch m.op {
	case opBinBytes, opShortBinBytes, opBinBytes8, opByteArray8:
		return Bytes(s), err
	}
	return String(s), err
}

// integer reads two's complement, the least significant byte first.
func integer(s string) Value {
	negative := len(s) > 0 && s[len(s)-1] >= 0x80
	if len(s) <= 8 {
		var b [8]byte
		copy(b[:], s)
		n := int64(binary.LittleEndian.Uint64(b[:]))
		if negative && len(s) < 8 {
			n -= 1 << (8 * len(s))
		}
		return Int(n)
	}
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	n := new(big.Int).SetBytes(b)
	if negative {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(s))))
	}
	return whole(n)
}

// whole is an integer.
func whole(n *big.Int) Value {
	if n.IsInt64() {
		return Int(n.Int64())
	}
	return BigInt(fmt.Sprintf("%#x", n))
}

// pushNew pushes a node made by an opcode.
func (m *machine) pushNew(v Value, err error) error {
	m.p.Nodes++
	if refused := m.allow(m.p.Nodes, "makes more than %d objects"); refused != nil {
		return refused
	}
	return m.pushed(v, err)
}

// pushAgain pushes an earlier node: a list of a million items may be a few bytes for each.
func (m *machine) pushAgain(v Value, err error) error {
	m.recalls++
	if refused := m.allow(m.recalls, "reads more than %d objects from its memo"); refused != nil {
		return refused
	}
	return m.pushed(v, err)
}

// Numbers of objects, which may take a byte each. Those of torch.save take 12 on average.
const (
	objectsAnyway = 1_000_000 // objects of a pickle of any size
	bytesOfObject = 8         // bytes read for each object more, by default
)

// allow refuses an nth object beyond the limit, or more objects than the bytes read may make.
func (m *machine) allow(n int, more string) error {
	allowed := objectsAnyway + m.at/cmp.Or(m.limits.Bytes, bytesOfObject)
	if n > m.limits.Objects {
		return fault.New(fault.Resource, "the pickle "+more, m.limits.Objects)
	}
	if int64(n) > allowed {
		return fault.New(fault.Unsupported, "the pickle "+more+" in %d bytes", allowed, m.at)
	}
	return nil
}

func (m *machine) pushed(v Value, err error) error {
	if err == nil {
		m.stack = append(m.stack, v)
	}
	return err
}

// floor returns the stack's length below the last mark.
func (m *machine) floor() int {
	if n := len(m.marks); n > 0 {
		return m.marks[n-1]
	}
	return 0
}

// top returns the last value, above the last mark.
func (m *machine) top() (Value, error) {
	if len(m.stack) <= m.floor() {
		return nil, m.broken("the stack is empty")
	}
	return m.stack[len(m.stack)-1], nil
}

func (m *machine) pop() (Value, error) {
	v, err := m.top()
	if err == nil {
		m.stack[len(m.stack)-1] = nil
		m.stack = m.stack[:len(m.stack)-1]
	}
	return v, err
}

// popMark pops the values above the last mark, and the mark. They are valid until the next push.
func (m *machine) popMark() ([]Value, error) {
	n := len(m.marks)
	if n == 0 {
		return nil, m.broken("the mark is missing")
	}
	from := m.marks[n-1]
	items := m.stack[from:]
	m.marks = m.marks[:n-1]
	m.stack = m.stack[:from]
	return items, nil
}

// remember writes to the memo or reads it.
func (m *machine) remember() error {
	var n64 uint64
	var err error
	switch m.op {
	case opBinPut, opBinGet:
		n64, err = m.number(1)
	case opLongBinPut, opLongBinGet:
		n64, err = m.number(4)
	case opPut, opGet:
		n64, err = m.slot()
	}
	if err != nil {
		return err
	}
	n := uint32(n64)
	if m.op == opBinGet || m.op == opLongBinGet || m.op == opGet {
		v := m.recall(n)
		if v == nil {
			return m.broken("the memo is empty at %d", n)
		}
		return m.pushAgain(v, nil)
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	if m.op == opMemoize {
		n = uint32(len(m.memo) + len(m.sparse))
	}
	switch {
	case uint64(n) < uint64(len(m.memo)):
		m.memo[n] = v
	case uint64(n) == uint64(len(m.memo)):
		m.memo = append(m.memo, v)
		delete(m.sparse, n)
	default:
		if m.sparse == nil {
			m.sparse = map[uint32]Value{}
		}
		m.sparse[n] = v
	}
	return nil
}

func (m *machine) recall(n uint32) Value {
	if uint64(n) < uint64(len(m.memo)) {
		return m.memo[n]
	}
	return m.sparse[n]
}

// quoted returns a text of the pickle for an error.
func quoted(s string) string { return text.Quoted(text.Cut(s[:min(len(s), 4*61)], 61)) }
