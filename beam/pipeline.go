// Package beam converts many sources with Apache Beam, on this machine or on any runner. It is a separate module, so that the program stays
// small.
//
//	Create(names) ──► Reshuffle ──► ParDo(convert) ──► outcomes ──► lines of JSON, and counters
//
// A failed source is an outcome, not an error: after an error, a runner would retry the whole bundle, and finally fail the pipeline.
package beam

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

func init() {
	register.DoFn3x1[context.Context, Source, func(Outcome), error](&convertFn{})
	register.Emitter1[Outcome]()
	register.Function2x2(record)
	beam.RegisterType(reflect.TypeFor[Source]())
	beam.RegisterType(reflect.TypeFor[Outcome]())
}

// Source is one of many sources: its name, and its path below the destination.
type Source struct{ Name, Rel string }

// Outcome is the outcome of a source, as a line of JSON.
type Outcome struct {
	Source      string `json:"source"`
	RawSource   []byte `json:"source_base64,omitempty"` // only if the name is not UTF-8
	Destination string `json:"destination"`
	RawDest     []byte `json:"destination_base64,omitempty"`
	Result      string `json:"outcome"` // made, skipped or failed
	Class       string `json:"class,omitempty"`
	ExitCode    int    `json:"exit_code"` // of the error, as in tlayout; 0 for none
	Message     string `json:"message,omitempty"`
	Hint        string `json:"hint,omitempty"`
}

// Convert converts each source as tlayout convert does with these flags. It retries temporary failures, of class Resource, making at most
// tries attempts.
func Convert(s beam.Scope, sources beam.PCollection, flags []string, tries int) beam.PCollection {
	return beam.ParDo(s, &convertFn{Flags: repeatable(flags), Tries: tries}, beam.Reshuffle(s, sources))
}

// convertFn converts sources. Its exported fields are sent to the workers.
type convertFn struct {
	Flags []string
	Tries int

	converter *convertcmd.Converter
}

// converters holds this process's converters by their flags: a worker has many instances of convertFn.
var converters struct {
	sync.Mutex
	of map[string]*convertcmd.Converter
}

// Setup makes the converter. An error means invalid flags, and ends the pipeline.
func (f *convertFn) Setup() error {
	converters.Lock()
	defer converters.Unlock()
	key := fmt.Sprintf("%q", f.Flags)
	f.converter = converters.of[key]
	if f.converter != nil {
		return nil
	}
	c, err := convertcmd.NewConverter(f.Flags, cli.System())
	if err != nil {
		return err
	}
	if converters.of == nil {
		converters.of = map[string]*convertcmd.Converter{}
	}
	f.converter = c
	converters.of[key] = c
	return nil
}

// unit converts one source; tests make it fail.
var unit = (*convertcmd.Converter).Unit

// ProcessElement converts a source.
func (f *convertFn) ProcessElement(_ context.Context, s Source, emit func(Outcome)) error {
	u := batch.Item{Name: name.Parse(s.Name), Rel: s.Rel}
	done := unit(f.converter, u)
	for try := 1; try < f.Tries && done.State == batch.Failed && fault.ClassOf(done.Err) == fault.Resource; try++ {
		done = unit(f.converter, u)
	}
	emit(outcomeOf(u.Name, done))
	return nil
}

// outcomeOf describes an outcome, with secrets removed from URLs.
func outcomeOf(source name.Name, done batch.Result) Outcome {
	o := Outcome{Source: source.Redacted(), RawSource: source.Bytes(), Destination: done.Destination.Redacted(), RawDest: done.Destination.Bytes(),
		Result: string(done.State)}
	if done.Err == nil {
		return o
	}
	class := fault.ClassOf(done.Err)
	o.Class = class.String()
	o.ExitCode = int(class)
	o.Message = text.Quote(done.Err.Error())
	var e *fault.Error
	if errors.As(done.Err, &e) {
		o.Hint = text.Quote(e.Hint)
	}
	return o
}

// Close closes the converters of this process.
func Close() {
	converters.Lock()
	defer converters.Unlock()
	for key, c := range converters.of {
		c.Close()
		delete(converters.of, key)
	}
}
