package triton

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// Attribute is a layout before the sizes of its tensor are known. It is immutable; make one with Parse.
type Attribute struct {
	Shape   []int  // sizes that the text gives; nil: none
	Element string // element type that the text gives, f16; empty: none

	kind   kind
	fields map[string][][]int // by folded name; a number is [[5]], a list [[1 4]], and bases are [[1 0] [2 0]]
	parent *Attribute
}

// kind is a kind of layout: its name in #ttg.name, what it lays out, the function of its bases, its class in Gluon, and the parameters of
// the class in order, as Triton spells them.
type kind struct {
	name, domain  string
	build         func(*builder)
	class, params string
}

const (
	threads = "threads"
	matrix  = "threads over matrices"
	shared  = "shared memory"
	tmem    = "tensor memory"
)

// kinds are attributes of TritonGPUAttrDefs.td and TritonNvidiaGPUAttrDefs.td, and classes of Gluon's _layouts.py and nvidia/blackwell.
// (Triton 3.9; shared: 3.2; warpsPerCTA of amd_wmma: 3.6)
var kinds = []kind{
	{"blocked", threads, (*builder).blocked, "BlockedLayout", "sizePerThread threadsPerWarp warpsPerCTA order CGALayout"},
	{"slice", threads, (*builder).slice, "SliceLayout", "dim parent"},
	{"linear", threads, (*builder).linear, "DistributedLinearLayout", "register lane warp block shape"},
	{"generic_linear", threads, (*builder).linear, "", "register lane warp block"},
	{"dot_op", matrix, (*builder).operand, "DotOperandLayout", "opIdx parent kWidth"},
	{"nvidia_mma", matrix, (*builder).mma, "NVMMADistributedLayout", "version warpsPerCTA instrShape CGALayout"},
	{"amd_mfma", matrix, (*builder).mfma, "AMDMFMALayout", "version instrShape isTransposed warpsPerCTA elementBitWidth tilesPerWarp CGALayout"},
	{"amd_wmma", matrix, (*builder).wmma, "AMDWMMALayout", "version isTransposed warp register instrShape CGALayout rank ctaLayout warpsPerCTA tilesPerWarp"},
	{"swizzled_shared", shared, (*builder).swizzled, "SwizzledSharedLayout", "vec perPhase maxPhase order CGALayout"},
	{"shared", shared, (*builder).swizzled, "", "vec perPhase maxPhase order hasLeadingOffset"},
	{"padded_shared", shared, (*builder).padded, "PaddedSharedLayout", "intervals offset CGALayout shape order block"},
	{"padded_shared", shared, (*builder).padded, "with_identity_for", "intervals shape order CGALayout"},
	{"nvmma_shared", shared, (*builder).nvmma, "NVMMASharedLayout", "swizzlingByteWidth elementBitWidth rank transposed fp4Padded CGALayout"},
	{"shared_linear", shared, (*builder).explicit, "SharedLinearLayout", "offset block alignment"},
	{"tensor_memory_encoding", tmem, (*builder).tensorMemory, "TensorMemoryLayout", "block colStride CGALayout twoCTAs fp4Padded blockM blockN"},
	{"tensor_memory_scales_encoding", tmem, (*builder).scales, "TensorMemoryScalesLayout", "CGALayout"},
}

// nestedFields are lists of lists, by folded name.
const nestedFields = " register lane warp block offset intervals cgalayout "

// olderParams are fields of several kinds that Gluon does not have.
const olderParams = " versionMajor versionMinor CTAsPerCGA CTASplitNum CTAOrder"

// synonyms maps Gluon's names of fields to Triton's, both folded.
var synonyms = map[string]string{
	"regbases": "register", "lanebases": "lane", "warpbases": "warp", "blockbases": "block", "offsetbases": "offset",
	"operandindex": "opidx", "transposed": "istransposed", "istranspose": "istransposed", "swizzlebytewidth": "swizzlingbytewidth", "intervalpaddingpairs": "intervals",
}

// fold returns the common form of warpsPerCTA and warps_per_cta.
func fold(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", ""))
	if known, ok := synonyms[name]; ok {
		return known
	}
	return name
}

// IsShared reports whether the layout is one of shared memory; otherwise it is one of threads.
func (a Attribute) IsShared() bool { return a.kind.domain == shared }

// InTensorMemory reports whether the layout is one of the tensor memory of NVIDIA's SM100.
func (a Attribute) InTensorMemory() bool { return a.kind.domain == tmem }

// CheckBits returns the error for elements of so many bits, named by their type, if the layout is of others.
func (a Attribute) CheckBits(bits int, name string) error {
	if want := a.ElementBits(); want != 0 && want != bits {
		return fault.New(fault.Usage, "%s has elements of %d bits, those of %s have %d", a.kind.name, want, name, bits)
	}
	return nil
}

