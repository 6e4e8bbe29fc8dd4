package trace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Every way to write a step is parsed; the right side is its canonical form.
func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"transpose(0,2)": "transpose(0, 2)", "permute(0, 2, 3, 1)": "permute(0, 2, 3, 1)", "permute((0,2,3,1))": "permute((0, 2, 3, 1))",
		"permute([0,2,3,1],)": "permute((0, 2, 3, 1))", "[1:3, ::2]": "[1:3, ::2]", "[0]": "[0]", "[..., None]": "[..., None]",
		"[:, -1]": "[:, -1]", "[Ellipsis, np.newaxis]": "[..., None]", "[(0, ...)]": "[0, ...]", "[0,]": "[0]", "[()]": "[()]",
		"[None:3:None]": ":3", "[ - 1 : : - 2 ]": "[-1::-2]", "[None]": "[None]", "[(0)]": "[0]", "[:]": "[:]", "[1:]": "[1:]",
		"view(12)": "view(12)", "view(-1, 3)": "view(-1, 3)", "view(())": "view(())", "view((12,))": "view((12,))", "view((12))": "view(12)",
		"flip(axis=1)": "flip(axis=1)", "flip(dims = (0, 1),)": "flip(dims=(0, 1))", "contiguous": "contiguous", " contiguous ( ) ": "contiguous",
		"contiguous(channels_last)": "contiguous(channels_last)", "contiguous(memory_format=torch.channels_last)": "contiguous(memory_format=channels_last)",
		".permute(0,2,3,1)": "permute(0, 2, 3, 1)", "x.permute(0, 1)": "permute(0, 1)", "x[0]": "[0]", "x . T": "T", "T": "T", "mT": "mT", "t": "t", "t()": "t", "x.t": "t",
		"np.flip(x,0)": "np.flip(x, 0)", "torch.permute( y, (0,2,1) )": "torch.permute(x, (0, 2, 1))", "numpy.transpose(a)": "np.transpose(x)",
		"torch.flip(x, dims=(0,))": "torch.flip(x, dims=(0,))", "np.lib.stride_tricks.as_strided(x,(2,),(4,))": "np.as_strided(x, (2,), (4,))",
		"reshape(12, order='F')": "reshape(12, order=F)", `ravel("C")`: "ravel(C)", "flatten( 1,\n2 )": "flatten(1, 2)",
		"to('cuda:0')": "to('cuda:0')", "copy('None')": "copy('None')", "fn('')": "fn('')", "fn('\\n')": "fn('\\n')", `fn("it's")`: `fn("it's")`, "fn('12')": "fn('12')",
		"add(0.5)": "add(0.5)", "full_like(-1e-3)": "full_like(-1e-3)", "add((2,3):(3,1))": "add((2, 3):(3, 1))", "add((4,):(1,))": "add((4,):(1,))",
		"cat((1,2,3,4):torch.channels_last, dim=1)": "cat((1, 2, 3, 4):channels_last, dim=1)", "chunk(2,1)[-1]": "chunk(2, 1)[-1]",
		"torch.cat([x, (2,3)], 1)": "torch.cat(x, (2, 3), 1)", "torch.cat((x,))": "torch.cat(x)", "torch.split(x, 2)[0]": "torch.split(x, 2)[0]",
		"clone(True)": "clone(True)", "as_strided((2,2),(1,2),0)": "as_strided((2, 2), (1, 2), 0)", "fn(b=1,a=2)": "fn(a=2, b=1)",
	} {
		got, err := parseOne(in)
		if strings.HasPrefix(want, ":") {
			want = "[" + want + "]"
		}
		if err != nil || got.String() != want {
			t.Errorf("parseOne(%q) = %s, %v, want %s", in, got, err, want)
		}
	}
}

