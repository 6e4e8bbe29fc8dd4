package convert

import (
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// manyFlags say which sources are converted, and how they are shared out.
type manyFlags struct {
	cli.Lists
	shard  string
	report string
	jobs   int
}

func (f *manyFlags) add(cmd *cobra.Command) {
	f.AddLists(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.shard, "shard", "", "of many sources, or of the files of --split, do share `K/N`, K from 0 to N-1; auto takes it from an array job's environment")
	flags.StringVar(&f.report, "report", "", "write what became of each source into this `folder`; tlayout report sums it up")
	flags.IntVar(&f.jobs, "jobs", 0, "convert this many sources at once (default all cores; 16 of object stores)")
}

// isMany reports whether the arguments are many sources, each of which gets a file in --dir.
func (o *options) isMany(args []string) (bool, error) {
	asked := o.many.Stdin || len(args) > 2
	for _, arg := range args {
		info, err := os.Stat(arg)
		asked = asked || err == nil && info.IsDir() || err != nil && strings.HasPrefix(arg, "@")
	}
	switch {
	case o.dir == "" && asked:
		return false, fault.New(fault.Usage, "missing --dir: several sources are converted into a folder").WithHint("-d FOLDER")
	case o.dir == "":
		return false, o.many.refuse()
	case o.split != 0 && (asked || len(args) > 1):
		return false, fault.New(fault.Usage, "--split cuts the result of one source")
	case o.split != 0:
		return false, o.many.refuseReport()
	case o.out != "":
		return false, fault.New(fault.Usage, "--output and --dir both name the output")
	case asked || len(args) > 1:
		return true, nil
	}
	_, _, several := source.SplitArchive(args[0])
	if several {
		return false, o.many.refuse()
	}
	return true, nil
}

// refuse refuses flags about many sources where there is one.
func (f *manyFlags) refuse() error {
	if f.shard != "" {
		return forMany("--shard", " or --split")
	}
	return f.refuseReport()
}

// refuseReport refuses those that --split does not have either.
func (f *manyFlags) refuseReport() error {
	switch {
	case f.report != "":
		return forMany("--report", "")
	case f.jobs != 0:
		return forMany("--jobs", "")
	}
	return nil
}

func forMany(flag, or string) error {
	return fault.New(fault.Usage, "%s is for many sources%s", flag, or).WithHint("tlayout convert FOLDER --to nhwc -d RESULTS")
}

// runMany converts each source for itself.
func runMany(a *cli.App, o *options, args []string) error {
	share, err := o.many.share(a)
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
	if err := c.refuseCollisions(all); err != nil {
		return err
	}
	mine := all.Take(share)
	mine.Order()
	c.begin(share, o.many.jobsFor(o.dir, mine))
	tally, err := many.NewTally(o.many.report, share, mine.Len(), o.dryRun)
	if err != nil {
		return err
	}
	publish.AtCleanup(func() {
		c.Close()       //nolint:errcheck // the journal is not needed
		tally.End(true) //nolint:errcheck // the program ends by a signal
	})
	bar := cli.NewProgress(a.Streams, "converting", mine.Bytes)
	many.Run(mine, c.jobs, c.Unit, func(done many.Outcome) {
		bar.Add(int(done.Size))
		if done.Err != nil {
			a.PrintError(named(done.Name, done.Err))
		}
		tally.Add(done)
	})
	bar.End()
	warning := c.Close()
	summary, err := tally.End(false)
	if warning != nil {
		summary.Warnings = append(summary.Warnings, warning.Error())
	}
	if err := a.Write(&manyReport{summary, o.dir}); err != nil {
		return err
	}
	if err != nil {
		a.PrintError(err)
		summary.ExitCode = int(many.Worst(fault.Class(summary.ExitCode), fault.ClassOf(err)))
	}
	if summary.ExitCode != 0 {
		return cli.Said(fault.New(fault.Class(summary.ExitCode), "%s failed", words.Count(summary.Failed, "source")))
	}
	return nil
}

// named makes an error name its source, unless it does.
func named(name string, err error) error {
	if strings.Contains(err.Error(), words.Quoted(name)) {
		return err
	}
	return fault.In(words.Quoted(name), err)
}

// share is what --shard says.
func (f *manyFlags) share(a *cli.App) (many.Share, error) {
	switch f.shard {
	case "":
		return many.Share{}, nil
	case "auto":
		return many.FromEnvironment(a.Streams.Env)
	}
	s, err := many.ParseShare(f.shard)
	return s, fault.In("--shard", err)
}

// remoteJobs is how many objects are converted at once by default: they wait for their store.
const remoteJobs = 16

// A job has at most filesOfJob files open, besides the folders of small results; all else together has filesElsewhere.
const (
	filesOfJob     = 8
	filesElsewhere = 24
)

// jobsFor is how many units run at once.
func (f *manyFlags) jobsFor(dir string, l *many.List) int {
	jobs := f.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
		if source.IsRemote(dir) || l.Len() > 0 && source.IsRemote(l.At(0).Name) {
			jobs = remoteJobs
		}
	}
	return max(1, min(jobs, l.Len(), (many.OpenFiles()-filesElsewhere)/(filesOfJob+1)))
}

