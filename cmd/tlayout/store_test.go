package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/store/storetest"
)

// Every command that reads or writes files reads and writes objects of a store, with the same results.
func TestObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	s := storetest.New()
	x := fixture.Must(fixture.Npy("float32", []int{2, 32, 60, 60}, false))
	model := fixture.Must(os.ReadFile(testdataDir + "/model.pt"))
	for name, content := range map[string][]byte{"x.npy": x, "m.pt": model} {
		s.Set("b/"+name, content)
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"inspect", "x.npy"}, {"inspect", "m.pt"}, {"check", "x.npy", "--finite"}, {"diff", "x.npy", "x.npy"}} {
		there := slices.Clone(args)
		for i := range args {
			if strings.Contains(args[i], ".") {
				there[i] = "test://b/" + args[i]
			}
		}
		if got, want := strings.ReplaceAll(tlayout(t, there...), "test://b/", ""), tlayout(t, args...); blanks(got) != blanks(want) {
			t.Errorf("%q:\n%s\nexpected\n%s", args, got, want)
		}
	}
	tlayout(t, "convert", "x.npy", "--to", "nhwc")
	tlayout(t, "convert", "x.npy", "--to", "nchw16c")
	tlayout(t, "convert", "m.pt", "--to", "channels_last", "-o", "m.safetensors")
	for _, c := range []struct {
		args []string
		made string // the result in the store
		as   string // the file it must equal
	}{
		{[]string{"convert", "test://b/x.npy", "--to", "nhwc"}, "b/x.nhwc.npy", "x.nhwc.npy"},
		{[]string{"convert", "test://b/x.npy", "-o", "test://b/out/./y.nhwc.npy", "--verify"}, "b/out/y.nhwc.npy", "x.nhwc.npy"},
		{[]string{"convert", "test://b/x.npy", "--to", "nchw16c"}, "b/x.nchw16c.npy", "x.nchw16c.npy"},
		{[]string{"convert", "x.npy", "-o", "test://c/here.nhwc.npy"}, "c/here.nhwc.npy", "x.nhwc.npy"},
		{[]string{"convert", "test://b/m.pt", "--to", "channels_last", "-o", "test://b/m.safetensors"}, "b/m.safetensors", "m.safetensors"},
	} {
		tlayout(t, append(c.args, "--update")...) // nothing exists
		want := fixture.Must(os.ReadFile(c.as))
		if got, token := s.Get(c.made); string(got) != string(want) || token == "" {
			t.Errorf("%q: %d bytes of token %q in %s, expected %d", c.args, len(got), token, c.made, len(want))
		}
		writes := s.Writes()
		if got := runIn(t, nil, c.args...); got.code != 5 || !strings.Contains(got.err, "exists") || s.Writes() != writes {
			t.Errorf("%q refuses no existing output: exit code %d, %s", c.args, got.code, got.err)
		}
		again := runIn(t, nil, append(c.args, "--update", "--json")...)
		if again.code != 0 || !strings.Contains(again.out, `"skipped": true`) || s.Writes() != writes {
			t.Errorf("%q again: exit code %d, %d writes\n%s%s", c.args, again.code, s.Writes()-writes, again.out, again.err)
		}
		tlayout(t, append(c.args, "--force")...)
		if s.Writes() != writes+1 {
			t.Errorf("%q --force: %d writes", c.args, s.Writes()-writes)
		}
	}
	tlayout(t, "convert", "test://b/m.pt", "-d", "test://b/parts/")
	if names := s.Names(); !slices.Contains(names, "b/parts/conv1.weight.npy") {
		t.Errorf("%q", names)
	}
}

