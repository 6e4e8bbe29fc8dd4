package threads

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/cute"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// atomTable has a row for each set of instructions that share their layouts; it explains its own syntax.
//
//go:embed atoms.txt
var atomTable string

// Atom is an instruction of a warp, or of several, that multiplies matrices or moves them between memory and registers.
type Atom struct {
	Name   string   // in CUTLASS, PTX or AMD's instruction sets, or the start of it
	Parts  []string // A, B, C or src, dst; the last one is meant if none is named
	Source string   // of the layouts: library and file

	note    string // what the layouts do not say, or ""
	warp    int
	layouts []string // of the parts: "16,8 ((4,8),2):((16,1),8)", or "@" and the memory that holds it instead of threads
	bits    []string // of an element, or ""
	lanes   string   // thread → lane; "": the same
	param   string   // the value of % in the row
}

// atomName is a name of the atoms of a row.
type atomName struct {
	name, param string
	row         *Atom
}

// atomNames returns the names in the order of the table.
var atomNames = sync.OnceValue(func() (names []atomName) {
	row := &Atom{}
	params := []string(nil)
	for line := range strings.Lines(atomTable) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if head == "" || head[0] == '#' {
			continue
		}
		switch head {
		case "=":
			lanes, source, _ := strings.Cut(rest, " ")
			row = &Atom{Source: source, warp: numbers(lanes)[0]}
			params = []string{""}
		case "%":
			params = strings.Fields(rest)
		case "!":
			row.note = rest
		case "lanes":
			row.lanes = rest
		default:
			if line[0] == ' ' {
				row.addPart(head, rest)
				continue
			}
			if row.Parts != nil {
				row = &Atom{Source: row.Source, warp: row.warp}
			}
			for word := range strings.FieldsSeq(line) {
				names = append(names, row.named(word, params)...)
			}
		}
	}
	return names
})

// addPart adds a part by its line in the table: its name, perhaps with the bits of an element, A:16, and its layout.
func (a *Atom) addPart(head, layout string) {
	name, bits, _ := strings.Cut(head, ":")
	a.Parts = append(a.Parts, name)
	a.bits = append(a.bits, bits)
	a.layouts = append(a.layouts, layout)
}

// named returns the names that a word of the table stands for.
func (a *Atom) named(word string, params []string) (names []atomName) {
	for _, pattern := range alternatives(word) {
		for _, param := range params {
			names = append(names, atomName{strings.ReplaceAll(pattern, "%", param), param, a})
		}
	}
	return names
}

// alternatives returns the words that a word stands for, in which {a,b} is a or b.
func alternatives(word string) (all []string) {
	before, rest, found := strings.Cut(word, "{")
	if !found {
		return []string{word}
	}
	choices, after, _ := strings.Cut(rest, "}")
	for choice := range strings.SplitSeq(choices, ",") {
		all = append(all, alternatives(before+choice+after)...)
	}
	return all
}

// numbers reads integers separated by commas.
func numbers(s string) (all []int) {
	for word := range strings.SplitSeq(s, ",") {
		n, _ := strconv.Atoi(word)
		all = append(all, n)
	}
	return all
}

// Atoms returns all atoms in the order of architectures and sizes, an atom for each of its names.
func Atoms() (all []Atom) {
	for _, n := range atomNames() {
		all = append(all, n.atom())
	}
	return all
}

func (n atomName) atom() Atom {
	a := *n.row
	a.Name = n.name
	a.param = n.param
	return a
}

// atomQualifiers are what a name may have more, without other layouts.
var atomQualifiers = lazy.Regexp(`\.(?:sync|aligned|mma_async|m8n8|shared(?:::cta)?|b16|b32|row\.col|(?:xor|and)\.popc|kind::\w+|block_scale|` +
	`scale_vec::\w+|ue\dm\d|cta_group::1)\b|^[\w:]*::|^v_|^__builtin_amdgcn_|_w(?:32|64)$|<.*`)

// FindAtom returns the atom of a name, or of the start of names that share their layouts: mma.m16n8k16.s32 is all of its types of A and B.
//
// It fails with Usage if no name starts this way, or if names with different layouts do.
func FindAtom(s string) (Atom, error) {
	name := atomQualifiers.Get().ReplaceAllString(s, "")
	if op, found := strings.CutPrefix(name, "MMA_"); found {
		name = "SM90_" + op // SM90::GMMA::MMA_64x8x16_F16F16F16_SS
	}
	var found []atomName
	for _, n := range atomNames() {
		rest, starts := strings.CutPrefix(n.name, name)
		if rest == "" {
			found = []atomName{n}
			break
		}
		if starts && strings.Contains("_.", rest[:1]) {
			found = append(found, n)
		}
	}
	if len(found) == 1 {
		name = found[0].name
	}
	found = slices.CompactFunc(found, func(a, b atomName) bool { return a.row == b.row && a.param == b.param })
	if len(found) == 0 {
		return Atom{}, unknownAtom(s, name)
	}
	if len(found) > 1 {
		return Atom{}, fault.New(fault.Usage, "%s is the start of atoms with different layouts", text.Quoted(text.Cut(s, 81))).
			WithHint("for example %s and %s", found[0].name, found[1].name)
	}
	found[0].name = name
	return found[0].atom(), nil
}

