//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tlayout/tlayout/internal/publish"
)

// filesLeft is how many more files can be opened, if that is less than n. Files that the program inherited count against the limit too.
func filesLeft(n int) (left int, few bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > plentyOfFiles {
		return 0, false
	}
	for ; left < n; left++ {
		file, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return left, true
		}
		defer syscall.Close(file) //nolint:errcheck // nothing was written to it
	}
	return left, false
}

// plentyOfFiles is more than anybody inherits: with such a limit nothing is tried.
const plentyOfFiles = 512

// dieBySignal has signals handled from the first output on; before, there is nothing to remove, and the system terminates the program, but
// not the first process of a container. To start the threads that handle signals takes a sixteenth of the time of a short command.
func dieBySignal() {
	if os.Getpid() == 1 {
		handleSignals()
	} else {
		publish.BeforeFirst(handleSignals)
	}
}

// handleSignals removes unfinished outputs on a signal, then lets the signal terminate the program, so that the shell sees
// which one it was. A second signal takes effect at once, unless it comes together with the first: timeout(1) sends its signal to the
// program and then to the program's group.
func handleSignals() {
	caught := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // by nohup
			signal.Notify(caught, s)
		}
	}
	go func() {
		s := (<-caught).(syscall.Signal)
		patience := time.AfterFunc(100*time.Millisecond, func() { signal.Reset() })
		publish.Cleanup() // whoever waits for a file of publish waits for the end from now on
		patience.Stop()
		signal.Reset()
		if os.Getpid() != 1 {
			syscall.Kill(os.Getpid(), s) //nolint:errcheck // the next line ends the program anyway
			time.Sleep(time.Second)      // another thread may be the one that the signal is delivered to
		}
		os.Exit(128 + int(s)) // the first process of a container cannot kill itself; the code is what a shell would show
	}()
}
