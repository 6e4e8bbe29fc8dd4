package source

import (
	"os"

	"golang.org/x/sys/unix"
)

// spoolFile opens a temporary file that never has a name, if the file system of $TMPDIR knows such files.
func spoolFile() (file *os.File, cleanup string, err error) {
	dir := os.TempDir()
	file, err = os.OpenFile(dir, unix.O_TMPFILE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return namedSpoolFile()
	}
	return file, "", nil
}
