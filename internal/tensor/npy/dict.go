package npy

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
)

// maxRank is the largest number of dimensions, as in NumPy 2. NumPy 1 has 32.
const maxRank = 64

// maxDepth bounds nested brackets, so that a hostile header cannot exhaust the stack.
const maxDepth = 32

// parser reads the dictionary by recursive descent; tok is the token to be read next.
type parser struct {
	lexer
	tok   token
	depth int // open brackets
}

// parseText reads dtype, order and shape from the header's text.
func parseText(text string, longs bool) (Header, error) {
	p := &parser{lexer: lexer{text: text, longs: longs}}
	if err := p.advance(); err != nil {
		return Header{}, err
	}
	if p.tok.kind != '{' {
		return Header{}, p.fail(p.tok.pos, "expected a dictionary, found %s", p.found())
	}
	h, err := p.dict()
	if err != nil {
		return Header{}, err
	}
	if p.tok.kind != endToken {
		return Header{}, p.fail(p.tok.pos, "found %s behind the dictionary", p.found())
	}
	err = flatten(&h)
	return h, err
}

// dict reads the dictionary and checks that each key is there once.
func (p *parser) dict() (Header, error) {
	var h Header
	seen := map[string]bool{}
	err := p.list('{', '}', func() error {
		key, pos := p.tok, p.tok.pos
		if err := p.expect(stringToken, "a key"); err != nil {
			return err
		}
		if seen[key.text] {
			return p.fail(pos, "the key '%s' stands twice", shorten(key.text))
		}
		seen[key.text] = true
		if err := p.expect(':', "':'"); err != nil {
			return err
		}
		return p.entry(&h, key)
	})
	if err != nil {
		return Header{}, err
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return Header{}, fault.New(fault.Malformed, "header: the key '%s' is missing", key)
		}
	}
	return h, nil
}

// entry reads the value that belongs to key into h.
func (p *parser) entry(h *Header, key token) (err error) {
	switch key.text {
	case "descr":
		h.DType, err = p.descr()
	case "fortran_order":
		h.Fortran, err = p.bool()
	case "shape":
		h.Shape, err = p.shape()
	default:
		err = p.fail(key.pos, "the key '%s' is none of descr, fortran_order and shape", shorten(key.text))
	}
	return err
}

func (p *parser) bool() (bool, error) {
	tok := p.tok
	if tok.kind != wordToken || tok.text != "True" && tok.text != "False" {
		return false, p.fail(tok.pos, "fortran_order must be True or False, found %s", p.found())
	}
	return tok.text == "True", p.advance()
}

// shape reads a tuple of sizes. A tuple of one needs its comma, as in Python.
func (p *parser) shape() ([]int, error) {
	shape := []int{}
	start := p.tok.pos
	comma, err := p.sequence('(', ')', func() error {
		tok := p.tok
		if tok.kind == '-' {
			return p.fail(tok.pos, "a negative size in a shape")
		}
		if err := p.expect(intToken, "a size"); err != nil {
			return err
		}
		switch {
		case tok.n > math.MaxInt64:
			return p.fail(tok.pos, "a size beyond 2^63-1 in a shape")
		case tok.n > math.MaxInt:
			return tooLargeHere()
		case len(shape) == maxRank:
			return fault.New(fault.Unsupported, "a shape has more than %d dimensions", maxRank)
		}
		shape = append(shape, int(tok.n))
		return nil
	})
	if err == nil && len(shape) == 1 && !comma {
		err = p.fail(start, "a shape must be a tuple: a single size needs a comma behind it")
	}
	return shape, err
}

// flatten moves the dimensions of a sub-array dtype to the end of the shape, where NumPy puts them when it makes an
// array. In Fortran order they would still run fastest, which no shape can say.
func flatten(h *Header) error {
	for base, sub := h.DType.Sub(); sub != nil; base, sub = h.DType.Sub() {
		if h.Fortran {
			return fault.New(fault.Unsupported, "a sub-array dtype in Fortran order")
		}
		if len(h.Shape)+len(sub) > maxRank {
			return fault.New(fault.Unsupported, "shape and sub-array have more than %d dimensions", maxRank)
		}
		h.DType, h.Shape = base, append(h.Shape, sub...)
	}
	return nil
}

// tooLargeHere is the error for sizes that only a 64-bit program can handle.
func tooLargeHere() error {
	return fault.New(fault.Unsupported, "the data is too large for this 32-bit program")
}
