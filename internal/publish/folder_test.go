package publish

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A folder's files appear whole and never over others, also where files without names cannot be made, and where they are linked by /proc.
func TestFolder(t *testing.T) {
	for _, way := range ways() {
		t.Run(way, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new", "deep")
			d, err := OpenFolder(dir)
			if err != nil || !d.Made {
				t.Fatal(d.Made, err)
			}
			defer d.Close()
			d.here.take(way)
			s, existed, err := d.Put("y.npy", []byte("content"))
			if err != nil || existed {
				t.Fatal(existed, err)
			}
			wantFile(t, filepath.Join(dir, "y.npy"), "content")
			wantAlone(t, filepath.Join(dir, "y.npy"))
			if again, ok := d.Stat("y.npy"); !ok || again != s || s.Size != 7 || time.Since(time.Unix(0, s.ModTime)) > time.Minute {
				t.Errorf("%+v, then %+v, %t", s, again, ok)
			}
			if _, existed, err := d.Put("y.npy", []byte("other")); err != nil || !existed {
				t.Error(existed, err)
			}
			wantFile(t, filepath.Join(dir, "y.npy"), "content")
			wantAlone(t, filepath.Join(dir, "y.npy"))
			buffer := make([]byte, 100)
			for content, want := range map[string]bool{"content": true, "contenT": false, "conten": false, "content+": false, "": false} {
				if d.Holds("y.npy", []byte(content), buffer) != want {
					t.Errorf("holds %q: %t", content, !want)
				}
			}
			if _, ok := d.Stat("none"); ok || d.Holds("none", nil, buffer) {
				t.Error("a file that is not there")
			}
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			if _, ok := d.Stat("folder"); ok {
				t.Error("a folder is a file")
			}
			if _, existed, _ := d.Put("folder", []byte("x")); !existed {
				t.Error("a folder is replaced")
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if _, existed, err := d.Put("z.npy", []byte("x")); err == nil || existed {
				t.Error("the folder is gone")
			}
		})
	}
}

// Of many writers of one name, one wins, and every one finds whole content.
func TestFolderAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			d, err := OpenFolder(dir)
			if err != nil || d.Made {
				t.Error(err)
				return
			}
			defer d.Close()
			buffer := make([]byte, 10)
			for i := range 50 {
				name := string(rune('a' + i))
				if _, existed, err := d.Put(name, []byte("content")); err != nil || existed && !d.Holds(name, []byte("content"), buffer) {
					t.Error(name, existed, err)
				}
			}
		})
	}
	wait.Wait()
	if names, err := os.ReadDir(dir); err != nil || len(names) != 50 {
		t.Error(len(names), err)
	}
}

// An output of the same bytes is kept, whether it was there at first or came meanwhile, and with Replace too; one that is known is not
// looked at; another is an error, or replaced.
func TestKeepSame(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin func(*target) (draft, error)) {
		path := filepath.Join(t.TempDir(), "y.npy")
		publish := func(text string, o Options, meanwhile string) (*File, error) {
			t.Helper()
			f := mustCreate(t, path, o, begin)
			if f.There() {
				return f, nil
			}
			mustWrite(t, f, text)
			if meanwhile != "" {
				if err := os.WriteFile(path, []byte(meanwhile), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			return f, f.Commit()
		}
		old := func() (os.FileInfo, bool) { info, err := os.Stat(path); return info, err == nil }
		if f, err := publish("abc", Options{KeepSame: true}, "abc"); err != nil || !f.There() || f.Published() {
			t.Errorf("made meanwhile: %v, %t", err, f.There())
		}
		before, _ := old()
		for _, replace := range []bool{false, true} {
			if f, err := publish("abc", Options{KeepSame: true, Replace: replace}, ""); err != nil || !f.There() {
				t.Errorf("the same: %v, %t", err, f.There())
			}
		}
		if after, _ := old(); !os.SameFile(before, after) {
			t.Error("the same file was replaced")
		}
		for _, other := range []string{"abd", "ab", "abcd"} {
			_, err := publish(other, Options{KeepSame: true}, "")
			wantFault(t, err, "exists")
			wantFile(t, path, "abc")
		}
		known := Options{Known: func(s Stat) bool { return s.Size == 3 }}
		if f, err := publish("other", known, ""); err != nil || !f.There() {
			t.Errorf("known: %v", err)
		}
		wantFile(t, path, "abc")
		if f, err := publish("abd", Options{KeepSame: true, Replace: true}, ""); err != nil || f.There() {
			t.Errorf("replaced: %v, %t", err, f.There())
		}
		wantFile(t, path, "abd")
		wantAlone(t, path)
	})
}
