// Package beam converts many sources with Apache Beam: on this machine, or wherever a runner of Beam is. It is a module of its own, so that
// the program stays small.
//
//	Create(names) ──► Reshuffle ──► ParDo(convert) ──► outcomes ──► counts
//
// A source that fails is an outcome, not an error: a runner would try its whole bundle again, and give the pipeline up.
package beam

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/many"
)

func init() {
	register.DoFn3x1[context.Context, Source, func(Outcome), error](&convertFn{})
	register.Emitter1[Outcome]()
	register.Function1x1(resultOf)
	beam.RegisterType(reflect.TypeFor[Source]())
	beam.RegisterType(reflect.TypeFor[Outcome]())
}

// Source is a source among many: its name, and its path below the destination.
type Source struct{ Name, Rel string }

// Outcome is what became of a source.
type Outcome struct {
	Source, Destination string
	Result              string // made, skipped or failed
	Class               int    // of the error, as the program's exit codes
	Message             string
}

// Convert converts each source as tlayout convert does with these flags, and tries those that may pass, whose class is Resource, again, so
// that tries are at most that many.
func Convert(s beam.Scope, sources beam.PCollection, flags []string, tries int) beam.PCollection {
	return beam.ParDo(s, &convertFn{Flags: flags, Tries: tries}, beam.Reshuffle(s, sources))
}

// Count counts the outcomes by their result.
func Count(s beam.Scope, outcomes beam.PCollection) beam.PCollection {
	return stats.Count(s, beam.ParDo(s, resultOf, outcomes))
}

func resultOf(o Outcome) string { return o.Result }

// convertFn converts sources. Its exported fields travel to the workers.
type convertFn struct {
	Flags []string
	Tries int

	converter *convert.Converter
}

// converters are those of this process, by their flags: a worker has many instances of convertFn, and one journal in the destination.
var converters struct {
	sync.Mutex
	of map[string]*convert.Converter
}

// Setup makes the converter. An error is one of the flags, and ends the pipeline.
func (f *convertFn) Setup() error {
	converters.Lock()
	defer converters.Unlock()
	key := fmt.Sprintf("%q", f.Flags)
	if f.converter = converters.of[key]; f.converter != nil {
		return nil
	}
	c, err := convert.NewConverter(f.Flags, cli.System())
	if err != nil {
		return err
	}
	if converters.of == nil {
		converters.of = map[string]*convert.Converter{}
	}
	f.converter, converters.of[key] = c, c
	return nil
}

// unit does one; tests make it fail.
var unit = (*convert.Converter).Unit

// ProcessElement converts a source.
func (f *convertFn) ProcessElement(_ context.Context, s Source, emit func(Outcome)) error {
	u := many.Unit{Name: s.Name, Rel: s.Rel}
	done := unit(f.converter, u)
	for try := 1; try < f.Tries && done.Result == many.Failed && fault.ClassOf(done.Err) == fault.Resource; try++ {
		done = unit(f.converter, u)
	}
	r := done.Record()
	emit(Outcome{r.Source, r.Destination, string(r.Outcome), r.ExitCode, r.Message})
	return nil
}

// Close writes the journals of this process.
func Close() {
	converters.Lock()
	defer converters.Unlock()
	for key, c := range converters.of {
		c.Close() //nolint:errcheck // results are complete without their journal
		delete(converters.of, key)
	}
}
