package convertcmd

import (
	"sync"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
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

func run(a *cli.App, s *settings) error {
	j, err := newJob(a, s)
	defer j.close()
	if err == nil {
		err = j.write()
	}
	if err != nil {
		return err
	}
	report := newReport(j)
	if j.out.isStdout() && !s.options.dryRun { // standard output carries the data
		a.Reports(true).WriteWarnings(report)
		return nil
	}
	if err := a.Write(report); err != nil {
		return err
	}
	if asks := s.options.asksWhetherDone(); asks && !report.Skipped {
		return notDone()
	}
	return nil
}

// newJob prepares a conversion. Close the job even after an error.
func newJob(a *cli.App, s *settings) (j *job, err error) {
	j = &job{app: a, options: s.options, settings: s, ranks: map[int]*request{}}
	if err := s.check(); err != nil {
		return j, err
	}
	j.kernels, err = a.Kernels()
	if err != nil {
		return j, err
	}
	j.in, err = s.openInput(s.Options(a))
	if err != nil {
		return j, err
	}
	j.inputs = a.Inputs(j.in.set.Reads()...)
	j.destination, j.container = s.destinationOf(j.in)
	j.scope = scopeOf(j.in, j.container)
	if err := j.checkScope(); err != nil {
		return j, err
	}
	if err := j.decide(); err != nil {
		return j, err
	}
	j.out, err = j.newOutput()
	if err != nil {
		return j, err
	}
	j.place, err = j.container.place(j)
	return j, err
}

// notDone is the exit code of --update --dry-run, which asks whether all results are up to date, if one is not.
func notDone() error {
	return cli.Reported(fault.New(fault.Negative, "results are missing or out of date"))
}