// Objects of other programs are not replaced, inputs are not overwritten, and no failure leaves an object.
func TestObjectsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	s := storetest.New()
	s.Set("b/x.npy", fixture.Must(fixture.Npy("float32", []int{2, 32, 60, 60}, false)))
	s.Set("b/y.nhwc.npy", []byte("of another"))
	for _, c := range []struct {
		name    string
		text    string
		code    int
		trouble func(request, name string) (before, after error)
		args    []string
	}{
		{"another's", "exists", 5, nil, []string{"test://b/x.npy", "-o", "test://b/y.nhwc.npy"}},
		{"the input", "is the same as input", 2, nil, []string{"test://b/x.npy", "--to", "nhwc", "-o", "test://b/./x.npy", "--force"}},
		{"a prefix", "does not name an object", 2, nil, []string{"test://b/x.npy", "--to", "nhwc", "-o", "test://b/out/"}},
		{"no object", "no such object", 5, nil, []string{"test://b/none.npy", "--to", "nhwc"}},
		{"reads fail", "the disk is on fire", 5, func(request, name string) (before, after error) {
			if request == "read" {
				return errors.New("the disk is on fire"), nil
			}
			return nil, nil
		}, []string{"test://b/x.npy", "--to", "nhwc"}},
		{"changed meanwhile", "changed while reading", 5, func(request, name string) (before, after error) {
			if request == "read" {
				s.Set("b/x.npy", fixture.Must(fixture.Npy("float32", []int{2, 32, 60, 60}, true)))
			}
			return nil, nil
		}, []string{"test://b/x.npy", "--to", "nhwc"}},
		{"another came meanwhile", "exists", 5, func(request, name string) (before, after error) {
			if request == "put" {
				s.Set("b/x.nhwc.npy", []byte("of another"))
			}
			return nil, nil
		}, []string{"test://b/x.npy", "--to", "nhwc"}},
	} {
		before := s.Names()
		s.Trouble = c.trouble
		o := runIn(t, nil, append([]string{"convert"}, c.args...)...)
		s.Trouble = nil
		if o.code != c.code || !strings.Contains(o.err, c.text) {
			t.Errorf("%s: exit code %d, %s", c.name, o.code, o.err)
		}
		for _, name := range s.Names() {
			if content, _ := s.Get(name); !slices.Contains(before, name) && string(content) != "of another" {
				t.Errorf("%s left %s", c.name, name)
			}
		}
	}
	if content, _ := s.Get("b/y.nhwc.npy"); string(content) != "of another" {
		t.Error("another's object was replaced")
	}
}

// A prefix, a pattern and a list name many objects; results go below a prefix, and a second run writes nothing. Folders and stores mix.
func TestManyObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	s := storetest.New()
	x := fixture.Must(fixture.Npy("float32", []int{2, 3, 6, 6}, false))
	for _, key := range []string{"in/a/x.npy", "in/b/x.npy", "in/b/y.npy", "in/notes.txt", "other/z.npy"} {
		s.Set("b/"+key, x)
	}
	tlayout(t, "convert", "test://b/other/z.npy", "--to", "nhwc", "-o", "want.npy")
	want := fixture.Must(os.ReadFile("want.npy"))
	for _, c := range []struct {
		args  []string
		made  []string
		files []string
	}{
		{[]string{"test://b/in/", "-d", "test://b/out/"}, []string{"out/a/x.nhwc.npy", "out/b/x.nhwc.npy", "out/b/y.nhwc.npy"}, nil},
		{[]string{"test://b/in/*/x.npy", "-d", "test://c"}, []string{"a/x.nhwc.npy", "b/x.nhwc.npy"}, nil},
		{[]string{"test://b/in/b/", "test://b/other/z.npy", "-d", "local"}, nil, []string{"local/x.nhwc.npy", "local/y.nhwc.npy", "local/z.nhwc.npy"}},
		{[]string{"local", "-d", "test://d/up/"}, []string{"up/x.nhwc.npy", "up/y.nhwc.npy", "up/z.nhwc.npy"}, nil},
	} {
		args := append([]string{"convert", "--to", "nhwc", "--json"}, c.args...)
		writes := s.Writes()
		tlayout(t, args...)
		bucket := strings.TrimPrefix(c.args[len(c.args)-1], "test://")[:1] + "/"
		for _, key := range c.made {
			if got, token := s.Get(bucket + key); string(got) != string(want) || token == "" {
				t.Errorf("%q: %s has %d bytes, expected %d", c.args, key, len(got), len(want))
			}
		}
		for _, name := range c.files {
			if got, err := os.ReadFile(name); string(got) != string(want) {
				t.Errorf("%q: %s: %v, %d bytes, expected %d", c.args, name, err, len(got), len(want))
			}
		}
		if s.Writes() != writes+len(c.made) {
			t.Errorf("%q: %d writes", c.args, s.Writes()-writes)
		}
		if got := runIn(t, nil, args...); got.code != 5 || !strings.Contains(got.err, "exists") || s.Writes() != writes+len(c.made) {
			t.Errorf("%q refuses no existing result: exit code %d, %s", c.args, got.code, got.err)
		}
		for _, name := range c.files {
			age(t, name)
		}
		again := tlayout(t, append(args, "--update")...)
		if !strings.Contains(again, `"made_units": 0`) || s.Writes() != writes+len(c.made) {
			t.Errorf("%q again: %d writes\n%s", c.args, s.Writes()-writes-len(c.made), again)
		}
	}
	if got := runIn(t, nil, "convert", "test://b/none/", "--to", "nhwc", "-d", "out"); got.code != 5 || !strings.Contains(got.err, "no objects match") {
		t.Errorf("an empty prefix: %d, %s", got.code, got.err)
	}
	if got := runIn(t, nil, "convert", "test://b/in/", "--to", "nhwc"); got.code != 2 || !strings.Contains(got.err, "missing --dir") {
		t.Errorf("a prefix without a folder: %d, %s", got.code, got.err)
	}
	for _, args := range [][]string{{"inspect", "test://d"}, {"check", "test://d", "--contiguous", "dense"}, {"diff", "test://d", "test://d/"}} {
		if got := runIn(t, nil, args...); got.code != 0 {
			t.Errorf("%q of a bucket: exit code %d, %s", args, got.code, got.err)
		}
	}
	for name, hint := range map[string]string{"test://b/in": "ends with a slash", "test://b": "take a prefix", "test://b/in/": "take a prefix"} {
		if got := runIn(t, nil, "plan", name, "--to", "nhwc"); got.code == 0 || !strings.Contains(got.err, hint) {
			t.Errorf("plan %s: exit code %d, %s", name, got.code, got.err)
		}
	}
}