// ElementBits returns the bits of an element by the layout's own field, 8 of scales; 0 for layouts of any elements.
func (a Attribute) ElementBits() int {
	if a.kind.name == "tensor_memory_scales_encoding" {
		return 8
	}
	if rows := a.fields["elementbitwidth"]; a.IsShared() && len(rows) == 1 && len(rows[0]) == 1 {
		return rows[0][0]
	}
	return 0
}

const (
	maxText  = 1 << 12 // bytes
	maxValue = 1 << 20 // of a size and a number
)

// Is reports whether a text looks like a layout of Triton or Gluon, an alias of one, or a type with one, valid or not.
func Is(s string) bool {
	p := newParser(s)
	alias := p.Next() == '#'
	path := p.path()
	if alias && len(path) == 1 && path[0] != "" {
		return p.End() || p.Take('=') && Is(p.Rest())
	}
	if next := p.Next(); next != '(' && next != '<' || p.isType() {
		return p.isType()
	}
	return isDialect(path[0]) || slices.ContainsFunc(path, func(name string) bool {
		_, err := kindOf([]string{name})
		return err == nil
	})
}

func isDialect(s string) bool { return s == "ttg" || s == "triton_gpu" || s == "ttng" }

// Parse reads an attribute, a call of Gluon, or a type with an attribute:
//
//	#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
//	gl.BlockedLayout([1, 4], [4, 8], warps_per_cta=[4, 1], order=[1, 0])
//	#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
//	tensor<16x16xf16, #ttg.blocked<{…}>>
//	!ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{…}>, #smem, mutable>
//	#blocked = #ttg.blocked<{…}>
//
// It fails with Usage if the text is not one, with Unsupported for other kinds and for layouts over several CTAs.
func Parse(s string) (Attribute, error) {
	p := newParser(s)
	if len(s) > maxText {
		return Attribute{}, p.fail("it exceeds %d bytes", maxText)
	}
	read := p.attribute
	if p.isType() {
		read = p.typed
	}
	a, err := read()
	if err == nil && !p.End() {
		err = p.expected("the end")
	}
	return a, err
}

type parser struct{ scan.Scanner }

func newParser(s string) *parser { return &parser{scan.Scanner{Text: strings.TrimSpace(s)}} }

func (p *parser) isType() bool {
	tensor := strings.HasPrefix(p.Text, "tensor<") && strings.Contains(p.Text, "#")
	return tensor || strings.HasPrefix(p.Text, "!") && strings.Contains(p.Text, ".memdesc<")
}

func (p *parser) fail(format string, args ...any) *fault.Error {
	e := fault.New(fault.Usage, format, args...)
	e.Text = "layout " + text.Quoted(text.Cut(p.Text, 81)) + ": " + e.Text
	return e
}

func (p *parser) expected(what string) error {
	p.Skip()
	return p.fail("expected %s, found %s", what, text.Quoted(text.Cut(p.Rest(), 20)))
}

func (p *parser) want(c byte) error {
	if !p.Take(c) {
		return p.expected(string(rune(c)))
	}
	return nil
}

// list reads items up to a closing bracket.
func (p *parser) list(closing byte, item func() error) error {
	_, err := p.List(closing, item, func(byte) error { return p.expected("a comma or " + string(rune(closing))) })
	return err
}

// path reads names with dots between them; a # may precede them.
func (p *parser) path() []string {
	p.Take('#')
	path := []string{p.Name()}
	for p.Take('.') {
		path = append(path, p.Name())
	}
	return path
}

func kindOf(path []string) (kind, error) {
	name := path[len(path)-1]
	dialect := len(path) == 2 && isDialect(path[0])
	at := slices.IndexFunc(kinds, func(k kind) bool {
		if dialect {
			return k.name == name
		}
		return k.class == name && name != ""
	})
	if at < 0 {
		return kind{}, fault.New(fault.Unsupported, "%s is not a supported kind of layout", text.Quoted(text.Cut(strings.Join(path, "."), 60))).
			WithHint("paste the layout as Triton prints it: #ttg.blocked<{…}>")
	}
	return kinds[at], nil
}

// attribute reads an attribute or a call.
func (p *parser) attribute() (a Attribute, err error) {
	hash := p.Next() == '#'
	path := p.path()
	if hash && len(path) == 1 { // an alias
		if p.Take('=') {
			return p.attribute()
		}
		return a, p.fail("#%s is an alias of its module", path[0]).WithHint("write what it stands for: #%s = #ttg.…", path[0])
	}
	a.kind, err = kindOf(path)
	if err != nil {
		return a, err
	}
	a.fields = map[string][][]int{}
	closing := byte('>')
	if !p.Take('<') {
		closing = ')'
		if err := p.want('('); err != nil {
			return a, err
		}
	}
	err = p.arguments(&a, closing)
	if err == nil && !a.InTensorMemory() && a.overCTAs() {
		err = fault.New(fault.Unsupported, "%s distributes a tensor over several CTAs: only layouts of one are supported", a.kind.name)
	}
	a.Shape = slices.Concat(a.fields["shape"]...)
	return a, err
}

