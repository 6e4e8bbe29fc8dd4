//go:build !unix

package command

import (
	"os"
	"os/signal"
	"time"

	"github.com/tlayout/tlayout/internal/publish"
)

// filesLeft is not known here.
func filesLeft(int) (left int, few bool) { return 0, false }

// dieBySignal removes unfinished outputs when the program is interrupted. A second interrupt takes effect at once, unless it comes
// together with the first.
func dieBySignal() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	go func() {
		<-caught
		time.AfterFunc(100*time.Millisecond, func() { signal.Reset() })
		publish.Cleanup() // whoever waits for a file of publish waits for the end from now on
		os.Exit(130)
	}()
}
