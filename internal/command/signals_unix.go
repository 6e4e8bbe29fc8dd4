//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tlayout/tlayout/internal/publish"
)

// filesLeft returns how many more files can be opened, and true, if they are fewer than n. Inherited files count against the limit.
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

// plentyOfFiles exceeds what any process inherits: with a higher limit, filesLeft opens nothing.
const plentyOfFiles = 512

// dieBySignal installs the signal handler at the first output. Before, there is nothing to remove, and the system terminates the program,
// except for the first process of a container. Starting the handler's threads takes a sixteenth of the time of a short command.
func dieBySignal() {
	if os.Getpid() == 1 {
		handleSignals()
	} else {
		publish.BeforeFirst(handleSignals)
	}
}

// handleSignals removes unfinished outputs on a signal, then lets the signal terminate the program, so that the shell sees
// which one it was. A second signal takes effect at once, unless it follows within 100 ms: timeout(1) signals the program and then the
// program's group.
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
		publish.Cleanup() // from now on, callers of publish block until the process ends
		patience.Stop()
		signal.Reset()
		if os.Getpid() != 1 {
			syscall.Kill(os.Getpid(), s) //nolint:errcheck // the next line ends the program anyway
			time.Sleep(time.Second)      // the signal may be delivered to another thread
		}
		os.Exit(128 + int(s)) // the first process of a container cannot kill itself; the code is what a shell would show
	}()
}
