//go:build !unix

package command

import (
	"os"
	"os/signal"

	"github.com/tlayout/tlayout/internal/publish"
)

// filesLeft is not known here.
func filesLeft(int) (left int, few bool) { return 0, false }

// dieBySignal removes unfinished outputs when the program is interrupted.
func dieBySignal() {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	go func() {
		<-caught
		signal.Reset()
		publish.Cleanup() // whoever waits for a file of publish waits for the end from now on
		os.Exit(130)
	}()
}
