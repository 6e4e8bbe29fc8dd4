//go:build !js

package input

import "syscall"

// withoutWaiting are the flags of an open that does not block.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
