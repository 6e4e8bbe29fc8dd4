package cli

import (
	"os"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/publish"
)

// Inputs returns the files that the program reads: the files of sources, standard input if it is one, and the settings file. No output may replace
// one of them.
func (a *App) Inputs(files ...string) *publish.Inputs {
	in := publish.NewInputs()
	if a.settingsOf != "" {
		in.Protect(a.settingsOf)
	}
	for _, name := range files {
		a.AddInput(in, name)
	}
	return in
}

// AddInput adds a file or standard input.
func (a *App) AddInput(in *publish.Inputs, name string) {
	if file, ok := a.Streams.In.(*os.File); name == source.Stdin && ok {
		in.AddOpen("standard input", file)
		return
	}
	in.Add(name)
}

// RefuseStdout returns an error if standard output is one of the inputs, such as x.npy in tlayout draw x.npy >>x.npy.
func (a *App) RefuseStdout(in *publish.Inputs) error {
	if file, ok := a.Streams.Out.(*os.File); ok {
		return in.RefuseOpen("standard output", file)
	}
	return nil
}
