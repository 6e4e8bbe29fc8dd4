package convertcmd

import (
	"path"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// settingsOf returns the settings for a unit.
func (c *Converter) settingsOf(u batch.Item) *settings {
	s := c.options.settingsFor(u.Name)
	s.destination = destination{place: &batchFolder{top: c.options.dir, below: path.Dir(u.Rel)}}
	s.threads = c.threads
	s.memory = c.memory
	return s
}

// Unit converts a source. It never returns an error: the outcome holds it.
func (c *Converter) Unit(u batch.Item) batch.Result {
	if done, ok := c.small(u); ok {
		return done
	}
	result, err := c.convert(u)
	done := batch.Result{Item: u, Destination: result.path, State: batch.Made, Bytes: result.bytes}
	if err != nil {
		done.State = batch.Failed
		done.Err = err
	} else if result.upToDate() {
		done.State = batch.Skipped
	}
	return done
}

// convert converts a unit of any kind.
func (c *Converter) convert(u batch.Item) (outcome, error) {
	j, err := c.job(u)
	defer j.close()
	if err == nil {
		err = j.write()
	}
	return j.done, err
}

// job prepares the conversion of a unit. Close it even after an error.
func (c *Converter) job(u batch.Item) (*job, error) {
	if u.Name.IsStdin() {
		return &job{}, fault.New(fault.Usage, "standard input has no name to derive an output name from").WithHint("convert it alone, with --output")
	}
	return newJob(c.app, c.settingsOf(u))
}

// destination returns the name of a unit's result.
func (c *Converter) destination(u batch.Item) (name.Name, error) {
	j, err := c.job(u)
	defer j.close()
	if err != nil {
		return name.Name{}, err
	}
	return j.out.path, nil
}
