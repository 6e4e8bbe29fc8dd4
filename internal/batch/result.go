package batch

import (
	"errors"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/text"
)

// State is the outcome of an item in one word.
type State string

// The states.
const (
	Made    State = "made"
	Skipped State = "skipped" // --update: already up to date
	Failed  State = "failed"
)

// Result is the result of an item.
type Result struct {
	Item
	Destination name.Name // none if unknown
	State       State
	Err         error // set if the item failed
	Bytes       int64 // in the result
	Seconds     float64
}

// severity orders classes: permanent errors first, by exit code, then those that may be temporary, then the answer "no".
var severity = []fault.Class{fault.Usage, fault.Malformed, fault.Unsupported, fault.Resource, fault.Negative}

// Worst returns the class, of two, that decides the exit code; 0 means no error.
func Worst(a, b fault.Class) fault.Class {
	for _, c := range severity {
		if a == c || b == c {
			return c
		}
	}
	return 0
}

// ShardSchema is the schema of a Summary.
const ShardSchema = "tlayout/shard/v1"

// Record is a result in JSON.
type Record struct {
	document.Named
	Destination string  `json:"destination"`                  // the result in --dir; empty if unknown
	RawDest     []byte  `json:"destination_base64,omitempty"` // its bytes, if not UTF-8
	Outcome     State   `json:"outcome"`                      // made, skipped (up to date) or failed
	Class       string  `json:"class,omitempty"`
	ExitCode    int     `json:"exit_code,omitempty"` // exit code that it has alone
	Message     string  `json:"message,omitempty"`
	Hint        string  `json:"hint,omitempty"`
	Bytes       int64   `json:"bytes"`   // size, or data read and written, in bytes
	Seconds     float64 `json:"seconds"` // duration
}

// Record returns the result as JSON, with secrets removed from URLs.
func (o Result) Record() Record {
	r := Record{Named: document.NewNamed(o.Name), Destination: o.Destination.Redacted(), RawDest: o.Destination.Bytes(), Outcome: o.State, Bytes: o.Bytes, Seconds: o.Seconds}
	if o.Err != nil {
		class := fault.ClassOf(o.Err)
		r.Class = class.String()
		r.ExitCode = int(class)
		r.Message = text.Quote(o.Err.Error())
		var e *fault.Error
		if errors.As(o.Err, &e) {
			r.Hint = text.Quote(e.Hint)
		}
	}
	return r
}

// Summary counts the results of a shard.
type Summary struct {
	Schema  string `json:"schema"`
	Shard   int    `json:"shard_index"`   // number of the shard, from 0
	Shards  int    `json:"shard_count"`   // shards
	Units   int    `json:"units"`         // sources of the shard
	Made    int    `json:"made_units"`    // sources whose results were written
	Skipped int    `json:"skipped_units"` // sources whose results were up to date
	Failed  int    `json:"failed_units"`  // sources without a result
	// size, or data read and written, in bytes
	Bytes   int64   `json:"bytes" jsonschema:"of the results that were made"`
	Seconds float64 `json:"seconds"` // duration
	// exit code that it has alone
	ExitCode int      `json:"exit_code" jsonschema:"of the shard"`
	DryRun   bool     `json:"dry_run"`
	Failures []Record `json:"failures"` // sources that failed; the first 100
	document.Remarks
}

// maxFailures is the number of failures that a summary lists.
const maxFailures = 100

// NewSummary returns the summary of a shard before any of its items is done.
func NewSummary(s Shard, items int, dryRun bool) *Summary {
	s = s.All()
	return &Summary{Schema: ShardSchema, Shard: s.Index, Shards: s.Count, Units: items, DryRun: dryRun, Failures: []Record{},
		Remarks: document.Remarks{Warnings: []string{}}}
}

// Add counts a result.
func (s *Summary) Add(o Result) {
	switch o.State {
	case Made:
		s.Made++
		s.Bytes += o.Bytes
	case Skipped:
		s.Skipped++
	case Failed:
		s.Failed++
		s.ExitCode = int(Worst(fault.Class(s.ExitCode), fault.ClassOf(o.Err)))
		if len(s.Failures) < maxFailures {
			s.Failures = append(s.Failures, o.Record())
		}
	}
}

// End sorts the failures by source, so that they do not depend on timing.
func (s *Summary) End(seconds float64) {
	s.Seconds = seconds
	sorting.By(s.Failures, func(a, b Record) int { return strings.Compare(a.Source, b.Source) })
}
