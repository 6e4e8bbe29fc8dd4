package publish

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestInputs: no output replaces an input, under any name: its own, another spelling, a symbolic link, a hard link, or an open file; other
// files, pipes and devices are not inputs. Create checks this for every draft, with Replace and Update too.
func TestInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"x.npy", "sub/y.npy"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("input"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, link := range map[string]func(old, new string) error{"sub/link.npy": os.Symlink, "hard.npy": os.Link} {
		old := "x.npy"
		if name == "sub/link.npy" {
			old = "../x.npy"
		}
		if err := link(old, name); err != nil {
			t.Fatal(err)
		}
	}
	stdin, err := os.Open("sub/y.npy")
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	abs, err := filepath.Abs("x.npy")
	if err != nil {
		t.Fatal(err)
	}
	in := NewInputs(named("x.npy"), named("gone.npy"), named("s3://b/k//x.npy?region=eu"), named(os.DevNull))
	in.AddOpen("standard input", stdin)
	for output, refused := range map[string]bool{"x.npy": true, abs: true, "./sub/../x.npy": true, "sub/link.npy": true, "hard.npy": true, "sub/y.npy": true,
		"s3://b/k/./x.npy?region=eu": true, "s3://b/k/y.npy": false, "new.npy": false, "gone.npy": false, "sub": false, os.DevNull: false} {
		if err := in.Refuse(named(output)); (err != nil) != refused || err != nil && fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v", output, err)
		}
		if !refused || output == "s3://b/k/./x.npy?region=eu" {
			continue
		}
		for _, o := range []Options{{}, {Replace: true}, {Update: true}} {
			o.Inputs = in
			if _, err := Create(named(output), o); fault.ClassOf(err) != fault.Usage || err == nil {
				t.Errorf("%s %+v: %v", output, o, err)
			}
		}
	}
	if err := in.RefuseOpen("standard output", stdin); fault.ClassOf(err) != fault.Usage || err == nil {
		t.Errorf("standard output is an input: %v", err)
	}
	if err := in.RefuseOpen("standard output", os.Stderr); err != nil {
		t.Error(err)
	}
	var none *Inputs
	if err := none.Refuse(named("x.npy")); err != nil {
		t.Error(err)
	}
}

// TestUpdate: Update keeps a file that is newer than every input, even one that another program makes meanwhile, and replaces one that is
// as old or older. If a time is unknown, it keeps the existing file. A derived name that is a symbolic link is refused.
func TestUpdate(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		t.Chdir(t.TempDir())
		when := time.Unix(1e9, 500)
		put := func(name string, late time.Duration) {
			t.Helper()
			if err := os.WriteFile(name, []byte(name), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, when.Add(late), when.Add(late)); err != nil {
				t.Fatal(err)
			}
		}
		put("a.npy", 0)
		put("b.npy", time.Hour)
		timed, untimed := NewInputs(named("a.npy"), named("b.npy")), NewInputs(named("a.npy"), named("https://host/b.npy"))
		for _, c := range []struct {
			name      string
			in        *Inputs
			before    time.Duration // of the output; 0 if it does not exist
			meanwhile time.Duration // likewise, made between Create and Commit
			kept, ok  bool
		}{
			{"none", timed, 0, 0, false, true},
			{"newer", timed, time.Hour + 1, 0, true, true},
			{"as old", timed, time.Hour, 0, false, true},
			{"older", timed, time.Minute, 0, false, true},
			{"of unknown time", untimed, -time.Minute, 0, true, true},
			{"made meanwhile", timed, 0, time.Hour + 1, true, true},
			{"made meanwhile, but older", timed, 0, time.Minute, false, false},
			{"made meanwhile, of unknown time", untimed, 0, time.Minute, true, true},
		} {
			os.Remove("y.npy")
			if c.before != 0 {
				put("y.npy", c.before)
			}
			f, err := create(named("y.npy"), Options{Update: true, Inputs: c.in}, begin)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if !f.UpToDate() {
				mustWrite(t, f, "new")
				if c.meanwhile != 0 {
					put("y.npy", c.meanwhile)
				}
				err = f.Commit()
			}
			f.Discard()
			if f.UpToDate() != c.kept || (err == nil) != c.ok {
				t.Errorf("%s: kept %t, %v", c.name, f.UpToDate(), err)
			}
			want := "new"
			if c.kept || !c.ok {
				want = "y.npy"
			}
			wantFile(t, "y.npy", want)
		}
		os.Remove("y.npy")
		if err := os.Symlink("a.npy", "y.npy"); err != nil {
			t.Fatal(err)
		}
		if _, err := create(named("y.npy"), Options{Replace: true, Derived: true}, begin); err == nil {
			t.Error("followed a symbolic link with a derived name")
		}
		wantFile(t, "a.npy", "a.npy")
	})
}
