package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/mention"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// complaint is what a message says, and what stands around it.
type complaint struct {
	message string
	around  string
	said    map[string]string // what a rule found in the message: "want": "3"
	framework
	tensors  []mention.Tensor // of the message, or of the text around it if the message has none
	directed bool             // the message says which of two lists was expected
}

// answers compute with what a message says; they refuse what lacks the numbers that they need.
var answers = map[string]func(*complaint) (Answer, bool){
	"channels": otherChannels, "features": otherFeatures, "convolution": otherConvolution,
	"view": refusedView, "reshape": misfit,
	"shape": otherShape, "rank": otherRank, "named-dims": otherNames, "indices": invalidDimensions, "state-dict": stateDict,
	"contiguous": notContiguous, "major": otherMajor, "multiple": notMultiple,
	"stride": otherStride, "strides": otherStrides, "orders": otherOrder, "dim-order": dimOrder, "ambiguous": ambiguous, "asserted-strides": assertedStrides, "buckets": bucketStrides,
	"named": otherName, "storage": storageBounds, "padded-rows": paddedRows, "tensors": describedTensors, "out-of-memory": outOfMemory, "fragments": fragments, "block": otherBlock,
}

func newComplaint(message, around string) *complaint {
	c := &complaint{message: message, around: around, framework: frameworkOf(message, around), tensors: mention.Tensors(message)}
	if len(c.tensors) == 0 && around != message {
		c.tensors = mention.Tensors(around[:min(len(around), 2*mention.MaxPassage)])
	}
	return c
}

// wordsOfTensors are in every message about tensors that names no framework and no shape.
var wordsOfTensors = []string{"tensor", "array", "matrix", "matrices", "stride", "contiguous", "dtype", "layout", "memory format", "nhwc", "nchw", "dlpack", "row_major", "row-major", "row major", "col_major", "col-major", "column-major", "column major", "lda", "gemm",
	"dimension", "dims", "shape", "reshape", "image", "weight", "kernel", "tile", "fragment", "memoryview", "runtimeerror", "storage", "assignment destination", "parameter number", "buffer length", "pic should", "byte_offset", "warpgroup", "cutensormap", "block offset", "byte aligned", "scalartype", "bfloat16", "float8", "iree", "cute", "element size", "itemsize"}

// isAboutTensors reports whether a message, of which low is in lower case, is about tensors: it names a framework, a shape, or a word of them.
// Files are read-only, columns overlap and channels close elsewhere.
func (c *complaint) isAboutTensors(low string) bool {
	isShape := func(m mention.Tensor) bool { return !m.Guessed && len(m.Shape) > 1 }
	return c.name != "" || slices.ContainsFunc(c.tensors, isShape) || slices.ContainsFunc(wordsOfTensors, func(w string) bool { return hasWord(low, w) })
}

// answer answers by a rule, whose own words replace those of its function. ok is false if the rule does not match, or its function refuses.
func (c *complaint) answer(r rule) (a Answer, ok bool) {
	c.said = maps.Clone(r.says)
	if r.match != nil {
		found := named(r.match, c.message)
		if found == nil {
			return Answer{}, false
		}
		maps.Copy(c.said, found)
	}
	if f := answers[r.field("answer")]; f != nil {
		a, ok = f(c)
		if !ok {
			return Answer{}, false
		}
	}
	a.What = cmp.Or(c.filled(r.field("what")), a.What)
	a.Same = cmp.Or(tensor.Answer(r.field("same")), a.Same)
	a.Cost = cmp.Or(a.Cost, r.field("cost"))
	for _, fact := range r.fields["fact"] {
		a.Facts = append(a.Facts, c.filled(fact))
	}
	if lines := r.fields["fix"]; lines != nil && a.Fixes == nil {
		a.Fixes = c.statements(lines)
	}
	if a.Commands == nil {
		a.Commands = c.statements(r.fields["run"])
	}
	if len(r.ID) == 0 {
		found := Found(c.message)
		if len(found.Commands) > 0 {
			a.Commands = found.Commands
		}
	}
	a.Framework = c.name
	a.Language = cmp.Or(r.field("in"), a.Language, c.language.name)
	a.Markdown = cmp.Or(languageNamed(a.Language).field("code"), "python")
	return a, true
}

// protoList matches a list as protocol buffers print it: dimensions: 10 dimensions: 64.
var protoList = lazy.Regexp(`^(?:\w+: \d+ ?){2,}$`)

// filled puts what a message says into a line of a table.
func (c *complaint) filled(line string) string {
	return os.Expand(line, func(name string) string {
		switch name {
		case "x":
			return c.operand()
		case "who":
			return cmp.Or(c.name, "the call")
		}
		value := c.said[name]
		if protoList.Get().MatchString(value) {
			value = "(" + strings.Join(integer.Get().FindAllString(value, 16), ", ") + ")"
		}
		return text.Quote(text.Cut(value, 200))
	})
}

// statements returns the repairs of a table: a colon is before the name of a statement of the language.
func (c *complaint) statements(lines []string) (all []string) {
	for _, line := range lines {
		name, isName := strings.CutPrefix(line, ":")
		if isName {
			all = append(all, c.fix(name, nil)...)
			continue
		}
		all = append(all, c.filled(line))
	}
	return all
}

