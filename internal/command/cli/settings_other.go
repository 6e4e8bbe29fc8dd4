//go:build !unix

package cli

import "io/fs"

const openAtOnce = 0

// distrust trusts all files: here a file's mode does not include who may write it.
func distrust(fs.FileInfo) string { return "" }
