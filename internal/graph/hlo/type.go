package hlo

import (
	"strings"

	"github.com/tlayout/tlayout/internal/framework/printed"
	"github.com/tlayout/tlayout/internal/graph"
)

// hloType is the type of an instruction: an array, or a tuple of types.
type hloType struct {
	tensor *graph.Tensor // of an array; nil if its size is not known, and for token[] and opaque[]
	parts  []hloType     // of a tuple
}

// maxTuple limits how deep tuples are nested.
const maxTuple = 32

// hloTypes reads types: f32[4,8]{1,0:T(8,128)}, (f32[4]{0}, s32[]). Equal arrays share a Tensor.
type hloTypes struct {
	tensors  map[string]*graph.Tensor
	tiled    bool // a layout had tiles
	unstated bool // an array of two or more dims had no layout
}

// read reads the type at the beginning of a text. (Shape printing in xla/shape_util.cc: HumanStringWithLayout)
func (t *hloTypes) read(s string) (typ hloType, rest string, ok bool) { return t.nested(s, 0) }

func (t *hloTypes) nested(s string, depth int) (typ hloType, rest string, ok bool) {
	s = skipComments(s)
	inside, isTuple := strings.CutPrefix(s, "(")
	if !isTuple {
		return t.array(s)
	}
	if depth == maxTuple {
		return typ, s, false
	}
	s = skipComments(inside)
	for !strings.HasPrefix(s, ")") {
		part, after, read := t.nested(s, depth+1)
		if !read {
			return typ, s, false
		}
		typ.parts = append(typ.parts, part)
		s = skipComments(strings.TrimPrefix(skipComments(after), ","))
	}
	return typ, s[1:], true
}

// array reads an array's type.
func (t *hloTypes) array(s string) (typ hloType, rest string, ok bool) {
	end := strings.IndexByte(s, ']')
	if end < 0 || !strings.Contains(s[:end], "[") {
		return typ, s, false
	}
	sizes := s[:end+1]
	rest = s[end+1:]
	layout := ""
	if strings.HasPrefix(rest, "{") {
		closing := strings.IndexByte(rest, '}')
		if closing < 0 {
			return typ, s, false
		}
		layout = rest[:closing+1]
		rest = rest[closing+1:]
	}
	typ.tensor = t.tensor(sizes, layout)
	return typ, rest, true
}

// tensor returns the tensor of an array without tiles, which orders of dims do not need; nil for sizes that are not numbers.
func (t *hloTypes) tensor(sizes, layout string) *graph.Tensor {
	order, tiles, has := strings.Cut(layout, ":")
	if has {
		layout = order + "}"
	}
	t.tiled = t.tiled || strings.HasPrefix(tiles, "T(")
	t.unstated = t.unstated || layout == "" && strings.Contains(sizes, ",")
	key := sizes + layout
	tensor, known := t.tensors[key]
	if known {
		return tensor
	}
	p, err := printed.Parse(key)
	if err == nil {
		tensor = &graph.Tensor{Type: p.DType, Layout: p.Layout}
	}
	t.tensors[key] = tensor
	return tensor
}

// skipComments skips blanks and comments, as /*index=5*/.
func skipComments(s string) string {
	for {
		s = strings.TrimLeft(s, " ")
		comment, found := strings.CutPrefix(s, "/*")
		if !found {
			return s
		}
		_, s, found = strings.Cut(comment, "*/")
		if !found {
			return ""
		}
	}
}
