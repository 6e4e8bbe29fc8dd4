//go:build unix

package cli

import "syscall"

// openAtOnce opens a pipe without waiting for its other end.
const openAtOnce = syscall.O_NONBLOCK