// Prefixes are compared as folders are: with each other, with a folder, and with a container.
func TestDiffPrefixes(t *testing.T) {
	t.Chdir(t.TempDir())
	s := storetest.New()
	x := fixture.Must(fixture.Npy("float32", []int{2, 3, 6, 6}, false))
	other := append(x[:len(x)-1:len(x)-1], x[len(x)-1]+1)
	model := fixture.Must(os.ReadFile(testdataDir + "/model.pt"))
	for name, content := range map[string][]byte{"a/x.npy": x, "a/d/y.npy": x, "a/m.pt": model, "b/x.npy": x, "b/d/y.npy": other, "b/m.pt": model} {
		s.Set("b/"+name, content)
		cli.Must(os.MkdirAll(filepath.Dir(name), 0o755))
		cli.Must(os.WriteFile(name, content, 0o644))
	}
	tlayout(t, "convert", "a/m.pt", "-d", "parts")
	tlayout(t, "convert", "test://b/a/m.pt", "-d", "test://b/parts/")
	for _, c := range []struct {
		a, b string
		code int
	}{
		{"a/", "a/", 0},
		{"a/", "b/", 1},
		{"a/m.pt", "parts/", 1}, // bfloat16
		{"a/x.npy", "b/", 2},
		{"a/", "none/", 5},
	} {
		here := runIn(t, nil, "diff", c.a, c.b)
		for _, names := range [][2]string{{c.a, "test://b/" + c.b}, {"test://b/" + c.a, c.b}, {"test://b/" + c.a + "?q", "test://b/" + c.b + "?q"}} {
			got := runIn(t, nil, "diff", names[0], names[1])
			out := strings.NewReplacer("test://b/", "", "?…", "").Replace(got.out)
			want, closer, _ := strings.Cut(here.out, "\none tensor")
			if rest, found := strings.CutPrefix(out, want); got.code != c.code || !found || rest != "" && rest != "\none tensor"+closer {
				t.Errorf("%q: exit code %d\n%s%s\nexpected\n%s", names, got.code, out, got.err, here.out)
			}
		}
	}
}
