package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestFolder: a folder's files appear whole and never replace others, even without nameless files.
func TestFolder(t *testing.T) {
	for _, slow := range []bool{false, true} {
		t.Run(fmt.Sprint("slow ", slow), func(t *testing.T) {
			top := filepath.Join(t.TempDir(), "new")
			dir := filepath.Join(top, "deep")
			d, err := OpenFolder(named(top), "deep")
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			d.slow = slow
			if existed, err := d.Put("y.npy", []byte("content")); err != nil || existed {
				t.Fatal(existed, err)
			}
			wantFile(t, filepath.Join(dir, "y.npy"), "content")
			wantAlone(t, filepath.Join(dir, "y.npy"))
			if existed, err := d.Put("y.npy", []byte("other")); err != nil || !existed {
				t.Error(existed, err)
			}
			wantFile(t, filepath.Join(dir, "y.npy"), "content")
			wantAlone(t, filepath.Join(dir, "y.npy"))
			if err := os.Mkdir(filepath.Join(dir, "folder"), 0o777); err != nil {
				t.Fatal(err)
			}
			if existed, _ := d.Put("folder", []byte("x")); !existed {
				t.Error("a folder is replaced")
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if existed, err := d.Put("z.npy", []byte("x")); err == nil || existed {
				t.Error("the folder is gone")
			}
		})
	}
}

// TestFolderLinks: a folder below another is made and opened without following links, and opening a pipe in its place does not block.
func TestFolderLinks(t *testing.T) {
	dir := t.TempDir()
	top, out := filepath.Join(dir, "top"), filepath.Join(dir, "elsewhere")
	for _, path := range []string{filepath.Join(top, "real"), out} {
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"inside": "real", "outside": out, "up": "../elsewhere", "dangling": "../elsewhere/new"} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for rel, allowed := range map[string]bool{".": true, "": true, "real": true, "new/deep": true, "inside": false, "inside/new": false, "outside": false,
		"outside/new": false, "up": false, "up/new": false, "dangling": false, "..": false, "../elsewhere": false} {
		if err := MakeFolder(named(top), rel); (err == nil) != allowed {
			t.Errorf("make %q: %v", rel, err)
		}
		d, err := OpenFolder(named(top), rel)
		if (err == nil) != allowed {
			t.Errorf("open %q: %v", rel, err)
		}
		if err == nil {
			d.Close()
		}
	}
	if names, err := os.ReadDir(out); err != nil || len(names) != 0 {
		t.Errorf("made outside the folder: %v, %v", names, err)
	}
}

// TestFolderAtOnce: of many writers of one name, one wins, and all read whole content.
func TestFolderAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			d, err := OpenFolder(named(dir), "")
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			for i := range 50 {
				name := string(rune('a' + i))
				existed, err := d.Put(name, []byte("content"))
				if text, readErr := os.ReadFile(filepath.Join(dir, name)); err != nil || readErr != nil || string(text) != "content" {
					t.Error(name, existed, err, readErr, len(text))
				}
			}
		})
	}
	wait.Wait()
	if names, err := os.ReadDir(dir); err != nil || len(names) != 50 {
		t.Error(len(names), err)
	}
}
