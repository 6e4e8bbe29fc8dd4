package safetensors

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/random"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// ignored reads a text as one JSON value, and what it says of it.
func ignored(text string) error {
	d := newDocument("the text", strings.NewReader(text), 0, int64(len(text)), checkpoint.DefaultLimit)
	d.ignore(0)
	return d.end()
}

// FuzzJSON: what document reads is what encoding/json calls valid, without invalid UTF-8 and halves of characters.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonParts {
		f.Add(text)
	}
	f.Fuzz(checkJSON)
}

var jsonParts = []string{"{", "}", "[", "]", ",", ":", `"`, `"a"`, `"\n\/\u0041\\"`, `\`, `\u`, `"\ud83d\ude00"`, "0", "-", "1", ".5", "e+3", "01", "-0.0E-7",
	"true", "false", "null", "nul", " ", "\n", "\t\r", "\x00", "\x1f", "\u00e9", "\xe2\x82", "\xff", `{"a":1}`, `[1,[]]`, `{"a":{"b":[true]},"c":""}`}

// TestJSON is FuzzJSON with random texts, most of which are almost JSON.
func TestJSON(t *testing.T) {
	r, valid := random.New(t), 0
	for range 20_000 {
		text := []byte(randomJSON(r, 0))
		for range r.IntN(3) {
			at, part := r.IntN(len(text)+1), jsonParts[r.IntN(len(jsonParts))]
			text = append(append(append([]byte{}, text[:at]...), part...), text[min(len(text), at+r.IntN(2)):]...)
		}
		if checkJSON(t, string(text)); json.Valid(text) {
			valid++
		}
	}
	if valid < 5_000 || valid > 15_000 {
		t.Errorf("%d of 20000 texts are JSON", valid)
	}
}

// randomJSON is a value.
func randomJSON(r *rand.Rand, depth int) string {
	var items []string
	for range r.IntN(4) {
		if depth < 4 {
			items = append(items, randomJSON(r, depth+1))
		}
	}
	switch r.IntN(3) {
	case 0:
		return "[" + strings.Join(items, " , ") + "]"
	case 1:
		for i, item := range items {
			items[i] = `"k" : ` + item
		}
		return " {" + strings.Join(items, ",") + "}\n"
	}
	return []string{"0", "-12.5e+3", "true", "false", "null", `"é\u00e9\ud83d\ude00\"\b"`, `""`, "1e9"}[r.IntN(8)]
}

func checkJSON(t *testing.T, text string) {
	t.Helper()
	err := ignored(text)
	if err != nil && fault.ClassOf(err) != fault.Malformed {
		t.Fatalf("%q: %v", text, err)
	}
	want := json.Valid([]byte(text)) && utf8.ValidString(text)
	known := err != nil && (strings.Contains(err.Error(), "an unpaired surrogate") || strings.Contains(err.Error(), "deeper than") ||
		strings.Contains(err.Error(), "a number of more"))
	if (err == nil) != want && !(want && known) {
		t.Fatalf("%q: %v, encoding/json says %v", text, err, want)
	}
}

// TestBoundsOfJSON: numbers and brackets that are ignored are read up to their bound, and not beyond.
func TestBoundsOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("1", maxDigits):                                                "",
		strings.Repeat("1", maxDigits+1):                                              "a number of more than 1000 characters",
		strings.Repeat("[", maxDepth) + "1" + strings.Repeat("]", maxDepth):           "",
		strings.Repeat(`{"":`, maxDepth+1) + "1" + strings.Repeat("}", maxDepth+1):    "deeper than 128",
		strings.Repeat("[", maxDepth+1) + "1" + strings.Repeat("]", maxDepth+1):       "deeper than 128",
		`"` + strings.Repeat("x", checkpoint.MaxName+1) + `"`:                         "",
		`{"` + strings.Repeat("x", checkpoint.MaxName+1) + `":[1,{"a":null}],"b":-0}`: "",
	} {
		if err := ignored(text); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, expected %q", text, err, want)
		}
	}
}
