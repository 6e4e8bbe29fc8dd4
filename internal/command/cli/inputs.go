package cli

import (
	"os"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
)

// Inputs returns the files that the program reads: the files of sources, standard input if it is one, and the settings file. No output may replace
// one of them.
func (a *App) Inputs(files ...name.Name) *publish.Inputs {
	in := publish.NewInputs()
	if !a.settingsOf.IsZero() {
		in.Protect(a.settingsOf)
	}
	for _, file := range files {
		a.AddInput(in, file)
	}
	return in
}

// AddInput adds a file or standard input.
func (a *App) AddInput(in *publish.Inputs, n name.Name) {
	if file, ok := a.Streams.In.(*os.File); n.IsStdin() && ok {
		in.AddOpen(name.StdinText, file)
		return
	}
	in.Add(n)
}

// RefuseStdout returns an error if standard output is one of the inputs, such as x.npy in tlayout draw x.npy >>x.npy.
func (a *App) RefuseStdout(in *publish.Inputs) error {
	if file, ok := a.Streams.Out.(*os.File); ok {
		return in.RefuseOpen("standard output", file)
	}
	return nil
}