// fix returns the framework's statement of that name with dims or sizes. NumPy's follows where the message names no framework, or is
// about a protocol of several, and stands alone where the language has none.
func (c *complaint) fix(name string, dims []int) (lines []string) {
	own := c.statement(c.language, name, c.operand(), dims)
	numpy := c.statement(languageNamed("NumPy"), name, "a", dims)
	if own != "" {
		lines = []string{own}
	}
	ofMany := c.name == "" || strings.Contains(strings.ToLower(c.message), "dlpack")
	isWanted := own == "" || ofMany && own != numpy
	if numpy != "" && isWanted {
		lines = append(lines, numpy+"  # in NumPy")
	}
	return lines
}

// statement writes a statement of a language about a tensor; empty if the language has none. What is contiguous is fresh, but for strides of
// size-1 dims in PyTorch, which has a statement of its own for it.
func (c *complaint) statement(l block, name, x string, dims []int) string {
	s := l.field(name)
	if name == "fresh" {
		s = cmp.Or(s, l.field("contiguous"))
	}
	s = strings.ReplaceAll(s, "$n", c.said["n"])
	s = strings.ReplaceAll(s, "$itemsize", l.field("itemsize"))
	return strings.NewReplacer("$x", x, "$d", text.Ints(dims, ", ")).Replace(s)
}

// strided returns the tensor whose sizes and strides the message has, or the text around it.
func (c *complaint) strided() (tensor.Strided, bool) {
	for _, m := range slices.Concat(c.tensors, mention.Tensors(c.around[:min(len(c.around), 2*mention.MaxPassage)])) {
		if m.Shape != nil && m.Strides != nil {
			return tensor.Strided{Shape: m.Shape, Strides: m.Strides}, true
		}
	}
	return tensor.Strided{}, false
}

// pair returns the list that was expected and the one that is there, of those that pick takes. Of two without such words, the first is the
// one that is there.
func (c *complaint) pair(pick func(mention.Tensor) []int) (want, have []int, ok bool) {
	var all []mention.Tensor
	for _, m := range c.tensors {
		if xs := pick(m); xs != nil && !slices.ContainsFunc(all, func(o mention.Tensor) bool { return slices.Equal(pick(o), xs) }) {
			all = append(all, m)
		}
	}
	if len(all) < 2 {
		return nil, nil, false
	}
	oneIsWanted := all[0].Role == mention.Expected || all[1].Role == mention.Expected
	c.directed = oneIsWanted && all[0].Role != all[1].Role
	if c.directed && all[0].Role == mention.Expected {
		return pick(all[0]), pick(all[1]), true
	}
	return pick(all[1]), pick(all[0]), true
}

// shapes returns the shape that was expected, and the one that is there.
func (c *complaint) shapes() (want, have []int, ok bool) {
	return c.pair(func(m mention.Tensor) []int { return m.Shape })
}

// operandName matches the name of a tensor in a message.
var operandName = lazy.Regexp(`(?:[Tt]ensor|[Aa]rgument|[Oo]perand|[Pp]arameter|[Ii]nput|[Aa]rray)s? ['"\x60]([A-Za-z_]\w*)['"\x60]|` +
	`(?:^|: |['"\x60(*])([A-Za-z_]\w*)['"\x60)]* (?:must|should|has to|needs to|is not|is non|requires)\b|\b([A-Za-z_]\w*)\.(?:stride|is_contiguous|data_ptr|shape|size)\b`)

// noName are words that stand where a tensor's name may stand.
const noName = " it this tensor input inputs array dimension dim stride strides size memory that which layout self torch np buffer data shape tensors arrays value kernel weight and dimensions " +
	"alignment pointer base matrix axis object block view offset order format ndarray "

// operand returns the name of the tensor that a message is about, or the one that the language's users write. Types' names are none.
func (c *complaint) operand() string {
	if x := c.said["operand"]; x != "" {
		return x
	}
	if c.said["of"] == "size" { // the name is that of a size
		return c.language.field("tensor")
	}
	for _, m := range operandName.Get().FindAllStringSubmatch(c.message, 8) {
		x := cmp.Or(m[1], m[2], m[3])
		isType := len(x) > 1 && x[0] >= 'A' && x[0] <= 'Z'
		if !isType && len(x) <= 24 && !strings.Contains(noName, " "+strings.ToLower(x)+" ") {
			return x
		}
	}
	return c.language.field("tensor")
}

// named returns what the named groups of an expression have in a text; nil if it does not match.
func named(e *lazy.Expression, s string) map[string]string {
	found := e.Get().FindStringSubmatch(s)
	if found == nil {
		return nil
	}
	said := map[string]string{}
	for i, name := range e.Get().SubexpNames() {
		if name != "" && found[i] != "" {
			said[name] = found[i]
		}
	}
	return said
}

// parsed reads a number of a message; -1 if it is none, or out of range.
func parsed(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return -1
	}
	return n
}

// failing is what a message costs that is an error.
const failing = "nothing: the call fails"

// describedTensors says what the tensors of a message are.
func describedTensors(c *complaint) (Answer, bool) {
	return Answer{Facts: Found(c.message).Facts}, true
}

// wrongStride says which stride is not the expected one.
func wrongStride(s tensor.Strided, v tensor.Verdict) string {
	tuple := fmt.Sprintf("sizes %s, strides %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides))
	if v.Dim < 0 {
		return tuple + " are not it"
	}
	return fmt.Sprintf("%s: dim %d has stride %d, expected %d", tuple, v.Dim, v.Found, v.Expected)
}
