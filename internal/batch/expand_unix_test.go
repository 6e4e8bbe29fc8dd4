//go:build unix

package batch

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFolderPipes: a pipe in a folder, or a link to one, is not opened, which would block, nor counted.
func TestFolderPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "in/README", "text")
	err := errors.Join(unix.Mkfifo("in/pipe", 0o666), unix.Mkfifo("in/x.npy", 0o666), os.Symlink("pipe", "in/link"), os.Symlink("/dev/null", "in/null"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := Expand(names("in"), Options{})
	if err != nil || l.Len() != 0 || l.PassedText() != `passed over 1 file without tensors: "in/README"` {
		t.Errorf("%q, %q, %v", l.Names(), l.PassedText(), err)
	}
}
