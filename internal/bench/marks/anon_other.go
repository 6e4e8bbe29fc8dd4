//go:build !linux

package main

import (
	"errors"
	"io"
)

// runAnon reads /proc.
func runAnon(_, _ io.Writer, _ []string) error { return errors.New("-anon needs Linux") }
