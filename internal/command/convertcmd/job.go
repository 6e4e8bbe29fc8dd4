package convertcmd

import (
	"sync"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
)

// job is one conversion: a source, a task per tensor, and the output.
//
//	openInput ─► decide ─► name ─► place ─► write ─► report
//	tensors      tasks     output  items    elements
//
// Once it is prepared, only reading and writing can fail.
type job struct {
	app         *cli.App
	options     *options // as parsed
	settings    *settings
	kernels     *kernel.Kernels
	in          *input
	inputs      *publish.Inputs // files that must not be overwritten
	destination destination
	container   *container
	scope       scope
	tasks       []task
	out         output
	place       *placement
	lost        []string   // warnings about what the output cannot hold
	mu          sync.Mutex // guards done while files are written in parallel
	done        outcome
	ranks       map[int]*request // requests for tensors, by rank
	kept        [2]*request      // requests for tensors that keep their axes, in C and in Fortran order
}

// outcome is the result of a finished job.
type outcome struct {
	seconds  float64
	verified int       // number of tensors
	text     string    // what was compared of the last tensor
	outputs  int       // number of files
	skipped  int       // of these, number that --update kept
	path     name.Name // of the last output that was begun
	bytes    int64     // of it
}

// upToDate reports whether --update kept all outputs.
func (d *outcome) upToDate() bool { return d.outputs > 0 && d.skipped == d.outputs }

func (j *job) close() {
	if j.in == nil {
		return
	}
	for i := range j.tasks {
		if !j.reopens() {
			j.tasks[i].tensor.Close()
		}
	}
	j.in.set.Close()
}
