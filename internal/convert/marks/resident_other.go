//go:build !linux

package main

import "os"

// maxResidentKiB is not known here.
func maxResidentKiB(*os.ProcessState) int { return 0 }
