//go:build !linux

package scratch

import "os"

// File is Named.
func File() (file *os.File, cleanup string, err error) { return Named() }
