//go:build !js

package convertcmd

import (
	"fmt"
	"io"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// isMany reports whether the arguments are a batch, each source of which gets a file in --dir.
func (o *options) isMany(args []name.Name) (bool, error) {
	several := o.namesSeveral(args)
	if !o.dir.IsZero() {
		return several || len(args) > 1, nil
	}
	if several {
		return false, fault.New(fault.Usage, "missing --dir: several sources need a folder for their results").WithHint("-d FOLDER")
	}
	return false, nil
}

// namesSeveral reports whether flags or an argument name several sources. SRC and OUT are two arguments.
func (o *options) namesSeveral(args []name.Name) bool {
	if o.many.Stdin || len(args) > 2 {
		return true
	}
	if divided := o.many.shard != "" || o.many.jobs != 0; divided && !o.dir.IsZero() {
		return true
	}
	return slices.ContainsFunc(args, func(arg name.Name) bool {
		if !namesMany(arg) {
			return false
		}
		if o.dir.IsZero() && arg.IsRemote() { // perhaps OUT
			return batch.IsFolder(arg)
		}
		return true
	})
}

// namesMany reports whether an argument is a folder of sources, a list, a pattern of files, or a prefix in an object store.
func namesMany(arg name.Name) bool {
	if arg.IsRemote() {
		return !arg.NamesTensors()
	}
	if source.IsFolder(arg) {
		return false
	}
	if info, err := arg.Stat(); err == nil {
		return info.IsDir()
	}
	if arg.Kind() == name.List {
		return true
	}
	if !arg.IsPattern() || source.IsTyped(arg) {
		return false
	}
	_, _, ofTensors := arg.Resolve()
	return !ofTensors
}

// runMany converts each source on its own.
func runMany(a *cli.App, o *options, args []name.Name) error {
	shard, err := o.many.selected(a)
	if err != nil {
		return err
	}
	c, err := newConverter(a, o)
	if err != nil {
		return err
	}
	all, err := o.many.Expand(a, args, o.Raw, o.dir)
	if err != nil {
		return err
	}
	mine := all.Take(shard)
	if err := c.check(all, mine, args); err != nil {
		return err
	}
	mine.Order()
	c.begin(o.many.jobsFor(o.dir, mine))
	defer c.Close()
	start := time.Now()
	summary := batch.NewSummary(shard, mine.Len(), o.dryRun)
	bar := cli.NewProgress(a.Streams, "converting", mine.Bytes)
	batch.Run(mine, c.jobs, c.Unit, func(done batch.Result) {
		bar.Add(int(done.Size))
		if done.Err != nil {
			a.PrintErrorOf(done.Name, named(done.Name, done.Err))
		}
		summary.Add(done)
	})
	bar.End()
	summary.End(time.Since(start).Seconds())
	r := &manyReport{*summary, o.dir, o.asksWhetherDone(), o.verify}
	if r.asksStatus && r.Made > 0 {
		r.ExitCode = int(batch.Worst(fault.Class(r.ExitCode), fault.Negative))
	}
	if err := a.Write(r); err != nil {
		return err
	}
	if r.Summary.Failed > 0 {
		return cli.Reported(fault.New(fault.Class(r.ExitCode), "%s failed", text.Count(r.Summary.Failed, "source")))
	}
	if r.ExitCode != 0 {
		return notDone()
	}
	return nil
}

// named adds the source's name to an error that lacks it.
func named(source name.Name, err error) error {
	if strings.Contains(err.Error(), source.String()) {
		return err
	}
	return fault.In(source.String(), err)
}

// remoteJobs is the default number of objects converted at once: they wait for their store.
const remoteJobs = 16

// A job has at most filesOfJob files open, not counting the folders of small results; everything else has filesReserved.
const (
	filesOfJob    = 8
	filesReserved = 24
)

// jobsFor returns the number of units that run at once.
func (f *manyFlags) jobsFor(dir name.Name, l *batch.List) int {
	jobs := f.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
		if dir.IsRemote() || l.Len() > 0 && l.At(0).Name.IsRemote() {
			jobs = remoteJobs
		}
	}
	return max(1, min(jobs, l.Len(), (batch.OpenFiles()-filesReserved)/(filesOfJob+1)))
}

// Converter converts sources into a folder, independently of each other. Unit may be called from many goroutines.
type Converter struct {
	app     *cli.App
	options *options
	jobs    int
	threads int   // of each job
	memory  int64 // of each job
	folders int   // limit of open folders per fastPath
	idle    chan *fastPath
}

