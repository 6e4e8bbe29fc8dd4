// Command tlayout-beam converts many sources with Apache Beam:
//
//	tlayout-beam --runner prism images/ -- --to nhwc -d out/
//	tlayout-beam --runner dataflow --project P --region R --staging_location gs://B/s --outcomes gs://B/outcomes.jsonl @list.txt -- --to nhwc -d gs://B/out/
//
// The runner's flags and the sources come before --, the flags of tlayout convert after it. If the runner is in this process, each source's
// outcome is a line of JSON on standard output. The exit code is that of tlayout convert.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	tlayout "github.com/tlayout/tlayout/beam"
	_ "github.com/tlayout/tlayout/cloud"
	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

var (
	tries    = flag.Int("tries", 3, "number of `tries` for a source that cannot be read or written")
	outcomes = flag.String("outcomes", "", "write each source's outcome as a line of JSON to this `file`, local or gs://")
)

func main() {
	args := os.Args[1:]
	flags := []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		args, flags = args[:i], args[i+1:]
	}
	err := parse(args)
	if err == nil {
		beam.Init() // a runner's worker never returns from here
		err = run(flag.Args(), flags)
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		printError(err)
		os.Exit(int(fault.ClassOf(err)))
	}
}

// parse reads the flags before --.
func parse(args []string) error {
	flag.CommandLine.Init("tlayout-beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	err := flag.CommandLine.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flag.CommandLine.SetOutput(os.Stdout)
		fmt.Println("usage: tlayout-beam [flags] SOURCE… -- [flags of tlayout convert]")
		flag.PrintDefaults()
		return err
	}
	if err != nil {
		return fault.New(fault.Usage, "%s", text.Quote(err.Error())).WithHint("tlayout-beam --help shows the flags; those of tlayout convert come after --")
	}
	return nil
}

// names lists the runners of beamx.
var names = []string{"dataflow", "direct", "dot", "flink", "prism", "spark", "universal",
	"DataflowRunner", "DirectRunner", "FlinkRunner", "PortableRunner", "PrismRunner", "SparkRunner", "portable"}

// check refuses conflicting flags. For some of them, Beam itself would end the process with exit code 1.
func check(args []string) error {
	if len(args) == 0 {
		return fault.New(fault.Usage, "missing SOURCE").WithHint("tlayout-beam images/ -- --to nhwc -d out/")
	}
	isFlag := func(arg string) bool { return len(arg) > 1 && arg[0] == '-' }
	if i := slices.IndexFunc(args, isFlag); i >= 0 {
		return fault.New(fault.Usage, "%s comes after a source", text.Quoted(args[i])).WithHint("put flags before sources, and those of tlayout convert after --")
	}
	if *runners.Runner != "" && !slices.Contains(names, *runners.Runner) {
		return fault.New(fault.Usage, "unknown runner %s", text.Quoted(*runners.Runner)).WithHint("%s", "want "+strings.Join(names[:7], ", "))
	}
	if *tries < 1 {
		return fault.New(fault.Usage, "--tries %d is less than 1", *tries)
	}
	if scheme, _, remote := strings.Cut(*outcomes, "://"); remote && scheme != "gs" {
		return fault.New(fault.Usage, "--outcomes %s: want a local file or gs://", text.Quoted(*outcomes))
	}
	if *jobopts.Async && inProcess() {
		return fault.New(fault.Usage, "--async: sources are converted in this process, which would end").WithHint("remove --async")
	}
	return nil
}

// inProcess reports whether the workers run in this process.
func inProcess() bool {
	prism := slices.Contains([]string{"", "prism", "PrismRunner"}, *runners.Runner) && *jobopts.Endpoint == ""
	return prism || jobopts.IsLoopback()
}

// setWorker makes this program the workers', if they may run it: Beam's containers are of linux/amd64. Otherwise Beam compiles it, which
// takes the go command and the sources.
func setWorker() {
	if program, err := os.Executable(); err == nil && *jobopts.WorkerBinary == "" && runtime.GOOS+"/"+runtime.GOARCH == "linux/amd64" {
		*jobopts.WorkerBinary = program
	}
}

// run converts the sources. The class of its error is the exit code.
func run(args, flags []string) error {
	if err := check(args); err != nil {
		return err
	}
	if err := tlayout.CheckFlags(flags); err != nil {
		return err
	}
	defer tlayout.Close()
	setWorker()
	sources, err := expand(args, flags)
	if err != nil {
		return err
	}
	listener := &tlayout.Listener{Out: os.Stdout, Failed: printFailure}
	tlayout.Listen(listener)
	p, s := beam.NewPipelineWithRoot()
	lines := tlayout.Record(s, tlayout.Convert(s, beam.CreateList(s, sources), flags, *tries))
	if *outcomes != "" {
		textio.Write(s, *outcomes, lines)
	}
	result, err := beamx.RunWithMetrics(context.Background(), p)
	return end(result, err, len(sources), listener)
}

// expand lists the sources, and checks that each has its own result.
func expand(args, flags []string) ([]tlayout.Source, error) {
	list, err := batch.Expand(name.ParseAll(args), batch.Options{Stdin: os.Stdin})
	if err != nil {
		return nil, err
	}
	sources := make([]tlayout.Source, 0, list.Len())
	for u := range list.All() {
		sources = append(sources, tlayout.Source{Name: u.Name.Raw(), Rel: u.Rel})
	}
	if len(sources) == 0 {
		return nil, fault.New(fault.Usage, "no sources are in %s", text.Quoted(strings.Join(args, " ")))
	}
	return sources, tlayout.CheckResults(list, flags)
}

// end reports how the pipeline ended. The result of a remote runner has no metrics if it failed or is asynchronous, and panics if it is read.
func end(result beam.PipelineResult, err error, sources int, l *tlayout.Listener) error {
	if err != nil {
		return fault.New(fault.Resource, "the pipeline failed: %s", text.Quote(err.Error()))
	}
	if *jobopts.Async && result != nil {
		fmt.Fprintf(os.Stderr, "tlayout-beam: submitted %s; their outcomes are unknown\n", text.Count(sources, "source"))
		return nil
	}
	received, lost := l.Received()
	if received == 0 && *outcomes == "" {
		fmt.Fprintln(os.Stderr, "tlayout-beam: note: the workers ran in other processes, whose logs have the failures; --outcomes FILE writes all outcomes")
	}
	tally := tlayout.TallyOf(result)
	fmt.Fprintf(os.Stderr, "tlayout-beam: %s: %s\n", text.Count(sources, "source"), tally)
	return errors.Join(tally.Err(sources), lost)
}

func printFailure(o tlayout.Outcome) {
	message := o.Message
	name := text.Quoted(o.Source)
	if !strings.Contains(message, name) {
		message = name + ": " + message
	}
	printError(&fault.Error{Text: message, Hint: o.Hint})
}

func printError(err error) {
	text := "tlayout-beam: error: " + err.Error() + "\n"
	var e *fault.Error
	if errors.As(err, &e) && e.Hint != "" {
		text += "tlayout-beam: hint: " + e.Hint + "\n"
	}
	io.WriteString(os.Stderr, text) //nolint:errcheck // there is nowhere left to report it
}
