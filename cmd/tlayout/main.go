// Command tlayout shows how a tensor lies in memory, explains why, and moves it into another memory format.
package main

import "os"

func main() {
	dieBySignal()
	os.Exit(run(os.Args[1:], systemStreams(), newRootCmd))
}
