package npy

// advance reads the next token.
func (p *parser) advance() (err error) {
	p.tok, err = p.next()
	return err
}

// expect steps over a token of that kind, or says what was expected.
func (p *parser) expect(kind tokenKind, what string) error {
	if p.tok.kind != kind {
		return p.fail(p.tok.pos, "expected %s, found %s", what, p.found())
	}
	return p.advance()
}

// found names the next token in an error.
func (p *parser) found() string {
	switch p.tok.kind {
	case endToken:
		return "the end"
	case stringToken:
		return "the string '" + shorten(p.tok.text) + "'"
	}
	return shorten(p.tok.text)
}

// list reads open, items with commas between them, and close; a comma before close is allowed.
func (p *parser) list(open, close tokenKind, item func() error) error {
	_, err := p.sequence(open, close, item)
	return err
}

// sequence is list, and tells whether there was a comma before close.
func (p *parser) sequence(open, close tokenKind, item func() error) (comma bool, err error) {
	if err := p.open(open); err != nil {
		return false, err
	}
	for first := true; p.tok.kind != close; first = false {
		if !first && !comma {
			return false, p.fail(p.tok.pos, "expected ',' or '%c', found %s", close, p.found())
		}
		if err := item(); err != nil {
			return false, err
		}
		if comma = p.tok.kind == ','; comma {
			if err := p.advance(); err != nil {
				return false, err
			}
		}
	}
	p.depth--
	return comma, p.advance()
}

// open steps over an opening bracket. Whoever reads the closing one lowers depth.
func (p *parser) open(bracket tokenKind) error {
	if p.tok.kind == bracket && p.depth == maxDepth {
		return p.fail(p.tok.pos, "brackets nested deeper than %d", maxDepth)
	}
	p.depth++
	return p.expect(bracket, "'"+string(bracket)+"'")
}
