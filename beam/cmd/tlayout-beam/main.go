// Command tlayout-beam converts many sources with Apache Beam:
//
//	tlayout-beam --runner prism images/ -- --to nhwc -d out/
//	tlayout-beam --runner dataflow --project P --region R --staging_location gs://B/s @list.txt -- --to nhwc -d gs://B/out/
//
// What is before -- are the runner's flags and the sources, what is after it the flags of tlayout convert.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/debug"

	tlayout "github.com/tlayout/tlayout/beam"
	_ "github.com/tlayout/tlayout/cloud"
	"github.com/tlayout/tlayout/internal/many"
)

func main() {
	tries := flag.Int("tries", 3, "try a source that cannot be read or written this many times")
	args, flags := os.Args[1:], []string(nil)
	if i := slices.Index(args, "--"); i >= 0 {
		args, flags = args[:i], args[i+1:]
	}
	flag.CommandLine.Parse(args) //nolint:errcheck // it ends the program
	beam.Init()
	if err := run(flag.Args(), flags, *tries); err != nil {
		fmt.Fprintln(os.Stderr, "tlayout-beam:", err)
		os.Exit(1)
	}
}

func run(names, flags []string, tries int) error {
	list, err := many.Expand(names, many.Options{Stdin: os.Stdin})
	if err != nil {
		return err
	}
	defer tlayout.Close()
	sources := make([]tlayout.Source, 0, list.Len())
	for u := range list.All() {
		sources = append(sources, tlayout.Source{Name: u.Name, Rel: u.Rel})
	}
	p, s := beam.NewPipelineWithRoot()
	outcomes := tlayout.Convert(s, beam.CreateList(s, sources), flags, tries)
	debug.Print(s, tlayout.Count(s, outcomes))
	return beamx.Run(context.Background(), p)
}
