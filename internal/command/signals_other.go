//go:build !unix

package command

import (
	"os"
	"os/signal"
	"time"

	"github.com/tlayout/tlayout/internal/publish"
)

// filesLeft cannot count files on this system.
func filesLeft(int) (left int, few bool) { return 0, false }

// dieBySignal removes unfinished outputs when the program is interrupted. A second interrupt takes effect at once, unless it follows
// within 100 ms.
func dieBySignal() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	go func() {
		<-caught
		time.AfterFunc(100*time.Millisecond, func() { signal.Reset() })
		publish.Cleanup() // from now on, callers of publish block until the process ends
		os.Exit(130)
	}()
}
