//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/tlayout/tlayout/internal/publish"
)

// dieBySignal removes unfinished outputs on a signal, then lets the signal terminate the program, so that the shell sees
// which one it was. A second signal takes effect at once.
func dieBySignal() {
	caught := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // by nohup
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