// NewConverter returns the Converter for flags of tlayout convert: "--to", "nhwc", "-d", "out". A program with a scheduler of its own calls Unit, and
// needs neither lists nor shards. Close it.
func NewConverter(flags []string, s *cli.Streams) (*Converter, error) {
	a := &cli.App{Streams: s, Stdout: io.Discard}
	cmd, o := newCmd(a)
	if err := cmd.ParseFlags(flags); err != nil {
		return nil, cli.UsageError(cmd, err)
	}
	if o.dir.IsZero() {
		return nil, fault.New(fault.Usage, "missing --dir")
	}
	if err := a.CheckRelations(cmd); err != nil {
		return nil, err
	}
	c, err := newConverter(a, o)
	if err == nil {
		c.begin(runtime.GOMAXPROCS(0))
	}
	return c, err
}

// newConverter checks everything that does not depend on the sources.
func newConverter(a *cli.App, o *options) (*Converter, error) {
	quiet := *a
	streams := *a.Streams
	streams.Err = io.Discard // no bar for each source
	quiet.Streams = &streams
	quiet.Verbose = false
	c := &Converter{app: &quiet, options: o}
	if rewrites := o.compact || o.align != 0; !rewrites {
		if err := o.checkTarget("tlayout convert FOLDER --to nhwc -d RESULTS"); err != nil {
			return nil, err
		}
	}
	if o.HasShape() {
		return nil, o.ShapeOfFile()
	}
	if _, err := a.Kernels(); err != nil {
		return nil, err
	}
	if info, err := o.dir.Stat(); err == nil && !info.IsDir() {
		return nil, fault.New(fault.Resource, "cannot write %s: it is not a directory", o.dir)
	}
	return c, nil
}

// begin divides threads, memory and open files among jobs.
func (c *Converter) begin(jobs int) {
	c.jobs = jobs
	c.folders = max(1, min(maxFolders, (batch.OpenFiles()-filesReserved)/jobs-filesOfJob))
	c.threads = c.options.threads
	if c.threads == 0 {
		c.threads = max(1, runtime.GOMAXPROCS(0)/jobs)
	}
	c.memory = max(1, c.options.memory.N/int64(jobs))
	c.idle = make(chan *fastPath, jobs)
}

// Close closes the folders of results.
func (c *Converter) Close() {
	for {
		select {
		case w := <-c.idle:
			w.close()
		default:
			return
		}
	}
}

// manyReport is convert's answer for many sources.
type manyReport struct {
	batch.Summary
	dir        name.Name
	asksStatus bool // whether all results are up to date: --update --dry-run
	verified   bool // --verify: each file was read back and compared
}

// Failed reports whether a source failed, or the answer is no.
func (r *manyReport) Failed() bool { return r.ExitCode != 0 }

// Rows has one row of counts.
func (r *manyReport) Rows() render.Table {
	return cli.TableOf("shard_index,shard_count,units,made_units,skipped_units,failed_units,bytes,seconds,exit_code", r.Summary)
}

// Page writes the counts.
func (r *manyReport) Page(p *cli.Page) {
	line := r.answer()
	if r.Shards > 1 {
		line = fmt.Sprintf("shard %d of %d: %s", r.Shard, r.Shards, line)
	}
	p.Answer(line)
	var lines []string
	if r.Skipped > 0 && !r.asksStatus {
		lines = append(lines, fmt.Sprintf("%s skipped: %s up to date", text.Count(r.Skipped, "source"), text.Plural(r.Skipped, "its result is", "their results are")))
	}
	if r.Summary.Failed > 0 {
		lines = append(lines, fmt.Sprintf("%s failed", text.Count(r.Summary.Failed, "source")))
	}
	if !r.DryRun {
		lines = append(lines, fmt.Sprintf("%s in %s", text.Count(r.Units, "source"), text.Seconds(r.Seconds)))
	}
	p.Items(lines...)
}

// answer is the first line of the page.
func (r *manyReport) answer() string {
	files := fmt.Sprintf("%s to %s, %s", text.Count(r.Made, "file"), r.dir.Shown(), text.ShortBytes(r.Bytes))
	if r.asksStatus {
		line := fmt.Sprintf("%d of %s missing or out of date", r.Units-r.Skipped, text.Count(r.Units, "result"))
		if r.Made > 0 {
			line += ": would write " + files
		}
		return line
	}
	if r.DryRun {
		return "would write " + files
	}
	if r.verified && r.Made > 0 {
		return "wrote and verified " + files
	}
	return "wrote " + files
}

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
