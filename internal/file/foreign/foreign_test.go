package foreign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

// refusal returns the error for a file as what it is.
func refusal(t *testing.T, err error) *fault.Error {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Class != fault.Unsupported {
		t.Fatalf("%v is not refused as a format", err)
	}
	return e
}

// TestFormats: every format is recognized by its first bytes whatever the name is, by its members or folder, or by its name; the hint is what the row
// says, with the file's name in its commands.
func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, f := range formats {
		var all []*fault.Error
		for i, m := range f.magic {
			name := "any" + string(rune('a'+i))
			if f.sharesMagic {
				name += f.endings[0]
			}
			all = append(all, refusal(t, Recognize(named(name), strings.Repeat("\x00", f.at)+m+strings.Repeat("\x00", 20)+f.contains, 1000)))
		}
		for _, ending := range f.endings {
			if !f.sharesMagic {
				all = append(all, refusal(t, Recognize(named("x"+strings.ReplaceAll(ending, "?", "7")), "1\x00", 2)))
			}
		}
		for _, m := range f.members {
			all = append(all, refusal(t, Zip(named("any.zip"), []string{"b", "a/" + m})))
		}
		for i, name := range f.inside {
			dir := strings.ReplaceAll(f.name, " ", "") + string(rune('a'+i)) + ".x"
			need.Made(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			need.Made(t, os.WriteFile(filepath.Join(dir, name), []byte("\x01\x00"+f.contains), 0o666))
			all = append(all, refusal(t, Folder(named(dir+"/"))))
		}
		if len(all) == 0 && f.matchesHead == nil {
			t.Errorf("nothing is recognized as %s", f.name)
		}
		for _, e := range all {
			switch {
			case !strings.HasSuffix(e.Text, f.name+", not a .npy file"):
				t.Errorf("%s: %q", f.name, e.Text)
			case e.Hint == "" || !strings.HasSuffix(e.Hint, f.advice):
				t.Errorf("%s: hint %q", f.name, e.Hint)
			case f.python != "" && (!strings.HasPrefix(e.Hint, "python3 -c ") || strings.Contains(e.Hint, "IN'") || strings.Contains(e.Hint, "OUT")):
				t.Errorf("%s: hint %q", f.name, e.Hint)
			}
		}
	}
}

// TestText: text is recognized as what it is, whatever its name, and tables of numbers with how numpy.loadtxt reads them; bytes that are not text are not.
func TestText(t *testing.T) {
	const loadtxt = `python3 -c "import numpy; numpy.save('x.npy', numpy.loadtxt('x.dat'`
	for _, x := range []struct{ text, what, hint string }{
		{"some words\n", "text", ""},
		{"caf\u00e9\n", "text", ""},
		{"\ufeffHloModule m, is_scheduled=true\n", "XLA's HLO as text", "tlayout graph x.dat shows where it changes layouts; a type that it prints is a source: tlayout 'f32[8,4]{0,1}'"},
		{"module @jit_f {\n", "MLIR as text", "a type that it prints is a source: tlayout 'memref<2x3xf32>'"},
		{"{\n  \"schemaVersion\": 1,\n \"traceEvents\": [", "a profiler's trace", "tlayout graph x.dat shows where the model changes layouts"},
		{"<!DOCTYPE HTML>\n", "an HTML page", "a server may have sent it in place of the file: download the file again"},
		{"INFO step 1\nRuntimeError: view size is not compatible", "a log with an error message", "tlayout why - < x.dat"},
		{"1 2 3\n4 5 6\n", "a table of numbers as text", loadtxt + `))"`},
		{"# a comment\n-1e3\tnan\n", "a table of numbers as text", loadtxt + `))"`},
		{"1,2\n3,4\n", "a table of numbers as text", loadtxt + `, delimiter=','))"`},
		{"a;b\n1;2\n", "a table of numbers as text", loadtxt + `, delimiter=';', skiprows=1))"`},
		{"# of\na b\n1 2\n", "a table of numbers as text", loadtxt + `, skiprows=2))"`},
		{"two lines\nof words\n1 2\n", "text", ""},
	} {
		if e := refusal(t, Recognize(named("x.dat"), x.text, int64(len(x.text)))); e.Text != x.what+", not a .npy file" || e.Hint != x.hint {
			t.Errorf("%q: %q, %q", x.text, e.Text, e.Hint)
		}
	}
	if err := Recognize(named("x.NPY"), "words", 5); fault.ClassOf(err) != fault.Malformed || err.Error() != "text, not a .npy file" {
		t.Errorf("text in a file that is called .npy: %v", err)
	}
	if e := refusal(t, Recognize(named("x.dat"), "caf\u00e9"[:4], 1000)); !strings.HasPrefix(e.Text, "text") {
		t.Errorf("a cut character: %s", e.Text)
	}
	for _, bytes := range []string{"", "ab\x00", "\xff\xfe", "caf\u00e9"[:4]} {
		if err := Recognize(named("x.dat"), bytes, int64(len(bytes))); err != nil {
			t.Errorf("%q: %v", bytes, err)
		}
	}
}
