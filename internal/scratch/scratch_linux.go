package scratch

import (
	"os"

	"golang.org/x/sys/unix"
)

// File opens a nameless temporary file, if the file system of $TMPDIR supports that; otherwise see Named.
func File() (file *os.File, cleanup string, err error) {
	file, err = os.OpenFile(os.TempDir(), unix.O_TMPFILE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return Named()
	}
	return file, "", nil
}
