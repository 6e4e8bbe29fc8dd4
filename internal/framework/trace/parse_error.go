package trace

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// parser reads a text from start to end.
type parser struct {
	scan.Scanner
	slicing bool // a colon belongs to a slice, not to a tensor
}

// wrong returns an error about the text; format continues the sentence after it.
func (p *parser) wrong(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, `step "%s"%s`, clip(tidy(p.Text)), fmt.Sprintf(format, args...))
}

// expected returns the error that something else should be next.
func (p *parser) expected(what string) *fault.Error {
	if p.End() {
		return p.unclosed()
	}
	found := p.Char()
	e := p.wrong(`: expected %s, found "%s" after "%s"`, what, text.Quote(found), tail(tidy(p.Text[:p.At])))
	if found == ":" {
		return e.WithHint("write slices in an index: [1:3]")
	}
	return e
}

func (p *parser) unlisted(closing byte) error { return p.expected(`"," or "` + string(closing) + `"`) }

// unclosed returns the error that brackets are missing at the end.
func (p *parser) unclosed() *fault.Error {
	whole := tidy(p.Text) + p.Closing()
	return p.wrong(` lacks the closing "%s"`, p.Closing()).WithHint("%s, quoted for the shell", text.Shell(clip(whole)))
}

// stray refuses text between two steps.
func (p *parser) stray() *fault.Error {
	if c := p.Next(); c == ')' || c == ']' {
		return p.wrong(` has an extra "%c"`, c)
	}
	return p.expected(`"." or "["`)
}

// noStep returns the error for text that cannot start a step.
func (p *parser) noStep() *fault.Error {
	rest := clip(tidy(p.Rest()))
	c := p.Next()
	if strings.TrimSpace(p.Text) == "" {
		return fault.New(fault.Usage, "empty step").WithHint("steps look like view(12), T or [0]")
	}
	if p.End() {
		return p.wrong(" ends after a dot")
	}
	if strings.ContainsRune(rest, ':') && !strings.ContainsAny(rest, "[(])") {
		return p.wrong(" is not a step").WithHint("write an index in brackets: %s", text.Shell("["+rest+"]"))
	}
	if c == '(' || c == '-' || scan.IsDigit(c) {
		inner := strings.Trim(rest, "()")
		return p.wrong(" does not start with a name").
			WithHint("write %s, or %s for an index",
				text.Shell("view("+inner+")"), text.Shell("["+inner+"]"))
	}
	return p.wrong(" does not start with a name or [").WithHint("steps look like view(12), T or [0]")
}

// clip cuts the end of a long text.
func clip(s string) string { return text.Cut(s, 60) }

// tail cuts the start of a long text.
func tail(s string) string {
	if r := []rune(s); len(r) > 30 {
		return "…" + string(r[len(r)-29:])
	}
	return s
}

// quoted reads a string, as order='C' has it. Escapes stay as they are written.
func (p *parser) quoted(quote byte) (Arg, error) {
	rest := p.Text[p.At+1:]
	end := closing(rest, quote)
	if end < 0 {
		return Arg{}, p.wrong(` lacks the closing %c of a string`, quote)
	}
	word := rest[:end]
	if text.Quote(word) != word {
		return Arg{}, p.wrong(" has an unprintable string, %s", text.Quoted(word)).WithHint("write a plain word: order='C'")
	}
	p.At += len(word) + 2
	return Arg{Kind: Word, Word: word}, nil
}