// unknownAtom is the error for a text whose name, without qualifiers, no atom has.
func unknownAtom(s, name string) error {
	err := fault.New(fault.Usage, "%s is not a thread-value layout, and no atom has this name", text.Quoted(text.Cut(s, 81)))
	var names []string
	for _, n := range atomNames() {
		names = append(names, n.name)
	}
	if near := text.Nearest(name, names); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("write ((4,8),(2,2)):((32,1),(16,8)) with --tile 16,8, or an atom: SM80_16x8x16_F32F16F16F32_TN:A, " +
		"ldmatrix.x4, mfma_f32_32x32x8f16, tmem.D.n64")
}

// Layout returns which thread holds which element of a part, the last one if it is "". Tiles are (M,K) for A, (N,K) for B, (M,N) for C,
// with a third dim for the blocks of AMD's instructions, and (row,column) for copies: see atoms.txt. Bits is 0 if the name does not say it.
//
// It fails with Usage if the atom has no such part, with Unsupported if no thread holds the part.
func (a Atom) Layout(part string) (Layout, error) {
	part = cmp.Or(part, a.Parts[len(a.Parts)-1])
	k := slices.IndexFunc(a.Parts, func(p string) bool { return strings.EqualFold(p, part) })
	if k < 0 {
		return Layout{}, fault.New(fault.Usage, "%s has no part %s", a.Name, text.Quoted(part)).
			WithHint("its parts are %s", text.And(a.Parts))
	}
	part = a.Parts[k]
	if memory, found := strings.CutPrefix(a.layouts[k], "@"); found {
		return Layout{}, fault.New(fault.Unsupported, "no thread holds %s of %s: it is in %s", part, a.Name, memory)
	}
	tile, layout, _ := strings.Cut(a.fill(a.layouts[k]), " ")
	l, err := parseCute(layout, numbers(tile))
	if err != nil {
		return l, err
	}
	l.Warp = a.warp
	bits := a.fill(a.bits[k])
	l.Bits = a.elementBits(part, bits)
	l.Atom = &a
	l.Note = a.note
	l.Part = part
	if held := numbers(bits); len(held) > 1 {
		l.Held = held[1]
	}
	l.InMemory = a.warp == MemoryLanes
	if a.lanes != "" {
		lanes, err := cute.ParseLayout(a.lanes)
		if l.InMemory {
			l.Warp = lanes.Size()
		}
		l.lane = func(thread int) int {
			lane, _ := lanes.At(thread)
			return lane
		}
		return l, err
	}
	return l, nil
}

// atomTerm is a term of the param: %, %*2 or %/2.
var atomTerm = lazy.Regexp(`%(?:([*/])(\d+))?`)

// fill computes the terms with % in a text of the table; without a param, there are none.
func (a Atom) fill(s string) string {
	n := numbers(a.param)[0]
	return atomTerm.Get().ReplaceAllStringFunc(s, func(term string) string {
		factor := numbers(term[min(2, len(term)):])[0]
		switch {
		case strings.HasPrefix(term, "%*"):
			return strconv.Itoa(n * factor)
		case strings.HasPrefix(term, "%/"):
			return strconv.Itoa(n / factor)
		}
		return strconv.Itoa(n)
	})
}

var atomTypes = lazy.Regexp(`(?i)e\dm\d|(?:iu|fp|[btx]?f|[subic])\d+`)

// elementBits returns the bits in the table, or else those of the types in the name: C's, then A's, which has as many bits as B's. 0: neither
// has them.
func (a Atom) elementBits(part, inTable string) int {
	if inTable != "" {
		return numbers(inTable)[0]
	}
	types := atomTypes.Get().FindAllString(a.Name, 2)
	k := min(1, strings.Index("CAB", part))
	if k >= len(types) {
		return 0
	}
	if types[k] == "C64" {
		return 128 // a pair
	}
	if types[k][0]|0x20 == 'e' { // e4m3
		return 8
	}
	return numbers(strings.TrimLeft(types[k], "BTXFSUIPbtxfsuip"))[0]
}

// parseAtom reads NAME or NAME:PART.
func parseAtom(s string, tile []int) (Layout, error) {
	name := s
	part := ""
	if k := strings.LastIndexByte(s, ':'); k > 0 && s[k-1] != ':' {
		name = s[:k]
		part = s[k+1:]
	}
	a, err := FindAtom(name)
	if err != nil {
		return Layout{}, err
	}
	l, err := a.Layout(part)
	if err == nil && tile != nil && !slices.Equal(tile, l.Tile) {
		return Layout{}, fault.New(fault.Usage, "%s has the tile %s, not %s", a.Name, tensor.Tuple(l.Tile), tensor.Tuple(tile)).
			WithHint("leave out --tile")
	}
	return l, err
}