// Every part of a call is in its field.
func TestParseFields(t *testing.T) {
	one, two := 1, -2
	for in, want := range map[string]Call{
		" x.view( 3,4 ) ": {Text: "view( 3,4 )", Name: "view", Args: []Arg{{Int: 3}, {Int: 4}}},
		"fn((0,),k=torch.channels_last)": {Text: "fn((0,),k=torch.channels_last)", Name: "fn", Args: []Arg{{Kind: List, List: []Arg{{}}}},
			Keywords: map[string]Arg{"k": {Kind: Word, Word: "channels_last"}}},
		"[1::-2, ..., None]": {Text: "[1::-2, ..., None]", Name: Index,
			Args: []Arg{{Kind: Range, Start: &one, Step: &two}, {Kind: Ellipsis}, {Kind: None}}},
	} {
		got, err := parseOne(in)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want.Name != "") {
			t.Errorf("parseOne(%q): %v\n%s", in, err, diff)
		}
	}
}

// A chain is split into its steps, each with its own text. The tensor's name is not a step; T and T[0] are.
func TestParseChain(t *testing.T) {
	for in, want := range map[string]string{
		"x.permute(0,2,3,1).contiguous()[0].view(-1)": "permute(0,2,3,1)|contiguous()|[0]|view(-1)",
		"T.contiguous": "T|contiguous", "T[0]": "T|[0]", "x[0][1] . T": "[0]|[1]|T", "[0].view(-1)": "[0]|view(-1)", "t.T": "T", "t[0]": "[0]", "x.t().t": "t()|t", "t().T": "t()|T", "view(12)": "view(12)",
	} {
		calls, err := ParseChain(in)
		var texts []string
		for _, c := range calls {
			texts = append(texts, c.Text)
		}
		if got := strings.Join(texts, "|"); err != nil || got != want {
			t.Errorf("ParseChain(%q) = %s, %v, want %s", in, got, err, want)
		}
	}
}

// Text that cannot be parsed is a usage error that says where and what to write instead.
func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"view(3,5":                   `step "view(3,5" lacks the closing ")"; 'view(3,5)', quoted for the shell`,
		"permute((0,2":               `lacks the closing "))"; 'permute((0,2))', quoted for the shell`,
		"permute([(0":                `lacks the closing ")])"; 'permute([(0)])', quoted for the shell`,
		"[1:2:3:]":                   `expected "," or "]", found ":" after "[1:2:3"`,
		"x view(1)":                  `expected "." or "[", found "v" after "x"`,
		"fn('\u202e')":               `an unprintable string, "\u202e"`,
		"[1:3,":                      `lacks the closing "]"; '[1:3,]', quoted for the shell`,
		"[1:":                        `lacks the closing "]"`,
		"view(3,5]":                  `expected "," or ")", found "]" after "view(3,5"`,
		"view(3))":                   `has an extra ")"`,
		"[3]]":                       `has an extra "]"`,
		"view(3 4)":                  `expected "," or ")", found "4" after "view(3"`,
		"view(,)":                    `expected a value, found "," after "view("`,
		"view(1:3)":                  `found ":" after "view(1"; write slices in an index`,
		"view(3.0.0)":                `"3.0.0" is not an integer`,
		"add((2,3):(1.5,1))":         `(2,3):(1.5,1) is not a tensor`,
		"add((4):(1))":               `4:1 is not a tensor`,
		"torch.cat([y, 1":            `lacks the closing "])"`,
		"view(99999999999999999999)": `out of range`,
		"[]":                         `has an empty index; [0] selects the first`,
		"[a:2]":                      `the value of a is not known; give it in a step before: a=2`,
		"[0]view(1)":                 `expected "." or "[", found "v" after "[0]"`,
		"np.flip()":                  `the first argument must be the tensor`,
		"np.flip(x 0)":               `expected "," or ")", found "0" after "np.flip(x"`,
		"x.":                         `ends after a dot`,
		"":                           `empty step; steps look like view(12), T or [0]`,
		"12":                         `'view(12)', or '[12]' for an index`,
		"(0,2,3,1)":                  `'view(0,2,3,1)'`,
		"1:3":                        `write an index in brackets: '[1:3]'`,
		"!":                          `does not start with a name or [`,
		"fn(a=1, a=2)":               `repeats a=`,
		"fn(a=1, 2)":                 `expected name=value`,
		"fn('C)":                     `lacks the closing ' of a string`,
		"\x1b[31m":                   `step "\x1b[31m"`,
		"view(\u202e)":               `found "\u202e" after "view("`,
		strings.Repeat("(", 20000):   `20000 bytes is too long`,
	} {
		_, err := parseOne(in)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage {
			t.Errorf("parseOne(%q) = %v, want a usage error", in, err)
			continue
		}
		if got := e.Text + "; " + e.Hint; !strings.Contains(got, want) {
			t.Errorf("parseOne(%q): %s\nwant %s", in, got, want)
		}
	}
}