// Converter converts sources into a folder, each for itself. Its method Unit may be called from many goroutines.
type Converter struct {
	app     *cli.App
	options *options
	journal *many.Journal // nil of object stores
	jobs    int
	folders int // that a small may have open
	idle    chan *small
}

// NewConverter is the Converter that flags of tlayout convert describe: "--to", "nhwc", "-d", "out". A program that has a scheduler of its own
// gives it Unit, and needs neither lists nor shares. Close it.
func NewConverter(flags []string, s *cli.Streams) (*Converter, error) {
	a := &cli.App{Streams: s, Stdout: io.Discard}
	cmd, o := newCmd(a)
	if err := cmd.ParseFlags(flags); err != nil {
		return nil, cli.UsageError(cmd, err)
	}
	if o.dir == "" {
		return nil, fault.New(fault.Usage, "missing --dir")
	}
	c, err := newConverter(a, o)
	if err == nil {
		c.begin(many.Share{}, runtime.GOMAXPROCS(0))
	}
	return c, err
}

// newConverter checks what does not depend on the sources.
func newConverter(a *cli.App, o *options) (*Converter, error) {
	quiet, streams := *a, *a.Streams
	streams.Err = io.Discard // no bar for each source
	quiet.Streams, quiet.Verbose = &streams, false
	c := &Converter{app: &quiet, options: o}
	switch asked := o.to.Layout != nil || o.strides.Given || o.compact || o.align != 0; {
	case !asked, o.to.Layout != nil && o.strides.Given:
		return nil, o.checkTarget("tlayout convert FOLDER --to nhwc -d RESULTS")
	case o.HasShape():
		return nil, o.ShapeOfFile()
	case o.many.jobs < 0:
		return nil, fault.New(fault.Usage, "--jobs %d is negative", o.many.jobs).WithHint("0 takes all cores")
	}
	if _, err := o.kernels(a); err != nil {
		return nil, err
	}
	if info, err := os.Stat(o.dir); err == nil && !info.IsDir() {
		return nil, fault.New(fault.Resource, "cannot write %s: it is no folder", words.Quoted(o.dir))
	}
	return c, nil
}

// begin opens the journal, and divides threads and memory among jobs.
func (c *Converter) begin(s many.Share, jobs int) {
	c.jobs = jobs
	c.folders = max(1, min(maxFolders, (many.OpenFiles()-filesElsewhere)/jobs-filesOfJob))
	each := *c.options
	if each.threads == 0 {
		each.threads = max(1, runtime.GOMAXPROCS(0)/jobs)
	}
	each.memory.N = max(1, each.memory.N/int64(jobs))
	c.options = &each
	if !source.IsRemote(each.dir) {
		c.journal, c.idle = many.OpenJournal(each.dir, s), make(chan *small, jobs)
	}
}

