//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tlayout/tlayout/internal/publish"
)

// dieBySignal removes unfinished outputs when the program is interrupted, and then lets the signal do its work, so
// that the shell sees which one it was. A second signal is not held up.
func dieBySignal() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		s := <-caught
		signal.Reset()
		publish.Cleanup()
		syscall.Kill(os.Getpid(), s.(syscall.Signal))
	}()
}
