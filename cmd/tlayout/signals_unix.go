//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tlayout/tlayout/internal/publish"
)

// openFiles is how many files may be open at once.
func openFiles() (limit uint64, ok bool) {
	var r syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), err == nil
}

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
		s := (<-caught).(syscall.Signal)
		signal.Reset()
		publish.Cleanup() // whoever waits for a file of publish waits for the end from now on
		if os.Getpid() != 1 {
			syscall.Kill(os.Getpid(), s) //nolint:errcheck // the next line ends the program anyway
			time.Sleep(time.Second)      // another thread may be the one that the signal is delivered to
		}
		os.Exit(128 + int(s)) // the first process of a container cannot kill itself; the code is what a shell would show
	}()
}
