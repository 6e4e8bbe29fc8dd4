// Package scratch makes temporary files in $TMPDIR that vanish when the program ends, however it ends.
package scratch

import "os"

// Named makes a temporary file and removes its name at once. Where the name of an open file cannot be removed, Named returns it; remove it
// after closing the file.
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