// overCTAs reports whether the layout distributes a tensor over several CTAs.
func (a Attribute) overCTAs() bool {
	if len(a.fields["cgalayout"]) > 0 || len(a.fields["block"]) > 0 {
		return true
	}
	return slices.ContainsFunc(slices.Concat(a.fields["ctaspercga"]...), func(n int) bool { return n > 1 })
}

// arguments reads fields up to a closing bracket: key = value, or values in the order of the parameters. Braces group fields.
func (p *parser) arguments(a *Attribute, closing byte) error {
	left := strings.Fields(a.kind.params)
	return p.list(closing, func() error {
		if p.Take('{') {
			return p.arguments(a, '}')
		}
		name := p.key()
		if name == "" && len(left) > 0 {
			name = left[0]
			left = left[1:]
		}
		isName := func(param string) bool { return fold(param) == fold(name) }
		if !slices.ContainsFunc(strings.Fields(a.kind.params+olderParams), isName) {
			return p.fail("%s has no field %s", a.kind.name, text.Quoted(text.Cut(name, 40))).WithHint("its fields: %s", a.kind.params)
		}
		if err := p.field(a, name); err != nil {
			return err
		}
		if p.Take('{') { // <[32:+4] {…}>
			return p.arguments(a, '}')
		}
		return nil
	})
}

// field reads the value of a field.
func (p *parser) field(a *Attribute, name string) error {
	key := fold(name)
	switch key {
	case "parent":
		parent, err := p.attribute()
		a.parent = &parent
		return err
	case "ctalayout": // {register = [[0, 1]], warp = [[1, 0]]}
		if err := p.want('{'); err != nil {
			return err
		}
		return p.arguments(a, '}')
	}
	rows, err := p.rows(strings.Contains(nestedFields, " "+key+" "))
	if err != nil {
		return err
	}
	if _, twice := a.fields[key]; twice {
		return p.fail("%s has two fields %s", a.kind.name, name)
	}
	a.fields[key] = rows
	return nil
}

// key reads "name ="; "" if a value comes next.
func (p *parser) key() string {
	start := p.At
	if name := p.Name(); name != "" && p.Take('=') {
		return name
	}
	p.At = start
	return ""
}

// rows reads 5, true, [1, 4], (1, 4), or if lists may be nested, [[1, 0], [2, 0]], or intervals and paddings, [32:+4].
func (p *parser) rows(nested bool) (rows [][]int, err error) {
	closing := byte(']')
	if p.Take('(') {
		closing = ')'
	} else if !p.Take('[') {
		n, err := p.number()
		return [][]int{{n}}, err
	}
	var flat []int
	err = p.list(closing, func() error {
		if nested && p.Next() == '[' {
			inner, err := p.rows(false)
			rows = append(rows, slices.Concat(inner...))
			return err
		}
		n, err := p.number()
		flat = append(flat, n)
		if err != nil || !nested {
			return err
		}
		if p.Take(':') && p.Take('+') {
			n, err = p.number()
			rows = append(rows, append(flat, n))
			flat = nil
		}
		return err
	})
	if flat != nil {
		rows = append(rows, flat)
	}
	return rows, err
}

func (p *parser) number() (int, error) {
	p.Skip()
	start := p.At
	word := p.Integer()
	if word == "" {
		word = map[string]string{"false": "0", "true": "1"}[strings.ToLower(p.Name())]
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > maxValue {
		p.At = start
		return 0, p.expected(fmt.Sprintf("a number from 0 to %d", maxValue))
	}
	return n, nil
}

// typed reads a type: its sizes, its elements and its layout. After these, a memdesc has its memory, mutable, and the sizes of the
// allocation that it is a view of, which must end in its own.
func (p *parser) typed() (a Attribute, err error) {
	_, rest, _ := strings.Cut(p.Text, "<")
	end := max(0, strings.IndexByte(rest, ','))
	words := strings.Split(rest[:end], "x")
	sizes := words[:len(words)-1]
	element := words[len(words)-1]
	if scan.NameLength(strings.TrimPrefix(element, "!")) == 0 {
		return a, p.fail("the type is not sizes, elements and a layout: tensor<8x64xf16, #ttg.…>")
	}
	var shape []int
	for _, word := range sizes {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > maxValue {
			return a, p.fail("size %s is not a number from 0 to %d", text.Quoted(text.Cut(word, 20)), maxValue)
		}
		shape = append(shape, n)
	}
	p.At = len(p.Text) - len(rest) + end + 1
	a, err = p.attribute()
	if err != nil {
		return a, err
	}
	for p.Take(',') {
		p.Skip()
		word := p.While(func(c byte) bool { return c != ',' && c != '>' })
		if scan.IsDigit((word + " ")[0]) && !strings.HasSuffix("x"+word, "x"+strings.Join(sizes, "x")) {
			return a, fault.New(fault.Unsupported, "it is a view of a part of %s: only views of whole tensors are supported", text.Quoted(word))
		}
	}
	a.Shape = shape
	a.Element = element
	return a, p.want('>')
}
