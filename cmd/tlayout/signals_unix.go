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
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as nohup has it
			signal.Notify(caught, s)
		}
	}
	go func() {
		s := <-caught
		signal.Reset()
		publish.Cleanup()
		syscall.Kill(os.Getpid(), s.(syscall.Signal))
	}()
}