// Close writes what is left of the journal. The error is a warning: results are complete without it.
func (c *Converter) Close() error {
	if c.journal == nil {
		return nil
	}
	for {
		select {
		case w := <-c.idle:
			w.close()
		default:
			return c.journal.Close()
		}
	}
}

// refuseCollisions refuses sources whose results would have the same name.
func (c *Converter) refuseCollisions(l *many.List) error {
	for group := range l.Alike(bareName) {
		taken := map[string]string{}
		for _, u := range group {
			out, err := c.destination(u)
			if err != nil {
				continue // it has no result
			}
			if other, ok := taken[out]; ok {
				return fault.New(fault.Usage, "%s and %s would both become %s", words.Quoted(other), words.Quoted(u.Name), words.Quoted(out)).
					WithHint("name their folder, or a pattern in quotes, to keep their paths; or convert them into two folders")
			}
			taken[out] = u.Name
		}
	}
	return nil
}

// bareName is what sources with the same result have in common: the name without the endings that say its kind and layout.
func bareName(rel string) string {
	dir, base := path.Split(rel)
	if file, member, ok := strings.Cut(base, ":"); ok {
		return dir + strings.TrimSuffix(file, path.Ext(file)) + "." + member
	}
	return dir + strings.TrimSuffix(base, source.Tail(base))
}

// destination is the name of the unit's result.
func (c *Converter) destination(u many.Unit) (string, error) {
	o := c.unitOptions(u)
	o.dryRun, o.force = true, true
	if err := c.convert(&o); o.unit.path == "" {
		return "", err
	}
	return o.unit.path, nil
}

// unitOptions are those of a unit.
func (c *Converter) unitOptions(u many.Unit) options {
	o := *c.options
	o.source, o.out, o.dir = u.Name, "", ""
	o.unit = &unitOutput{folder: store.Join(c.options.dir, path.Dir(u.Rel)), rel: path.Dir(u.Rel), converter: c}
	return o
}

// manyReport is convert's answer about many sources.
type manyReport struct {
	many.Summary
	dir string
}

// Warned are what went wrong besides the sources.
func (r *manyReport) Warned() []string { return r.Warnings }

// Failed reports whether a source failed.
func (r *manyReport) Failed() bool { return r.Summary.Failed > 0 }

// Rows has one row of counts.
func (r *manyReport) Rows() render.Table {
	t := render.Table{Header: strings.Split("share,shares,units,made_units,skipped_units,failed_units,bytes,seconds,exit_code", ",")}
	t.Add(fmt.Sprint(r.Share), fmt.Sprint(r.Shares), fmt.Sprint(r.Units), fmt.Sprint(r.Made), fmt.Sprint(r.Skipped), fmt.Sprint(r.Summary.Failed),
		fmt.Sprint(r.Bytes), fmt.Sprint(r.Seconds), fmt.Sprint(r.ExitCode))
	return t
}

// Page writes the counts.
func (r *manyReport) Page(p *cli.Page) {
	made := "wrote"
	if r.DryRun {
		made = "would write"
	}
	text := fmt.Sprintf("%s %s to %s, %s", made, words.Count(r.Made, "file"), source.DisplayName(r.dir), words.ShortBytes(r.Bytes))
	if r.Shares > 1 {
		text = fmt.Sprintf("share %d of %d: %s", r.Share, r.Shares, text)
	}
	p.Answer(text)
	var lines []string
	if r.Skipped > 0 {
		lines = append(lines, fmt.Sprintf("%s: the same result is there", words.Count(r.Skipped, "source")+" skipped"))
	}
	if r.Summary.Failed > 0 {
		lines = append(lines, fmt.Sprintf("%s failed", words.Count(r.Summary.Failed, "source")))
	}
	if !r.DryRun {
		lines = append(lines, fmt.Sprintf("%s in %s", words.Count(r.Units, "source"), words.Seconds(r.Seconds)))
	}
	p.Items(lines...)
}
