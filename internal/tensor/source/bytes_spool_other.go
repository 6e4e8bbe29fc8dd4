//go:build !linux

package source

import "os"

func spoolFile() (file *os.File, cleanup string, err error) { return namedSpoolFile() }