// parseOne parses a text of one step.
func parseOne(text string) (Call, error) {
	calls, err := ParseChain(text)
	if err == nil && len(calls) != 1 {
		err = fmt.Errorf("%q is %d steps", text, len(calls))
	}
	if err != nil {
		return Call{}, err
	}
	return calls[0], nil
}

// ParseChain parses a chain of steps without names and nested calls.
func ParseChain(text string) ([]Call, error) {
	statements, err := Parse(text)
	if err != nil {
		return nil, err
	}
	s := start([]int{2, 3, 4, 5}, nil, 120)
	isNumPy := strings.HasPrefix(text, "np.") || strings.HasPrefix(text, "numpy.") || strings.HasPrefix(text, "astype")
	if isNumPy {
		s.Rules = NumPy
	}
	sc := &script{start: &s, now: &s, begun: &s, names: map[string]Arg{}}
	n := sc.rooted(statements[0].value)
	sc.names, sc.tensor = map[string]Arg{}, ""
	return sc.chain(n)
}

var errNotChain = errors.New("an expression that is not a chain of calls")

// chain returns the calls of a chain.
func (sc *script) chain(n node) ([]Call, error) {
	switch n.kind {
	case current, named:
		return nil, nil
	case attribute:
		before, err := sc.chain(n.of[0])
		return append(before, Call{Name: n.name, Text: n.text}), err
	case indexed:
		before, err := sc.chain(n.of[0])
		if err != nil {
			return nil, err
		}
		entries, err := sc.evaluateAll(n.args)
		if len(entries) == 1 && entries[0].Kind == Int && n.of[0].kind == called && isSplit(before[len(before)-1].Name) {
			last := &before[len(before)-1]
			last.Part, last.Text = &entries[0].Int, last.Text+n.text
			return before, err
		}
		return append(before, Call{Name: Index, Args: entries, Text: n.text}), err
	case called:
		name, ok := n.of[0].path()
		first, _, _ := strings.Cut(name, ".")
		if ok && isModule(first) || n.of[0].kind != attribute {
			p, err := sc.prepare(n)
			return []Call{p.call}, err
		}
		before, err := sc.chain(n.of[0].of[0])
		if err != nil {
			return nil, err
		}
		c := Call{Name: n.of[0].name, Text: n.text}
		c.Args, c.Keywords, err = sc.arguments(n, 0)
		return append(before, c), err
	}
	return nil, errNotChain
}

// FuzzParse parses any text and follows it: no panic, and a printable usage error, a refusal, an unknown result or steps.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"x.permute(0,2,3,1).contiguous()[0].view(-1)", "[1:3, ::2, ..., None]", "fn((1,),[2],k='C', m=torch.x)", "[(0,)]",
		"view(3,5", "np.flip(x,0)[0]", "[[0]]", "fn(1.)", "\x00", "fn(\"a\"='", "x.", "[None:]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, chain string) {
		statements, err := Parse(chain)
		if err != nil {
			if fault.ClassOf(err) != fault.Usage || text.Quote(err.Error()) != err.Error() {
				t.Fatalf("Parse(%q): error of class %d: %q", chain, fault.ClassOf(err), err)
			}
			return
		}
		s := start([]int{2, 3, 4, 5}, nil, 120)
		var unknown *Stop
		_, err = s.FollowAll(statements)
		if errors.As(err, &unknown) || err == nil {
			return
		}
		if class := fault.ClassOf(err); class != fault.Usage && class != fault.Unsupported {
			t.Fatalf("%q: error of class %d: %v", chain, class, err)
		}
	})
}
