package trace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Every way to write a step is read as what it means; the right side is the one way in which it is written back.
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
		"to('cuda:0')": "to('cuda:0')", "copy('None')": "copy('None')", "fn('')": "fn('')", `fn("it's")`: `fn("it's")`, "fn('12')": "fn('12')",
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

// Each part of a call lies in the field that the package's user reads.
func TestParseFields(t *testing.T) {
	one, two := 1, -2
	for in, want := range map[string]Call{
		" x.view( 3,4 ) ": {Text: "view( 3,4 )", Name: "view", Args: []Arg{{Int: 3}, {Int: 4}}},
		"fn((0,),k=torch.channels_last)": {Text: "fn((0,),k=torch.channels_last)", Name: "fn", Args: []Arg{{Kind: List, List: []Arg{{}}}},
			Keywords: map[string]Arg{"k": {Kind: Word, Word: "channels_last"}}},
		"[1::-2, ..., None,True == 1]": {},
		"[1::-2, ..., None]": {Text: "[1::-2, ..., None]", Name: Index,
			Args: []Arg{{Kind: Range, Start: &one, Step: &two}, {Kind: Ellipsis}, {Kind: None}}},
	} {
		got, err := parseOne(in)
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want.Name != "") {
			t.Errorf("parseOne(%q): %v\n%s", in, err, diff)
		}
	}
}

// A chain falls into its steps, each with its own text; the tensor's name is none of them, T and T[0] are.
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

// What cannot be read is a usage error that says where it goes wrong and what to write instead.
func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"view(3,5":                   `step "view(3,5" lacks the closing ")"; 'view(3,5)', in quotes, so that the shell keeps it in one piece`,
		"permute((0,2":               `lacks the closing "))"; 'permute((0,2))', in quotes`,
		"permute([(0":                `lacks the closing ")])"; 'permute([(0)])', in quotes`,
		"[1:2:3:]":                   `expected "," or "]", found ":" behind "[1:2:3"`,
		"x view(1)":                  `has x where a step should stand`,
		"fn('\u202e')":               `a string with escapes, "\u202e"`,
		"[1:3,":                      `lacks the closing "]"; '[1:3,]', in quotes`,
		"[1:":                        `lacks the closing "]"`,
		"view(3,5]":                  `expected "," or ")", found "]" behind "view(3,5"`,
		"view(3))":                   `has a ")" too many`,
		"view(3 4)":                  `expected "," or ")", found "4" behind "view(3"`,
		"view(,)":                    `expected a whole number, found "," behind "view("`,
		"view(2*6)":                  `found "*" behind "view(2"; nothing is computed here`,
		"view(1:3)":                  `found ":" behind "view(1"; slices stand in an index`,
		"view(3.0)":                  `holds 3.0, which is not a whole number`,
		"view(1e3)":                  `holds 1e3, which is not`,
		"view(99999999999999999999)": `out of range`,
		"view(x.size(0), -1)":        `uses x.size(0), whose value is not known here; write the number itself`,
		"view(x.shape[0], -1)":       `uses x.shape[0], whose value`,
		"[[0, 2]]":                   `picks by (0, 2): advanced indexing always copies`,
		"[(0, 1), 2]":                `picks by (0, 1): advanced`,
		"[mask]":                     `picks by mask: advanced`,
		"[x > 0]":                    `found ">" behind "[x"`,
		"[1.5]":                      `holds 1.5, which is not`,
		"[]":                         `holds no index; [0] takes the first`,
		"[a:2]":                      `has a as the bound of a slice`,
		"[0]view(1)":                 `expected "." or "[", found "v" behind "[0]"`,
		"np.flip(0)":                 `lacks the tensor, a single small letter, as its first argument; np.flip(x, …), or flip(…) alone`,
		"np.flip(arr, 0)":            `lacks the tensor`,
		"np.flip()":                  `lacks the tensor`,
		"np.flip":                    `names no function of a tensor; functions look like np.transpose(x, …)`,
		"np.flip(x 0)":               `lacks the tensor`,
		"np.flip(np.transpose(x))":   `computes the tensor inside of flip; write a chain, what is inside first: np.transpose(x).flip()`,
		"np.flip(x.T, 0)[1]":         `what is inside first: x.T.flip(0)[1]`,
		"x":                          `only names the tensor`,
		"x.y":                        `has y where a step should stand`,
		"x.":                         `ends where a step should follow the dot`,
		"":                           `a step is empty; steps look like view(12), T or [0]`,
		"12":                         `'view(12)', or '[12]' for an index`,
		"(0,2,3,1)":                  `'view(0,2,3,1)'`,
		"1:3":                        `an index stands in brackets: '[1:3]'`,
		"!":                          `does not begin with a name or [`,
		"fn(a=1, a=2)":               `says a= twice`,
		"fn(a=1, 2)":                 `expected name=value`,
		"fn('C)":                     `lacks the closing ' of a string`,
		"fn('\\n')":                  `a string with escapes`,
		"\x1b[31m":                   `step "\x1b[31m"`,
		"view(\u202e)":               `found "\u202e" behind "view("`,
		strings.Repeat("(", 5000):    `5000 bytes is too long`,
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

// parseOne reads a text that is one step.
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

// FuzzParse reads any text as steps: no panic, a clean usage error, or calls that are read again as they are written.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"x.permute(0,2,3,1).contiguous()[0].view(-1)", "[1:3, ::2, ..., None]", "fn((1,),[2],k='C', m=torch.x)", "[(0,)]",
		"view(3,5", "np.flip(x,0)[0]", "[[0]]", "fn(1.)", "\x00", "fn(\"a\"='", "x.", "[None:]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, err := ParseChain(text)
		if err != nil {
			if fault.ClassOf(err) != fault.Usage || words.Quote(err.Error()) != err.Error() {
				t.Fatalf("ParseChain(%q): error of class %d: %q", text, fault.ClassOf(err), err)
			}
			return
		}
		for _, c := range calls {
			for _, written := range []string{c.String(), c.Text} {
				again, err := parseOne(written)
				if diff := cmp.Diff(c, again, cmpopts.IgnoreFields(Call{}, "Text")); err != nil || diff != "" {
					t.Fatalf("%q is not read back from %q: %v\n%s", text, written, err, diff)
				}
			}
		}
	})
}
