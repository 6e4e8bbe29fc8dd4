package convertcmd

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
)

// unitOptions returns the options for a unit.
func (c *Converter) unitOptions(u batch.Item) options {
	o := *c.options
	o.source = u.Name
	o.out = name.Name{}
	o.dir = name.Name{}
	o.unit = &unitOutput{top: c.options.dir, below: path.Dir(u.Rel)}
	return o
}

// unitOutput is the output of one source of a batch.
type unitOutput struct {
	top   name.Name // the folder of all results
	below string    // the path below it to this result's folder, with slashes
	path  name.Name // of the result, once it is created
	bytes int64
	kept  bool // --update: the result is up to date
}

func (u *unitOutput) folder() name.Name { return u.top.Join(u.below) }

// placed returns the path for a default output name: in the folder of results for a batch, else unchanged.
func (o *options) placed(n name.Name) name.Name {
	if o.unit == nil {
		return n
	}
	return o.unit.folder().Join(n.Base())
}

// begins records that the output is being created, and makes its folder. With dryRun, ready is false if the folder is missing.
func (u *unitOutput) begins(n name.Name, bytes int64, dryRun bool) (ready bool, err error) {
	u.path = n
	u.bytes = bytes
	if u.top.IsRemote() {
		return true, nil
	}
	if dryRun {
		return u.folder().IsFolder(), nil
	}
	return true, publish.MakeFolder(u.top, filepath.FromSlash(u.below))
}

// Unit converts a source. It never returns an error: the outcome holds it.
func (c *Converter) Unit(u batch.Item) batch.Result {
	if done, ok := c.small(u); ok {
		return done
	}
	o := c.unitOptions(u)
	err := c.convert(&o)
	done := batch.Result{Item: u, Destination: o.unit.path, State: batch.Made, Bytes: o.unit.bytes}
	switch {
	case err != nil:
		done.State = batch.Failed
		done.Err = err
		return done
	case o.unit.kept:
		done.State = batch.Skipped
	}
	return done
}

// convert converts one source of any kind.
func (c *Converter) convert(o *options) error {
	if o.source.IsStdin() {
		return fault.New(fault.Usage, "standard input has no name to derive an output name from").WithHint("convert it alone, with --output")
	}
	j, err := newJob(c.app, o)
	defer j.close()
	if err == nil {
		err = j.write()
		o.unit.kept = j.done.upToDate()
	}
	return err
}

// checkpointName names a checkpoint's result: same container, x.nhwc.pt.
func checkpointName(file name.Name, to cli.Layout) name.Name {
	if to.Layout == nil {
		return file
	}
	return file.BeforeEnding("." + strings.Trim(fileLetters.Get().ReplaceAllString(strings.ToLower(to.Name), "-"), "-"))
}

// fileLetters matches what file names should not contain.
var fileLetters = lazy.Regexp(`[^a-z0-9_]+`)
