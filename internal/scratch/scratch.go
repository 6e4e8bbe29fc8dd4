// Package scratch makes temporary files, in $TMPDIR, which vanish when the program ends, in whatever way.
package scratch

import "os"

// Named makes a temporary file and removes its name at once; where the name of an open file cannot be removed, it is returned, to be
// removed after the file is closed.
func Named() (file *os.File, cleanup string, err error) {
	file, err = os.CreateTemp("", ".tlayout-")
	if err != nil {
		return nil, "", err
	}
	if os.Remove(file.Name()) != nil {
		cleanup = file.Name()
	}
	return file, cleanup, nil
}
