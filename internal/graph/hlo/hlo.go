// Package hlo reads the text of an HLO module of XLA, as a graph.Program.
package hlo

import (
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/lines"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// maxHLOLine limits a line, in bytes: a tuple of 10,000 arrays has 400 KB.
const maxHLOLine = 1 << 20

// hloModule is the text of an HLO module:
//
//	HloModule jit_f, is_scheduled=true, …
//	FileNames, FunctionNames, FileLocations, StackFrames
//	%fused_computation (param_0: f32[4,8]) -> f32[8,4] {
//	  %param_0 = f32[4,8]{1,0} parameter(0)
//	  ROOT %transpose.1 = f32[8,4]{1,0} transpose(%param_0), dimensions={1,0}, metadata={op_name="…" stack_frame_id=2}
//	}
//	ENTRY %main (…) -> f32[8,4] { … }
//
// Old versions, and the option --xla_dump_hlo_as_long_text=false, leave out %, layouts or the types of parameters. (HloModule::Print in
// xla/hlo/ir/hlo_module.cc, HloInstruction::PrintWithCanonicalNameMap in xla/hlo/ir/hlo_instruction.cc, openxla/xla of 2026)
type hloModule struct {
	types        hloTypes
	computations map[string]*hloComputation
	entry        *hloComputation
	open         *hloComputation // that the next line belongs to
	frames       hloFrames
	begun        bool
	more         bool // another module follows
	unread       int  // lines in computations that are not instructions
}

// hloComputation is a list of instructions.
type hloComputation struct {
	name         string
	instructions []hloInstruction
}

type hloInstruction struct {
	name, opcode string
	typ          hloType
	operands     []string
	called       []string // computations: of a fusion, bodies, branches
	dimensions   []int    // of a transpose
	number       int      // of a parameter, or of an element of a tuple
	labels       string   // of the dims of a convolution: b01f_01io->b01f
	target       string   // of a custom-call
	root         bool
	place        graph.Place
}

// Read reads the text of an HLO module, as a dump of XLA or compiled.as_text() of JAX has it.
func Read(r io.Reader) (*graph.Program, error) {
	m := hloModule{computations: map[string]*hloComputation{}, types: hloTypes{tensors: map[string]*graph.Tensor{}}}
	var source lines.Lines
	for line := range source.Of(r, maxHLOLine) {
		m.read(strings.TrimSpace(line))
		if m.more {
			break
		}
	}
	m.unread += source.Cut
	if source.Err != nil {
		return nil, source.Err
	}
	if !m.begun {
		return nil, fault.New(fault.Malformed, "no line begins with HloModule").
			WithHint("jax.jit(f).lower(x).compile().as_text(), or XLA_FLAGS=--xla_dump_to=FOLDER --xla_dump_hlo_as_text")
	}
	if m.open != nil {
		return nil, fault.New(fault.Malformed, "the text ends inside of computation %s", text.Quoted(text.Cut(m.open.name, 60)))
	}
	if m.entry == nil {
		return nil, fault.New(fault.Malformed, "the module has no ENTRY computation")
	}
	return m.program()
}

// read reads a line without blanks around it.
func (m *hloModule) read(line string) {
	if strings.HasPrefix(line, "HloModule ") {
		m.more = m.begun
		m.begun = true
		return
	}
	if !m.begun {
		return
	}
	if m.open == nil {
		m.outside(line)
		return
	}
	if strings.HasPrefix(line, "}") {
		m.open = nil
		return
	}
	in, ok := m.instruction(line)
	if !ok {
		m.unread++
		return
	}
	m.open.instructions = append(m.open.instructions, in)
}

// outside reads a line between computations: the first of one, or one of the tables of places.
func (m *hloModule) outside(line string) {
	head, begins := strings.CutSuffix(line, "{")
	if !begins {
		m.frames.read(line)
		return
	}
	rest, isEntry := strings.CutPrefix(head, "ENTRY ")
	name, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	m.open = &hloComputation{name: bare(name)}
	m.computations[m.open.name] = m.open
	if isEntry {
		m.entry = m.open
	}
}

// bare returns a name without %.
func bare(name string) string { return strings.TrimPrefix(name, "%") }

// instruction reads a line: [ROOT ]%name = type opcode(operands), attributes.
func (m *hloModule) instruction(line string) (in hloInstruction, ok bool) {
	line, in.root = strings.CutPrefix(line, "ROOT ")
	name, rest, found := strings.Cut(line, " = ")
	if !found {
		return in, false
	}
	in.name = bare(name)
	in.typ, rest, ok = m.types.read(rest)
	if !ok {
		return in, false
	}
	in.opcode, rest, found = strings.Cut(strings.TrimLeft(rest, " "), "(")
	if !found || in.opcode == "" {
		return in, false
	}
	operands, attributes := splitCall(rest)
	if in.opcode == "parameter" {
		in.number, _ = strconv.Atoi(operands[0])
		operands = nil
	}
	if in.opcode == "constant" {
		operands = nil
	}
	for _, operand := range operands {
		if operand == "" {
			continue
		}
		in.operands = append(in.operands, bare(operand[strings.LastIndexByte(operand, ' ')+1:]))
	}
	m.attributes(&in, attributes)
	return in, true
}

// splitCall splits "a, f32[2,3]{1,0} %b), attributes" into operands and attributes. There is at least one operand, which may be empty.
func splitCall(s string) (operands []string, attributes string) {
	depth := 0
	begin := 0
	add := func(end int) { operands = append(operands, strings.TrimSpace(dropComments(s[begin:end]))) }
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(i)
				begin = i + 1
			}
		case ')':
			if depth == 0 {
				add(i)
				return operands, s[i+1:]
			}
			depth--
		}
	}
	add(len(s))
	return operands, ""
}

// dropComments removes a comment before an operand: /*index=5*/%a.
func dropComments(s string) string {
	_, after, found := strings.Cut(s, "*/")
	if !found {
		return s
	}
	return after
}

// attributes reads what follows an instruction's operands, as far as it says something of layouts, called computations and places.
func (m *hloModule) attributes(in *hloInstruction, s string) {
	s, _, _ = strings.Cut(s, ", backend_config=")
	s, metadata, _ := strings.Cut(s, ", metadata={")
	in.place = m.frames.place(metadata)
	dimensions, _ := notation.ParseInts(attribute(s, "dimensions")) //nolint:errcheck // of other instructions; a transpose without them moves nothing
	if in.opcode == "transpose" {
		in.dimensions = dimensions
	}
	if in.opcode == "get-tuple-element" {
		in.number, _ = strconv.Atoi(attribute(s, "index"))
	}
	in.labels = attribute(s, "dim_labels")
	in.target = strings.Trim(attribute(s, "custom_call_target"), `"`)
	if in.opcode == "while" {
		in.called = []string{bare(attribute(s, "body"))}
	}
	for _, key := range []string{"calls", "true_computation", "false_computation", "branch_computations"} {
		for name := range strings.FieldsFuncSeq(attribute(s, key), func(r rune) bool { return r == ',' || r == ' ' }) {
			in.called = append(in.called, bare(name))
		}
	}
	if in.opcode == "call" {
		in.called = []string{bare(attribute(s, "to_apply"))}
	}
}

// attribute returns the value behind ", key=", without braces; empty if there is none.
func attribute(s, key string) string {
	_, value, found := strings.Cut(s, ", "+key+"=")
	if !found {
		return ""
	}
	list, braced := strings.CutPrefix(value, "{")
	if braced {
		list, _, _ = strings.Cut(list, "}")
		return list
	}
	value, _, _ = strings.Cut(value, ",")
	return value
}
