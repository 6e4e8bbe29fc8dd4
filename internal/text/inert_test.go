package text

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
)

// runnerCommand matches what a runner may obey; runners also end lines at \r.
var runnerCommand = regexp.MustCompile(`(?m)(^|\r)[ \t\v\f\r]*::|##[A-Za-z]*\[`)

func inert(pieces ...string) string {
	var out bytes.Buffer
	w := InertWriter(&out)
	for _, p := range pieces {
		io.WriteString(w, p) //nolint:errcheck // a buffer
	}
	return out.String()
}

// TestInertWriter: runner commands are escaped, and nothing else is.
func TestInertWriter(t *testing.T) {
	for text, want := range map[string]string{
		"::error::x":                    `:\u003aerror::x`,
		" \t ::error file=a,line=1::x":  ` ` + "\t" + ` :\u003aerror file=a,line=1::x`,
		"a\n::x\n":                      "a\n" + `:\u003ax` + "\n",
		"a\r::x":                        "a\r" + `:\u003ax`,
		":::x":                          `:\u003a:x`,
		"#::x":                          "#::x",
		"a ::x":                         "a ::x",
		": :x":                          ": :x",
		"##[error]x":                    `##\u005berror]x`,
		"a ##[error]x":                  `a ##\u005berror]x`,
		"###[group]":                    `###\u005bgroup]`,
		"##vso[task.setvariable a=b]x":  `##vso\u005btask.setvariable a=b]x`,
		"##v##Teamcity[x]":              `##v##Teamcity\u005bx]`,
		"# [x] ## [y] ##-[z] #[w] #a#[": "# [x] ## [y] ##-[z] #[w] #a#[",
		"":                              "",
	} {
		if got := inert(text); got != want {
			t.Errorf("%q: %q, expected %q", text, got, want)
		}
	}
}

// TestInertWriterPieces: however a text is split, no command remains, the output is the same, and JSON keeps its meaning.
func TestInertWriterPieces(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom(strings.Split(`: : : # # # [ [ ] a v \ " é`+" \n \r \t", " ")), 0, 20)
	property.Check(t, func(t *rapid.T) {
		text := strings.Join(letters.Draw(t, "text"), rapid.SampledFrom([]string{"", "", " "}).Draw(t, "between"))
		whole := inert(text)
		if at := runnerCommand.FindString(whole); at != "" {
			t.Fatalf("%q: %q in %q", text, at, whole)
		}
		if runnerCommand.FindString(text) == "" && whole != text {
			t.Fatalf("%q became %q", text, whole)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if got := inert(text[:cut], text[cut:]); got != whole {
			t.Fatalf("%q cut at %d: %q, expected %q", text, cut, got, whole)
		}
		document, err := json.Marshal(text)
		var back string
		if err == nil {
			err = json.Unmarshal([]byte(inert(string(document))), &back)
		}
		if err != nil || back != strings.ToValidUTF8(text, "\ufffd") {
			t.Fatalf("JSON of %q reads %q, %v", text, back, err)
		}
	})
}

// TestInertWriterFails: a failed write is reported, and never claims more bytes than it was given.
func TestInertWriterFails(t *testing.T) {
	full := errors.New("full")
	n, err := InertWriter(writerFunc(func(p []byte) (int, error) { return len(p) - 1, full })).Write([]byte("::x"))
	if err != full || n > 3 {
		t.Errorf("%d, %v", n, err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
