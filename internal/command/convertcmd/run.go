package convertcmd

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
)

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
	if err := j.takeLike(a); err != nil {
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
