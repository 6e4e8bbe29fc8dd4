//go:build !js

package main

import "os"

// arguments returns the arguments of the command line.
func arguments() []string { return os.Args[1:] }
